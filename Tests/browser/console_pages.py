"""The operators' console in a real browser, at phone size and on a desk, in both languages: what needs an operator, alarms, accounts, the log."""
# proves OPS-1: alarms with age and owner, live, and whose it is behind a reason that the person reads; accounts locked and unlocked with their owner
# told; boxes, messages, state, runs and the audit log with its search
import re
import time

from hub_pages import run
from live_page import check
from sos_pages import SOS, person

OTHERS = ("boxes", "messages", "state", "audit", "runs")


def tile(chief, path):
    """The badge beside a link of the console."""
    found = chief.all(f"main a[href='{path}'] .badge")
    return found[0].text if found else None


def proved(chief):
    """Where an act asks again who the operator is, the passkey says it, and the act is done."""
    chief.comes("there is an answer", chief.is_new)
    if chief.all("[data-passkey] button"):
        chief.press("[data-passkey] button")
        chief.comes("the passkey is taken", chief.is_new)


def calm(chief):
    chief.go("/operator")
    check(f"{chief.lang}: nothing is open yet", tile(chief, "/operator/alarms") == "0", tile(chief, "/operator/alarms"))
    tabs = [tab.get_attribute("href") for tab in chief.all("nav a[aria-current]")]
    check(f"{chief.lang}: the console is a tab", tabs and tabs[0].endswith("/operator"), tabs)
    chief.shot_on_desk("overview")
    for name in OTHERS:
        chief.go(f"/operator/{name}")
        check(f"{chief.lang}: {name}: the page is there", chief.text(f"console.{name}") == chief.find("h1").text, chief.main()[:200])
        chief.shot_on_desk(name)


def alarm(chief, ada):
    """Comes by itself, and tells whose it is behind a reason alone."""
    chief.go("/operator/alarms")
    chief.sees("console.noAlarm", "no alarm is open")
    time.sleep(1)
    ada.go("/protection")
    ada.press("form[action='/protection/press/help'] button")
    chief.sees("console.unowned", "an alarm comes to the open page by itself")
    check(f"{chief.lang}: it does not say whose it is", "Made-Up" not in chief.main(), chief.main()[:400])
    chief.shot_on_desk("alarms")
    chief.press("main article a.secondary")
    chief.comes("a reason is asked for", lambda: chief.is_new() and chief.all("[name='lookReason']"))
    check(f"{chief.lang}: nothing is shown before it", "Made-Up" not in chief.main(), chief.main()[:400])
    chief.shot("alarm-reason")
    chief.press("main form.card button.primary")
    proved(chief)
    chief.comes("without a reason nothing is shown", lambda: chief.is_new() and chief.all("#lookReason-error"))
    chief.enter({"lookReason": "The control room asks for the name"})
    chief.press("main form.card button.primary")
    proved(chief)
    chief.comes("behind the reason it says who it is", lambda: chief.is_new() and "Made-Up" in chief.main())
    chief.shot("alarm-open")
    ada.go("/ledger")
    ada.comes("the person reads the reason", lambda: "The control room asks for the name" in ada.main())
    chief.hub.mail(ada.email, "The control room asks for the name")
    chief.go("/operator")
    check(f"{chief.lang}: the console counts it", tile(chief, "/operator/alarms") == "1", tile(chief, "/operator/alarms"))


def accounts(chief, ada):
    """Found, locked with the owner told, and unlocked."""
    chief.go("/operator/people")
    chief.shot_on_desk("people")
    chief.enter({"q": ada.email})
    chief.press("form[role='search'] button")
    chief.comes("the account is found by its address", lambda: chief.is_new() and len(chief.all("main ul.plainlist a")) == 1)
    chief.press("main ul.plainlist a")
    chief.comes("its page opens", lambda: chief.is_new() and ada.email in chief.main())
    path = chief.driver.current_url
    chief.shot_on_desk("person")
    chief.press("form[action$='/lock'] button.danger")
    proved(chief)
    chief.comes("why is asked for", lambda: chief.is_new() and chief.all("#helpProof-error"))
    chief.enter({"helpProof": "Her telephone was stolen; she called back"})
    chief.press("form[action$='/lock'] button.danger")
    proved(chief)
    chief.sees("console.done_lock", "it is locked")
    chief.shot("person-locked")
    ada.go("/home")
    ada.at("/log-in", "the owner is logged out")
    ada.log_in()
    ada.told("logIn.locked", "and is told at the log-in")
    chief.hub.mail(ada.email, chief.text("mail.account.locked.subject"))
    chief.driver.get(path)
    chief.enter({"helpProof": "She has it back"})
    chief.press("form[action$='/unlock'] button.primary")
    proved(chief)
    chief.sees("console.done_unlock", "it is unlocked")
    ada.log_in()
    ada.at("/home", "the owner logs in again")
    ada.go("/notices")
    subject = ada.text("mail.account.locked.subject")
    check(f"{ada.lang}: the notices tell it", subject in ada.main(), ada.main()[:400])


def log(chief, ada):
    chief.go("/operator/audit")
    chief.enter({"action": "account.locked", "whom": ada.email})
    chief.press("form[role='search'] button")
    lines = lambda: [line.text for line in chief.all("main ul.plainlist strong")]
    chief.comes("the log is searched", lambda: chief.is_new() and lines() == ["account.locked"])
    check(f"{chief.lang}: it says who did it", re.search(r"Olga", chief.main()), chief.main()[:400])
    chief.shot_on_desk("audit-found")


def walk(home, hub, lang):
    SOS.stand = {}
    with SOS(home, hub, lang, "operator") as chief, SOS(home, hub, lang, "person") as ada:
        chief.operator()
        calm(chief)
        person(ada)
        alarm(chief, ada)
        accounts(chief, ada)
        log(chief, ada)
        for name, way in (("operator", chief), ("person", ada)):
            way.is_quiet(name, "status of 409")


if __name__ == "__main__":
    run("console", walk)
