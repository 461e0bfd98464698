// Fills the place of the home in from this device, for who does not know it in degrees.
const block = document.getElementById("homeHere"), field = document.getElementById("homePlace");

if (block && field && navigator.geolocation && window.isSecureContext) {
  const button = block.querySelector("button"), problem = block.querySelector(".error");
  document.getElementById("homePlace-field").append(block);
  block.hidden = false;
  button.addEventListener("click", () => {
    button.disabled = true;
    problem.hidden = true;
    navigator.geolocation.getCurrentPosition(({ coords: { latitude, longitude } }) => {
      button.disabled = false;
      field.value = `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`;
      field.focus();
    }, () => {
      button.disabled = false;
      problem.textContent = block.dataset.failed;
      problem.hidden = false;
    }, { enableHighAccuracy: true, maximumAge: 60_000, timeout: 15_000 });
  });
}
