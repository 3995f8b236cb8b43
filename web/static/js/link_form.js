// A button of the form that has made or moved a field gives it the focus. Without scripts autofocus does.
document.addEventListener("htmx:afterSettle", () => {
  const field = document.querySelector("[data-focus]");
  field?.removeAttribute("data-focus");
  field?.focus();
});
