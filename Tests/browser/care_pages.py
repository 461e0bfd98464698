"""Relatives, parents, hospitals and crews in a real browser, at phone size, at a wall and in both languages."""
# proves ACC-11: a relative opens an account, its person takes it over, and the relative's list shows them
# proves ACC-16: an operator admits a hospital, a crew joins by a code and goes on duty, and the browser tells where it is
# proves ACC-18: these pages fit from 320 px to a wall, and the site has what makes it installable
import re
import signal
import sys
import tempfile
from pathlib import Path

from account_pages import TYPED, AccountWalk
from hub_pages import PASSWORD, URL, Hub, browser, until
from live_page import Page, check, failed, passed
from selenium.webdriver.common.by import By
from selenium.webdriver.support.select import Select

WIDTHS = (320, 390, 1920, 3840)
# A place in Bergamo that nobody lives at.
PLACE = {"latitude": 45.7, "longitude": 9.67, "accuracy": 8}


class Care(AccountWalk):
    def shot(self, name):
        self.page.shot(f"care-{name}-{self.lang}", whole=True)
        for width in WIDTHS:
            self.page.look(width, 844 if width < 1000 else width * 9 // 16, mobile=width < 1000)
            wide = self.driver.execute_script("return document.documentElement.scrollWidth - innerWidth")
            check(f"{self.lang}: {name}: at {width} px nothing sticks out", wide <= 0, f"{wide} px")
            if width == 1920:
                self.page.shot(f"care-{name}-wall-{self.lang}")
        self.page.look(390, 844, mobile=True)
        small = self.driver.execute_script(
            "return [...document.querySelectorAll('main button, main a.primary')].filter((b) => b.offsetParent && b.offsetHeight < 44).length")
        check(f"{self.lang}: {name}: every button is large enough for a thumb", small == 0, small)
        text = self.find("body").text
        left = re.search(r"\{\w*\}|undefined|\b(care|hospital|duty|crew|phone|field|mail|site)\.[a-z]\w+", text)
        check(f"{self.lang}: {name}: no placeholder is left over", not left or left.group() in URL, left and left.group())

    def tick(self, *names):
        for name in names:
            self.press(f"[name='{name}']")

    def enter(self, address, second=False):
        self.go("/log-in")
        self.fill({"email": address, "password": PASSWORD})
        self.press("main form button.primary")
        if second:
            self.at("/log-in/second", "a second factor is asked for")
            self.press("[data-passkey] button")
        self.at("/home", f"{address} is in")

    def opened(self, tax, born, email=""):
        self.go("/care/open")
        self.fill({
            "firstName": "Rosa", "lastName": "Made-Up", "cityOfBirth": "Bergamo", "residence": "Via Roma 1, Bergamo",
            "phone": "+390212345678", "taxIdentifier": tax, "email": email,
        })
        self.driver.execute_script("document.getElementById('dateOfBirth').value = arguments[0]", born)
        Select(self.find("#gender")).select_by_value("female")

    def relative(self):
        self.sign_up()
        self.log_in()
        self.at("/home", "the relative is in")
        self.go("/care")
        self.shot("empty")
        self.opened("VRDGPP80A01F205X", "1941-05-02")
        self.shot("open")
        self.press("main button.primary")
        self.page.wait(f"{self.lang}: the hand-over comes", lambda: self.driver.find_elements(By.CSS_SELECTOR, "a[href*='/hand-over/']"))
        self.shot("sheet")
        self.press("a[href*='/hand-over/']")
        self.fill({"password": PASSWORD})
        self.tick("terms", "privacy", "see1", "see3")
        self.shot("hand-over")
        self.press("main button.primary")
        self.page.wait(f"{self.lang}: the paper comes", lambda: self.driver.find_elements(By.CSS_SELECTOR, "main code"))
        self.shot("paper")
        self.user = self.find("main code").text
        self.go("/care")
        self.page.wait(f"{self.lang}: the list shows the person", lambda: "Rosa" in self.find("main").text)
        self.shot("list")
        self.press("main h2 a")
        self.page.wait(f"{self.lang}: their page opens", lambda: self.is_new() and "Rosa" in self.find("h1").text)
        self.shot("person")
        self.press("form[action$='/box'] button")
        self.page.wait(f"{self.lang}: a box's code comes", lambda: self.driver.find_elements(By.CSS_SELECTOR, "code.command"))
        self.press("main a.primary")
        self.page.wait(f"{self.lang}: the live page says what is not shared", lambda: self.is_new() and self.driver.find_elements(
            By.CSS_SELECTOR, ".banner[data-level='plain']"))
        self.page.shot(f"care-live-{self.lang}")
        for path, name in (("/care/ask", "ask"), ("/phone", "phone"), ("/help/care", "help")):
            self.go(path)
            self.shot(name)

    def parent(self):
        self.opened("BNCLRA80A41H501D", "2019-05-02", f"kid.{self.lang}@example.org")
        self.press("main button.primary")
        self.page.wait(f"{self.lang}: a parent's word is wanted", lambda: self.driver.find_elements(By.ID, "guardian-error"))
        self.shot("open-minor")
        self.tick("guardian", "terms", "privacy")
        self.press("main button.primary")
        self.page.wait(f"{self.lang}: the minor's account is open", lambda: self.is_new() and self.text("care.minorOpenedTitle") in self.find("h1").text)
        self.go("/care")
        self.press("main h2 a")
        self.page.wait(f"{self.lang}: the parent's page opens", lambda: self.driver.find_elements(By.CSS_SELECTOR, "a[href$='/ledger']"))
        self.shot("ward")
        self.log_out()

    def person(self):
        self.enter(self.user)
        self.go("/care/invite")
        self.fill({"email": f"son.{self.lang}@example.org"})
        self.tick("kind1")
        self.shot("invite")
        self.press("main button.primary")
        mail = self.hub.mail(f"son.{self.lang}@example.org", "/care/invitation/")
        self.log_out()
        self.driver.get(re.search(rf"{URL}/care/invitation/\S+", mail).group())
        self.shot("invitation")

    def hospital(self):
        address = f"clinic.{self.lang}@example.org"
        self.go("/sign-up/organisation")
        self.fill({
            "organisationName": "Ospedale Made-Up", "proof": "Register 17", "purpose": "Ambulances", "email": address, "password": PASSWORD})
        self.tick("terms", "dataDuties")
        self.press("main button.primary")
        self.driver.get(re.search(rf"{URL}/confirm/\S+", self.hub.mail(address, "/confirm/")).group())
        self.fill({"password": PASSWORD})
        self.press("main button.primary")
        self.at("/log-in", "the hospital is confirmed")
        self.go("/log-in")
        self.fill({"email": address, "password": PASSWORD})
        self.press("main form button.primary")
        self.at("/log-in/second", "a second factor is wanted")
        self.press("[data-passkey] button")
        self.at("/security/recovery", "a passkey is set up")
        self.go("/hospital")
        self.shot("hospital-not-admitted")
        self.log_out()
        return address

    def operator(self):
        printed = self.hub.command("claim-code").split()[0]
        self.go("/claim")
        self.fill({**TYPED, "email": f"olga.{self.lang}@example.org", "password": "ninebeans", "claimCode": printed})
        self.press("[name='terms']")
        self.press("main button.primary")
        self.at("/log-in/second", "the operator sets up a factor")
        self.press("[data-passkey] button")
        self.at("/security/recovery", "and is in")
        self.go("/operator/hospitals")
        self.shot("operator-hospitals")
        self.press("form[action$='/admit'] button")
        self.page.wait(f"{self.lang}: admitted", lambda: self.is_new() and self.driver.find_elements(By.CSS_SELECTOR, "form[action$='/withdraw']"))
        self.shot("operator-admitted")
        self.log_out()

    def crew(self, address):
        self.enter(address, second=True)
        self.go("/hospital")
        self.fill({"ambulanceName": "Bergamo 1", "plate": "ZA 123 BC"})
        self.press("main button.primary")
        self.page.wait(f"{self.lang}: the ambulance is there", lambda: self.is_new() and "ZA 123 BC" in self.find("main").text)
        self.press("form[action$='/code'] button")
        printed = until("a code", lambda: self.is_new() and self.driver.find_elements(By.CSS_SELECTOR, "code.command"))[0].text
        self.shot("hospital")
        self.log_out()
        self.go("/crew")
        self.fill({**TYPED, "email": f"crew.{self.lang}@example.org", "password": PASSWORD, "crewCode": printed})
        self.tick("terms")
        self.shot("crew")
        self.press("main button.primary")
        self.page.wait(f"{self.lang}: a mail confirms the address", lambda: self.is_new() and self.text("crew.sentTitle") in self.find("h1").text)
        self.driver.get(re.search(rf"{URL}/confirm/\S+", self.hub.mail(f"crew.{self.lang}@example.org", "/confirm/")).group())
        self.fill({"password": PASSWORD})
        self.press("main button.primary")
        self.at("/log-in", "the crew is confirmed")
        self.go("/log-in")
        self.fill({"email": f"crew.{self.lang}@example.org", "password": PASSWORD})
        self.press("main form button.primary")
        self.at("/log-in/second", "the crew sets up a factor")
        self.press("[data-passkey] button")
        self.at("/security/recovery", "and is in")
        self.go("/crew")
        self.fill({"crewCode": printed})
        self.press("main button.primary")
        self.at("/duty", "the crew has joined")
        self.driver.execute_cdp_cmd("Browser.grantPermissions", {"origin": URL, "permissions": ["geolocation"]})
        self.driver.execute_cdp_cmd("Emulation.setGeolocationOverride", PLACE)
        self.go("/duty")
        self.shot("duty-off")
        self.press("form[action='/duty/on'] button")
        self.page.wait(f"{self.lang}: the browser's place was sent", lambda: self.is_new() and self.find("#dutyPlace").text != "")
        self.shot("duty-on")
        self.driver.refresh()
        age = self.text("duty.place").split("{")[0]
        self.page.wait(f"{self.lang}: and the hub has it", lambda: age in self.find("main").text)
        self.press("form[action='/duty/tracker'] button")
        self.page.wait(f"{self.lang}: a phone's secret comes", lambda: len(self.driver.find_elements(By.CSS_SELECTOR, "main dl code")) == 3)
        self.shot("duty-tracker")


def walk(home, hub, lang):
    driver = browser(home, hub)
    try:
        page = Page(driver)
        page.language({"en": "en-GB", "it": "it-IT"}[lang])
        page.look(390, 844, mobile=True)
        way = Care(page, hub, lang)
        way.relative()
        way.parent()
        way.person()
        address = way.hospital()
        way.operator()
        way.crew(address)
        missing = driver.execute_cdp_cmd("Page.getInstallabilityErrors", {})["installabilityErrors"]
        # What remains is the other part of the site's: its service worker.
        wrong = [entry["errorId"] for entry in missing if "worker" not in entry["errorId"]]
        check(f"{lang}: nothing stands against installing the site", not wrong, wrong)
        complaints = [line for line in page.complaints() if not any(part in line for part in ("status of 422", "pubKeyCredParams"))]
        check(f"{lang}: the browser has nothing to complain of", not complaints, complaints[:5])
    finally:
        driver.quit()


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    for lang in ("en", "it"):
        # A hub each: one person has one account, in whatever language.
        with tempfile.TemporaryDirectory() as folder:
            hub = Hub(Path(folder))
            try:
                walk(Path(folder), hub, lang)
                check(f"{lang}: the hub logged no error", " error " not in hub.says(), hub.says()[-2000:])
            except Exception as error:  # a check that could not even be made is a failed one
                check(f"{lang}: the run came to its end", False, f"{type(error).__name__}: {error}")
            finally:
                hub.end()
    print(f"{len(passed)} passed, {len(failed)} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
