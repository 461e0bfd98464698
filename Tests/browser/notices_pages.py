"""Notices in a real browser, at phone size and in both languages: the list, the ways, and a notification of a page that is closed."""
# proves ACC-15: a pushed message shows a notification in Chromium, and a click on it opens the page that it is about
# proves ACC-12: notices and their pages are in the language of the account
import json
import time

from devtools import deliver_push, in_worker
from hub_pages import TEXTS, URL, run, until
from live_page import check
from member import Member

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


def ask(person, lab, chief):
    lab.go("/requests")
    lab.enter({"whom": person.email, "requestPurpose": "Sleep study", "kind1": True})
    lab.press("main form[action='/requests'] button[type='submit']")
    lab.at("/requests", "an organisation asks")
    chief.go("/operator/requests")
    chief.press("form[action$='/approve'] button")
    chief.at("/operator/requests", "the operator lets it through")

    def asked():
        person.go("/notices")
        return "Lab of Bergamo" in person.main()
    until("the question is on the page", asked)
    check(f"{person.lang}: the menu counts the notice", person.find("nav a[href='/more'] .badge").text == "1")
    check(f"{person.lang}: and the question", person.find("nav a[href='/people'] .badge").text == "1")
    person.hub.mail(person.email, person.text("mail.consent.asked.subject"))


def pushed(person):
    """Turns notices of this browser on; a message comes while the page is closed."""
    lang, texts, driver = person.lang, person.texts, person.driver

    def shown():
        # Asked without a pause, the worker comes to nothing else.
        time.sleep(1)
        return in_worker(driver, SHOWN)

    driver.execute_cdp_cmd("Browser.grantPermissions", {"origin": URL, "permissions": ["notifications"]})
    driver.execute_script(SUBSCRIBE)
    person.press("[data-push] button")
    person.at("/notices", "notices are turned on")
    person.page.wait(f"{lang}: this browser is in the list", lambda: person.all("form[action$='/remove']"))
    person.shot("list")
    letter = {
        "title": texts["mail"]["consent.asked.subject"], "text": texts["notices"]["pushText"], "tag": "n1", "lang": lang,
        "url": person.find("main li a[href^='/notices/']").get_attribute("href").removeprefix(URL),
    }
    person.go("/home")
    deliver_push(driver, URL, json.dumps(letter))
    told = until("a notification is shown", shown)
    expected = [{"title": letter["title"], "body": letter["text"], "tag": "n1", "lang": lang}]
    check(f"{lang}: the notification says that something is to be seen", told == expected, told)
    in_worker(driver, CLICK)
    person.page.wait(f"{lang}: a click opens the page", lambda: driver.current_url == f"{URL}/followers")
    check(f"{lang}: it is closed then", in_worker(driver, SHOWN) == [])
    check(f"{lang}: and the notice is read", not person.all("nav a[href='/more'] .badge"))
    deliver_push(driver, URL, "no JSON at all")
    told = until("a damaged message shows too", shown)
    check(f"{lang}: whatever came, something is shown", told[0]["title"] == "TrackMe", told)


def chosen(person):
    lang = person.lang
    person.go("/notices")
    person.press("[name='consent.asked.mail']")
    person.press("form[action='/notices/ways'] button")
    person.at("/notices", "the ways are kept")
    check(f"{lang}: no mail of questions any more", not person.find("[name='consent.asked.mail']").is_selected())
    person.press("form[action$='/remove'] button")
    person.at("/notices", "the browser is removed")
    check(f"{lang}: none is left", not person.all("form[action$='/remove']"))
    other = "it" if lang == "en" else "en"
    person.press(f"header button[value='{other}']")
    person.at("/notices", "the language is changed")
    check(f"{lang}: to the other one", person.find("html").get_attribute("lang") == other)
    check(f"{lang}: with its words", TEXTS[other]["notices"]["title"] in person.find("h1").text)
    person.page.look(390, 844, dark=True, mobile=True)
    person.page.shot(f"notices-dark-{other}", whole=True)


def walk(home, hub, lang):
    with Member(home, hub, lang, "person") as person, Member(home, hub, lang, "organisation") as lab, \
            Member(home, hub, lang, "operator") as chief:
        chief.operator()
        lab.organisation("Lab of Bergamo")
        person.person()
        person.go("/notices")
        person.shot("none")
        ask(person, lab, chief)
        pushed(person)
        chosen(person)
        person.is_quiet("person")


if __name__ == "__main__":
    run("notices", walk)
