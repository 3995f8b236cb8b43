"""Snippets that report AI agents: of the manual and of the page, run in Node, and the words they look for."""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from analytics_box.web.recognition.ai_agents import agents
from tests.inprocess import WholeBox, whole_box

WEB = Path(__file__).parents[3] / "web"
MANUAL = (WEB / "manual" / "ai-traffic.md").read_text(encoding="utf-8")
BLOCKS = dict(re.findall(r"### ([^\n]+)\n.*?```(?:js|ts)\n(.*?)```", MANUAL, re.DOTALL))
# Lets a browser and then an agent ask for a page behind a snippet, and prints the reports.
RUN = """
import { once } from "node:events"
import { createServer } from "node:http"
import { transformSync } from "esbuild"
import express from "express"
const [kind, source] = JSON.parse(process.argv[1])
const reports = []
const stats = createServer(async (request, answer) => {
  let text = ""
  for await (const piece of request) text += piece
  reports.push(JSON.parse(text))
  answer.writeHead(202).end()
  stats.emit("reported")
}).listen(0, "127.0.0.1")
await once(stats, "listening")
const address = `http://127.0.0.1:${stats.address().port}`
const code = source.replaceAll("https://stats.example.com", address)
const own = fetch
globalThis.fetch = (target, more) => target instanceof Request ? new Response("", { status: 404 }) : own(target, more)
const waiting = []
const context = { waitUntil: (promise) => waiting.push(promise) }
const module = { exports: {} }
const script = () => transformSync(code, { loader: "ts", format: "cjs" }).code
const load = () => new Function("module", "exports", "require", script())(
  module, module.exports, () => ({ NextResponse: { next: () => "next" } }))
let ask
if (kind == "Express") {
  const app = express()
  new Function("app", code)(app)
  const site = app.listen(0, "127.0.0.1")
  await once(site, "listening")
  ask = (headers) => own(`http://127.0.0.1:${site.address().port}/pricing?a=1`, { headers })
} else if (kind == "Next.js") {
  load()
  ask = (headers) => module.exports.middleware(
    { headers: new Headers(headers), nextUrl: new URL("http://127.0.0.1/pricing?a=1") }, context)
} else {
  load()
  ask = (headers) => module.exports.default.fetch(new Request("http://127.0.0.1/pricing?a=1", { headers }), {}, context)
}
await ask({ "user-agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/142.0 Safari/537.36" })
const reported = once(stats, "reported")
await ask({ "user-agent": "GPTBot/1.2", accept: "text/markdown" })
await reported
await Promise.all(waiting)
console.log(JSON.stringify(reports))
process.exit(0)
"""


def reports(kind: str, source: str) -> list[dict[str, Any]]:
    if shutil.which("node") is None:
        pytest.skip("node is missing")
    command = ("node", "--input-type=module", "-e", RUN, json.dumps([kind, source]))
    ended = subprocess.run(command, cwd=WEB, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0, ended.stderr
    found: list[dict[str, Any]] = json.loads(ended.stdout)
    return found


@pytest.mark.parametrize("kind", ["Express", "Next.js", "Cloudflare Worker"])
def test_snippet_reports_an_agent_and_no_browser_in_a_body_that_is_stored(kind: str, tmp_path: Path) -> None:
    (report,) = reports(kind, BLOCKS[kind])
    assert (report["path"], report["userAgent"], report["accept"]) == ("/pricing?a=1", "GPTBot/1.2", "text/markdown")
    assert (report["host"], report.get("status")) == ("127.0.0.1", None if kind == "Next.js" else 404)
    with whole_box(tmp_path / "data") as box:
        body = report | {"websiteId": box.sites["shop"], "host": "shop.example"}
        headers = {"content_type": "application/json"}
        assert box.ask("POST", "/ai-traffic", headers=headers, body=json.dumps(body).encode()).status == 202


def shown(box: WholeBox) -> str:
    address = f"/sites/{box.sites['shop']}/ai-traffic"
    return html.unescape(box.ask("GET", address, headers={"cookie": box.cookie}).body.decode())


def test_page_shows_the_snippet_of_the_manual_for_its_website(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data") as box:
        found = re.search(r'<code id="ai-snippet">(.*?)</code>', shown(box), re.DOTALL)
        assert found is not None
        same = re.sub(r'fetch\("[^"]*/ai-traffic', 'fetch("https://stats.example.com/ai-traffic', found[1])
        assert same.strip() == BLOCKS["Express"].strip().replace("YOUR-WEBSITE-ID", box.sites["shop"])


def test_snippets_look_for_a_word_of_every_agent() -> None:
    patterns = re.findall(r"AGENTS =\s+/(.*)/i;", MANUAL)
    assert len(patterns) == len(BLOCKS)
    (pattern,) = set(patterns)
    unseen = [agent.token for agent in agents().values() if not re.search(pattern, agent.token, re.IGNORECASE)]
    assert unseen == []
