// Uses a running box with the Node client of npm's @databuddy/sdk and prints what each call returned, as JSON on one line.
// Arguments: the box's address, an API key, a website id.
import { Databuddy } from "../../web/node_modules/@databuddy/sdk/dist/node/index.mjs";

const [apiUrl, apiKey, websiteId] = process.argv.slice(2);
const base = { apiKey, apiUrl, websiteId };
const results = {};

// track, one request for each event
const single = new Databuddy({ ...base, enableBatching: false, namespace: "billing", source: "backend" });
results.track = await single.track({
  name: "invoice paid",
  anonymousId: "anon_00000000-0000-4000-8000-000000000001",
  sessionId: "sess_00000000-0000-4000-8000-000000000001",
  profileId: "customer-1",
  timestamp: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
  properties: { amount: 12.5, currency: "EUR", ünï: "✓" },
});
results.nameless = await single.track({ name: "" });

// the queue: full at batchSize, else flushed
const queue = new Databuddy({ ...base, batchSize: 3, batchTimeout: 60_000 });
queue.setGlobalProperties({ release: "1.2.3" });
queue.addMiddleware((event) => (event.name === "dropped" ? null : event));
results.queued = [];
for (const name of ["q1", "q2", "dropped", "q3"]) results.queued.push(await queue.track({ name }));
await queue.track({ name: "q4" });
results.flush = await queue.flush();
results.empty = await queue.flush();

// deduplication by eventId, here and over a batch
const once = new Databuddy({ ...base, enableBatching: false });
results.once = [await once.track({ name: "once", eventId: "e1" }), await once.track({ name: "once", eventId: "e1" })];
results.batch = await once.batch([
  { name: "b1", eventId: "e2", type: "custom" },
  { name: "b1", eventId: "e2", type: "custom" },
  { name: "b2", anonymousId: "a", anonymizeVisitorIds: false, type: "custom" },
]);
results.hundred = await once.batch(Array.from({ length: 100 }, () => ({ name: "hundred", type: "custom" })));
results.tooMany = await once.batch(Array.from({ length: 101 }, () => ({ name: "never", type: "custom" })));

// identify
results.identify = await once.identify({
  profileId: " customer-1 ",
  anonymousId: "anon_00000000-0000-4000-8000-000000000001",
  traits: { email: "Ada@Example.com", name: "Ada", seats: 3, trial: false, gone: null },
});
results.again = await once.identify({ profileId: "customer-1", traits: { seats: 4, trial: null } });

// refusals
const refused = {
  key: new Databuddy({ ...base, apiKey: "svc_" + "x".repeat(48), enableBatching: false }),
  website: new Databuddy({ ...base, websiteId: "nothing", enableBatching: false }),
  organization: new Databuddy({ apiKey, apiUrl, enableBatching: false }),
  nobody: new Databuddy({ ...base, apiUrl: "http://127.0.0.1:9", enableBatching: false }),
};
results.refused = {
  key: await refused.key.track({ name: "never" }),
  website: await refused.website.track({ name: "never" }),
  nobody: await refused.nobody.track({ name: "never" }),
  long: await once.track({ name: "x".repeat(257) }),
  batch: await once.batch([{ name: "never" }, { name: "x".repeat(257) }]),
  identifyKey: await refused.key.identify({ profileId: "p" }),
  identifyWebsite: await refused.website.identify({ profileId: "p" }),
  identifyNowhere: await refused.organization.identify({ profileId: "p" }),
  identifyTraits: await once.identify({ profileId: "p", traits: { bio: "x".repeat(256) } }),
};
results.organization = await refused.organization.track({ name: "of the organization" });

console.log(JSON.stringify(results));
