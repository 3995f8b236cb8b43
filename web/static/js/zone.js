// This browser's time zone: sent along with setup and sign-in, offered on a page that shows another one.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";

const fill = () => {
  for (const field of document.querySelectorAll("[data-fill-zone]")) field.value = zone;
  for (const offer of document.querySelectorAll("[data-zone-now]")) {
    if (!zone || offer.dataset.zoneNow === zone) continue;
    const address = new URL(offer.href);
    address.searchParams.set("zone", zone);
    offer.href = address;
    offer.textContent = offer.dataset.text.replace("{zone}", zone);
    offer.hidden = false;
  }
};

fill();
document.addEventListener("settled", fill);
