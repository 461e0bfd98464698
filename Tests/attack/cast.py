"""A hub of the test's own with people on it, and a client that says what it likes to it, byte by byte."""
import base64
import email
import email.policy
import hashlib
import hmac
import json
import os
import re
import signal
import socket
import ssl
import struct
import subprocess
import time
import urllib.parse
from pathlib import Path

from forms import field

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("BIN", ROOT / ".build/debug"))
PASSWORD = "three ducks swim to Bergamo"
SENDMAIL = "#!/bin/sh\nf=$(mktemp '{folder}/.XXXXXX') && cat > \"$f\" && mv \"$f\" \"$f.eml\"\n"
# What stands in no answer to anybody else: the person whose data all others try to get at.
CANARY = {"firstName": "Zenobia", "lastName": "Quillfeather", "email": "zenobia.q@example.org", "phone": "+390299887766", "residence": "Kestrel Lane 4711"}
MARKERS = [CANARY[name].encode() for name in ("lastName", "email", "phone", "residence")]


class Hub:
    """`trackme-hub serve` in a directory of its own, with these options. Settings are those of the environment, such as HUB_LISTEN_CONNECTIONS."""

    def __init__(self, home, *options, **settings):
        self.home, self.directory, self.mails = home, home / "hub", home / "mails"
        self.mails.mkdir()
        sendmail = home / "sendmail"
        sendmail.write_text(SENDMAIL.format(folder=self.mails))
        sendmail.chmod(0o755)
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("HUB_", "TRACKME_"))}
        self.environment = {
            **environment, "HUB_DIRECTORY": str(self.directory), "HUB_LISTEN_PORT": str(free_port()), "HUB_MAIL_SENDMAIL": str(sendmail), **settings}
        self.log = (home / "hub.log").open("w+")
        self.process = subprocess.Popen([BIN / "trackme-hub", "serve", *options], env=self.environment, stdout=self.log, stderr=subprocess.STDOUT)
        until("the hub listens", lambda: (self.directory / "address").exists() and (self.directory / "address").read_text(), limit=300)
        # Where it listens may be another place than its address.
        self.url = (self.directory / "address").read_text().strip()
        self.port = int(until("where it listens", lambda: re.search(r"listening on 127\.0\.0\.1:(\d+)", self.says())).group(1))

    @property
    def is_secure(self):
        return self.environment.get("HUB_TLS_ENABLED") != "false"

    def command(self, *arguments):
        return subprocess.run([BIN / "trackme-hub", *arguments], env=self.environment, check=True, capture_output=True, text=True).stdout

    def mail(self, to, pattern):
        """The first thing of that pattern in a mail to an address."""
        def find():
            for file in self.mails.glob("*.eml"):
                mail = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
                if mail["To"] == to and (found := re.search(pattern, mail.get_content())):
                    return found.group()
            return None
        return until(f"a mail to {to}: {pattern}", find)

    def says(self):
        return (self.home / "hub.log").read_text(errors="replace")

    def memory(self):
        """Resident bytes of the hub; 0 when it is gone."""
        try:
            return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{self.process.pid}/status").read_text()).group(1)) * 1024
        except (OSError, AttributeError):
            return 0

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


def until(what, condition, limit=60):
    deadline = time.monotonic() + limit
    while time.monotonic() < deadline:
        if found := condition():
            return found
        time.sleep(0.05)
    raise RuntimeError(f"waited in vain: {what}")


TLS = ssl.create_default_context()
TLS.check_hostname, TLS.verify_mode = False, ssl.CERT_NONE


class Answer:
    def __init__(self, status, head, body=b"", seconds=0.0):
        self.status, self.head, self.body, self.seconds = status, head, body, seconds

    def header(self, name):
        found = re.search(rb"(?im)^" + name.encode() + rb":[ \t]*([^\r\n]*)", self.head)
        return found.group(1).decode("latin-1") if found else None


class Line:
    """One connection, opened when it is needed. What is said is sent as it is."""
    body_max = 8 << 20

    def __init__(self, port, is_secure=True, timeout=30.0):
        self.port, self.is_secure, self.timeout, self.socket, self.left = port, is_secure, timeout, None, b""
        self.source = None  # an address of the loopback's to come from

    def open(self):
        plain = socket.create_connection(("127.0.0.1", self.port), self.timeout, (self.source, 0) if self.source else None)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket, self.left = TLS.wrap_socket(plain) if self.is_secure else plain, b""

    def close(self):
        if self.socket:
            self.socket.close()
        self.socket = None

    def ask(self, request, timeout=None, is_head=False):
        """The answer; None when the hub hung up or said nothing in that time."""
        for turn in (0, 1):
            fresh = self.socket is None
            try:
                if fresh:
                    self.open()
                self.socket.settimeout(timeout or self.timeout)
                began = time.monotonic()
                try:
                    self.socket.sendall(request)
                except OSError:
                    # A hub that refuses hangs up amid a request; what it said before stands in the line.
                    pass
                answer = self.read(began, is_head)
            except TimeoutError:
                self.close()
                return None
            except (OSError, ValueError, IndexError):
                answer = None
            if answer is None or (answer.header("connection") or "").lower() == "close":
                self.close()
            # A kept connection may have been closed by the hub meanwhile.
            if answer is not None or fresh or turn:
                return answer
        return None

    def more(self):
        part = self.socket.recv(65536)
        if not part:
            raise OSError("closed")
        self.left += part

    def read(self, began, is_head):
        while b"\r\n\r\n" not in self.left:
            self.more()
        seconds = time.monotonic() - began
        head, self.left = self.left.split(b"\r\n\r\n", 1)
        answer = Answer(int(head.split(b" ", 2)[1]), head, b"", seconds)
        if answer.status < 200:
            return self.read(began, is_head)
        if is_head or answer.status in (204, 304):
            return answer
        if (length := answer.header("content-length")) is not None:
            while len(self.left) < int(length):
                self.more()
            answer.body, self.left = self.left[:int(length)], self.left[int(length):]
        elif (answer.header("content-type") or "").startswith("text/event-stream"):
            # It has no end: what comes at once is looked at.
            self.socket.settimeout(0.05)
            try:
                self.more()
            except OSError:
                pass
            answer.body = self.left
            self.close()
        elif "chunked" in (answer.header("transfer-encoding") or ""):
            answer.body = self.chunks()
        return answer

    def chunks(self):
        body = b""
        while True:
            while b"\r\n" not in self.left:
                self.more()
            size, self.left = self.left.split(b"\r\n", 1)
            count = int(size.split(b";")[0], 16)
            while len(self.left) < count + 2:
                self.more()
            body, self.left = body + self.left[:count], self.left[count + 2:]
            if count == 0:
                return body
            if len(body) > self.body_max:
                raise OSError("longer than anybody wants")


def request(method, path, headers=(), body=None, host="127.0.0.1"):
    head = [f"{method} {path} HTTP/1.1", f"Host: {host}", *(f"{name}: {value}" for name, value in headers)]
    if body is not None:
        head.append(f"Content-Length: {len(body)}")
    return "\r\n".join(head).encode("utf-8", "surrogateescape") + b"\r\n\r\n" + (body or b"")


class Browser:
    """Somebody with cookies."""

    def __init__(self, hub_port, is_secure=True, headers=()):
        self.line, self.cookies, self.headers = Line(hub_port, is_secure), {}, list(headers)

    def fields(self):
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        return [*self.headers, *([("Cookie", cookies)] if cookies else [])]

    def keep(self, answer):
        for cookie in re.findall(rb"(?im)^set-cookie:[ \t]*([^=;\r\n]+)=([^;\r\n]*)", answer.head):
            self.cookies[cookie[0].decode()] = cookie[1].decode()

    def send(self, method, path, form=None, body=None, kind="application/x-www-form-urlencoded"):
        if form is not None:
            body = urllib.parse.urlencode(form).encode()
        headers = [*self.fields(), *([("Content-Type", kind)] if body is not None else [])]
        answer = self.line.ask(request(method, path, headers, b"" if body is None and method != "GET" else body))
        if answer is None:
            raise RuntimeError(f"no answer to {method} {path}")
        self.keep(answer)
        return answer

    def log_in(self, email, password=PASSWORD):
        self.cookies = {}
        answer = self.send("POST", "/log-in", {"email": email, "password": password})
        if answer.status != 303:
            raise RuntimeError(f"no log-in as {email}: {answer.status}")
        return answer.header("location")


def code(secret, step=None):
    """RFC 6238, as an authenticator program computes it."""
    count = int(time.time()) // 30 if step is None else step
    mac = hmac.new(base64.b32decode(secret), count.to_bytes(8, "big"), hashlib.sha1).digest()
    return f"{(struct.unpack('>I', mac[(at := mac[19] & 15):at + 4])[0] & 0x7FFFFFFF) % 1_000_000:06}"


class Cast:
    """Who is on the hub: two people with accounts, a relative and a person of the demo, an organisation, an operator, and a box."""

    def __init__(self, hub):
        self.hub = hub
        self.demo = hub.command("demo", "--course", str(ROOT / "packaging/demo/race.gpx"), "--state", str(hub.home / "box.json"))
        said = lambda name: re.search(rf"^{name}: (.*)$", self.demo, re.M).group(1)
        self.watched, names = said("Person"), said("User names").split(", ")
        self.accounts = {"demo": (names[0], said("Password")), "relative": (names[1], said("Password"))}
        self.sign_up("person", {"firstName": "Ada", "lastName": "Made-Up", "email": "ada@example.org", "phone": "+390212345678", "residence": "Via Roma 1"},
                     "RSSMRA85T10A562S")
        self.sign_up("canary", CANARY, "BNCLRA80A41H501D")
        self.secrets = {}
        self.operator()
        self.organisation()
        self.canary_data()
        self.ids = self.identifiers()

    def browser(self):
        """From an address of its own: what is guessed from others holds nobody of the cast up."""
        browser = Browser(self.hub.port, self.hub.is_secure)
        browser.line.source = "127.0.0.77"
        return browser

    def sign_up(self, name, typed, tax):
        browser, day = self.browser(), f"{1900 + int(tax[6:8])}"
        page = browser.send("GET", "/sign-up/person").body.decode()
        answer = browser.send("POST", "/sign-up/person", {
            **typed, "gender": "female" if int(tax[9:11]) > 40 else "male", "dateOfBirth": f"{day}-{'ABCDEHLMPRST'.index(tax[8]) + 1:02}-{int(tax[9:11]) % 40:02}",
            "cityOfBirth": "Bergamo", "taxCountry": "IT", "taxIdentifier": tax, "password": PASSWORD, "terms": field(page, "terms"),
            "privacy": field(page, "privacy")})
        if answer.status >= 400:
            raise RuntimeError(f"{name} cannot sign up: {answer.status}: " + " ".join(re.findall(r'class="error"[^>]*>([^<]*)', answer.body.decode())))
        link = self.hub.mail(typed["email"], r"/confirm/[\w-]+")
        browser.send("POST", link, {"password": PASSWORD})
        self.accounts[name] = (typed["email"], PASSWORD)

    def operator(self):
        browser = self.browser()
        page = browser.send("GET", "/claim").body.decode()
        typed = {"firstName": "Olga", "lastName": "Made-Up", "phone": "+390212345679", "email": "olga@example.org", "password": PASSWORD,
                 "claimCode": self.hub.command("claim-code").split()[0], "terms": field(page, "terms")}
        answer = browser.send("POST", "/claim", typed)
        if answer.status != 303:
            raise RuntimeError(f"no operator: {answer.status}")
        self.factor("operator", browser)

    def factor(self, name, browser):
        """The first second factor of who needs one; the session is kept, because a code works once."""
        page = browser.send("GET", "/security/one-time").body.decode()
        secret = re.search(r"secret=([A-Z2-7]+)", page).group(1)
        answer = browser.send("POST", "/security/one-time", {"code": code(secret)})
        if answer.status >= 400:
            raise RuntimeError(f"{name}: the code was not taken: {answer.status}")
        self.secrets[name] = browser.cookies

    def organisation(self):
        browser, email = self.browser(), "lab@example.org"
        page = browser.send("GET", "/sign-up/organisation").body.decode()
        kind = re.findall(r'<option value="([^"]+)"', page.split('name="organisationKind"')[1].split("</select>")[0])[-1]
        answer = browser.send("POST", "/sign-up/organisation", {
            "organisationKind": kind, "organisationName": "Lab of Bergamo", "proof": "Register 17", "purpose": "Research into rest", "email": email,
            "password": PASSWORD, "phone": "+390212345670", "firstName": "Ugo", "lastName": "Made-Up", "terms": field(page, "terms"),
            "dataDuties": field(page, "dataDuties")})
        if answer.status >= 400:
            raise RuntimeError("no organisation: " + " ".join(re.findall(r'class="error"[^>]*>([^<]*)', answer.body.decode())))
        browser.send("POST", self.hub.mail(email, r"/confirm/[\w-]+"), {"password": PASSWORD})
        browser.log_in(email)
        self.factor("organisation", browser)
        key, public = self.hub.home / "program.pem", self.hub.home / "program.pub"
        subprocess.run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key], check=True, capture_output=True)
        subprocess.run(["openssl", "ec", "-in", key, "-pubout", "-out", public], check=True, capture_output=True)
        answer = browser.send("POST", "/organisation/keys", {"keyName": "Program", "publicKey": public.read_text()})
        if answer.status >= 400:
            raise RuntimeError(f"the program's key was not taken: {answer.status}")
        page = browser.send("GET", "/organisation/keys").body.decode() + browser.send("GET", "/organisation/keys/help").body.decode()
        self.organisation_id = re.search(r"<code[^>]*>([0-9a-f]{32})", page).group(1)
        self.program()

    def program(self):
        """Gets a token for the organisation's program and writes it down."""
        part = lambda data: base64.urlsafe_b64encode(data).rstrip(b"=")
        claims = {"iss": self.organisation_id, "sub": self.organisation_id, "aud": self.hub.url + "/api/v1/token", "exp": int(time.time()) + 200,
                  "jti": os.urandom(16).hex()}
        signed = part(b'{"alg":"ES256","typ":"JWT","kid":"mine"}') + b"." + part(json.dumps(claims).encode())
        der = subprocess.run(["openssl", "dgst", "-sha256", "-sign", self.hub.home / "program.pem"], input=signed, check=True, capture_output=True).stdout
        # Two integers of ASN.1, as 32 bytes each.
        first = int.from_bytes(der[4:4 + der[3]], "big")
        second = int.from_bytes(der[6 + der[3]:], "big")
        assertion = signed + b"." + part(first.to_bytes(32, "big") + second.to_bytes(32, "big"))
        answer = self.browser().send("POST", "/api/v1/token", {
            "grant_type": "client_credentials", "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            "client_assertion": assertion.decode()})
        if answer.status != 200:
            raise RuntimeError(f"no token for the program: {answer.status} {answer.body[:200]}")
        (self.hub.home / "program.token").write_text(json.loads(answer.body)["access_token"])

    def session(self, name):
        """A browser that is logged in as somebody; the operator's one session is shared."""
        browser = self.browser()
        if name in self.secrets:
            browser.cookies = dict(self.secrets[name])
        elif name in self.accounts:
            browser.log_in(*self.accounts[name])
        return browser

    def canary_data(self):
        browser = self.session("canary")
        browser.send("POST", "/data/entry?kind=weight", {"value": "61.7"})
        page = browser.send("GET", "/profile").body
        if not all(marker in page for marker in MARKERS[:1]):
            raise RuntimeError("the profile does not show what all others must not see")

    def identifiers(self):
        """What may stand in the place of a parameter: names of things that are there, own and others'."""
        found = {self.watched, "any", "1", "0"}
        for name in ("canary", "person", "demo", "relative"):
            browser = self.session(name)
            for path in ("/home", "/boxes", "/followers", "/runs", "/services", "/workouts", "/notices", "/care"):
                text = browser.send("GET", path).body.decode(errors="replace")
                found |= set(re.findall(r"/(?:boxes|followers|runs|services|workouts|people|following|notices|person|devices)/([\w-]{3,40})", text))
        return sorted(found)

    def token(self):
        """A box's token, fresh, and bodies that it may send."""
        state, out = self.hub.home / "box.json", self.hub.home / "bodies"
        subprocess.run([BIN / "trackme-fleet", "bodies", "--state", state, "--people", "1", "--seconds", "120", "--out", out], check=True, capture_output=True)
        raw, bodies, at = out.read_bytes(), [], 0
        while at < len(raw) and len(bodies) < 40:
            path, length = struct.unpack_from("<II", raw, at)
            bodies.append(raw[at + 8 + path:at + 8 + path + length])
            at += 8 + path + length
        return json.loads(state.read_text())["token"], bodies
