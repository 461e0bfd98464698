"""Members of a hub with a browser each: signed up by the pages, confirmed by the mailed link, logged in."""
import re
import ssl
import time
import urllib.request

from hub_pages import PASSWORD, PORT, URL, Walk, browser
from live_page import Page
from selenium.webdriver.common.by import By

TAX = {"en": "RSSMRA85T10A562S", "it": "BNCLRA80A41H501D"}
TYPED = {"firstName": "Ada", "lastName": "Made-Up", "phone": "+390212345678"}
VALUE = "arguments[0].value = arguments[1]"


class Member(Walk):
    """One member, in one language. To be used with `with`: the browser ends with it."""

    def __init__(self, home, hub, lang, role):
        driver = browser(home, hub)
        super().__init__(Page(driver), hub, lang)
        self.role, self.email = role, f"{role}.{lang}@example.org"
        self.page.language({"en": "en-GB", "it": "it-IT"}[lang])
        self.page.look(390, 844, mobile=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def enter(self, fields):
        """Fills a form in; choices and dates as the page would send them, ticks where the value is True."""
        for name, value in fields.items():
            field = self.find(f"[name='{name}']")
            if value is True:
                if not field.is_selected():
                    self.press(f"[name='{name}']")
            elif field.tag_name == "select" or field.get_attribute("type") == "date":
                self.driver.execute_script(VALUE, field, value)
            else:
                field.clear()
                field.send_keys(value)

    def seen(self, name):
        """A page on everybody's way, for a test that looks at it."""

    def sign_up(self, fields):
        self.go(f"/sign-up/{self.role}")
        self.enter({**fields, "email": self.email, "password": PASSWORD})
        self.seen("sign-up")
        self.press("main button.primary")
        sent = lambda: self.is_new() and self.text("signUp.sentTitle") in self.main()
        if not self.page.wait(f"{self.lang}: {self.role}: signed up", sent):
            raise RuntimeError(self.main())
        self.confirm()

    def confirm(self):
        mail = self.hub.mail(self.email, "/confirm/")
        self.driver.get(re.search(rf"{URL}/confirm/\S+", mail).group())
        self.enter({"password": PASSWORD})
        self.seen("confirm")
        self.press("main button.primary")
        self.at("/log-in", f"{self.role}: confirmed")

    def log_in(self):
        self.go("/log-in")
        self.enter({"email": self.email, "password": PASSWORD})
        self.press("main form button.primary")

    def log_out(self):
        self.go("/more")
        self.press("form[action='/log-out'] button")
        self.at("/", f"{self.role}: logged out")

    def add_first_factor(self):
        """A passkey, which organisations and operators need before anything else."""
        self.at("/log-in/second", f"{self.role}: a factor is asked for")
        self.seen("set-up-first")
        self.press("[data-passkey] button")
        self.at("/security/recovery", f"{self.role}: a passkey is one")

    def person(self):
        self.sign_up({
            **TYPED, "gender": "female", "dateOfBirth": "1985-12-10", "cityOfBirth": "Bergamo", "residence": "Via Roma 1",
            "taxCountry": "IT", "taxIdentifier": TAX[self.lang], "terms": True, "privacy": True})
        self.log_in()
        self.at("/home", "person: logged in")

    def organiser(self):
        self.sign_up({**TYPED, "terms": True})

    def organisation(self, name):
        self.go("/sign-up/organisation")
        kinds = self.driver.find_elements(By.CSS_SELECTOR, "[name='organisationKind'] option")
        self.sign_up({
            "organisationKind": kinds[-1].get_attribute("value"), "organisationName": name, "proof": "Register 17",
            "purpose": "Research into rest", "terms": True, "dataDuties": True})
        self.log_in()
        self.add_first_factor()

    def operator(self):
        printed = self.hub.command("claim-code").split()[0]
        self.go("/claim")
        self.enter({**TYPED, "firstName": "Olga", "email": self.email, "password": PASSWORD, "claimCode": printed, "terms": True})
        self.seen("claim")
        self.press("main button.primary")
        self.add_first_factor()

    def main(self):
        return self.find("main").text

    def phone(self, name):
        """Adds a phone on its page; gives back the secret that the page shows."""
        self.go("/boxes")
        self.enter({"deviceName": name, "deviceKind": "osmAnd"})
        self.press("form[action='/boxes/devices'] button")
        shown = re.compile(r"[A-Z0-9]{4}(?:-[A-Z0-9]{4}){3}")
        self.page.wait(f"{self.lang}: the phone's secret is shown", lambda: self.is_new() and shown.search(self.main()))
        return shown.search(self.main()).group()


def track(secret, count):
    """Sends positions as a phone does, one a second up to now; their latitudes."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    latitudes = []
    for number in range(count):
        latitude = f"45.6{number:02}"
        query = f"id={secret}&timestamp={int(time.time()) - count + number}&lat={latitude}&lon=9.7&speed=3"
        urllib.request.urlopen(f"https://localhost:{PORT}/osmand?{query}", data=b"", context=context).read()
        latitudes.append(latitude)
    return latitudes
