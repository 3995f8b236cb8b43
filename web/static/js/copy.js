// Copy buttons. Where the clipboard is not to be had (plain http), the text is selected and copied the old way.
const oldWay = (source) => {
  getSelection().selectAllChildren(source);
  return document.execCommand("copy");
};

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copies]");
  if (!button) return;
  const source = document.getElementById(button.dataset.copies);
  let copied = false;
  try {
    await navigator.clipboard.writeText(source.innerText);
    copied = true;
  } catch {
    copied = oldWay(source);
  }
  if (!copied) return;
  const words = button.querySelector("span");
  const before = (button.dataset.before ??= words.textContent);
  words.textContent = button.dataset.done;
  clearTimeout(button.timer);
  button.timer = setTimeout(() => { words.textContent = before; }, 2000);
});
