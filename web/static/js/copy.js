// Copy buttons. Where the clipboard is not to be had (plain http), the text is selected and copied the old way.
const oldWay = (source, text) => {
  getSelection().selectAllChildren(source);
  const copy = (event) => { event.preventDefault(); event.clipboardData.setData("text/plain", text); };
  document.addEventListener("copy", copy, { once: true });
  const copied = document.execCommand("copy");
  document.removeEventListener("copy", copy);
  return copied;
};

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copies]");
  if (!button) return;
  const source = document.getElementById(button.dataset.copies);
  // A short form on the page can stand for a longer text.
  const text = button.dataset.text ?? source.innerText;
  let copied = false;
  try {
    await navigator.clipboard.writeText(text);
    copied = true;
  } catch {
    copied = oldWay(source, text);
  }
  if (!copied) return;
  const words = button.querySelector("span");
  const before = (button.dataset.before ??= words.textContent);
  words.textContent = button.dataset.done;
  clearTimeout(button.timer);
  button.timer = setTimeout(() => { words.textContent = before; }, 2000);
});
