// Keeps what a page says of people up to date, and says so when it cannot: a value that nobody renews must not look new.
const lost = document.getElementById("careLost");
const every = (Number(lost.dataset.every) || 15) * 1000;

async function look() {
  try {
    const answer = await fetch(location.pathname, { redirect: "error", cache: "no-store", signal: AbortSignal.timeout(10_000) });
    if (!answer.ok) throw new Error(String(answer.status));
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    const parts = [...fresh.querySelectorAll("[data-look]")];
    // Somebody came or went: the page is another one.
    if (parts.length !== document.querySelectorAll("[data-look]").length) return location.reload();
    for (const part of parts) {
      const shown = document.getElementById(part.id);
      if (!shown) return location.reload();
      shown.replaceChildren(...part.childNodes);
    }
    lost.hidden = true;
  } catch {
    lost.hidden = false;
  }
}

setInterval(look, every);
