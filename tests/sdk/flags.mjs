// Asks a running box for flags with the Node manager of npm's @databuddy/sdk and prints what each call returned, as JSON on one
// line. Arguments: the box's address, a website id.
import { createServerFlagsManager } from "../../web/node_modules/@databuddy/sdk/dist/node/index.mjs";

const [apiUrl, clientId] = process.argv.slice(2);
const base = { apiUrl, clientId };
const results = {};

// one by one: the manager puts them together into one request
const plain = createServerFlagsManager({ ...base, user: { userId: "ada" } });
const [checkout, dark, missing] = await Promise.all(["checkout", "dark-mode", "nothing"].map((key) => plain.getFlag(key)));
results.one = { checkout, dark, missing };

// all of them, before anybody asks
const eager = createServerFlagsManager({ ...base, autoFetch: true, user: { userId: "ada", email: "ada@staff.example" } });
await eager.waitForInit();
results.all = eager.getMemoryFlags();
results.ready = eager.isReady();
results.enabled = eager.isEnabled("dark-mode");
results.value = eager.getValue("limit", 1);

// many users of one manager
const users = Array.from({ length: 60 }, (_, number) => `user-${number}`);
results.users = await Promise.all(
  users.map(async (userId) => {
    const [half, button] = await Promise.all(["half", "button"].map((key) => plain.getFlag(key, { userId })));
    return [userId, half.enabled, button.variant];
  }),
);

// properties, organizations and environments
const pro = { userId: "eve", properties: { plan: "pro", "ä & b": [1, "✓"] } };
results.property = await plain.getFlag("for-pro", pro);
results.organizations = await Promise.all(
  ["acme", "globex", "initech", "umbrella"].map(async (organizationId) => [
    organizationId,
    (await plain.getFlag("by-organization", { userId: "ada", organizationId })).enabled,
  ]),
);
const staging = createServerFlagsManager({ ...base, environment: "staging", autoFetch: true });
await staging.waitForInit();
results.staging = staging.getMemoryFlags();

// what the box does not know, and no box at all
const nobody = createServerFlagsManager({ apiUrl, clientId: "nobody" });
results.nobody = await nobody.getFlag("checkout");
const refused = createServerFlagsManager({ ...base, user: { userId: "x".repeat(20_000) } });
results.refused = await refused.getFlag("checkout");

console.log(JSON.stringify(results));
