// Builds what the browser gets from other places than web/static itself.
//
//   node build.mjs           writes the tracker bundle and the vendored files
//   node build.mjs --check   writes nothing; exits 1 when a committed file differs from what would be written

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const WEB = dirname(fileURLToPath(import.meta.url));
const TRACKER = "static/tracker/script.js";

/** Vendored file → where npm put it. */
const VENDORED = {
  "static/vendor/htmx.min.js": "htmx.org/dist/htmx.min.js",
  "static/vendor/htmx.LICENSE.txt": "htmx.org/LICENSE",
  "static/vendor/uPlot.iife.min.js": "uplot/dist/uPlot.iife.min.js",
  "static/vendor/uPlot.min.css": "uplot/dist/uPlot.min.css",
  "static/vendor/uPlot.LICENSE.txt": "uplot/LICENSE",
};

await refuseOtherVersions();
const wanted = { [TRACKER]: await tracker(), ...(await vendored()) };
if (process.argv.includes("--check")) await check(wanted);
else await write(wanted);

async function tracker() {
  const result = await build({
    absWorkingDir: WEB,
    entryPoints: ["tracker/main.js"],
    bundle: true,
    charset: "ascii",
    format: "iife",
    legalComments: "none",
    minify: true,
    target: "es2021",
    write: false,
  });
  return Buffer.from(result.outputFiles[0].contents);
}

async function vendored() {
  const files = Object.entries(VENDORED).map(async ([to, from]) => [to, await readFile(join(WEB, "node_modules", from))]);
  return Object.fromEntries(await Promise.all(files));
}

async function write(files) {
  for (const [name, bytes] of Object.entries(files)) {
    await mkdir(dirname(join(WEB, name)), { recursive: true });
    await writeFile(join(WEB, name), bytes);
  }
}

async function check(files) {
  for (const [name, bytes] of Object.entries(files)) {
    const committed = await readFile(join(WEB, name)).catch(() => undefined);
    if (committed?.equals(bytes)) continue;
    console.error(`web/${name} ${committed ? "differs from its source" : "is missing"}: run npm run build in web/`);
    process.exitCode = 1;
  }
}

/** Another version of esbuild would give other bytes, so that is said first. */
async function refuseOtherVersions() {
  const { devDependencies } = await json("package.json");
  for (const [name, version] of Object.entries(devDependencies)) {
    const found = (await json(`node_modules/${name}/package.json`)).version;
    if (found === version) continue;
    console.error(`${name} ${found} is installed, ${version} is pinned: run npm ci --ignore-scripts in web/`);
    process.exit(1);
  }
}

async function json(name) {
  return JSON.parse(await readFile(join(WEB, name), "utf8"));
}
