// Turns what is shown into what the hub says now, and leaves alone what is the same: a button under a thumb stays that button, and nothing loses
// the focus.

const isOther = (old, fresh) =>
  old.nodeType !== fresh.nodeType || old.nodeName !== fresh.nodeName
  || (old instanceof Element && (old.id !== fresh.id || ["action", "href", "data-point"].some((name) => old.getAttribute(name) !== fresh.getAttribute(name))));

export function renew(old, fresh) {
  if (isOther(old, fresh)) { old.replaceWith(document.importNode(fresh, true)); return; }
  if (!(old instanceof Element)) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return;
  }
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  // What a reader opened stays open.
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name) && name !== "open") old.removeAttribute(name);
  const [was, is] = [[...old.childNodes], [...fresh.childNodes]];
  is.forEach((node, index) => { if (was[index]) renew(was[index], node); else old.append(document.importNode(node, true)); });
  for (const node of was.slice(is.length)) node.remove();
}
