// Builds what the browser gets from other places than web/static itself: the tracker, its parts, vendored files and a map.
//
//   node build.mjs           writes the tracker bundle and the vendored files
//   node build.mjs --check   writes nothing; exits 1 when a committed file differs from what would be written

import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { minify } from "terser";
import { world } from "./world.mjs";

const WEB = dirname(fileURLToPath(import.meta.url));
const TRACKER = "static/tracker";

/** Vendored file → where npm put it. */
const VENDORED = {
  "static/vendor/htmx.min.js": "htmx.org/dist/htmx.min.js",
  "static/vendor/htmx.LICENSE.txt": "htmx.org/LICENSE",
  "static/vendor/uPlot.iife.min.js": "uplot/dist/uPlot.iife.min.js",
  "static/vendor/uPlot.min.css": "uplot/dist/uPlot.min.css",
  "static/vendor/uPlot.LICENSE.txt": "uplot/LICENSE",
  "static/vendor/world.LICENSE.txt": "world-atlas/LICENSE",
};

await refuseOtherVersions();
const wanted = { ...(await tracker()), ...(await vendored()), ...(await map()) };
if (process.argv.includes("--check")) await check(wanted);
else await write(wanted);

/** The script, the same to read in a debugger, parts.js, and the parts, which it names by the hash of all. */
async function tracker() {
  const files = {};
  const hash = createHash("sha256");
  for (const file of (await readdir(join(WEB, "tracker/parts"))).sort()) {
    const part = await small(await bundle(`tracker/parts/${file}`, "esm"));
    files[`${TRACKER}/parts/${file}`] = part;
    // As analytics_box/web/page/assets.py makes it: browsers keep parts for ever under the hash of all of them.
    hash.update(part);
  }
  const named = { HASH: JSON.stringify(hash.digest("hex").slice(0, 12)) };
  files[`${TRACKER}/parts.js`] = await small(await bundle("tracker/parts.js", "esm", named));
  files[`${TRACKER}/script.js`] = await small(await bundle("tracker/main.js", "iife", { DEBUG: "false" }));
  files[`${TRACKER}/debug.js`] = Buffer.from(await bundle("tracker/main.js", "iife", { DEBUG: "true" }));
  return files;
}

async function bundle(entry, format, define = {}) {
  const result = await build({
    absWorkingDir: WEB,
    entryPoints: [entry],
    bundle: true,
    charset: "ascii",
    define,
    format,
    legalComments: "none",
    target: "es2021",
    write: false,
  });
  return result.outputFiles[0].text;
}

/**
 * Minifies code to what gzip makes least of: terser's names and order of functions, `let` for each `const`, and
 * variables with one value written out where that helps.
 */
async function small(code) {
  const variants = [false, true].map(async (reduce_vars) => {
    const { code: minified } = await minify(code, {
      compress: { passes: 3, hoist_funs: true, reduce_vars, unsafe_arrows: true },
      ecma: 2020,
      format: { ascii_only: true },
      toplevel: true,
    });
    return Buffer.from(minified.replace(/\bconst\b/g, "let"));
  });
  const [one, other] = await Promise.all(variants);
  return gzipSync(other).length < gzipSync(one).length ? other : one;
}

async function vendored() {
  const files = Object.entries(VENDORED).map(async ([to, from]) => [to, await readFile(join(WEB, "node_modules", from))]);
  return Object.fromEntries(await Promise.all(files));
}

async function map() {
  return { "static/vendor/world.svg": await world(join(WEB, "node_modules")) };
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
