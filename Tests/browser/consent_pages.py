"""Consent in a real browser, at phone size and in both languages: asked, checked, notified, denied or accepted, shown, revoked."""
# proves CONS-2: the person is notified, sees who asks, why and for what, and accepts or denies; the asker is told
# proves CONS-7: My Followers shows who may read what, since when and until when
# proves CONS-13: an objection to statistics about groups is made and taken back where the policy is
# proves CONS-6: a revocation on the page ends it for the asker

from hub_pages import run
from live_page import check
from member import Member
from selenium.webdriver.common.by import By

LAB = "Lab <i>"
PURPOSE = "A study of <b>sleep</b> & rest"


def ask(lab, whom, days, *kinds):
    lab.go("/requests")
    lab.enter({"whom": whom, **{kind: True for kind in kinds}, "requestPurpose": PURPOSE, "term": days})
    lab.press("main form.card button.primary")
    lab.at("/requests", f"{whom} is asked")


def newest(lab):
    """What the page of requests says of the last one that was asked."""
    lab.go("/requests")
    return lab.find("section[aria-labelledby=history] article").text


def until_open(person):
    def look():
        person.go("/followers")
        return person.driver.find_elements(By.CSS_SELECTOR, "form[action$='/accept']")
    person.page.wait(f"{person.lang}: the question is on the page", look)


def asked(person, lab, chief):
    lang = person.lang
    lab.go("/requests")
    lab.shot("ask")
    ask(lab, "nobody at all", "30", "kind1")
    # The same form again, with what is wrong at its field.
    check(f"{lang}: a wrong address is told at its field", lab.driver.find_elements(By.ID, "whom-error"))
    ask(lab, person.email, "30", "kind1", "kind2")
    check(f"{lang}: the asker learns that an operator looks first", person.text("shown.awaitingOperator") in newest(lab), newest(lab))
    person.go("/followers")
    check(f"{lang}: before that nobody is asked", person.text("followers.noneOpen") in person.main())
    chief.go("/operator/requests")
    check(f"{lang}: the operator sees asker, proof and purpose", all(part in chief.main() for part in ("Lab", "Register 17", PURPOSE)))
    chief.shot("operator")
    chief.press("form[action$='/approve'] button")
    chief.at("/operator/requests", "the operator lets it leave")
    person.hub.mail(person.email, person.text("mail.consent.asked.subject"))
    check(f"{lang}: the person is notified by mail", True)


def accepted(person, lab):
    lang = person.lang
    until_open(person)
    card = person.find("section[aria-labelledby=open] article").text
    kinds = f"{person.text('kind.heart_rate')} {person.text('kind.and')} {person.text('kind.position')}"
    check(f"{lang}: who asks, for what and why, in words", all(part in card for part in ("Lab", kinds, PURPOSE)), card)
    person.shot("asked")
    person.find("section[aria-labelledby=open] summary").click()
    person.shot("part")
    person.press("form[action$='/accept'] button")
    person.at("/followers", "accepted")
    card = person.find("section[aria-labelledby=running] article").text
    check(f"{lang}: My Followers shows the reader", "Lab" in card and kinds in card and person.text("followers.neverRead") in card, card)
    person.shot("followers")
    said = person.text("shown.acceptedUntil").split("{")[0]
    check(f"{lang}: the asker sees the yes", said in newest(lab), newest(lab))
    lab.hub.mail(lab.email, lab.text("mail.consent.answered.subject"))
    lab.shot("history")


def revoked(person, lab):
    lang = person.lang
    person.go("/followers")
    person.press("form[action$='/revoke'] button")
    person.at("/followers", "revoked")
    check(f"{lang}: nobody reads any more", person.text("followers.noneRunning") in person.main())
    check(f"{lang}: the asker sees that it ended", person.text("ending.revoked") in newest(lab), newest(lab))
    person.go("/ledger")
    text = person.main()
    for key in ("asked", "accepted"):
        check(f"{lang}: the ledger has it: {key}", person.text(f"ledger.{key}").replace("{name}", LAB) in text, text)
    person.shot("ledger")


def denied(person, lab):
    lang = person.lang
    ask(lab, person.email, "7", "kind1", "kind2")
    until_open(person)
    person.press("form[action$='/deny'] button")
    person.at("/followers", "denied")
    check(f"{lang}: the asker sees the no", person.text("ending.denied") in newest(lab), newest(lab))


def policy(person, lab):
    """What may not be asked for is kept away, and the asker sees a question that waits."""
    lang = person.lang
    person.go("/followers/policy")
    for kind in ("1", "2", "3"):
        box = person.find(f"form[action='/followers/policy'] [name='kind{kind}']")
        if box.is_selected():
            person.press(f"form[action='/followers/policy'] [name='kind{kind}']")
    person.press("form[action='/followers/policy'] button")
    person.at("/followers", "the policy is kept")
    ask(lab, person.email, "7", "kind1", "kind2")
    waits = person.text("shown.pending").split("{")[0]
    check(f"{lang}: the asker cannot tell it from silence", waits in newest(lab), newest(lab))
    person.go("/followers")
    check(f"{lang}: the person is not asked", person.text("followers.noneOpen") in person.main())


def groups(person):
    """An objection to statistics about groups, taken back; and the place in which the person counts."""
    lang, form = person.lang, "form[action='/followers/groups'] button"
    person.go("/followers/policy")
    check(f"{lang}: the page says that the person counts", person.text("groups.in") in person.main())
    person.press(form)
    person.at("/followers/policy", "the objection is kept")
    person.shot("objected")
    check(f"{lang}: the person does not count any more", person.text("groups.out") in person.main())
    person.go("/ledger")
    said = person.text("ledger.countedOut").split("}")[1]
    check(f"{lang}: the ledger has the objection", said in person.main(), person.main())
    person.go("/followers/policy")
    person.press(form)
    person.at("/followers/policy", "the objection is taken back")
    check(f"{lang}: the person counts again", person.text("groups.in") in person.main())

    person.press("a[href='/followers/groups']")
    person.at("/followers/groups", "the page of what was used is a link away")
    check(f"{lang}: nothing was used, and nobody asked", all(person.text(f"footprint.{key}") in person.main() for key in ("none", "nobodyAsked")))
    check(f"{lang}: what objecting means is said", person.text("footprint.objectingText") in person.main())
    person.shot("footprint")

    person.go("/profile/region")
    check(f"{lang}: a street without a town is unclear", person.text("region.unclear") in person.main(), person.main())
    person.shot("region")
    person.fill({"place": "Bergamo"})
    person.press("form[role='search'] button")
    person.at("/profile/region", "a town is searched for")
    person.press("input[name='region'][value='IT-016024']")
    person.press("form[method='post'][action='/profile/region'] button")
    person.at("/profile/region", "the place is kept")
    chosen = person.text("region.chosen").split("{place}")
    check(f"{lang}: the page says where the person counts", f"{chosen[0]}Bergamo, " in person.main(), person.main())
    person.shot("place")


def walk(home, hub, lang):
    with Member(home, hub, lang, "person") as person, Member(home, hub, lang, "organisation") as lab, \
            Member(home, hub, lang, "operator") as chief:
        person.person()
        lab.organisation(LAB)
        chief.operator()
        asked(person, lab, chief)
        accepted(person, lab)
        revoked(person, lab)
        denied(person, lab)
        policy(person, lab)
        groups(person)
        for member in (person, lab, chief):
            member.is_quiet(member.role)


if __name__ == "__main__":
    run("consent", walk)
