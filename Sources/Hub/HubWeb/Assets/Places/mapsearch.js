// The search of places on a map: a button, which opens a field with a list of what was found below it (a combobox as the ARIA practices have it).

const wait = 200; // milliseconds between the last letter and the question

/// From a zoom of the whole world to one at which a place of so many people fills the map.
const zoomFor = (people) => Math.max(10, Math.min(14, Math.round(20 - Math.log2(Math.max(people, 500)) / 2)));

/// How close what is no town is shown, and which of them say in words what they are.
const zooms = { place: 14, water: 14, peak: 14 }, closest = 16;
const kinds = { hospital: "searchHospital", pharmacy: "searchPharmacy", station: "searchStation", park: "searchPark", peak: "searchPeak" };

export async function askHub(words, { lat, lng }) {
  // A tenth of a degree is enough to tell one Newtown from another.
  const answer = await fetch(`/map/places?${new URLSearchParams({ q: words, lat: lat.toFixed(1), lon: lng.toFixed(1) })}`);
  if (!answer.ok) throw new Error(String(answer.status));
  return (await answer.json()).places;
}

/// A Leaflet control. `onFound(place)`: told where the reader went; `ask`: answers [{ name, region, country, kind, lat, lon, people }], towns without a kind, others
/// without a country.
export function placeSearch(format, { onFound = () => {}, ask = askHub } = {}) {
  const Control = L.Control.extend({
    options: { position: "topleft" },
    onAdd(map) {
      this.map = map;
      this.places = [];
      this.chosen = -1;
      this.countries = new Intl.DisplayNames([format.locale], { type: "region", fallback: "code" });
      return this.build();
    },
    onRemove() {
      clearTimeout(this.timer);
      this.asked = null;
    },

    build() {
      const id = `mapsearch${L.Util.stamp(this)}`, make = (name, properties) => Object.assign(document.createElement(name), properties);
      const box = make("div", { className: "mapsearch" });
      this.button = make("button", { type: "button", className: "mapsearchbutton", title: format.text("searchPlace") });
      this.button.setAttribute("aria-label", format.text("searchPlace"));
      this.button.setAttribute("aria-expanded", "false");
      this.button.setAttribute("aria-controls", `${id}part`);
      this.part = make("div", { id: `${id}part`, className: "mapsearchpart", hidden: true });
      this.part.setAttribute("role", "search");
      this.field = make("input", { type: "search", id, maxLength: 60, autocomplete: "off", placeholder: format.text("searchPlace") });
      this.field.setAttribute("enterkeyhint", "search");
      this.field.spellcheck = false;
      for (const [name, value] of [["role", "combobox"], ["aria-label", format.text("searchPlace")], ["aria-autocomplete", "list"],
        ["aria-expanded", "false"], ["aria-controls", `${id}list`]]) this.field.setAttribute(name, value);
      this.list = make("ul", { id: `${id}list`, hidden: true });
      this.list.setAttribute("role", "listbox");
      this.list.setAttribute("aria-label", format.text("searchPlaces"));
      this.said = make("p", { className: "mapsearchsaid", hidden: true });
      this.said.setAttribute("role", "status");
      this.part.append(this.field, this.said, this.list);
      box.append(this.button, this.part);
      this.button.addEventListener("click", () => this.open(this.part.hidden));
      this.field.addEventListener("input", () => this.later());
      box.addEventListener("keydown", (event) => this.key(event));
      box.addEventListener("focusout", ({ relatedTarget }) => { if (relatedTarget && !box.contains(relatedTarget)) this.open(false); });
      // Neither the map below nor a form around takes what is done here.
      L.DomEvent.disableClickPropagation(box);
      L.DomEvent.disableScrollPropagation(box);
      return box;
    },

    open(isOpen) {
      this.part.hidden = !isOpen;
      this.button.setAttribute("aria-expanded", String(isOpen));
      if (isOpen) this.field.focus();
      else this.show([]);
    },

    key(event) {
      // The map moves by arrows, plus and minus: not while somebody writes.
      event.stopPropagation();
      if (event.key === "Escape" && !this.part.hidden) {
        event.preventDefault();
        this.open(false);
        this.button.focus();
      }
      if (event.target !== this.field) return;
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        const count = this.places.length, step = event.key === "ArrowDown" ? 1 : -1;
        if (count) this.choose((this.chosen + step + count + (this.chosen < 0 && step < 0 ? 1 : 0)) % count);
      } else if (event.key === "Enter") {
        event.preventDefault();
        if (this.places.length) this.go(this.places[Math.max(0, this.chosen)]);
        else this.find();
      }
    },

    later() {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.find(), wait);
    },

    async find() {
      clearTimeout(this.timer);
      const words = this.field.value.trim(), asked = (this.asked = Symbol("asked"));
      if (!words) return this.show([]);
      let places = null;
      try {
        places = await ask(words, this.map.getCenter().wrap());
      } catch { /* said below */ }
      // An answer to what was written before says nothing about what is written now.
      if (this.asked !== asked || this.part.hidden) return;
      this.show(places ?? [], places ? (places.length ? "" : format.text("searchNone")) : format.text("searchFailed"));
    },

    show(places, said = "") {
      this.places = places;
      this.said.textContent = said;
      this.said.hidden = !said;
      this.list.replaceChildren(...places.map((place, index) => {
        const line = document.createElement("li"), name = document.createElement("b"), where = document.createElement("span");
        line.id = `${this.list.id}${index}`;
        line.setAttribute("role", "option");
        name.textContent = place.name;
        const kind = kinds[place.kind] ? format.text(kinds[place.kind]) : "", country = place.country ? this.countries.of(place.country) : "";
        where.textContent = [kind, place.region, country].filter(Boolean).join(", ");
        line.append(name, " ", where);
        // Before the field loses the focus.
        line.addEventListener("pointerdown", (event) => event.preventDefault());
        line.addEventListener("click", () => this.go(place));
        return line;
      }));
      this.list.hidden = !places.length;
      this.field.setAttribute("aria-expanded", String(places.length > 0));
      this.choose(-1);
    },

    choose(index) {
      this.chosen = index;
      [...this.list.children].forEach((line, number) => line.setAttribute("aria-selected", String(number === index)));
      if (index < 0) return this.field.removeAttribute("aria-activedescendant");
      this.field.setAttribute("aria-activedescendant", this.list.children[index].id);
      this.list.children[index].scrollIntoView({ block: "nearest" });
    },

    go(place) {
      this.open(false);
      this.field.value = "";
      this.map.setView([place.lat, place.lon], place.kind ? zooms[place.kind] ?? closest : zoomFor(place.people));
      this.map.getContainer().focus();
      onFound(place);
    },
  });
  return new Control();
}
