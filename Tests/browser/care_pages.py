"""Relatives, parents, hospitals and crews in a real browser, at phone size, at a wall and in both languages."""
# proves ACC-11: a relative opens an account, its person takes it over, and the relative's list shows them
# proves ACC-16: an operator admits a hospital, a crew joins by a code and goes on duty, and the browser tells where it is
# proves ACC-18: these pages fit from 320 px to a wall, and the site has what makes it installable
import re

from hub_pages import PASSWORD, URL, run, until
from live_page import check
from member import TYPED, Member

# A place in Bergamo that nobody lives at.
PLACE = {"latitude": 45.7, "longitude": 9.67, "accuracy": 8}
SMALL = "return [...document.querySelectorAll('main button, main a.primary')].filter((b) => b.offsetParent && b.offsetHeight < 44).length"


class Care(Member):
    widths = (320, 390, 1920, 3840)

    def shot(self, name):
        super().shot(name)
        self.page.look(1920, 1080)
        self.page.shot(f"care-{name}-wall-{self.lang}")
        self.page.look(390, 844, mobile=True)
        small = self.driver.execute_script(SMALL)
        check(f"{self.lang}: {name}: every button is large enough for a thumb", small == 0, small)

    def comes(self, name, condition):
        self.page.wait(f"{self.lang}: {name}", lambda: self.is_new() and condition())

    def tick(self, *names):
        self.enter({name: True for name in names})

    def come_in(self, second=False):
        self.log_in()
        if second:
            self.at("/log-in/second", "a second factor is asked for")
            self.press("[data-passkey] button")
        self.at("/home", f"{self.role}: in")

    def opened(self, tax, born, email=""):
        self.go("/care/open")
        self.enter({
            **TYPED, "firstName": "Rosa", "cityOfBirth": "Bergamo", "residence": "Via Roma 1, Bergamo", "taxIdentifier": tax, "email": email,
            "dateOfBirth": born, "gender": "female"})


def relative(way):
    """Opens an account for an elderly person; gives back the name with which that one logs in."""
    way.organiser()
    way.come_in()
    way.go("/care")
    way.shot("empty")
    way.opened("VRDGPP80A01F205X", "1941-05-02")
    way.shot("open")
    way.press("main button.primary")
    way.comes("the hand-over comes", lambda: way.all("a[href*='/hand-over/']"))
    way.shot("sheet")
    way.press("a[href*='/hand-over/']")
    way.enter({"password": PASSWORD})
    way.tick("terms", "privacy", "see1", "see3")
    way.shot("hand-over")
    way.press("main button.primary")
    way.comes("the paper comes", lambda: way.all("main code"))
    way.shot("paper")
    user = way.find("main code").text
    way.go("/care")
    way.comes("the list shows the person", lambda: "Rosa" in way.main())
    way.shot("list")
    way.press("main h2 a")
    way.comes("their page opens", lambda: "Rosa" in way.find("h1").text)
    way.shot("person")
    way.press("main a[href$='/health']")
    way.comes("the page of their health opens", lambda: way.text("health.noLatestOf") in way.main())
    way.shot("health")
    way.press("main a[href^='/care/person/']:not([href*='?'])")
    way.comes("and leads back", lambda: way.all("form[action$='/box'] button"))
    way.press("form[action$='/box'] button")
    way.comes("a box's code comes", lambda: way.all("code.command"))
    way.press("main a.primary")
    way.comes("the live page says what is not shared", lambda: way.all(".banner[data-level='plain']"))
    way.page.shot(f"care-live-{way.lang}")
    for path, name in (("/care/ask", "ask"), ("/phone", "phone"), ("/help/care", "help")):
        way.go(path)
        way.shot(name)
    return user


def parent(way):
    way.opened("BNCLRA80A41H501D", "2019-05-02", f"kid.{way.lang}@example.org")
    way.press("main button.primary")
    way.comes("a parent's word is wanted", lambda: way.all("#guardian-error"))
    way.shot("open-minor")
    way.tick("guardian", "terms", "privacy")
    way.press("main button.primary")
    way.comes("the minor's account is open", lambda: way.text("care.minorOpenedTitle") in way.find("h1").text)
    way.go("/care")
    way.press("main h2 a")
    way.comes("the parent's page opens", lambda: way.all("a[href$='/ledger']"))
    way.shot("ward")
    way.press("a[href$='/parent']")
    way.comes("the other parent can be invited", lambda: way.all("[name=email]"))
    way.shot("parent")
    # What remains is the other part of the site's: its service worker.
    missing = way.driver.execute_cdp_cmd("Page.getInstallabilityErrors", {})["installabilityErrors"]
    wrong = [entry["errorId"] for entry in missing if "worker" not in entry["errorId"]]
    check(f"{way.lang}: nothing stands against installing the site", not wrong, wrong)


def person(way, user):
    way.email = user
    way.come_in()
    way.go("/care/invite")
    son = f"son.{way.lang}@example.org"
    way.enter({"email": son})
    way.tick("kind1")
    way.shot("invite")
    way.press("main button.primary")
    mail = way.hub.mail(son, "/care/invitation/")
    way.log_out()
    way.driver.get(re.search(rf"{URL}/care/invitation/\S+", mail).group())
    way.shot("invitation")


def admitted(hospital, chief):
    hospital.organisation("Ospedale Made-Up")
    hospital.go("/hospital")
    hospital.shot("hospital-not-admitted")
    hospital.log_out()
    chief.operator()
    chief.go("/operator/hospitals")
    chief.shot("operator-hospitals")
    chief.press("form[action$='/admit'] button")
    chief.comes("admitted", lambda: chief.all("form[action$='/withdraw']"))
    chief.shot("operator-admitted")


def ambulance(hospital):
    """Adds one; gives back the code with which its crew joins."""
    hospital.come_in(second=True)
    hospital.go("/hospital")
    hospital.enter({"ambulanceName": "Bergamo 1", "plate": "ZA 123 BC"})
    hospital.press("main button.primary")
    hospital.comes("the ambulance is there", lambda: "ZA 123 BC" in hospital.main())
    hospital.press("form[action$='/code'] button")
    printed = until("a code", lambda: hospital.is_new() and hospital.all("code.command"))[0].text
    hospital.shot("hospital")
    return printed


def crew(way, printed):
    way.go("/crew")
    way.enter({**TYPED, "email": way.email, "password": PASSWORD, "crewCode": printed})
    way.tick("terms")
    way.shot("crew")
    way.press("main button.primary")
    way.comes("a mail confirms the address", lambda: way.text("crew.sentTitle") in way.find("h1").text)
    way.confirm()
    way.log_in()
    way.add_first_factor()
    way.go("/crew")
    way.enter({"crewCode": printed})
    way.press("main button.primary")
    way.at("/duty", "the crew has joined")
    way.driver.execute_cdp_cmd("Browser.grantPermissions", {"origin": URL, "permissions": ["geolocation"]})
    way.driver.execute_cdp_cmd("Emulation.setGeolocationOverride", PLACE)
    way.go("/duty")
    way.shot("duty-off")
    way.press("form[action='/duty/on'] button")
    way.comes("the browser's place was sent", lambda: way.find("#dutyPlace").text != "")
    way.shot("duty-on")
    way.driver.refresh()
    age = way.text("duty.place").split("{")[0]
    way.page.wait(f"{way.lang}: and the hub has it", lambda: age in way.main())
    way.press("form[action='/duty/tracker'] button")
    way.comes("a phone's secret comes", lambda: len(way.all("main dl code")) == 3)
    way.shot("duty-tracker")


def walk(home, hub, lang):
    with Care(home, hub, lang, "organiser") as way:
        user = relative(way)
        parent(way)
        way.is_quiet("relative")
    with Care(home, hub, lang, "person") as way:
        person(way, user)
        way.is_quiet("person")
    with Care(home, hub, lang, "organisation") as hospital:
        with Care(home, hub, lang, "operator") as chief:
            admitted(hospital, chief)
            chief.is_quiet("operator")
        printed = ambulance(hospital)
        hospital.is_quiet("hospital")
    with Care(home, hub, lang, "responder") as way:
        crew(way, printed)
        way.is_quiet("crew")


if __name__ == "__main__":
    run("care", walk)
