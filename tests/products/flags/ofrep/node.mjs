// Asks a box for flags with OpenFeature's server SDK and its OFREP provider; prints what came as JSON on one line.
// Arguments: the provider's address, then as JSON [kind, key, default, context] of each flag.
import { createRequire } from "node:module";

const require = createRequire(new URL("../../../../web/package.json", import.meta.url));
const { OpenFeature } = require("@openfeature/server-sdk");
const { OFREPProvider } = require("@openfeature/ofrep-provider");

const [baseUrl, wanted] = process.argv.slice(2);
await OpenFeature.setProviderAndWait(new OFREPProvider({ baseUrl }));
const client = OpenFeature.getClient();
const results = [];
for (const [kind, key, byDefault, context] of JSON.parse(wanted)) {
  results.push(await client[`get${kind}Details`](key, byDefault, context));
}
console.log(JSON.stringify(results));
