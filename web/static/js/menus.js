// Menus are <details data-closes>: Escape, a click outside or focus leaving closes them, and focus returns.
const open = () => [...document.querySelectorAll("details[data-closes][open]")];

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of open()) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});

document.addEventListener("click", (event) => {
  for (const menu of open()) if (!event.composedPath().includes(menu)) menu.open = false;
});

document.addEventListener("focusin", (event) => {
  for (const menu of open()) if (!menu.contains(event.target)) menu.open = false;
});

// A choice in a menu of a page of figures swaps the page part that holds the menu: focus goes back to its button.
let chosen = "";
document.addEventListener("swapping", () => {
  chosen = document.activeElement?.closest("[data-closes] .menu-body")?.closest(".menu").querySelector("summary").id ?? "";
});
document.addEventListener("settled", () => {
  if (chosen) document.getElementById(chosen)?.focus();
  chosen = "";
});
