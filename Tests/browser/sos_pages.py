"""AutomatedSOS as people see it, in a real browser at phone size and in both languages: crews, the person, a relative, a contact, the operator."""
# proves SOS-12: a crew's page gets an offer by its stream, rings, shows the way; accept, status, false alarm, and a lost line or place is told
# proves SOS-11: of two crews that press "Accept" one gets it, and the other is told so
# proves SOS-13: the relative and the contact see the ambulance move on a map
# proves SOS-14: hospitals and pharmacies on a map and in a list; SOS-15: planned maintenance stands on the pages
import json
import re
import subprocess
import time

from care_pages import SMALL
from hub_pages import HUB, PASSWORD, URL, run, until
from live_page import check
from member import TYPED, Member
from sos_home import pinned, without_position
from sos_told import CONTRAST, HELP_WORDS, calls_near, everywhere, link_in, no_sign, prepared, tested

# A stream of the test's own beside the page's: what the hub sends, and when.
LISTEN = """
window.heard = [];
new EventSource("/duty/alarms/events").addEventListener("changed", () => window.heard.push(performance.now()));
"""
PINS = "return document.querySelectorAll('#map .pin').length"
# Made up, around the middle of Bergamo.
PLACES = [
    ("pharmacy", "Farmacia Made-Up", "+39 035 111", 9.672, 45.701), ("hospital", "Ospedale Made-Up", "+39 035 222", 9.68, 45.71),
    ("pharmacy", "Farmacia Seconda", "", 9.66, 45.695)]


class SOS(Member):
    # Who stands where: a browser that is told a place once goes on giving that old one.
    stand = {}

    def comes(self, name, condition):
        def fresh():
            for way, here in SOS.stand.items():
                way.driver.execute_cdp_cmd("Emulation.setGeolocationOverride", here)
            return condition()
        if not self.page.wait(f"{self.lang}: {name}", fresh):
            self.page.shot(f"sos-failed-{self.lang}")
            raise RuntimeError(f"{name}: {self.main()[:800]}")

    def shot(self, name):
        super().shot(name)
        small = self.driver.execute_script(SMALL)
        check(f"{self.lang}: {name}: every button is large enough for a thumb", small == 0, small)
        for dark in (False, True):
            self.page.look(390, 844, dark=dark, mobile=True)
            wrong = self.driver.execute_script(CONTRAST)
            check(f"{self.lang}: {name}: {'dark' if dark else 'light'}: text stands out from its ground", not wrong, wrong[:5])
        self.page.look(390, 844, mobile=True)

    def place(self, latitude, longitude=9.67):
        self.driver.execute_cdp_cmd("Browser.grantPermissions", {"origin": URL, "permissions": ["geolocation"]})
        SOS.stand[self] = {"latitude": latitude, "longitude": longitude, "accuracy": 8}
        self.driver.execute_cdp_cmd("Emulation.setGeolocationOverride", SOS.stand[self])

    def offline(self, isOn):
        self.driver.execute_cdp_cmd("Network.enable", {})
        self.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {
            "offline": isOn, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})

    def says(self, key, **values):
        return self.text(key).format(**values) if values else self.text(key)

    def sees(self, key, name):
        self.comes(name, lambda: self.text(key) in self.main())


def hospital_with(home, hub, lang, count):
    """Codes for the crews of so many ambulances."""
    codes = []
    with SOS(home, hub, lang, "organisation") as hospital:
        hospital.organisation("Ospedale Made-Up")
        with SOS(home, hub, lang, "operator") as chief:
            chief.operator()
            chief.go("/operator/hospitals")
            chief.press("form[action$='/admit'] button")
            chief.comes("the hospital is admitted", lambda: chief.is_new() and chief.all("form[action$='/withdraw']"))
            maintenance(chief)
        for number in range(1, count + 1):
            hospital.go("/hospital")
            hospital.enter({"ambulanceName": f"Bergamo {number}", "plate": f"ZA 12{number} BC"})
            hospital.press("main button.primary")
            hospital.comes(f"ambulance {number} is there", lambda: f"ZA 12{number} BC" in hospital.main())
            hospital.press("main article:last-of-type form[action$='/code'] button" if hospital.all("main article") else "form[action$='/code'] button")
            codes.append(until("a code", lambda: hospital.is_new() and hospital.all("code.command"))[0].text)
    return codes


def crew(way, number, code):
    way.email = f"crew{number}.{way.lang}@example.org"
    way.go("/crew")
    way.enter({**TYPED, "email": way.email, "password": PASSWORD, "crewCode": code, "terms": True})
    way.press("main button.primary")
    way.comes(f"crew {number}: a mail confirms the address", lambda: way.text("crew.sentTitle") in way.find("h1").text)
    way.confirm()
    way.log_in()
    way.add_first_factor()
    way.go("/crew")
    way.enter({"crewCode": code})
    way.press("main button.primary")
    way.at("/duty", f"crew {number} has joined")
    way.go("/duty/alarms")
    way.sees("alarms.offDuty", f"crew {number}: off duty is told")
    way.place(45.71 + number / 100)
    if number == 1:
        way.shot("alarms-off")
    way.press("form[action='/duty/on'] button")
    way.at("/duty", f"crew {number} is on duty")
    if number == 1:
        way.shot("duty")
    way.press("main a.primary")
    way.at("/duty/alarms", f"crew {number} waits")
    sent = way.text("duty.sent").split("{")[0]
    way.comes(f"crew {number}: the place is sent", lambda: sent in way.find("#dutyPlace").text)


def alone(way):
    """What the page tells while nothing happens."""
    way.shot("alarms-none")
    missing = way.driver.execute_cdp_cmd("Page.getInstallabilityErrors", {})["installabilityErrors"]
    wrong = [entry["errorId"] for entry in missing if "worker" not in entry["errorId"]]
    check(f"{way.lang}: nothing stands against installing the crew's page", not wrong, wrong)
    manifest = json.loads(way.driver.execute_cdp_cmd("Page.getAppManifest", {})["data"])
    check(f"{way.lang}: it opens at the alarms", manifest["start_url"] == "/duty/alarms", manifest)
    way.offline(True)
    way.comes("a lost line is told", lambda: way.find("#sosLost").is_displayed() and way.find("#sosLost").text)
    way.page.shot(f"sos-lost-{way.lang}")
    lost = way.text("duty.lost")
    way.comes("and that the place is not sent", lambda: lost in way.find("#dutyPlace").text)
    way.offline(False)
    way.comes("a line that is back is told", lambda: not way.find("#sosLost").is_displayed())
    way.driver.execute_cdp_cmd("Browser.resetPermissions", {})
    way.driver.execute_cdp_cmd("Browser.setPermission", {"origin": URL, "permission": {"name": "geolocation"}, "setting": "denied"})
    way.comes("a place that may not be used is told", lambda: way.text("duty.refused") in way.find("#dutyPlace").text)
    way.place(45.72)
    sent = way.text("duty.sent").split("{")[0]
    way.comes("and one that is back is sent", lambda: sent in way.find("#dutyPlace").text)
    way.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    way.go("/duty/alarms")
    check(f"{way.lang}: without scripts the page says what is missing", way.text("alarms.noScript")[:40] in way.main(), way.main())
    way.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    way.go("/duty/alarms")


def person(way):
    way.person()
    calls_near(way)
    way.go("/protection")
    way.shot("protection-off")
    check(f"{way.lang}: nothing is chosen beforehand", not way.all("input[name=strict]:checked"))
    way.press("input[name=consent]")
    way.press("form[action='/protection/on'] button")
    unchosen = lambda: way.is_new() and way.text("protection.strictNotChosen") in way.find("[role=alert]:not([hidden])").text
    way.comes("how quickly is to be chosen", unchosen)
    way.shot("protection-strict")
    way.press("input[name=strict][value=no]")
    way.press("form[action='/protection/on'] button")
    told = lambda: way.is_new() and way.text("protection.nobodyToCall") in way.find("[role=alert]:not([hidden])").text
    way.comes("it is not turned on where nobody could be called", told)
    way.go("/protection")
    for name in ("Bruno", "Carla"):
        way.enter({"contactName": f"{name} Made-Up", "contactEmail": f"{name.lower()}.{way.lang}@example.org"})
        way.press("form[action='/protection/contacts'] button")
        way.comes(f"{name} is a contact", lambda: way.is_new() and f"{name} Made-Up" in way.main())
    way.press("form[action='/protection/contacts/1/up'] button")
    way.comes("Carla is called first", lambda: way.is_new() and 0 < way.main().find("Carla Made-Up") < way.main().find("Bruno Made-Up"))
    way.enter({"consent": True})
    way.press("input[name=strict][value=yes]")
    way.press("form[action='/protection/on'] button")
    way.comes("it is on", lambda: way.is_new() and way.all("form[action='/protection/off']"))
    way.shot("protection-limits")
    way.enter({"criticalHigh": "300"})
    way.press("form[action='/protection/limits'] button")
    way.comes("an unsafe limit is refused", lambda: way.is_new() and "300" in way.find("[role=alert]:not([hidden])").text)
    way.go("/protection")
    way.press("form[action='/protection/drill'] button")
    proof = way.says("protection.proofs", sent=2, all=2)
    way.comes("a test brings a proof for each", lambda: way.is_new() and reload_until(way, proof))
    way.press("#drill ~ details summary")
    way.comes("by name", lambda: "Bruno Made-Up, " in way.find("#drill ~ details").text)
    way.shot("protection-on")


def reload_until(way, text):
    if text in way.main():
        return True
    way.driver.refresh()
    return False


def invited(way):
    """Lets a relative look after the person; gives back the link of the invitation."""
    email = f"relative.{way.lang}@example.org"
    way.go("/care/invite")
    way.enter({"email": email, "kind1": True})
    way.press("main button.primary")
    mail = way.hub.mail(email, "/care/invitation/")
    return email, re.search(rf"{URL}/care/invitation/\S+", mail).group()


def relative(way, email, link):
    way.email = email
    way.organiser()
    way.log_in()
    way.at("/home", "the relative is logged in")
    way.driver.get(link)
    way.press("main form button.primary")
    way.comes("the relative looks after the person", lambda: way.is_new() and "/care/invitation/" not in way.driver.current_url)
    way.go("/care")
    way.press("main h2 a")
    found = until("the person's page", lambda: way.is_new() and re.search("/care/person/[0-9a-f-]+", way.driver.current_url))
    way.go(f"{found.group()}/protection")
    way.comes("the relative sees whether the person is protected", lambda: way.all("#sosNow"))


def help_is_asked(way):
    way.go("/protection")
    way.place(45.7)
    way.press("form[action='/protection/press/help'] button")
    way.comes("the person's page shows the case", lambda: way.is_new() and way.all("[data-own-case]"))


def offered(crews):
    for way in crews:
        way.comes("the offer comes by the stream", lambda: way.all("[data-ring]"))
        check(f"{way.lang}: the hub said so by its stream", way.driver.execute_script("return window.heard.length") > 1)
        check(f"{way.lang}: a crew sees no name before it accepts", "Made-Up" not in way.find("[data-ring]").text)
    first, second = crews
    check(f"{second.lang}: an offer by the event alone has a distance", re.search(r"\d (km|m|mi) ", second.find("[data-ring]").text))
    check(f"{second.lang}: and nothing else of the case", not second.all("[data-ring] li"), second.find("[data-ring]").text)
    second.page.shot(f"sos-offer-event-{second.lang}", whole=True)
    first.comes("and then what is known of it", lambda: first.all("[data-ring] li") or first.all("[data-ring] strong"))
    first.comes("the page rings: its title says so", lambda: first.driver.title.startswith("(!)"))
    first.press("#sosAlarms h2")
    first.comes("after a touch it may be heard", lambda: not first.find("#ringSilent").is_displayed())
    first.page.shot(f"sos-offer-{first.lang}", whole=True)
    wrong = first.driver.execute_script(CONTRAST)
    check(f"{first.lang}: offer: text stands out from its ground", not wrong, wrong[:5])


def raced(crews):
    """Both press; gives back who has it, and who does not."""
    for way in crews:
        way.driver.execute_script(
            "const button = document.querySelector(\"form[action$='/accept'] button\"); window.isOld = true; setTimeout(() => button.click(), 300)")
    for way in crews:
        way.comes("the race is decided", lambda: way.is_new() and (way.all("[data-mine]") or way.text("alarms.taken") in way.main()))
    have = [way for way in crews if way.all("[data-mine]")]
    check(f"{crews[0].lang}: one crew has it", len(have) == 1, len(have))
    other = next(way for way in crews if way is not have[0])
    check(f"{other.lang}: the other is told so", other.text("alarms.taken") in other.main(), other.main()[:300])
    other.page.shot(f"sos-taken-{other.lang}", whole=True)
    time.sleep(6)
    check(f"{other.lang}: a refused form leaves a page that lives on", not other.find("#sosLost").is_displayed(), other.find("#sosLost").text)
    return have[0], other


def on_the_way(way, watchers):
    way.comes("the crew sees who, where and how to get there", lambda: way.all("a[href^='geo:45.7']") and way.all("a[href^='tel:+39']"))
    way.comes("and a map with both", lambda: way.driver.execute_script(PINS) == 2)
    way.comes("the status is told", lambda: way.text("alarms.status_onTheWay") in way.find(".dutystate").text)
    way.shot("alarms-mine")
    for other in watchers:
        other.sees("protection.crew_onTheWay", "they see that the ambulance comes")
        other.comes("on a map", lambda: other.driver.execute_script(PINS) == 2)
    before = {other: latitude(other) for other in watchers}
    way.place(45.705)
    began = time.monotonic()
    for other in watchers:
        other.comes("and see it move", lambda: latitude(other) == "45.705000" != before[other])
        check(f"{other.lang}: within 5 seconds and what drawing takes", time.monotonic() - began < 9, time.monotonic() - began)
        ages = [int(found) for found in re.findall(r"\b(\d+) s\b", other.main())]
        check(f"{other.lang}: the place is at most 5 s old", ages and min(ages) <= 5, ages)


def latitude(way):
    return way.driver.execute_script("return document.querySelector(\"[data-point='ambulance']\")?.dataset.lat")


def ended(way, person, watchers):
    way.press("form[action$='/there'] button")
    way.comes("the crew is there", lambda: way.is_new() and way.text("alarms.status_there") in way.main())
    way.shot("alarms-there")
    for other in watchers:
        other.sees("protection.crew_there", "they see that it is there")
    person.press("form[action$='/press/falseAlarm'] button")
    began = time.monotonic()
    way.sees("alarms.over_falseAlarm", "a false alarm reaches the crew")
    check(f"{way.lang}: at once", time.monotonic() - began < 4, time.monotonic() - began)
    way.shot("alarms-false")
    person.go("/protection")
    person.shot("protection-after")
    person.press("form[action$='/press/reactivate'] button")
    person.comes("monitoring is reactivated", lambda: person.is_new() and not person.all("form[action$='/press/reactivate']"))


def maintenance(chief):
    chief.go("/operator/maintenance")
    chief.press("main button.primary")
    chief.comes("a window without a begin is refused", lambda: chief.is_new() and chief.all(".field.wrong"))
    begin = time.strftime("%Y-%m-%dT%H:%M", time.localtime(time.time() + 72 * 3600))
    chief.driver.execute_script("document.querySelector(\"[name='windowBegin']\").value = arguments[0]", begin)
    chief.press("main button.primary")
    chief.comes("the window is planned", lambda: chief.is_new() and chief.all("form[action$='/cancel']"))
    chief.shot("maintenance")


def places(way, home):
    """The operator imports; the person looks."""
    file = home / "places.geojson"
    features = [{
        "type": "Feature", "properties": {"amenity": kind, "name": name, "phone": phone, "emergency": "yes" if kind == "hospital" else "no"},
        "geometry": {"type": "Point", "coordinates": [longitude, latitude]}} for kind, name, phone, longitude, latitude in PLACES]
    file.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    said = subprocess.run([HUB, "places", "import", file], env=way.hub.environment, check=True, capture_output=True, text=True).stdout
    check(f"{way.lang}: the import counts", "1 hospitals and 2 pharmacies" in said, said)
    way.go("/places")
    way.place(45.7)
    way.comes("this device's place can be used", lambda: way.find("#nearHere").is_displayed())
    way.press("#nearHere button")
    way.comes("the nearest comes first", lambda: way.is_new() and [item.text for item in way.all("ol h2")][:1] == ["Farmacia Made-Up"])
    way.comes("on a map too", lambda: way.driver.execute_script(PINS) == 4)
    check(f"{way.lang}: with the way there", way.all("a[href^='geo:45.701']") and way.all("a[href='tel:+39035111']"))
    way.shot("places")
    banner = way.text("maintenance.banner").split("{")[0]
    check(f"{way.lang}: planned maintenance stands on the page", banner in way.main(), way.main()[:200])


def walk(home, hub, lang):
    SOS.stand = {}
    codes = hospital_with(home, hub, lang, 2)
    with SOS(home, hub, lang, "responder") as one, SOS(home, hub, lang, "responder") as two, SOS(home, hub, lang, "person") as ada, \
            SOS(home, hub, lang, "organiser") as kin, SOS(home, hub, lang, "contact") as friend:
        person(ada)
        pinned(ada)
        no_sign(ada)
        relative(kin, *invited(ada))
        prepared(kin, ada)
        tested(ada, friend)
        for number, (way, code) in enumerate(zip((one, two), codes), 1):
            crew(way, number, code)
        alone(one)
        for way in (one, two):
            way.driver.execute_script(LISTEN)
        # A hub that has no time for pages: the offer comes with the event alone.
        two.driver.execute_script("window.fetch = () => new Promise(() => {})")
        time.sleep(1)
        help_is_asked(ada)
        link = link_in(ada, "carla", HELP_WORDS[lang])
        offered([one, two])
        friend.driver.get(link)
        has, _ = raced([one, two])
        everywhere([(ada, "person", "/protection"), (kin, "relative", "/protection"), (has, "crew", "/duty/alarms")])
        on_the_way(has, [ada, kin, friend])
        kin.shot("care-coming")
        ada.shot("protection-coming")
        friend.shot("contact-coming")
        ended(has, ada, [ada, kin, friend])
        friend.comes("the contact sees how it ended", lambda: friend.text("sosContact.over") in friend.main())
        friend.shot("contact-over")
        places(ada, home)
        without_position(has, ada)
        # Offline, and a form that was too late, are what this test does on purpose.
        expected = ("ERR_INTERNET_DISCONNECTED", "status of 409", "status of 410", "Geolocation", "AudioContext", "vibrate")
        for name, way in (("crew", one), ("person", ada), ("relative", kin), ("contact", friend)):
            way.is_quiet(name, *expected)


if __name__ == "__main__":
    run("sos", walk)
