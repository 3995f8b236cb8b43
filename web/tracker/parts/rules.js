// What is kept back or added: sampling, paths that are skipped or masked, properties of all events, the page's own
// filter. Until this part has come nothing is sent at all.

/**
 * A glob as a regular expression from the start of a path: `*` is any text within a segment, `**` any text.
 * @param {string} glob
 * @param {string} rest what a `/**` at the end stands for
 * @param {string} end
 */
function pattern(glob, rest, end) {
  const source = glob.replace(/\/\*\*$|\*\*|[*.+?^${}()|[\]\\]/g, (sign) =>
    sign == "/**" ? rest : sign == "**" ? ".*" : sign == "*" ? "[^/]*" : "\\" + sign,
  );
  return new RegExp("^" + source + end);
}

export default (core) => {
  const { samplingRate = 1, filter, globalProperties } = core.settings;
  /** Properties of every event; what is no JSON object adds nothing. */
  const common = globalProperties?.constructor == Object && globalProperties;
  const { origin } = location;
  const globs = (name) => [].concat(core.settings[name] ?? []);
  // A list that is no JSON would hide nothing: then nothing is sent.
  const broken = [...globs("skipPatterns"), ...globs("maskPatterns")].some((glob) => !/^[^[]/.test(glob));
  const out = broken || Math.random() >= samplingRate;
  const skips = globs("skipPatterns").map((glob) => pattern(glob, "(/.*)?", "/?$"));
  const masks = globs("maskPatterns").map((glob) => [pattern(glob, "/.+", "(?=[/#]|$)"), glob]);

  /** The path of an address of this site, undefined for another's. */
  const own = (address = "") => (address.startsWith(origin + "/") ? address.slice(origin.length) : undefined);
  const skipped = (address) => skips.some((skip) => skip.test(own(address)));
  const masked = (address) => {
    let path = own(address);
    if (path === undefined) return address;
    for (const [mask, glob] of masks) path = path.replace(mask, () => glob);
    return origin + path;
  };

  core.rules = (event, route) => {
    const page = event.path;
    if (out || skipped(page)) return false;
    event.path = masked(page);
    if (event.referrer) event.referrer = skipped(event.referrer) ? "direct" : masked(event.referrer);
    for (const name of ["filename", "message", "stack"]) {
      if (event[name]) event[name] = event[name].split(page).join(event.path);
    }
    if (common && route == "/batch") event.properties = { ...common, ...event.properties };
    try {
      return !filter || filter(event) !== false;
    } catch {
      return false; // It cannot say that the event may go.
    }
  };
};
