// For any website: <script async src="…/visitors.js" data-share="…" data-text="{online} visitors now"></script>
// puts the text with the current numbers in its place. {visitors} are those of this month.
(() => {
  const own = document.currentScript;
  const { share, text = "{online} visitors now" } = own.dataset;
  const shown = document.createElement("span");
  own.after(shown);
  const show = async () => {
    const counts = await (await fetch(new URL(`/share/${share}/count.json`, own.src))).json();
    shown.textContent = text.replace(/\{(\w+)\}/g, (_, name) => (counts[name] ?? 0).toLocaleString());
  };
  show();
  setInterval(show, 60_000);
})();
