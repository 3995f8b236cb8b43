// Draws static/vendor/world.svg: the countries of Natural Earth in the Equal Earth projection, so that areas compare.
// Each has its ISO 3166 code as its id; those too small for a shape are dots. `land` is all of them.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { geoEqualEarth, geoPath } from "d3-geo";
import { iso31661NumericToAlpha2 } from "iso-3166";
import { feature } from "topojson-client";

const WIDTH = 2000;
const DOT = 9;
const CUT = 11; // degrees by which the map ends further east, in the Bering Strait instead of within Russia
/** Shapes without a number of ISO 3166; other disputed land is drawn without a code. */
const BY_NAME = { Kosovo: "XK" };
const WITHOUT = new Set(["AQ"]); // nobody's country, and a third of the picture

/** The file, and how high it is. */
export async function world(modules) {
  const shapes = await countries(modules, "110m");
  const known = new Set(shapes.map(code));
  const small = (await countries(modules, "50m")).filter((one) => code(one) && !known.has(code(one)));
  const all = { type: "FeatureCollection", features: [...shapes, ...small] };
  const projection = geoEqualEarth().rotate([-CUT, 0]).fitWidth(WIDTH, all);
  const [, [, bottom]] = geoPath(projection).bounds(all);
  const height = Math.ceil(bottom);
  const drawn = shapes.map((one) => `<path${named(one)} d="${outline(one, projection)}"/>`);
  const dots = small.map((one) => `<circle${named(one)} r="${DOT}" ${centre(one, projection)}/>`);
  const lines = [`<g id="land">`, ...drawn.sort(), "</g>", ...dots.sort()];
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}">`;
  return Buffer.from(`${head}\n${lines.join("\n")}\n</svg>\n`);
}

async function countries(modules, scale) {
  const topology = JSON.parse(await readFile(join(modules, `world-atlas/countries-${scale}.json`), "utf8"));
  return feature(topology, topology.objects.countries).features.filter((one) => !WITHOUT.has(code(one)));
}

const code = (shape) => iso31661NumericToAlpha2[shape.id] ?? BY_NAME[shape.properties.name];
const named = (shape) => (code(shape) ? ` id="${code(shape)}"` : "");

function centre(shape, projection) {
  const [x, y] = geoPath(projection).centroid(shape).map(Math.round);
  return `cx="${x}" cy="${y}"`;
}

/** A path of whole units, each point relative to the one before. */
function outline(shape, projection) {
  const pen = { text: "", x: 0, y: 0 };
  const move = (mark) => (px, py) => {
    const [x, y] = [Math.round(px), Math.round(py)];
    if (mark === "l" && x === pen.x && y === pen.y) return;
    pen.text += `${mark}${x - pen.x}${y - pen.y < 0 ? "" : " "}${y - pen.y}`;
    [pen.x, pen.y] = [x, y];
    if (mark === "m") pen.start = [x, y];
  };
  const close = () => {
    pen.text += "z";
    [pen.x, pen.y] = pen.start;
  };
  geoPath(projection, { moveTo: move("m"), lineTo: move("l"), closePath: close, arc() {} })(shape);
  return pen.text;
}
