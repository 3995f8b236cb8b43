// Lists that are not in sight are drawn one by one, each once the one before it stands and the browser has nothing else to
// do; at once when they come near.
const idle = window.requestIdleCallback ?? ((act) => setTimeout(act, 50));
const soon = (act) => requestAnimationFrame(() => idle(act));
let drawing = false;

const draw = () => {
  const next = document.querySelector(".lists > .list:not(.drawn, [aria-busy])");
  drawing = next !== null;
  if (!drawing) return;
  next.classList.add("drawn");
  soon(draw);
};

const start = () => {
  if (drawing) return;
  drawing = true;
  soon(draw);
};

start();
document.addEventListener("settled", start);
