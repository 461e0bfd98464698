// The runner's own row while it runs: figures, and the own place on the course. Nothing is to be done during the run.
import { clock, courseMap, kilometres, pin, runTexts as texts } from "./course.js";
import { Format } from "./format.js";

const box = document.getElementById("mineLive"), state = document.getElementById("mineState");
const config = JSON.parse(document.getElementById("mapConfig")?.textContent ?? '{"lang":"en","t":{}}');
const format = courseMap?.format ?? new Format(config.lang, config.t);
const source = new EventSource(`/runs/${box.dataset.code}/mine/events${box.dataset.query}`);
/// A row comes each second or so; after this long without one the line is called lost.
const quietMax = 20_000;
let heard = 0, marker = null, isMoved = false;

const put = (id, text) => { const field = document.getElementById(id); if (field.textContent !== text) field.textContent = text; };
const say = (text, isBad = false) => { put("mineState", text); state.classList.toggle("error", isBad); };

function place(row) {
  if (!courseMap) return;
  const at = Number.isFinite(row.lat) && Number.isFinite(row.lon) ? [row.lat, row.lon] : null;
  if (!at) return;
  marker ??= pin(courseMap.map, at, "here", texts.you);
  marker.setLatLng(at);
  if (!isMoved) courseMap.map.setView(at, Math.max(courseMap.map.getZoom(), 15), { animate: false });
}

source.addEventListener("mine", (event) => {
  const row = JSON.parse(event.data);
  heard = Date.now();
  put("mineMetres", kilometres(row.metres ?? 0, format));
  put("mineLength", row.length ? `/ ${kilometres(row.length, format)}` : "");
  put("minePace", row.pace > 0 ? `${clock(row.pace)} /km` : "–");
  put("minePlace", row.place > 0 ? format.number(row.place) : "–");
  put("mineGap", row.gap > 0 ? `+${clock(row.gap)}` : row.gap === 0 ? "0:00" : "–");
  put("mineTime", row.gun && row.t >= row.gun ? clock((row.t - row.gun) / 1000) : "–");
  put("mineHeart", row.hr > 0 ? `${row.hr} ${format.text("bpm")}` : "–");
  const age = row.seen ? format.age(Date.now() - row.seen) : "";
  if (row.offCourse > 0) say(texts.offCourse.replace("{m}", format.number(Math.round(row.offCourse))), true);
  else say(age ? texts.seenAgo.replace("{age}", age) : row.unread ? texts.unread : texts.notSeen);
  place(row);
});
source.addEventListener("end", () => { source.close(); say(texts.over); heard = Infinity; });
source.onerror = () => { if (heard !== Infinity) say(texts.lost, true); };
for (const name of ["pointerdown", "wheel", "keydown"]) document.getElementById("map")?.addEventListener(name, () => { isMoved = true; }, { passive: true });
setInterval(() => { if (heard && Date.now() - heard > quietMax) say(texts.lost, true); }, 5_000);
