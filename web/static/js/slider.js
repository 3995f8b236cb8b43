// The share that a slider stands at, while it moves.
const slider = document.getElementById("percentage");
const said = document.getElementById("percentage-said");
slider?.addEventListener("input", () => { said.textContent = `${slider.value}\u00a0%`; });
