// Sends events with the npm packages of Plausible and Umami, unchanged. Arguments: the URL of the server, the domain
// and the website ID that its website has as aliases, a browser's user agent.
import { createRequire } from "node:module"

const [, , url, domain, website, userAgent] = process.argv
const require = createRequire(new URL("../../web/package.json", import.meta.url))
const statuses = []
const send = globalThis.fetch

async function fetchAsBrowser(target, options = {}) {
  const answer = await send(target, { ...options, headers: { "User-Agent": userAgent, ...options.headers } })
  statuses.push([new URL(target).pathname, answer.status, answer.headers.get("x-analytics-box")])
  return answer
}

class XMLHttpRequestOfNode {
  headers = {}
  open(method, target) { Object.assign(this, { method, target }) }
  setRequestHeader(name, value) { this.headers[name] = value }
  send(body) {
    fetchAsBrowser(this.target, { method: this.method, headers: this.headers, body }).then((answer) => {
      Object.assign(this, { readyState: 4, status: answer.status })
      this.onreadystatechange?.()
    })
  }
}

const location = new URL(`https://${domain}/pricing?utm_source=news`)
const page = {
  location, localStorage: {}, navigator: {}, innerWidth: 1280, innerHeight: 720, scrollY: 0, fetch: fetchAsBrowser,
  addEventListener() {}, history: { pushState() {} },
}
const document = {
  referrer: "https://news.example/", visibilityState: "visible", body: {}, documentElement: {},
  hasFocus: () => true, addEventListener() {},
}
class ResizeObserver { observe() {} }
Object.assign(globalThis, { ResizeObserver, window: page, document, location, fetch: fetchAsBrowser, XMLHttpRequest: XMLHttpRequestOfNode })

const finished = (start) => new Promise((resolve) => start({ callback: resolve }))

const Plausible = require("plausible-tracker").default
const older = Plausible({ domain, apiHost: url })
await finished((options) => older.trackPageview({}, options))
await finished((options) => older.trackEvent("older signup", { ...options, props: { plan: "pro" } }))

const { init, track } = await import(new URL("../../web/node_modules/@plausible-analytics/tracker/plausible.js", import.meta.url))
init({ domain, endpoint: `${url}/api/event`, autoCapturePageviews: false })
await finished((options) => track("pageview", options))
await finished((options) => track("purchase", { ...options, props: { plan: "pro" }, revenue: { amount: 12.5, currency: "EUR" } }))

const { Umami } = require("@umami/node")
const umami = new Umami({ websiteId: website, hostUrl: url, userAgent })
await umami.track({ url: "/pricing", title: "Pricing", hostname: domain })
await umami.track("umami signup", { plan: "pro" })

console.log(JSON.stringify(statuses))
