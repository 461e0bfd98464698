"""Services in a real browser, at phone size and in both languages: described, checked, found, added, with results, removed; named readers."""
# proves CONS-8: an organisation describes a service, an operator lets it through, a person finds it, adds it, sees its results and removes it
# proves CONS-16: a person lets somebody read who did not ask, with and without an account
# proves CONS-1: who has no account is invited by a mail that says nothing of anybody else
# proves ACC-18: these pages fit a phone from 320 px on
import subprocess

from hub_pages import URL, run, until
from live_page import check
from member import TYPED, Member

LAB = "Lab <i>"
SERVICE = "Sleep <b>coach</b>"
ABOUT = {"en": "Tells you how you rest.", "it": "Dice come riposi."}
PURPOSE = {"en": "To tell how you rest & why", "it": "Dire come riposi & perché"}
KINDS = ("kind.heart_rate", "kind.position")
# A program of the organisation as its page of keys shows it, which sends a result in place of asking for its consents.
RESULT = """
def send(method, path, value=None):
    body = None if value is None else json.dumps(value).encode()
    asked = urllib.request.Request(SITE + path, body, {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}, method=method)
    return json.load(urllib.request.urlopen(asked))

start = int(time.time()) * 1000 - 86_400_000
for consent in send("GET", "/api/v1/consents"):
    print(send("POST", f"/api/v1/consents/{consent['id']}/results", {
        "text": "Ten quiet nights <b>",
        "values": [{"name": "Rest", "value": 7.5, "unit": "h"}],
        "series": {"name": "Rest", "unit": "h", "points": [{"time": str(start + day * 3_600_000), "value": 7 + day % 3} for day in range(10)]},
    }))
"""


def described(lab, chief):
    lang = lab.lang
    lab.go("/publish")
    lab.shot("publish-none")
    lab.press("a[href='/publish/new']")
    lab.at("/publish/new", "the form opens")
    lab.press("main form button.primary")
    lab.told("consentProblem.noKinds", "what lacks is told")
    check(f"{lang}: at its field too", lab.all("#serviceName-error") and lab.all("#aboutItalian-error"))
    lab.shot("publish-wrong")
    lab.enter({
        "serviceName": SERVICE, "aboutEnglish": ABOUT["en"], "aboutItalian": ABOUT["it"], "purposeEnglish": PURPOSE["en"],
        "purposeItalian": PURPOSE["it"], "kind1": True, "kind2": True, "actiononce": True, "actiondaily": True})
    lab.shot("publish-form")
    lab.press("main form button.primary")
    lab.at("/publish", "it is handed in")
    check(f"{lang}: an operator looks at it first", lab.text("publish.checking") in lab.main(), lab.main())
    chief.go("/operator/services")
    check(f"{lang}: the operator sees all of it", all(part in chief.main() for part in (SERVICE, LAB, *ABOUT.values(), *PURPOSE.values())))
    chief.shot("operator")


def hidden(person):
    person.go("/services")
    check(f"{person.lang}: nobody sees what no operator looked at", SERVICE not in person.main(), person.main())
    check(f"{person.lang}: the hub's own are there", "AutomatedSOS" in person.main() and "Track4Run" in person.main())


def approved(lab, chief):
    chief.press("form[action$='/approve'] button")
    chief.at("/operator/services", "the operator lets it through")
    check(f"{chief.lang}: and none waits", chief.text("waiting.none") in chief.main(), chief.main())
    lab.go("/publish")
    check(f"{lab.lang}: the organisation sees it shown", lab.text("publish.shown") in lab.main(), lab.main())
    lab.shot("publish")


def added(person):
    lang = person.lang
    person.go("/services")
    person.shot("services")
    link = next(link for link in person.all("main h2 a") if link.text == SERVICE)
    person.go(link.get_attribute("href").removeprefix(URL))
    kinds = f"{person.text(KINDS[0])} {person.text('kind.and')} {person.text(KINDS[1])}"
    parts = (LAB, ABOUT[lang], PURPOSE[lang], kinds)
    check(f"{lang}: its page says who, what, what for and of which data", all(part in person.main() for part in parts), person.main())
    person.shot("service")
    daily = "form[action$='/add']:has([value='daily']) button"
    person.press(daily)
    person.page.wait(f"{lang}: it is added", lambda: person.is_new() and person.text("services.isAdded") in person.main())
    person.shot("added")
    path = person.driver.current_url.removeprefix(URL)
    person.go("/services")
    check(f"{lang}: the list says so", person.text("services.added") in person.main(), person.main())
    person.go("/followers")
    running = person.find("section[aria-labelledby=running]").text
    check(f"{lang}: it reads as one follower with that purpose", "Lab" in running and PURPOSE[lang] in running, running)
    return path


def result(lab, home):
    """The organisation's program finds the consent by the API and sends back what it found out."""
    folder = home / "program"
    folder.mkdir()
    lab.go("/organisation/keys/help")
    commands = [block.get_attribute("textContent") for block in lab.all("pre code")]
    made = subprocess.run(["sh", "-e"], input=commands[0], cwd=folder, capture_output=True, text=True, check=True).stdout
    lab.go("/organisation/keys/new")
    lab.find("[name='publicKey']").send_keys(made)
    lab.enter({"keyName": "Server"})
    lab.press("main button.primary")
    lab.at("/organisation/keys", "the program's key is registered")
    environment = {"SSL_CERT_FILE": str(lab.hub.directory / "ca.pem"), "PATH": "/usr/bin:/bin"}
    program = commands[1] + RESULT
    ran = subprocess.run(["python3", "-"], input=program, cwd=folder, env=environment, capture_output=True, text=True)
    check(f"{lab.lang}: a result is taken", ran.stdout.strip().endswith("{'number': 1}"), ran.stdout[-300:] + ran.stderr[-500:])


def seen(person, path):
    lang = person.lang
    person.go(path)
    check(f"{lang}: the text, as text", "Ten quiet nights <b>" in person.main(), person.main())
    value = "7,5" if lang == "it" else "7.5"
    check(f"{lang}: the value in the language's figures", value in person.main(), person.main())
    check(f"{lang}: and a plot", person.all("main svg"))
    person.shot("results")
    person.press("form[action$='/remove'] button")
    person.page.wait(f"{lang}: it is removed", lambda: person.is_new() and person.all("form[action$='/add']"))
    check(f"{lang}: what it found out stays", "Ten quiet nights" in person.main())
    person.go("/followers")
    check(f"{lang}: nobody reads any more", person.text("followers.noneRunning") in person.main(), person.main())


def withdrawn(lab, person, path):
    lab.go("/publish")
    lab.press("form[action$='/withdraw'] button")
    lab.at("/publish", "it is withdrawn")
    check(f"{lab.lang}: and says so", lab.text("publish.withdrawn") in lab.main(), lab.main())
    person.go(path)
    check(f"{lab.lang}: nobody can add it any more", not person.all("form[action$='/add']"))


def offer(person, address):
    person.go("/followers/grant")
    person.enter({"readerEmail": address, "kind1": True, "grantPurpose": "My heart, for Rosa"})
    person.press("main form button.primary")
    person.page.wait(f"{person.lang}: {address} is offered", lambda: person.is_new() and person.text("grant.sentTitle") in person.main())


def named(person, reader):
    """A reader with an account takes the offer; one without is invited, and finds it after signing up."""
    lang = person.lang
    person.go("/followers/grant")
    person.shot("grant")
    stranger = f"rosa.{lang}@example.org"
    offer(person, stranger)
    person.shot("granted")
    letter = person.hub.mail(stranger, URL)
    check(f"{lang}: a mail invites who has no account, and tells no purpose", "My heart" not in letter, letter)
    reader.email = stranger
    reader.organiser()
    reader.log_in()
    reader.at("/home", "the reader has an account now")

    def offered():
        reader.go("/following")
        return reader.all("form[action$='/take']")
    until("the offer is there", offered)
    reader.shot("offer")
    reader.press("form[action$='/take'] button")
    reader.page.wait(f"{lang}: the reader follows", lambda: reader.is_new() and not reader.all("form[action$='/take']"))
    reader.shot("following")
    person.go("/followers")
    check(f"{lang}: My Followers shows the named reader", TYPED["lastName"] in person.find("section[aria-labelledby=running]").text, person.main())
    person.shot("followers")
    person.press("form[action$='/revoke'] button")
    person.at("/followers", "revoked")
    reader.go("/following")
    check(f"{lang}: and then the reader follows nobody", not reader.all("main h2 a"), reader.main())


def walk(home, hub, lang):
    with Member(home, hub, lang, "person") as person:
        person.person()
        with Member(home, hub, lang, "organisation") as lab, Member(home, hub, lang, "operator") as chief:
            lab.organisation(LAB)
            chief.operator()
            described(lab, chief)
            hidden(person)
            approved(lab, chief)
            path = added(person)
            result(lab, home)
            seen(person, path)
            withdrawn(lab, person, path)
            for member in (lab, chief):
                member.is_quiet(member.role)
        with Member(home, hub, lang, "organiser") as reader:
            named(person, reader)
            reader.is_quiet("reader")
        person.is_quiet("person")


if __name__ == "__main__":
    run("services", walk)
