// The eye in a password field shows what was typed, and hides it again before the form is sent.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-reveals]");
  if (!button) return;
  const field = document.getElementById(button.dataset.reveals);
  const show = field.type === "password";
  field.type = show ? "text" : "password";
  button.setAttribute("aria-pressed", String(show));
});

document.addEventListener("submit", (event) => {
  for (const button of event.target.querySelectorAll("[data-reveals]")) {
    document.getElementById(button.dataset.reveals).type = "password";
  }
});

document.querySelector("[aria-invalid]")?.focus();
