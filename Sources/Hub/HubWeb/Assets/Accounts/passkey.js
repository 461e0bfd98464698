// Buttons that ask the browser for a passkey. The hub makes the options and judges the answer; nothing is decided here.

const send = async (path, fields) => {
  const answer = await fetch(path, { method: "POST", body: new URLSearchParams(fields), cache: "no-store" });
  const isJSON = (answer.headers.get("content-type") ?? "").startsWith("application/json");
  return { isGood: answer.ok && isJSON, body: isJSON ? await answer.json() : {} };
};

const ask = async (kind, options) => {
  if (kind === "create") return navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) });
  return navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
};

const press = async (block, tell) => {
  const { passkey, options, answer, back, form, failed } = block.dataset;
  const open = await send(options, {});
  if (!open.isGood) return tell(open.body.message ?? failed);
  let credential;
  try {
    credential = await ask(passkey, open.body);
  } catch (error) {
    // Cancelled, too late, or no passkey here: browsers don't tell which.
    return tell(`${failed} (${error.name})`);
  }
  const result = await send(answer, { credential: JSON.stringify(credential), back });
  if (!result.isGood || !result.body.location) return tell(result.body.message ?? failed);
  // What waited for the touch is sent again, and done now.
  if (form) return document.getElementById(form).submit();
  location.assign(result.body.location);
};

for (const block of document.querySelectorAll("[data-passkey]")) {
  const button = block.querySelector("button"), problem = block.querySelector(".error");
  const tell = (text) => {
    problem.textContent = text;
    problem.hidden = text === "";
  };
  const { origin, old, elsewhere } = block.dataset;
  const isAble = window.PublicKeyCredential?.parseRequestOptionsFromJSON && PublicKeyCredential.prototype.toJSON;
  if (location.origin !== origin) {
    tell(elsewhere);
  } else if (!isAble) {
    tell(old);
  } else {
    button.hidden = false;
    button.addEventListener("click", async () => {
      button.disabled = true;
      tell("");
      try {
        await press(block, tell);
      } catch {
        tell(block.dataset.failed);
      }
      button.disabled = false;
    });
  }
}
