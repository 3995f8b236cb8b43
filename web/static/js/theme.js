// The switch of light, dark and system: the page changes at once, and the account keeps it. Without this the form is sent.
document.addEventListener("submit", async (event) => {
  const form = event.target.closest("[data-theme-switch]");
  const button = event.submitter;
  if (!form || !button) return;
  event.preventDefault();
  const root = document.documentElement;
  const show = (theme) => {
    if (theme === "system") delete root.dataset.theme;
    else root.dataset.theme = theme;
    for (const one of form.querySelectorAll("button")) one.setAttribute("aria-pressed", String(one.value === theme));
  };
  const before = root.dataset.theme ?? "system";
  show(button.value);
  const answer = await fetch(form.action, {
    method: "POST",
    body: new URLSearchParams({ theme: button.value }),
    redirect: "manual",
  }).catch(() => undefined);
  if (answer?.type !== "opaqueredirect") show(before);
});

// The palette's “Switch theme”: from light to dark, and back.
document.addEventListener("palette", (event) => {
  const form = document.querySelector("[data-theme-switch]");
  if (!form || event.target.dataset.href !== "/settings/profile#theme") return;
  event.preventDefault();
  const theme = document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  form.requestSubmit(form.querySelector(`[value="${theme === "dark" ? "light" : "dark"}"]`));
});
