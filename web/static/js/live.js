// What keeps itself current. One stream (server-sent events) for each page that is looked at says who is there now and
// that there is something new; the panels are then fetched anew (refresh.js, which comes with the first news). Where a
// stream is not to be had the page asks every half a minute, and says so; a hidden page asks for nothing.
import { sayReached, saySignedOut } from "./toasts.js";

const SLOW = 30_000;
const SILENCE = 40_000; // the box sends something every 15 seconds
const LINGER = 5_000; // a page that is hidden for a moment keeps its stream
let place = null;
let stream = null;
let timer = 0;
let hiding = 0;
let watch = 0;
let known = null;
let paused = sessionStorage.getItem("live") === "paused";
let taking = null;

const follow = async () => (await taking)?.follow(paused ? null : place);
const take = async () => {
  if (!taking) follow(taking = import("./refresh.js").catch(() => { taking = null; }));
  return taking;
};
const news = async () => { if (+place.dataset.refresh) (await take())?.news(); };

const say = (name) => {
  if (!place) return;
  const lost = place.querySelector(".live-lost");
  const words = name ? lost.dataset[name] : "";
  if (lost.textContent !== words) lost.textContent = words;
  place.classList.toggle("lost", name === "lost");
};

const hear = (detail) => document.dispatchEvent(new CustomEvent("heard", { detail })); // swaps.js

const show = (now) => {
  place.querySelector(".live-text").textContent = now.text;
  place.querySelector(".dot").classList.toggle("dot-quiet", !now.online);
  if (now.begun) hear("first-event");
  if (known.missed !== now.missed) hear("missed");
  if (known.stored !== now.stored) news();
  known = now;
};

const close = () => {
  clearTimeout(timer);
  clearTimeout(watch);
  stream?.close();
  stream = null;
};

// Ask once, and after a while for a stream again. Also tells why there is none.
const ask = async () => {
  const asking = place;
  let next = SLOW;
  try {
    const answer = await fetch(asking.dataset.poll, { headers: { accept: "application/json" } });
    if (asking !== place) return;
    if (answer.status === 401) {
      say("signedOut");
      saySignedOut();
      return;
    }
    if (!answer.ok) throw new Error(answer.statusText);
    show(await answer.json());
    say("slow");
  } catch {
    if (asking === place) say("lost");
    next = SLOW / 3;
  }
  clearTimeout(timer);
  timer = setTimeout(open, next);
};

const open = () => {
  close();
  if (!place || paused || document.hidden) return;
  const own = stream = new EventSource(place.dataset.live);
  const heard = () => {
    if (own !== stream) return;
    clearTimeout(watch);
    watch = setTimeout(() => { say("lost"); open(); }, SILENCE);
    say("");
    sayReached();
  };
  own.addEventListener("beat", heard);
  own.onmessage = ({ data }) => {
    heard();
    if (own === stream) show(JSON.parse(data));
  };
  own.onerror = () => {
    if (own !== stream) return;
    if (own.readyState !== EventSource.CLOSED) return say("lost"); // it tries again by itself
    close();
    ask();
  };
};

const showPause = () => {
  const button = place.querySelector(".live-pause");
  button.setAttribute("aria-pressed", String(paused));
  follow();
  say(paused ? "paused" : "");
};

// The page may have been swapped: the same stream goes on if it is about the same website.
const bind = () => {
  const found = document.querySelector("[data-live]");
  if (found === place) return;
  const same = found && place?.dataset.live === found.dataset.live;
  place = found;
  if (!place) return close();
  showPause();
  if (+place.dataset.anyway) take();
  if (same && stream) return;
  known = { stored: Number(place.dataset.stored), missed: Number(place.dataset.missed) };
  open();
};

document.addEventListener("click", (event) => {
  if (!event.target.closest?.(".live-pause")) return;
  paused = !paused;
  sessionStorage.setItem("live", paused ? "paused" : "");
  showPause();
  if (paused) close();
  else open();
  if (!paused) news();
});
document.addEventListener("visibilitychange", () => {
  clearTimeout(hiding);
  if (document.hidden) hiding = setTimeout(close, LINGER);
  else if (!stream) open();
});
addEventListener("online", open);
addEventListener("offline", open);
addEventListener("pagehide", close);
addEventListener("pageshow", (event) => { if (event.persisted) open(); });
document.addEventListener("settled", bind);
bind();
