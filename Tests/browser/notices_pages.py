"""Notices in a real browser, at phone size and in both languages: the list, the ways, and a notification of a page that is closed."""
# proves ACC-15: a pushed message shows a notification in Chromium, and a click on it opens the page that it is about
# proves ACC-12: notices and their pages are in the language of the account
import json
import re
import signal
import sys
import tempfile
import time
from pathlib import Path

from account_pages import TYPED, AccountWalk
from hub_pages import PASSWORD, TEXTS, URL, Hub, browser, until
from devtools import deliver_push, in_worker
from live_page import Page, check, failed, passed
from selenium.webdriver.support.ui import Select
from selenium.webdriver.common.by import By

# No push service is reachable from a test, so subscribing is played; all else is Chromium's own. The keys are made up.
SUBSCRIBE = """
PushManager.prototype.subscribe = async (options) => {
  window.askedFor = { visible: options.userVisibleOnly, key: options.applicationServerKey.length };
  return { toJSON: () => ({ endpoint: "https://push.example.net/send/made-up", expirationTime: null, keys: {
    p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4", auth: "BTBZMqHH6r4Tts7J_aSIgg" } }) };
};
"""
SHOWN = "self.registration.getNotifications().then((all) => all.map(({title, body, tag, lang}) => ({title, body, tag, lang})))"
CLICK = """
self.registration.getNotifications().then(([notification]) => {
  self.dispatchEvent(new NotificationEvent("notificationclick", { notification }));
  return new Promise((done) => setTimeout(done, 1000));
})
"""
PERSON = {
    **TYPED, "cityOfBirth": "Milano", "residence": "Via Roma 1, Milano", "password": PASSWORD,
}
DAYS = {"en": ("SMTJNA85T50F205", "1985-12-10"), "it": ("SMTJNA85T51F205", "1985-12-11")}


class Way(AccountWalk):
    """Somebody with a browser of their own."""

    def __init__(self, home, hub, lang, email):
        driver = browser(home, hub)
        page = Page(driver)
        page.language({"en": "en-GB", "it": "it-IT"}[lang])
        page.look(390, 844, mobile=True)
        super().__init__(page, hub, lang)
        self.email = email

    def open_account(self, role, fields, choices, ticks, dates={}):
        self.go(f"/sign-up/{role}")
        # Typed, a date would be in the order of the browser's language.
        for name, value in dates.items():
            self.driver.execute_script("document.querySelector(arguments[0]).value = arguments[1]", f"[name='{name}']", value)
        self.fill({**fields, "email": self.email})
        for name, value in choices.items():
            Select(self.find(f"[name='{name}']")).select_by_value(value)
        for name in ticks:
            self.press(f"[name='{name}']")
        self.press("main button.primary")
        self.page.wait(f"{self.lang}: {role}: the form is sent", self.is_new)
        wrong = [alert.text for alert in self.driver.find_elements(By.CSS_SELECTOR, "main [role=alert]")]
        check(f"{self.lang}: {role}: and has no mistakes", not wrong, wrong)
        link = re.search(rf"{URL}/confirm/\S+", self.hub.mail(self.email, "/confirm/")).group()
        self.driver.get(link)
        self.fill({"password": PASSWORD})
        self.press("main button.primary")
        self.at("/log-in", f"{role}: the account is there")
        self.log_in()

    def with_passkey(self):
        self.at("/log-in/second", "a second proof is asked for")
        self.press("[data-passkey] button")
        self.at("/security/recovery", "a passkey is enough")

    def at(self, path, name):
        """Whatever part of the page is shown."""
        self.page.wait(f"{self.lang}: {name}: it is another page", self.is_new)
        self.driver.execute_script("history.replaceState(null, '', location.pathname)")
        super().at(path, name)

    def shot(self, name):
        super().shot(f"notices-{name}")


def check_letter(code):
    """The last letter of a fiscal code, as the ministry's decree computes it."""
    odd = dict(zip("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", [
        1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23]))
    even = {**{str(n): n for n in range(10)}, **{chr(65 + n): n for n in range(26)}}
    total = sum((odd if index % 2 == 0 else even)[letter] for index, letter in enumerate(code))
    return code + chr(65 + total % 26)


def walk(home, hub, lang, organisation, chief):
    way = Way(home, hub, lang, f"jane.{lang}@example.org")
    code, born = DAYS[lang]
    fields = {**PERSON, "firstName": "Jane", "lastName": "Smith", "taxIdentifier": check_letter(code)}
    driver, texts = way.driver, TEXTS[lang]
    try:
        way.open_account("person", fields, {"gender": "female", "taxCountry": "IT"}, ("terms", "privacy"), {"dateOfBirth": born})
        way.at("/home", "the person is in")
        way.go("/notices")
        way.shot("none")

        organisation.go("/requests")
        organisation.fill({"whom": way.email, "requestPurpose": "Sleep study"})
        organisation.press("[name='kind1']")
        organisation.press("main form[action='/requests'] button[type='submit']")
        organisation.at("/requests", "an organisation asks")
        chief.go("/operator/requests")
        if chief.driver.find_elements(By.CSS_SELECTOR, "form[action$='/approve'] button"):
            chief.press("form[action$='/approve'] button")
            chief.at("/operator/requests", "the operator lets it through")

        def shown():
            # Asked without a pause, the worker comes to nothing else.
            time.sleep(1)
            return in_worker(driver, SHOWN)

        def asked():
            way.go("/notices")
            return "Lab of Bergamo" in way.find("main").text
        until("the question is on the page", asked)
        check(f"{lang}: the menu counts it", way.find("nav a[href='/notices'] .badge").text == "1")
        hub.mail(way.email, texts["mail"]["consent.asked.subject"])

        driver.execute_cdp_cmd("Browser.grantPermissions", {"origin": URL, "permissions": ["notifications"]})
        driver.execute_script(SUBSCRIBE)
        way.press("[data-push] button")
        way.at("/notices", "notices are turned on")
        way.page.wait(f"{lang}: this browser is in the list", lambda: driver.find_elements(By.CSS_SELECTOR, "form[action$='/remove']"))
        way.shot("list")
        letter = {
            "title": texts["mail"]["consent.asked.subject"], "text": texts["notices"]["pushText"], "tag": "n1", "lang": lang,
            "url": way.find("main li a[href^='/notices/']").get_attribute("href").removeprefix(URL),
        }
        way.go("/home")
        deliver_push(driver, URL, json.dumps(letter))
        told = until("a notification is shown", shown)
        expected = [{"title": letter["title"], "body": letter["text"], "tag": "n1", "lang": lang}]
        check(f"{lang}: the notification says that something is to be seen", told == expected, told)
        in_worker(driver, CLICK)
        way.page.wait(f"{lang}: a click opens the page", lambda: driver.current_url == f"{URL}/followers")
        check(f"{lang}: it is closed then", in_worker(driver, SHOWN) == [])
        check(f"{lang}: and the notice is read", not driver.find_elements(By.CSS_SELECTOR, "nav a[href='/notices'] .badge"))
        deliver_push(driver, URL, "no JSON at all")
        told = until("a damaged message shows too", shown)
        check(f"{lang}: whatever came, something is shown", told[0]["title"] == "TrackMe", told)

        way.go("/notices")
        way.press("[name='consent.asked.mail']")
        way.press("form[action='/notices/ways'] button")
        way.at("/notices", "the ways are kept")
        check(f"{lang}: no mail of questions any more", not way.find("[name='consent.asked.mail']").is_selected())
        way.press("form[action$='/remove'] button")
        way.at("/notices", "the browser is removed")
        check(f"{lang}: none is left", not driver.find_elements(By.CSS_SELECTOR, "form[action$='/remove']"))
        other = "it" if lang == "en" else "en"
        way.press(f"footer button[value='{other}']")
        way.at("/notices", "the language is changed")
        check(f"{lang}: to the other one", way.find("html").get_attribute("lang") == other)
        way.page.look(390, 844, dark=True, mobile=True)
        way.page.shot(f"account-notices-dark-{other}", whole=True)
        complaints = way.page.complaints()
        check(f"{lang}: the browser has nothing to complain of", not complaints, complaints[:5])
    finally:
        driver.quit()


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        hub = Hub(home)
        others = []
        try:
            chief = Way(home, hub, "en", "olga@example.org")
            others.append(chief)
            chief.claim()
            chief.go("/log-in")
            chief.press("[data-passkey] button")
            chief.at("/home", "the operator is in")
            organisation = Way(home, hub, "en", "lab@example.org")
            others.append(organisation)
            fields = {"organisationName": "Lab of Bergamo", "proof": "Register of Bergamo, 17", "purpose": "Research on rest", "password": PASSWORD}
            organisation.open_account("organisation", fields, {}, ("terms", "dataDuties"))
            organisation.with_passkey()
            for lang in ("en", "it"):
                walk(home, hub, lang, organisation, chief)
            check("the hub logged no error", " error " not in hub.says(), hub.says()[-2000:])
        except Exception as error:  # a check that could not even be made is a failed one
            check("the run came to its end", False, f"{type(error).__name__}: {error}")
        finally:
            for way in others:
                way.driver.quit()
            hub.end()
    print(f"{len(passed)} passed, {len(failed)} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
