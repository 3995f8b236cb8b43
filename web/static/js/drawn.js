// Lists that are not in sight are drawn one by one: after a click one in each frame, else each once the browser has nothing
// else to do; at once when they come near.
const idle = window.requestIdleCallback ?? ((act) => setTimeout(act, 50));
const inNextFrame = (act) => requestAnimationFrame(() => setTimeout(act));
let drawing = false;

const soon = () => {
  const next = document.querySelector(".lists > .list:not(.drawn, [aria-busy])");
  drawing = next !== null;
  if (drawing) (next.matches(".later") ? inNextFrame : idle)(draw); // later: swaps.js
};

const draw = () => {
  document.querySelector(".lists > .list:not(.drawn, [aria-busy])")?.classList.add("drawn");
  soon();
};

const start = () => { if (!drawing) soon(); };

start();
document.addEventListener("settled", start);
