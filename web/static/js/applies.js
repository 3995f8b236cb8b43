// Filters of a list apply as soon as one is chosen.
for (const form of document.querySelectorAll("form[data-applies]")) {
  form.addEventListener("change", (event) => event.target.matches("select") && form.requestSubmit());
}
