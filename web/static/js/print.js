// A button prints the page.
document.addEventListener("click", ({ target }) => {
  const button = target.closest?.("[data-prints]");
  if (!button) return;
  button.closest("details")?.removeAttribute("open");
  print();
});
