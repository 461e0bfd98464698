// One cursor over the curves of a workout, its place on the map, and its values in words. Without script the curves stand alone.
const points = JSON.parse(document.getElementById("workPoints").textContent);
const box = document.getElementById("workCurveBox"), slider = document.getElementById("workAt");
const words = document.getElementById("workRead"), map = document.getElementById("workMap");
const svg = (name, attributes) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
};

if (points.length > 0) {
  const curves = [...box.querySelectorAll("svg.workcurve")];
  const lines = curves.map((curve) => curve.appendChild(svg("line", { class: "cursor", y1: 18, y2: 118, "aria-hidden": "true" })));
  const here = map && map.appendChild(svg("circle", { class: "workhere", r: 15, "aria-hidden": "true", visibility: "hidden" }));

  const show = (index) => {
    const at = Math.min(points.length - 1, Math.max(0, index)), point = points[at];
    const share = `${((at + 0.5) / points.length) * 100}%`;
    for (const line of lines) {
      line.setAttribute("x1", share);
      line.setAttribute("x2", share);
    }
    slider.value = at;
    slider.setAttribute("aria-valuetext", point.text);
    words.textContent = point.text;
    document.dispatchEvent(new CustomEvent("workcursor", { detail: point }));
    if (!here) return;
    const isKnown = point.x != null && point.y != null;
    here.setAttribute("visibility", isKnown ? "visible" : "hidden");
    if (isKnown) {
      here.setAttribute("cx", point.x);
      here.setAttribute("cy", point.y);
    }
  };

  const follow = (event) => {
    const bounds = event.currentTarget.getBoundingClientRect();
    if (bounds.width > 0) show(Math.floor(((event.clientX - bounds.left) / bounds.width) * points.length));
  };
  for (const curve of curves) {
    curve.addEventListener("pointermove", follow);
    curve.addEventListener("pointerdown", follow);
  }
  slider.addEventListener("input", () => show(Number(slider.value)));
  document.getElementById("workCursor").hidden = false;
  show(0);
}
