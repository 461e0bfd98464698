"""Other browsers than Chromium, by what they bring themselves: Firefox by WebDriver BiDi on its own port, WebKitGTK by its driver."""
import base64
import json
import os
import secrets
import shutil
import socket
import struct
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

# Seconds, of a machine that is busy with a build.
START_MAX = 180
ANSWER_MAX = 180
MINI_BROWSERS = "/usr/lib/*/webkit2gtk-4.*/MiniBrowser"
PREFERENCES = {
    "remote.active-protocols": 1, "browser.shell.checkDefaultBrowser": False, "datareporting.policy.dataSubmissionEnabled": False,
    "toolkit.telemetry.reportingpolicy.firstRun": False, "app.update.enabled": False, "network.proxy.type": 0,
    "browser.aboutwelcome.enabled": False, "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False,
}


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


class WebSocket:
    """As much of RFC 6455 as a browser's own port needs: one text after the other."""

    def __init__(self, port, path):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=ANSWER_MAX)
        key = base64.b64encode(secrets.token_bytes(16)).decode()
        self.socket.sendall(
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        self.stream = self.socket.makefile("rb")
        if b" 101 " not in self.stream.readline():
            raise ConnectionError("it is no WebSocket")
        while self.stream.readline().strip():
            pass

    def send(self, text, kind=1):
        body, mask = text.encode() if isinstance(text, str) else text, secrets.token_bytes(4)
        size = len(body)
        head = bytes([0x80 | kind]) + (
            bytes([0x80 | size]) if size < 126 else struct.pack(">BH", 0xFE, size) if size < 65536 else struct.pack(">BQ", 0xFF, size))
        self.socket.sendall(head + mask + bytes(byte ^ mask[index % 4] for index, byte in enumerate(body)))

    def receive(self):
        text = b""
        while True:
            first, size = self.stream.read(2)
            size = struct.unpack(">H", self.stream.read(2))[0] if size == 126 else struct.unpack(">Q", self.stream.read(8))[0] if size == 127 else size
            body = self.stream.read(size)
            if first & 15 == 9:
                self.send(body, kind=10)
            elif first & 15 == 8:
                raise ConnectionError("the browser ended")
            else:
                text += body
                if first & 0x80:
                    return text.decode()


class Firefox:
    """Firefox without a window, on a profile of its own."""
    name = "firefox"
    packages = ("firefox-esr",)

    @staticmethod
    def is_here():
        return shutil.which("firefox-esr") is not None

    def __init__(self, home, lang, width):
        profile, port = home / "firefox", free_port()
        profile.mkdir()
        preferences = {**PREFERENCES, "intl.accept_languages": {"en": "en-GB", "it": "it-IT"}[lang]}
        (profile / "user.js").write_text("".join(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in preferences.items()))
        self.log = (home / "firefox.log").open("w")
        self.process = subprocess.Popen(
            ["firefox-esr", "--headless", "--no-remote", "--profile", str(profile), "--remote-debugging-port", str(port)],
            env={**os.environ, "HOME": str(home), "MOZ_CRASHREPORTER_DISABLE": "1"}, stdout=self.log, stderr=subprocess.STDOUT)
        self.last, self.events = 0, []
        self.socket = self.connect(port)
        self.send("session.new", capabilities={"alwaysMatch": {"acceptInsecureCerts": True}})
        self.send("session.subscribe", events=["log.entryAdded"])
        self.context = self.send("browsingContext.getTree")["contexts"][0]["context"]
        self.send("browsingContext.setViewport", context=self.context, viewport={"width": width, "height": 844})

    def connect(self, port):
        deadline = time.monotonic() + START_MAX
        while True:
            try:
                return WebSocket(port, "/session")
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)

    def send(self, method, **parameters):
        self.last += 1
        self.socket.send(json.dumps({"id": self.last, "method": method, "params": parameters}))
        while True:
            said = json.loads(self.socket.receive())
            if said.get("id") != self.last:
                self.events.append(said)
            elif said["type"] == "error":
                raise RuntimeError(f"{method}: {said['error']}: {said['message']}")
            else:
                return said["result"]

    def go(self, address):
        self.send("browsingContext.navigate", context=self.context, url=address, wait="complete")

    def script(self, body):
        """The value of a function's body, by way of JSON; it may be a promise."""
        expression = f"(async () => JSON.stringify(await (async () => {{ {body} }})() ?? null))()"
        answer = self.send("script.evaluate", expression=expression, target={"context": self.context}, awaitPromise=True)
        if answer["type"] != "success":
            raise RuntimeError(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"]["value"])

    def shot(self, file):
        data = self.send("browsingContext.captureScreenshot", context=self.context, origin="document")["data"]
        Path(file).write_bytes(base64.b64decode(data))

    def complaints(self):
        """Errors of scripts and of the security policy since the last time."""
        entries = [said["params"] for said in self.events if said.get("method") == "log.entryAdded"]
        self.events = []
        return [entry.get("text") or "" for entry in entries if entry["level"] == "error"]

    def quit(self):
        self.process.terminate()
        self.process.wait(20)
        self.log.close()


class WebKit:
    """MiniBrowser of WebKitGTK on a screen that nobody sees."""
    name = "webkit"
    packages = ("webkit2gtk-driver", "xvfb")

    @staticmethod
    def binary():
        return next((str(path) for path in sorted(Path("/").glob(MINI_BROWSERS.lstrip("/")), reverse=True)), None)

    @classmethod
    def is_here(cls):
        return bool(cls.binary() and shutil.which("WebKitWebDriver") and shutil.which("Xvfb"))

    def __init__(self, home, lang, width):
        number = 90 + free_port() % 900
        self.log = (home / "webkit.log").open("w")
        self.screen = subprocess.Popen(
            ["Xvfb", f":{number}", "-screen", "0", "1280x1024x24", "-nolisten", "tcp"], stdout=self.log, stderr=subprocess.STDOUT)
        port = free_port()
        language = {"en": "en_GB.UTF-8", "it": "it_IT.UTF-8"}[lang]
        self.process = subprocess.Popen(
            ["WebKitWebDriver", f"--port={port}"], stdout=self.log, stderr=subprocess.STDOUT,
            env={**os.environ, "HOME": str(home), "DISPLAY": f":{number}", "GDK_BACKEND": "x11", "LANG": language, "LC_ALL": language,
                "LANGUAGE": lang, "LIBGL_ALWAYS_SOFTWARE": "1", "WEBKIT_DISABLE_COMPOSITING_MODE": "1"})
        self.address = f"http://127.0.0.1:{port}/session"
        wanted = {"acceptInsecureCerts": True, "webkitgtk:browserOptions": {"binary": self.binary(), "args": ["--automation"]}}
        deadline = time.monotonic() + START_MAX
        while True:
            try:
                session = self.ask("POST", "", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]
                break
            except (urllib.error.URLError, ConnectionError):
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)
        self.address += f"/{session}"
        self.ask("POST", "/window/rect", {"width": width, "height": 844})

    def ask(self, method, path, body=None):
        request = urllib.request.Request(
            self.address + path, method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=ANSWER_MAX) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode()[:500]) from error

    def go(self, address):
        self.ask("POST", "/url", {"url": address})

    def script(self, body):
        wrapped = f"const done = arguments[arguments.length - 1]; (async () => {{ {body} }})().then((v) => done([v ?? null]), (e) => done('' + e))"
        answer = self.ask("POST", "/execute/async", {"script": wrapped, "args": []})
        if not isinstance(answer, list):
            raise RuntimeError(answer)
        return answer[0]

    def shot(self, file):
        """None is taken: where the screen is not a real one its driver did not come back from a page with a plot."""

    def complaints(self):
        """Its driver tells none."""
        return []

    def quit(self):
        for process in (self.process, self.screen):
            process.terminate()
            process.wait(20)
        self.log.close()


ENGINES = (Firefox, WebKit)
