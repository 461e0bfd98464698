// Shows a crew an offer as soon as the hub tells of one: what is known of the case comes with the page itself a moment later, in the same card.
const template = document.getElementById("offerTemplate");
const alarms = document.getElementById("sosAlarms");

function card({ id, distance }) {
  const shown = template.content.firstElementChild.cloneNode(true);
  shown.id = `case${id}`;
  shown.dataset.ring = "";
  shown.querySelector(".dutystate").textContent = distance;
  for (const form of shown.querySelectorAll("form")) form.action = `/duty/alarms/${id}/${form.dataset.act}`;
  return shown;
}

document.addEventListener("offered", ({ detail }) => {
  // From here on the page asks for itself every few seconds again.
  delete alarms.dataset.calm;
  alarms.querySelector(":scope > .intro")?.remove();
  for (const offer of detail) {
    if (/^[0-9a-f-]{16,64}$/.test(offer.id) && !document.getElementById(`case${offer.id}`)) alarms.prepend(card(offer));
  }
  document.dispatchEvent(new Event("looked"));
});
