// The button that has notices pushed to this browser. What is sent, the hub decides.

const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));

const turnOn = async ({ push, failed, denied, back = "/notices" }) => {
  if (await Notification.requestPermission() !== "granted") return denied;
  const worker = await navigator.serviceWorker.register("/sw.js");
  await navigator.serviceWorker.ready;
  // One that was made for another key of the hub is of no use.
  await (await worker.pushManager.getSubscription())?.unsubscribe();
  const made = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytes(push) });
  const answer = await fetch("/notices/devices", { method: "POST", body: new URLSearchParams({ subscription: JSON.stringify(made) }) });
  if (answer.status !== 201) return failed;
  location.assign(back);
  return "";
};

for (const block of document.querySelectorAll("[data-push]")) {
  const button = block.querySelector("button"), problem = block.querySelector(".error");
  const tell = (text) => {
    problem.textContent = text;
    problem.hidden = text === "";
  };
  if (!window.isSecureContext || !navigator.serviceWorker || !window.PushManager || !window.Notification) {
    tell(block.dataset.old);
  } else {
    button.hidden = false;
    button.addEventListener("click", async () => {
      button.disabled = true;
      tell("");
      try {
        tell(await turnOn(block.dataset));
      } catch (error) {
        // Browsers say in the name alone what it was.
        tell(`${block.dataset.failed} (${error.name})`);
      }
      button.disabled = false;
    });
  }
}
