// Single keys: links that carry data-key are followed, ? opens the help. Never while typing or with a modifier.
const typing = (target) => target.closest("input, textarea, select, [contenteditable]") !== null;

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || typing(event.target)) return;
  if (document.querySelector("dialog[open]")) return;
  if (event.key === "?") {
    document.getElementById("help")?.showModal();
    event.preventDefault();
    return;
  }
  if (event.key === " " && event.target.getAttribute("role") === "switch") {
    event.target.click();
    event.preventDefault();
    return;
  }
  if (!/^[a-z]$/.test(event.key)) return;
  const link = document.querySelector(`[data-key="${event.key}"]`);
  if (link) {
    link.click();
    event.preventDefault();
  }
});

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-opens]");
  if (opener) document.getElementById(opener.dataset.opens)?.showModal();
  if (event.target.matches("dialog")) event.target.close();
});
