// Parts of a page that were not ready in time are fetched as soon as it stands. What asks for them comes back among them,
// and asks for those that are still to come.
const PATIENCE = 30_000; // ms

// A panel that was asked for something else meanwhile is left alone. What is in sight is drawn at once (drawn.js), and stays
// as high as its place; below it, where nobody sees anything move, a panel is as high as it has to be.
const put = (found) => {
  const inSight = (place) => place.getBoundingClientRect().top < innerHeight;
  const places = found.map((fresh) => [fresh, document.getElementById(fresh.id)])
    .filter(([, place]) => place?.matches("[aria-busy]") && !place.asked)
    .map(([fresh, place]) => [fresh, place, inSight(place)]);
  for (const [fresh, place, seen] of places) {
    fresh.classList.toggle("drawn", seen);
    if (!seen) fresh.classList.remove("list-kept", "list-kept-few");
    place.replaceWith(fresh);
  }
};

// The browser draws what was put before it is worked on further: a phone answers taps in between.
const drawn = () => new Promise((done) => {
  requestAnimationFrame(() => setTimeout(done));
  setTimeout(done, 100); // nothing is drawn of a page that nobody sees
});

// What does not come says so instead of pretending to load.
const giveUp = (late) => {
  const others = late.hidden ? document.querySelectorAll("#page [aria-busy]:not([data-late])") : [];
  for (const place of [late, ...others]) {
    const words = document.createElement("p");
    words.className = "panel-empty";
    words.textContent = late.dataset.failed;
    place.removeAttribute("aria-busy");
    place.classList.remove("stale");
    place.inert = false;
    place.replaceChildren(words);
  }
};

const come = async (late) => {
  late.comes = true;
  const headers = { "HX-Request": "true", "HX-Current-URL": location.href, accept: "text/html" };
  try {
    const answer = await fetch(late.dataset.late, { headers, signal: AbortSignal.timeout(PATIENCE) });
    const signIn = answer.headers.get("hx-redirect");
    if (signIn) return location.assign(signIn);
    if (!answer.ok) throw new Error(answer.statusText);
    const found = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (!late.isConnected) return; // another page by now
    put([...found.body.children]);
    await drawn();
    document.dispatchEvent(new Event("settled"));
  } catch {
    giveUp(late);
  }
};

// Panels in a <details> are asked for once it is open. It stays open when the page around it is swapped.
let unfolded = false;
const unfold = (more) => {
  more.open = true;
  for (const place of more.querySelectorAll("[data-folded]")) place.setAttribute("aria-busy", "true");
};
const isFolded = (late) => late.closest("details:not([open])") !== null;
const comeAll = () => {
  const more = document.getElementById("more-panels");
  if (more && unfolded) unfold(more);
  for (const late of document.querySelectorAll("[data-late]")) if (!late.comes && !isFolded(late)) come(late);
};
document.addEventListener("toggle", ({ target }) => {
  if (target.id !== "more-panels") return;
  unfolded = target.open;
  comeAll();
}, true);

// A panel that is unfolded on a phone stays so when it, or the page around it, is swapped.
const shown = new Set();
document.addEventListener("change", ({ target }) => {
  if (target.matches(".unfold")) shown[target.checked ? "add" : "delete"](target.closest("section").id);
});
const showAll = () => {
  for (const id of shown) {
    const box = document.getElementById(id)?.querySelector(".unfold");
    if (box) box.checked = true;
  }
};

comeAll();
document.addEventListener("settled", comeAll);
document.addEventListener("settled", showAll);
