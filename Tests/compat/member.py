"""What members do on the pages of a hub, by HTTP: they sign up, change AutomatedSOS, make a run and take part in it. Works with the pages of two versions.

    Tests/compat/member.py FOLDER STEP [ARGUMENT ...]

FOLDER holds `hub` (its directory) and `mails` (what it mailed); the sessions are kept there too. The steps are the functions of `STEPS`.
"""
import datetime
import email
import email.policy
import http.cookiejar
import re
import ssl
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

from forms import Page

PASSWORD = "three ducks swim to Bergamo"
TYPED = {"firstName": "Ada", "lastName": "Example", "phone": "+390212345678"}
PERSON = {
    **TYPED, "gender": "female", "dateOfBirth": "1985-12-10", "cityOfBirth": "Bergamo", "residence": "Via Roma 1", "taxCountry": "IT",
    "taxIdentifier": "RSSMRA85T10A562S"}
CONTACT = {"contactName": "Cleo Example", "contactPhone": "+390287654321", "contactEmail": "cleo@example.org"}
# A made-up way of some 2 km by a place in Bergamo that nobody lives at.
PLACE, STEP, POINTS = (45.7, 9.67), (0.0005, 0.0008), 24
MAIL_WAIT = 60


class Member:
    """A member with a session of their own, which outlives the program."""

    def __init__(self, folder, role):
        self.role, self.email, self.mails = role, f"{role}@example.org", folder / "mails"
        self.url = (folder / "hub/address").read_text().strip()
        self.cookies = http.cookiejar.LWPCookieJar(folder / f"{role}.cookies")
        if Path(self.cookies.filename).exists():
            self.cookies.load(ignore_discard=True)
        tls = ssl.create_default_context(cafile=folder / "hub/ca.pem")
        self.opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=tls), urllib.request.HTTPCookieProcessor(self.cookies))

    def ask(self, path, headers=None, body=None):
        request = urllib.request.Request(self.url + path, body, {"Accept-Language": "en", **(headers or {})})
        try:
            with self.opener.open(request, timeout=60) as answer:
                page = Page(urllib.parse.urlsplit(answer.url).path, answer.read().decode())
        except urllib.error.HTTPError as refusal:
            said = Page(path, refusal.read().decode())
            raise RuntimeError(f"{path}: {refusal.code}: {' '.join(said.wrong) or said.text()[:600]}") from None
        self.cookies.save(ignore_discard=True)
        return page

    def send(self, path, end, values, proof=False):
        """Fills in the form of a page whose action ends so, and sends it, with the password where a hub may ask for it again; the page that comes."""
        form = self.ask(path).form_to(end)
        kind, body = form.body(values)
        if proof:
            body += ("&" if body else "").encode() + urllib.parse.urlencode({"stepUpPassword": PASSWORD}).encode()
        return self.ask(form.action or path, {"Content-Type": kind}, body)

    def sign_up(self, fields):
        self.send(f"/sign-up/{self.role}", f"/sign-up/{self.role}", {**fields, "email": self.email, "password": PASSWORD})
        link = self.mailed("/confirm/")
        self.send(link, link, {"password": PASSWORD})
        at = self.send("/log-in", "/log-in", {"email": self.email, "password": PASSWORD}).path
        if at != "/home":
            raise RuntimeError(f"after logging in the {self.role} is at {at} instead of /home")

    def mailed(self, start):
        """The path of the link that was mailed to the member."""
        deadline = time.monotonic() + MAIL_WAIT
        while time.monotonic() < deadline:
            for file in self.mails.glob("*.eml"):
                mail = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
                if mail["To"] == self.email and (link := re.search(rf"https://\S+?({start}\S+)", mail.get_content())):
                    return link.group(1)
            time.sleep(0.1)
        raise RuntimeError(f"no mail with a link to {start} came to {self.email} within {MAIL_WAIT} s")


def found(pattern, text, problem):
    match = re.search(pattern, text)
    if not match:
        raise RuntimeError(f"{problem}. {text[:600]}")
    return match


def person(folder):
    Member(folder, "person").sign_up(PERSON)


def box(folder):
    """Prints the command that enrols a box."""
    page = Member(folder, "person").send("/boxes", "/boxes/code", {})
    print(found(r"trackme-agent enrol '\S+' \S+", page.text(), f"no command to enrol a box stands on {page.path}").group())


def protect(folder, low, high):
    """A contact, limits of one's own, and on."""
    ada = Member(folder, "person")
    ada.send("/protection", "/protection/contacts", CONTACT, proof=True)
    limit(folder, low, high)
    ada.send("/protection", "/protection/on", {})


def limit(folder, low, high):
    Member(folder, "person").send("/protection", "/protection/limits", {"criticalLow": low, "criticalHigh": high})


def unprotect(folder):
    Member(folder, "person").send("/protection", "/protection/off", {}, proof=True)


def organiser(folder):
    Member(folder, "organiser").sign_up(TYPED)


def organise(folder, name, minutes):
    """Makes a run of half an hour that starts in so many minutes, publishes it and prints its code."""
    club = Member(folder, "organiser")
    points = "".join(f'<trkpt lat="{PLACE[0] + n * STEP[0]:.6f}" lon="{PLACE[1] + n * STEP[1]:.6f}"/>' for n in range(POINTS))
    now = datetime.datetime.now(datetime.timezone.utc)
    times = [f"{now + datetime.timedelta(minutes=int(minutes) + more):%Y-%m-%dT%H:%M}" for more in (0, 30)]
    made = club.send("/runs/new", "/runs/new", {
        "runName": name, "runPurpose": "For the fun of it", "runPlace": "Bergamo", "runZone": "UTC", "runStarts": times[0],
        "runEnds": times[1],
        "courseFile": f'<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>{points}</trkseg></trk></gpx>'})
    code = found(r"^/runs/(\w+)/people$", made.path, f"no run was made: {' '.join(made.wrong)}").group(1)
    club.send(made.path, "/state/publish", {})
    print(code)


def enrol(folder, code):
    Member(folder, "person").send(f"/runs/{code}/enrol", f"/runs/{code}/enrol", {"publicName": "Ada"})


def check_in(folder, code):
    """Prints whether the hub shows an accepted check-in: to the person on its page, to the organiser what the runner shares."""
    own = "done" in Member(folder, "person").ask(f"/runs/{code}/check-in").ids
    count = re.search(r"\d+ of \d+ have checked in", Member(folder, "organiser").ask(f"/runs/{code}/people").text())
    print("checked in," if own else "not checked in,", count.group() if count else "nobody is counted")


STEPS = {step.__name__.replace("_", "-"): step for step in (
    person, box, protect, limit, unprotect, organiser, organise, enrol, check_in)}

if __name__ == "__main__":
    try:
        STEPS[sys.argv[2]](Path(sys.argv[1]), *sys.argv[3:])
    except (RuntimeError, LookupError, OSError) as problem:
        sys.exit(f"member.py {' '.join(sys.argv[2:])}: {problem}")
