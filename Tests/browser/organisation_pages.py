"""An organisation's pages in a real browser, at phone size and in both languages: keys, webhooks, requests, people live, downloads."""
# proves SOS-4: an organisation chooses whether it holds to the letter where the person lets it
# proves CONS-15: an organisation's browser shows live values and plots of the granted kinds, and is empty within a second of a revocation
# proves ACC-18: the organisation's pages fit a phone from 320 px on, and work without JavaScript
import http.cookiejar
import re
import ssl
import subprocess
import time
import urllib.parse
import urllib.request

from account_pages import code
from hub_pages import PASSWORD, URL, run, until
from live_page import check
from member import TYPED, Member
from selenium.webdriver.common.by import By

PERSON = {
    **TYPED, "gender": "female", "dateOfBirth": "1985-12-10", "cityOfBirth": "Bergamo", "residence": "Via Roma 1, Bergamo",
    "terms": "2026-11", "privacy": "2026-11", "taxCountry": "US", "taxIdentifier": "536-22-1847",  # made up
}


class Other:
    """Somebody whose browser is not what is looked at: forms by HTTP."""

    def __init__(self, hub):
        trust = ssl.create_default_context(cafile=str(hub.directory / "ca.pem"))
        jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.opener = urllib.request.build_opener(urllib.request.HTTPSHandler(context=trust), jar)
        self.opener.addheaders = [("Accept-Language", "en")]

    def get(self, path):
        return self.opener.open(URL + path, timeout=20).read().decode()

    def post(self, path, fields=None):
        return self.opener.open(URL + path, urllib.parse.urlencode(fields or {}).encode(), timeout=20).read().decode()


def operator(hub):
    chief = Other(hub)
    printed = hub.command("claim-code").split()[0]
    fields = {**PERSON, "email": "chief@example.org", "password": "ninebeans", "claimCode": printed}
    chief.post("/claim", fields)
    page = chief.get("/security/one-time")
    secret = re.search(r'id="secret"[^>]*>([A-Z2-7 ]+)<', page).group(1).replace(" ", "")
    chief.post("/security/one-time", {"code": code(secret)})
    return chief


def person(hub, lang):
    ada = Other(hub)
    email = f"person.{lang}@example.org"
    ada.post("/sign-up/person", {**PERSON, "email": email, "password": PASSWORD})
    link = re.search(rf"{URL}(/confirm/\S+)", hub.mail(email, "/confirm/")).group(1)
    ada.post(link, {"password": PASSWORD})
    ada.post("/log-in", {"email": email, "password": PASSWORD})
    made = ada.post("/boxes/devices", {"deviceName": "Phone", "deviceKind": "osmAnd"})
    ada.phone = re.search(r"[A-Z0-9]{4}(-[A-Z0-9]{4}){3}", made).group()
    return ada


def send(ada, number):
    query = {"id": ada.phone, "timestamp": int(time.time()), "lat": 45.69 + number / 10_000, "lon": 9.67 + number / 8_000, "speed": 6}
    ada.post("/osmand?" + urllib.parse.urlencode(query))


class OrganisationWalk(Member):
    def keys(self, folder):
        self.go("/more")
        self.press("main a[href='/organisation/keys']")
        self.at("/organisation/keys", "the page of keys opens")
        self.shot("keys-none")
        self.press("a[href='/organisation/keys/new']")
        self.at("/organisation/keys/new", "the form opens")
        self.fill({"keyName": " ", "publicKey": "-----BEGIN EC PRIVATE KEY-----"})
        self.press("main button.primary")
        self.told("keys.privateKey", "a private key is told")
        self.told("keys.wrongName", "and the missing name with it")
        self.shot("keys-wrong")
        self.go("/organisation/keys/help")
        self.shot("keys-help")
        commands = [block.get_attribute("textContent") for block in self.driver.find_elements(By.CSS_SELECTOR, "pre code")]
        made = subprocess.run(["sh", "-e"], input=commands[0], cwd=folder, capture_output=True, text=True, check=True).stdout
        self.go("/organisation/keys/new")
        self.find("[name='publicKey']").send_keys(made)
        self.fill({"keyName": "Server"})
        self.press("main button.primary")
        self.at("/organisation/keys", "the key is registered")
        environment = {"SSL_CERT_FILE": str(self.hub.directory / "ca.pem"), "PATH": "/usr/bin:/bin"}
        ran = subprocess.run(["python3", "-"], input=commands[1], cwd=folder, env=environment, capture_output=True, text=True)
        check(f"{self.lang}: the example gets a token with it", ran.stdout == "[]\n", ran.stdout + ran.stderr[-500:])
        self.go("/organisation/keys")
        self.shot("keys")
        self.hub.mail(self.email, self.text("mail.organisation.keyAdded.subject"))

    def webhooks(self):
        self.go("/organisation/webhooks/new")
        self.fill({"webhookURL": "https://10.0.0.7/in"})
        self.press("main button.primary")
        self.told("webhooks.inside", "an address of the inside is told")
        self.shot("webhooks-wrong")
        self.fill({"webhookURL": "https://hooks.invalid/trackme/in"})
        self.press("main button.primary")
        self.page.wait(f"{self.lang}: the secret is shown", lambda: self.driver.find_elements(By.ID, "secret"))
        self.shot("webhooks-made")
        self.go("/organisation/webhooks")
        check(f"{self.lang}: and only once", not self.driver.find_elements(By.ID, "secret"))
        self.press("article a")
        self.page.wait(f"{self.lang}: one webhook has a page", self.is_new)
        self.shot("webhook")

    def ask(self, term, kinds):
        self.go("/requests")
        self.fill({"whom": f"person.{self.lang}@example.org", "requestPurpose": "A study of sleep"})
        for kind in kinds:
            self.find(f"[name='kind{kind}']").click()
        self.find(f"[name='term'] option[value='{term}']").click()
        self.press("main button.primary")
        self.at("/requests", "asked")

    def people(self, chief, ada):
        self.go("/organisation/people")
        self.shot("people-none")
        self.ask("30", (1, 2, 3))
        waiting = chief.get("/operator/requests")
        action, seen = re.search(r'action="([^"]*/approve)"><input type="hidden" name="seen" value="(\w+)"', waiting).groups()
        chief.post(action, {"seen": seen})
        accept = until("the person is asked", lambda: re.search(r'action="([^"]*/accept)"', ada.get("/followers"))).group(1)
        for number in range(3):
            send(ada, number)
        ada.post(accept)
        self.go("/requests")
        self.find("details summary").click()
        self.shot("requests")
        self.go("/organisation/people")
        self.shot("people")
        self.press("article a")
        self.page.wait(f"{self.lang}: the person's page opens", self.is_new)
        self.page.wait(f"{self.lang}: scripts take the place of the table", lambda: not self.driver.find_elements(By.ID, "lastValues"))
        self.page.wait(f"{self.lang}: the position is current", lambda: self.page.data("place", "state") in ("current", "network"))
        before = self.page.text("coordinates")
        for number in range(3, 30):
            send(ada, number)
        self.page.wait(f"{self.lang}: it moves live", lambda: self.page.text("coordinates") not in ("", before))
        self.shot("person")
        self.press("main a[href$='/health']")
        self.page.wait(f"{self.lang}: the page of health opens", lambda: self.is_new() and self.driver.find_elements(
            By.CSS_SELECTOR, "main a[href*='format=csv']"))
        self.shot("health")
        self.driver.back()
        self.page.wait(f"{self.lang}: the live page is back", lambda: self.page.data("place", "state") in ("current", "network"))
        self.strict(ada, accept.split("/")[2])
        address = self.driver.current_url.split("?")[0]
        # Without scripts the same page has the last values as a table.
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        self.driver.get(address)
        table = self.find("#lastValues").text
        check(f"{self.lang}: without scripts the last values stand in a table", "45.69" in table, table)
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
        self.driver.get(address)
        self.page.wait(f"{self.lang}: live again", lambda: self.page.data("place", "state") in ("current", "network"))
        revoked = time.monotonic()
        ada.post(accept.replace("/accept", "/revoke"))
        ended = "return document.body.dataset.ended"
        self.page.wait(f"{self.lang}: the page says that access ended", lambda: self.driver.execute_script(ended) == "true")
        took = time.monotonic() - revoked
        check(f"{self.lang}: within three seconds, browser included", took < 3, f"{took:.1f} s")
        check(f"{self.lang}: and nothing is left on it", self.page.text("coordinates") == "", self.page.text("coordinates"))
        self.shot("person-ended")

    def users(self, home):
        address = f"user.{self.lang}@example.org"
        self.go("/organisation/users")
        self.shot("users-none")
        self.enter({"userAddress": address, "userRights": "asks"})
        self.press("main form button.primary")
        self.page.wait(f"{self.lang}: a user is invited", lambda: self.is_new() and self.text("users.invited") in self.main())
        self.shot("users-invited")
        with Member(home, self.hub, self.lang, "user") as user:
            user.driver.get(re.search(rf"{URL}/join/\S+", self.hub.mail(address, "/join/")).group())
            user.shot("join")
            user.enter({**TYPED, "firstName": "Bea", "password": PASSWORD, "terms": True})
            user.press("main form button.primary")
            user.at("/log-in", "user: joined")
            user.log_in()
            user.add_first_factor()
            user.go("/home")
            user.shot("user-home")
            user.go("/requests")
            user.shot("user-requests")
            check(f"{self.lang}: a user who may ask has the form", user.driver.find_elements(By.CSS_SELECTOR, "[name='whom']"))
            user.go("/more")
            user.shot("user-more")
            user.is_quiet("user")
        self.go("/organisation/users")
        check(f"{self.lang}: the user stands in the list", "Bea Made-Up" in self.main(), self.main())
        self.shot("users")

    def strict(self, ada, consent):
        check(f"{self.lang}: how quickly help is called is not this organisation's", not self.driver.find_elements(By.ID, "strict"))
        ada.post("/protection/contacts", {"contactName": "Bruno", "contactEmail": "bruno@example.org", "contactLanguage": self.lang})
        ada.post("/protection/on", {"consent": "2026-11-24", "strict": "no"})
        ada.post(f"/protection/strict/{consent}", {"may": "yes"})
        self.driver.refresh()
        self.find("#strict input[value='yes']").click()
        self.press("#strict button")
        self.page.wait(f"{self.lang}: the person lets it, and it is saved", lambda: self.driver.find_elements(By.CSS_SELECTOR, "#strict .good"))
        self.shot("person-strict")

    def once(self, chief, ada):
        self.ask("once", (2,))
        accept = until("asked once", lambda: re.search(r'action="([^"]*/accept)"', ada.get("/followers"))).group(1)
        ada.post(accept)
        self.go("/organisation/people")
        self.press("article a")
        self.page.wait(f"{self.lang}: what was granted once has a page", self.is_new)
        self.shot("once")
        identifier = accept.split("/")[2]
        self.go("/requests")
        self.find("details summary").click()
        self.press(f"form[action='/requests/{identifier}/mail'] button")
        self.at(f"/requests/{identifier}/mail", "a link is mailed")
        self.shot("mailed")
        self.driver.get(re.search(rf"{URL}/requests/\S+", self.hub.mail(self.email, "/mailed/")).group())
        self.shot("download")


def walk(home, hub, lang):
    chief, ada = operator(hub), person(hub, lang)
    with OrganisationWalk(home, hub, lang, "organisation") as way:
        way.organisation("Lab of Bergamo")
        way.go("/home")
        way.shot("home")
        way.go("/account")
        along, close = way.find("a[href='/account/export']"), way.find("form[action='/account'] button.danger")
        check(f"{lang}: taking along is offered before closing", along.location["y"] < close.location["y"])
        way.shot("account")
        folder = home / "example"
        folder.mkdir()
        way.keys(folder)
        way.webhooks()
        way.people(chief, ada)
        way.once(chief, ada)
        way.users(home)
        # The end of a grant is a 403.
        way.is_quiet("organisation", "status of 403")


if __name__ == "__main__":
    run("organisation", walk)
