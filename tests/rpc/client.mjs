// Calls a running box with the npm package @orpc/client and prints what came back, as JSON on one line.
// Arguments: the box's address, an API key, a website id, e-mail, password. Dates are printed as {"date": ISO text}.
import { createORPCClient, ORPCError } from "../../web/node_modules/@orpc/client/dist/index.mjs";
import { RPCLink } from "../../web/node_modules/@orpc/client/dist/adapters/fetch/index.mjs";

const [url, key, website, email, password] = process.argv.slice(2);

function client(headers) {
  return createORPCClient(new RPCLink({ url: `${url}/rpc`, headers: () => headers }));
}

async function attempt(work) {
  try {
    return { ok: await work() };
  } catch (error) {
    if (!(error instanceof ORPCError)) throw error;
    const { code, status, message, data, defined } = error;
    return { error: { code, status, message, data, defined } };
  }
}

async function signedIn() {
  const answer = await fetch(`${url}/sign-in`, {
    method: "POST",
    redirect: "manual",
    body: new URLSearchParams({ email, password }),
  });
  return answer.headers.getSetCookie().map((cookie) => cookie.split(";")[0]).join("; ");
}

const byKey = client({ "x-api-key": key });
const stranger = client({});
const person = client({ cookie: await signedIn() });
const expiresAt = new Date("2031-02-03T04:05:06.789Z");
const results = {};

results.list = await attempt(() => byKey.websites.list());
results.get = await attempt(() => byKey.websites.getById({ id: website }));
results.settings = await attempt(() =>
  byKey.websites.updateSettings({ id: website, settings: { ignoredPaths: ["/ünï/*"], dataRetentionDays: 90 } }));
results.charts = await attempt(() => byKey.websites.listWithCharts({}));
results.unknown = await attempt(() => byKey.websites.getById({ id: "unknown" }));
results.invalid = await attempt(() => byKey.websites.getById({ id: 5 }));
results.stranger = await attempt(() => stranger.websites.list({}));
results.missing = await attempt(() => stranger.websites.nothing({}));
results.forbidden = await attempt(() => byKey.apikeys.list({}));
const organizationId = results.get.ok.organizationId;
results.made = await attempt(() =>
  person.apikeys.create({ name: "From npm", organizationId, type: "user", scopes: ["read:data"], expiresAt }));
results.key = await attempt(() => person.apikeys.getById({ id: results.made.ok.id }));
results.keys = await attempt(() => person.apikeys.list({ organizationId }));
results.never = await attempt(() =>
  person.apikeys.create({ name: "Never ends", organizationId, type: "user", scopes: ["read:data"] }));

function plain(value) {
  if (value instanceof Date) return { date: value.toISOString() };
  if (Array.isArray(value)) return value.map(plain);
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
  }
  return value;
}

console.log(JSON.stringify(plain(results)));
