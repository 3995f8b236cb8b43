// What explains a figure stands beside it while it is pointed at or focused (CSS); Escape puts it away until then again.
const away = (event) => {
  if (event.key !== "Escape") return;
  for (const shown of document.querySelectorAll(".tipped:hover, .tipped:focus-within")) shown.classList.add("tip-away");
};
const again = ({ target }) => target.closest?.(".tipped")?.classList.remove("tip-away");

document.addEventListener("keydown", away);
document.addEventListener("pointerover", ({ target }) => {
  for (const one of document.querySelectorAll(".tip-away")) if (!one.contains(target)) one.classList.remove("tip-away");
});
document.addEventListener("focusout", again);
