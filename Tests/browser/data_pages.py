"""One's own data in a real browser, at phone size and in both languages: downloads, whose content is looked at, ECGs, and deletion."""
# proves DATA-1: a person sees the ECG drawn that they uploaded
# proves DATA-2: a person uploads an ECG; the same one again is not stored twice, and what is no ECG is told with its line
# proves DATA-9: a person downloads all of their data in four formats
# proves DATA-10: a person deletes a part of their data, and then the account, and nothing is left to see
import csv
import json
import re
import time
import xml.etree.ElementTree as ElementTree
import zipfile

from hub_pages import until, run
from live_page import check
from member import Member, track
from selenium.webdriver.common.by import By

COUNT = 20
GPX = "{http://www.topografix.com/GPX/1/1}"


def download(person, folder, form):
    """Presses the button; the text of the samples in the archive that comes, beside which the profile lies."""
    for old in folder.iterdir():
        old.unlink()
    person.go("/data")
    person.enter({"format": form, "days": "7"})
    person.press("form[action='/data/export'] button")

    def came():
        files = list(folder.glob("*.zip"))
        return files and files[0]
    with zipfile.ZipFile(until(f"a download as {form}", came)) as archive:
        names = archive.namelist()
        check(f"{form}: the archive is whole, with the profile", archive.testzip() is None and names[0] == "profile.json", names)
        check(f"{form}: the profile is the person's own", person.email in archive.read("profile.json").decode())
        return archive.read(names[1]).decode()


def latitudes(form, text):
    """The latitudes that stand in a file, read as its readers do."""
    if form == "csv":
        return [f"{float(row['latitude_deg']):.3f}" for row in csv.DictReader(text.splitlines()) if row["latitude_deg"]]
    if form == "json":
        return [f"{row['lat']:.3f}" for row in json.loads(text)["position"]]
    if form == "gpx":
        return [f"{float(point.get('lat')):.3f}" for point in ElementTree.fromstring(text).iter(f"{GPX}trkpt")]
    bundle = json.loads(text)
    check(f"fhir: a Bundle with a Patient", bundle["resourceType"] == "Bundle" and "Patient" in text)
    return None


def exported(person, folder, sent):
    person.go("/data")
    person.shot("data")
    for form in ("csv", "json", "gpx", "fhir"):
        text = download(person, folder, form)
        found = latitudes(form, text)
        check(f"{person.lang}: {form}: everything that the phone sent, in order", found is None or found == sent, text[:400])


def made_ecg():
    """Apple Health's CSV of 30 s, with a beat of 1 mV each second."""
    curve = [1000 if place % 512 == 200 else 600 if place % 512 == 205 else place % 3 * 4 for place in range(512 * 30)]
    head = ["Name,Ada Made-Up", "Date of Birth,1 Jan 1980", "Recorded Date,2020-03-02 09:12:18 +0100", "Classification,Sinus Rhythm",
            "Symptoms,", "Software Version,1.90", 'Device,"Watch4,2"', "Sample Rate,512 hertz", "", "", "Lead,Lead I", "Unit,µV", "", ""]
    return "\n".join(head + [str(microvolts) for microvolts in curve]) + "\n"


def ecg_sent(person, folder, text):
    file = folder / "ecg.csv"
    file.write_text(text, encoding="utf-8")
    person.go("/data/ecg")
    person.find("[name='ecgFile']").send_keys(str(file))
    person.press("form[action='/data/ecg'] button")


def ecg(person, folder):
    lang = person.lang
    person.go("/data")
    person.press("main a[href='/data/ecg']")
    person.at("/data/ecg", "the page of ECGs is linked from the data")
    check(f"{lang}: its help is the page's own", person.find("header a[href='/help/ecg']") is not None)
    lines = made_ecg().split("\n")
    lines[19] = "many"
    ecg_sent(person, folder, "\n".join(lines))
    person.told("ecg.problems", "a file that is wrong is told")
    check(f"{lang}: with its line", person.text("ecgPlace.line").format(at=20) in person.main(), person.main()[:400])
    for key in ("ecg.storedOne", "ecg.knownOne"):
        ecg_sent(person, folder, made_ecg())
        person.page.wait(f"{lang}: {key}", lambda: person.is_new() and person.text(key) in person.main())
    person.shot("ecg-list")
    links = person.all("main a[href^='/data/ecg/']")
    check(f"{lang}: one ECG is listed", len(links) == 1, len(links))
    person.press("main a[href^='/data/ecg/']")
    drawn = lambda: person.is_new() and len(person.all("svg.ecg path.trace")) == 8
    person.page.wait(f"{lang}: 30 s are drawn in eight rows", drawn)
    check(f"{lang}: the device's word is told as such", person.text("ecg.said").format(text="Sinus Rhythm") in person.main(), person.main()[:600])
    person.shot("ecg-strip")
    person.press("main form[action$='/delete'] button")
    person.at("/data/ecg", "the ECG is deleted")
    check(f"{lang}: none is listed any more", person.text("ecg.none") in person.main(), person.main()[:400])
    person.go("/help/ecg")
    person.shot("ecg-help")


def part_deleted(person, folder):
    lang = person.lang
    person.go("/data")
    person.press("form[action='/data/delete'] button")
    person.told("consentProblem.noKinds", "deleting nothing is told")
    person.enter({"kind2": True, "from": "2099-01-01"})
    person.press("form[action='/data/delete'] button")
    person.told("data.wrongSpan", "a day to come is told")
    person.enter({"kind2": True, "from": ""})
    person.press("form[action='/data/delete'] button")
    person.page.wait(f"{lang}: the page says that it is deleted", lambda: person.is_new() and person.text("data.partDeleted") in person.main())
    person.shot("deleted")
    deadline = time.monotonic() + 30
    while (left := latitudes("csv", download(person, folder, "csv"))) and time.monotonic() < deadline:
        time.sleep(0.5)
    check(f"{lang}: within seconds nothing of it is in a download", not left, left)


def account_deleted(person):
    lang = person.lang
    person.go("/data")
    person.enter({"confirmation": "no"})
    person.press("form[action='/data/account'] button")
    person.page.wait(f"{lang}: without the word nothing is deleted", lambda: person.is_new() and person.text("data.confirmationHint") in person.main())
    person.enter({"confirmation": person.text("data.confirmationWord")})
    person.press("form[action='/data/account'] button")
    person.page.wait(f"{lang}: the account is gone", lambda: person.is_new() and person.text("data.goneTitle") in person.main())
    person.shot("gone")
    person.go("/home")
    person.at("/log-in", "the browser is logged out")
    person.log_in()
    person.told("logIn.wrong", "the password opens nothing any more, and the page does not say why")


def box_set_up(person):
    """The link to a box's own page, and what there is to type; words come only with a box."""
    person.press("form[action='/boxes/setup'] button")
    person.at("/boxes/setup", "the page that sets up a box")
    link = person.find("#boxLink").get_attribute("href")
    check("the link holds everything behind the #", re.fullmatch(r"http://trackme\.local:7358/#[A-Z2-9]{8}\.[\w-]{43}\.\S+", link), link)
    check("it is a QR code, too", person.find("main svg path").get_attribute("d"))
    field = person.find("#boxAddress")
    field.send_keys("192.168.1.20")
    changed = person.find("#boxLink").get_attribute("href")
    check("a typed address leads to the box", changed.startswith("http://192.168.1.20:7358/#") and changed.split("#")[1] == link.split("#")[1], changed)
    person.shot("box-set-up")


def walk(home, hub, lang):
    folder = home / "downloads"
    folder.mkdir()
    with Member(home, hub, lang, "person") as person:
        person.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(folder)})
        person.person()
        sent = track(person.phone("My phone"), COUNT)
        person.shot("boxes")
        box_set_up(person)
        exported(person, folder, sent)
        ecg(person, home)
        part_deleted(person, folder)
        account_deleted(person)
        person.is_quiet("person")


if __name__ == "__main__":
    run("data", walk)
