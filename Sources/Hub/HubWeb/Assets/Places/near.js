// Looks around the place of this device instead of the last one that the hub knows.
const block = document.getElementById("nearHere"), button = block.querySelector("button"), problem = block.querySelector(".error");

if (navigator.geolocation && window.isSecureContext) {
  block.hidden = false;
  button.addEventListener("click", () => {
    button.disabled = true;
    problem.hidden = true;
    navigator.geolocation.getCurrentPosition(({ coords: { latitude, longitude } }) => {
      const here = new URL(location.href);
      here.searchParams.set("lat", latitude.toFixed(5));
      here.searchParams.set("lon", longitude.toFixed(5));
      location.assign(here);
    }, () => {
      button.disabled = false;
      problem.textContent = block.dataset.failed;
      problem.hidden = false;
    }, { enableHighAccuracy: true, maximumAge: 10_000, timeout: 15_000 });
  });
}
