// Asks a product's engine in JavaScript about odd values: PRODUCT GIVEN TAKEN FOLDER, see record_odd.py.
const fs = require("fs")
const { createRequire } = require("module")
const [product, given, taken, folder] = process.argv.slice(2)
const load = createRequire(folder + "/index.js")
const { sample, values } = JSON.parse(fs.readFileSync(given))
const quiet = { error() {}, warn() {}, info() {}, debug() {} }

const guarded = (ask) => {
  try {
    return ask() ?? null
  } catch {
    return null
  }
}
const asked = {
  flagd: async (key) => {
    const core = new (load("@openfeature/flagd-core").FlagdCore)(undefined, quiet)
    try {
      core.setConfigurations(JSON.stringify({ flags: { [key]: sample.flags[key] } }))
    } catch {
      return values.map(() => null)
    }
    const ask = (one) => core.resolveBooleanEvaluation(key, null, { targetingKey: "u", ...one }, quiet).value
    return values.map((one) => guarded(() => ask(one)))
  },
  growthbook: async (key) => {
    const { GrowthBook } = load("@growthbook/growthbook")
    const ask = (one) => new GrowthBook({ attributes: { id: "u", ...one }, ...sample }).evalFeature(key).value
    return values.map((one) => guarded(() => ask(one)))
  },
  launchdarkly: async (key, client) =>
    Promise.all(values.map((one) => client.variation(key, { kind: "user", key: "u", ...one }, null))),
  unleash: async (key, client) => {
    const isText = (one) => typeof (one.v ?? "") === "string" && one.v !== null
    const ask = (one) => client.isEnabled(key, { userId: "u", properties: one })
    return values.map((one) => (isText(one) ? guarded(() => ask(one)) : null))
  },
}
const clients = {
  async launchdarkly() {
    const file = taken + ".sample.json"
    fs.writeFileSync(file, JSON.stringify(sample))
    const { FileDataSourceFactory } = load("@launchdarkly/node-server-sdk/integrations")
    const updateProcessor = new FileDataSourceFactory({ paths: [file] }).getFactory()
    const client = load("@launchdarkly/node-server-sdk").init("key", { updateProcessor, sendEvents: false, logger: quiet })
    await client.waitForInitialization({ timeout: 5 })
    return client
  },
  async unleash() {
    const { InMemStorageProvider, Unleash } = load("unleash-client")
    const client = new Unleash({
      appName: "a",
      url: "http://127.0.0.1:1",
      refreshInterval: 0,
      disableMetrics: true,
      bootstrap: { data: sample.features },
      storageProvider: new InMemStorageProvider(),
      skipInstanceCountWarning: true,
    })
    client.on("error", () => {})
    client.on("warn", () => {})
    await new Promise((ready) => client.once("ready", ready))
    return client
  },
}

async function main() {
  const client = await clients[product]?.()
  const keys = Array.isArray(sample.features) ? sample.features.map((one) => one.name) : Object.keys(sample.flags ?? sample.features)
  const found = {}
  for (const key of keys) found[key] = await asked[product](key, client)
  fs.writeFileSync(taken, JSON.stringify(found))
  process.exit(0)
}
main()
