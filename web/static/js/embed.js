// An embedded dashboard says how high it is, so that the page around it can make room (embed_height.js).
const main = document.querySelector("main");
const tell = () => parent.postMessage({ analyticsBox: "height", height: Math.ceil(main.getBoundingClientRect().height) }, "*");
new ResizeObserver(tell).observe(main);
