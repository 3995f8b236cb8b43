// Calls every tool, resource and prompt of the MCP server with the official TypeScript client. Arguments: URL, key,
// website. Prints JSON.
import { createRequire } from "node:module"
import { fileURLToPath, pathToFileURL } from "node:url"

const modules = createRequire(fileURLToPath(new URL("../../../web/package.json", import.meta.url)))
const load = async (path) => import(pathToFileURL(modules.resolve(`@modelcontextprotocol/sdk/${path}`)))
const { Client } = await load("client/index.js")
const { StreamableHTTPClientTransport } = await load("client/streamableHttp.js")

const [url, key, websiteId] = process.argv.slice(2)
const connect = async (secret) => {
  const client = new Client({ name: "test", version: "1.0.0" })
  const requestInit = { headers: { Authorization: `Bearer ${secret}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  return client
}

const client = await connect(key)
const site = { websiteId }
const given = {
  ask: { ...site, queries: [{ parameters: ["summary_totals"], preset: "last_7d" }] },
  compare: site,
  get_conversions: site,
  get_behavior: { ...site, kind: "retention" },
  list_errors: site,
  list_flags: site,
  save_link: { name: "Spring", targetUrl: "https://example.com/spring" },
  create_note: { ...site, date: "2026-06-16", text: "Launch" },
  create_monitor: { url: "https://example.com/health" },
  change_flag: { ...site, key: "missing", status: "active" },
  post_incident: { statusPageId: "missing", title: "Slow", message: "We are looking into it." },
}
const { tools } = await client.listTools()
const results = {}
for (const { name } of tools) {
  const found = await client.callTool({ name, arguments: given[name] ?? {} })
  results[name] = found.isError ? found.content[0].text : "ok"
  const confirm = found.structuredContent?.confirm
  if (confirm && name !== "post_incident") {
    const done = await client.callTool({ name, arguments: { ...given[name], confirm } })
    results[name] = done.structuredContent?.done ? "done" : JSON.stringify(done)
  }
}
const { resources } = await client.listResources()
for (const { uri } of resources) await client.readResource({ uri })
const { prompts } = await client.listPrompts()
for (const { name } of prompts) {
  await client.getPrompt({ name, arguments: { websiteId, key: "checkout" } })
}
const completed = await client.complete({
  ref: { type: "ref/prompt", name: "weekly-report" },
  argument: { name: "preset", value: "last_7" },
})
let refused = ""
try {
  await connect("svc_wrong")
} catch (error) {
  refused = String(error)
}
console.log(
  JSON.stringify({
    server: client.getServerVersion().name,
    results,
    resources: resources.length,
    prompts: prompts.length,
    completed: completed.completion.values,
    refused,
  }),
)
await client.close()
