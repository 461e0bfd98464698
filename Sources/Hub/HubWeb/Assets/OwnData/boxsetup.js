// Setting up a box: shows the next step when the box has come so far, and leads to a box that is found by its address alone.

const page = document.getElementById("setUp"), link = document.getElementById("boxLink"), field = document.getElementById("boxAddress");
/// Milliseconds between two looks.
const pause = 2000;

const look = async () => {
  try {
    const answer = await fetch("/boxes/setup/state", { cache: "no-store", redirect: "error" });
    if (answer.ok && (await answer.text()) !== page.dataset.stage) return location.reload();
  } catch {
    // No line: the next look may have one.
  }
  setTimeout(look, pause);
};

if (link && field) {
  document.getElementById("boxAddressField").hidden = false;
  const usual = link.href;
  field.addEventListener("input", () => {
    const typed = field.value.trim().replace(/^http:\/\//, "").replace(/[:\/].*$/, "");
    link.href = /^[\w.-]+$/.test(typed) ? `http://${typed}:${link.dataset.port}/#${link.dataset.fragment}` : usual;
  });
}
if (page.dataset.stage !== "refused") setTimeout(look, pause);
