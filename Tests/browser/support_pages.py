"""Questions to whoever runs the hub and their answers, and the operator's own documents, in a real browser and in both languages."""
# proves OPS-1: a question from a page of help is answered from the operator's page, and both sides hear of it
# proves ACC-1: documents of the operator's are accepted before the pages for looking around open
import signal
import subprocess

from hub_pages import HUB, TEXTS, run, until
from live_page import check
from member import Member

FACTS = "controller: Hub Example\ncontact: privacy@hub.example\nbasis: consent\nretention: until deleted\nrights: all of them\n"


def ask(ada):
    ada.go("/help/boxes")
    ada.press("main a[href^='/support']")
    ada.at("/support", "the page of help leads to the form")
    ada.press("main form button.primary")
    ada.told("mistake.missing", "an empty question is refused")
    ada.shot("empty")
    ada.enter({"supportText": "My box is red."})
    ada.press("main form button.primary")
    ada.page.wait(f"{ada.lang}: the question is sent", lambda: ada.is_new() and ada.text("support.sent") in ada.main())
    ada.shot("asked")


def answer(chief):
    chief.go("/operator/support")
    check(f"{chief.lang}: the question waits", "My box is red." in chief.main(), chief.main()[:300])
    chief.shot_on_desk("questions")
    name = chief.find("textarea[name^='supportAnswer']").get_attribute("name")
    chief.enter({name: "Charge it."})
    chief.press("main form[action$='/answer'] button.primary")
    chief.at("/operator/support", "the answer is sent")
    check(f"{chief.lang}: nothing waits any more", chief.text("support.none") in chief.main(), chief.main()[:300])


def read(ada):
    ada.hub.mail(ada.email, "/support")
    ada.go("/support")
    check(f"{ada.lang}: the answer stands at the question", "Charge it." in ada.main(), ada.main()[:300])
    ada.shot("answered")


def restart(hub, folder):
    """The hub with documents of the operator's."""
    hub.process.send_signal(signal.SIGTERM)
    hub.process.wait(20)
    (hub.directory / "address").unlink()
    hub.environment["HUB_DOCUMENTS_FOLDER"] = str(folder)
    hub.process = subprocess.Popen([HUB, "serve"], env=hub.environment, stdout=hub.log, stderr=subprocess.STDOUT)
    until("the hub listens again", lambda: (hub.directory / "address").exists(), limit=120)


def accept(ada, home):
    folder = home / "documents"
    folder.mkdir()
    for lang in TEXTS:
        (folder / f"terms.{lang}.txt").write_text(f"version: 2027-01\n\nUse it as you like ({lang}).\n")
        (folder / f"privacy.{lang}.txt").write_text(f"version: 2027-01\n{FACTS}\nWe keep what your sensors measure ({lang}).\n")
    restart(ada.hub, folder)
    ada.go("/home")
    ada.at("/accept", "the documents are asked for")
    check(f"{ada.lang}: in the reader's language", f"Use it as you like ({ada.lang})." in ada.main(), ada.main()[:300])
    ada.shot("accept")
    for path in ("/protection", "/data"):
        ada.go(path)
        ada.at(path, f"{path} opens all the same")
    ada.go("/accept")
    ada.press("main form[action='/accept'] button.primary")
    ada.told("accept.missing", "a tick is missing")
    ada.enter({"terms": True, "privacy": True})
    ada.press("main form[action='/accept'] button.primary")
    ada.at("/home", "accepted, the day opens")
    ada.go("/help/documents")
    check(f"{ada.lang}: help shows them", "privacy@hub.example" in ada.main(), ada.main()[:300])
    ada.shot("documents")


def walk(home, hub, lang):
    with Member(home, hub, lang, "operator") as chief, Member(home, hub, lang, "person") as ada:
        chief.operator()
        ada.person()
        ask(ada)
        answer(chief)
        read(ada)
        accept(ada, home)
        ada.is_quiet("the person")


if __name__ == "__main__":
    run("support", walk)
