"""What selenium's driver does not pass on of Chromium's DevTools: events, and other targets than the page."""
import json
import urllib.request

import trio
from trio_websocket import open_websocket_url

ANSWER_MAX = 20  # seconds


def targets(driver):
    address = driver.capabilities["goog:chromeOptions"]["debuggerAddress"]
    with urllib.request.urlopen(f"http://{address}/json/list", timeout=ANSWER_MAX) as answer:
        return json.load(answer)


class Target:
    """One target, for as long as a function of it runs."""

    def __init__(self, socket):
        self.socket, self.events, self.last = socket, [], 0

    async def send(self, method, **parameters):
        self.last += 1
        await self.socket.send_message(json.dumps({"id": self.last, "method": method, "params": parameters}))
        while True:
            said = json.loads(await self.socket.get_message())
            if said.get("id") != self.last:
                self.events.append(said)
            elif "error" in said:
                raise RuntimeError(f"{method}: {said['error']['message']}")
            else:
                return said["result"]

    async def event(self, method, wanted):
        """The first event of a kind of which `wanted` makes something, also among those that came already."""
        while True:
            for said in self.events:
                if said.get("method") == method and (found := wanted(said["params"])):
                    return found
            self.events.append(json.loads(await self.socket.get_message()))


def run(driver, kind, work):
    """Runs `await work(target)` on the first target of a kind ("page", "service_worker")."""
    found = next(target for target in targets(driver) if target["type"] == kind)

    async def with_target():
        with trio.fail_after(ANSWER_MAX):
            async with open_websocket_url(found["webSocketDebuggerUrl"], max_message_size=1 << 24) as socket:
                return await work(Target(socket))

    return trio.run(with_target)


def deliver_push(driver, origin, data):
    """As if a push service had sent `data` to this browser, already decrypted."""
    async def work(page):
        await page.send("ServiceWorker.enable")
        def number(event):
            ids = [entry["registrationId"] for entry in event["registrations"] if entry["scopeURL"].startswith(origin)]
            return ids[0] if ids else None
        registration = await page.event("ServiceWorker.workerRegistrationUpdated", number)
        await page.send("ServiceWorker.deliverPushMessage", origin=origin, registrationId=registration, data=data)

    run(driver, "page", work)


def in_worker(driver, script):
    """The value of an expression in the service worker."""
    async def work(worker):
        answer = await worker.send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    return run(driver, "service_worker", work)
