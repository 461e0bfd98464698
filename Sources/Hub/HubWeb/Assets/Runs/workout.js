// A lone workout while it goes on, one's own or a friend's. What is old is shown as old: a heart rate and a pace stand there only as long as they are of now.
import { clock, kilometres, pin, siteMap } from "./course.js";
import { Format } from "./format.js";

const read = (id) => JSON.parse(document.getElementById(id).textContent);
const box = document.getElementById("workoutLive"), config = read("mapConfig"), texts = read("workoutTexts");
const format = new Format(config.lang, config.t), isFriend = "friend" in box.dataset;
/// One comes each second; without one for so long the line is lost, and nothing is of now any more (milliseconds).
const lostAfter = 10_000;
let shown = read("workoutNow"), at = performance.now(), isOver = false, map = null, marker = null, isMoved = false, legs = "";

const fill = (text, values = {}) => text.replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);
const put = (id, text) => { const field = document.getElementById(id); if (field.textContent !== text) field.textContent = text; };
const ago = (ms) => fill(texts.ago, { age: format.age(ms) });
// Legs stay kilometres; distance and pace are in the reader's unit.
const { length, name: unit } = config.units;
const distance = (metres) => (length > 1000 ? `${format.number(metres / length, 2)} ${unit}` : kilometres(metres, format));
const pace = (seconds) => (seconds > 0 ? `${clock(seconds * length / 1000)} /${unit}` : "–");

/// Where the data stands, and whether that is bad.
function state(isLost, passed) {
  if (isOver) return [texts[isFriend ? "friendOver" : "over"], false];
  if (isLost) return [texts.lost, true];
  if (!shown.heard) return [texts[isFriend ? "friendNothing" : "nothing"], true];
  if (shown.isSilent) return [fill(texts.silent, { time: format.time(shown.heard, Date.now()) }), true];
  if (shown.place === "none") return [texts[isFriend ? "friendHidden" : "noPlace"], !isFriend];
  if (shown.place === "old") return [fill(texts[isFriend ? "friendOld" : "oldPlace"], { age: ago(shown.t - shown.seen + passed) }), !isFriend];
  return [texts[shown.isStanding ? "standing" : "running"], false];
}

function draw() {
  const passed = performance.now() - at, isLost = passed > lostAfter, isNow = !isLost && !isOver;
  const [text, isBad] = state(isLost, passed);
  put("workoutState", text);
  document.getElementById("workoutState").classList.toggle("error", isBad);
  put("workoutMetres", distance(shown.metres));
  put("workoutPace", isNow ? pace(shown.pace) : "–");
  put("workoutAverage", pace(shown.average));
  put("workoutTime", shown.began ? clock((shown.t - shown.began + (isNow ? passed : 0)) / 1000) : "–");
  const rate = isNow ? shown.hr : null;
  put("workoutRate", rate ? `${rate} ${texts.bpm}` : "–");
  const why = rate || isOver ? "" : shown.beat && (isLost || shown.hr) ? texts.heart_old : texts[`heart_${shown.heart}`] ?? "";
  put("workoutHeart", fill(why, { age: shown.beat ? ago(shown.t - shown.beat + passed) : "" }));
  document.getElementById("workoutTest").hidden = !shown.isTest;
}

function place() {
  const where = document.getElementById("workoutMap");
  if (!window.L || !Number.isFinite(shown.lat) || !Number.isFinite(shown.lon)) return;
  const spot = [shown.lat, shown.lon];
  if (!map) {
    where.hidden = false;
    ({ map } = siteMap(document.getElementById("map"), config));
    map.setView(spot, 16);
    for (const name of ["pointerdown", "wheel", "keydown"]) document.getElementById("map").addEventListener(name, () => { isMoved = true; }, { passive: true });
    marker = pin(map, spot, "here", texts.marker, true);
  }
  marker.setLatLng(spot);
  if (!isMoved) map.setView(spot, map.getZoom(), { animate: false });
}

function table() {
  const now = `${shown.legsBefore}/${shown.legs.join()}`;
  if (isFriend || now === legs) return;
  legs = now;
  const section = document.getElementById("workoutLegs"), body = section.querySelector("tbody");
  section.hidden = shown.legs.length === 0;
  body.replaceChildren(...shown.legs.map((seconds, index) => {
    const row = document.createElement("tr"), km = document.createElement("td"), time = document.createElement("td");
    km.textContent = format.number(shown.legsBefore + index + 1);
    time.textContent = clock(seconds);
    time.className = "num";
    row.append(km, time);
    return row;
  }));
}

const source = new EventSource(box.dataset.stream);
source.addEventListener("workout", (event) => {
  shown = JSON.parse(event.data);
  at = performance.now();
  draw();
  place();
  table();
});
source.addEventListener("end", () => {
  source.close();
  isOver = true;
  draw();
});
setInterval(draw, 1000);
draw();
place();
