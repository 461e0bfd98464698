// Shows notices on a phone that is closed. What they say comes from the hub, encrypted for this browser.

const page = (url) => {
  const target = new URL(url ?? "/notices", self.location.origin);
  return target.origin === self.location.origin ? target.href : self.location.origin;
};

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("push", (event) => {
  let told = {};
  try {
    told = event.data?.json() ?? {};
  } catch {
    // Whatever came: something is to be seen on the page.
  }
  const { title, text, url, tag, lang, isUrgent } = told;
  event.waitUntil(self.registration.showNotification(title ?? "TrackMe", {
    body: text ?? "", tag: tag ?? "notice", lang: lang ?? "", icon: "/assets/icon.svg", data: { url },
    ...(isUrgent ? { requireInteraction: true, renotify: true, vibrate: [400, 150, 400, 150, 800] } : {}),
  }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const target = page(event.notification.data?.url);
  event.waitUntil((async () => {
    const [open] = await self.clients.matchAll({ type: "window" });
    if (!open) return self.clients.openWindow(target);
    await open.focus().catch(() => {});
    return open.navigate(target);
  })());
});

// The browser has another address from now on.
self.addEventListener("pushsubscriptionchange", (event) => {
  event.waitUntil((async () => {
    const options = event.oldSubscription?.options;
    const fresh = event.newSubscription ?? (options && await self.registration.pushManager.subscribe(options));
    if (fresh) await fetch("/notices/devices", { method: "POST", body: new URLSearchParams({ subscription: JSON.stringify(fresh) }) });
  })());
});
