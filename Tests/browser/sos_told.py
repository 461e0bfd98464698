"""Who hears of an emergency or a test, and where they see it: parts of the walk sos_pages.py."""
# proves SOS-16: where nobody is set up, the page of whoever asks for help says so, and calls whoever is near by a tone
# proves SOS-20: the emergency stands on every page of whoever is concerned; a relative prepares, the person agrees
# proves SOS-19: a contact confirms a test
# proves SOS-24: the person chooses to be asked where there is no sign of life
import re
import time

from hub_pages import URL
from live_page import check

CONTRAST = """
const light = (text) => {
  const [r, g, b] = text.match(/[\\d.]+/g).slice(0, 3).map((part) => {
    const share = part / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const ground = (element) => {
  for (let at = element; at; at = at.parentElement) {
    const colour = getComputedStyle(at).backgroundColor;
    if (!/rgba\\(.*, 0\\)/.test(colour)) return colour;
  }
  return "rgb(255, 255, 255)";
};
const wrong = [];
for (const element of document.querySelectorAll("main *")) {
  if (element.closest("#map") || ![...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()) || !element.offsetParent) continue;
  const style = getComputedStyle(element), [a, b] = [light(style.color), light(ground(element))];
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), isLarge = parseFloat(style.fontSize) >= 24;
  if (ratio < (isLarge ? 3 : 4.5)) wrong.push(`${element.textContent.trim().slice(0, 30)}: ${ratio.toFixed(1)}`);
}
return wrong;
"""
TEST_WORDS = {"en": "TEST, no emergency", "it": "PROVA, nessuna emergenza"}
HELP_WORDS = {"en": "needs help", "it": "ha bisogno di aiuto"}


# What a page plays, as it is begun.
TONES = """
window.tones = 0;
const start = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (...when) {
  if (this.context.state === "running") window.tones += 1;
  return start.apply(this, when);
};
"""


def link_in(way, contact, words):
    mail = way.hub.mail(f"{contact}.{way.lang}@example.org", words)
    return re.findall(rf"{URL}/sos/[0-9a-f]+", mail)[0]


def calls_near(way):
    """Help for somebody who has nobody to call: the page calls whoever is near, until somebody ends that."""
    script = way.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": TONES})
    tones = lambda: way.driver.execute_script("return window.tones")
    way.go("/protection")
    check(f"{way.lang}: without a case the page makes no noise", tones() == 0 and not way.find("#callNear").is_displayed())
    way.press("form[action='/protection/press/help'] button")
    nobody = way.text("protection.nobodyCalled")
    way.comes("where nobody is set up the page says so", lambda: way.is_new() and nobody in way.main() and way.all("a[href='tel:112']"))
    way.comes("and calls whoever is near, in large letters", lambda: way.text("protection.callNear") in way.find("#callNear").text)
    size = way.driver.execute_script("return parseFloat(getComputedStyle(document.querySelector('.callnear')).fontSize)")
    check(f"{way.lang}: that one reads from afar", size >= 28, size)
    way.shot("call-near")
    # A browser that plays nothing before a touch says so.
    if way.find("#callNear .warnline").is_displayed():
        check(f"{way.lang}: before it may be heard there is no tone", tones() == 0, tones())
        way.press("#case")
    way.comes("by a tone", lambda: tones() >= 4 and not way.find("#callNear .warnline").is_displayed())
    before = tones()
    way.comes("which goes on", lambda: tones() >= before + 4)
    way.press("#callNear button")
    before = tones()
    time.sleep(3.5)
    check(f"{way.lang}: until somebody ends it", tones() == before and not way.find("#callNear button").is_displayed(), tones())
    check(f"{way.lang}: the words stay", way.find(".callnear").is_displayed())
    way.driver.refresh()
    time.sleep(2)
    check(f"{way.lang}: and it stays quiet", tones() == 0, tones())
    way.press("form[action='/protection/press/falseAlarm'] button")
    way.comes("the case is over", lambda: way.is_new() and not way.all("[data-own-case]"))
    check(f"{way.lang}: and the words with it", not way.find("#callNear").is_displayed())
    way.press("form[action='/protection/press/help'] button")
    way.comes("the next case is heard anew", lambda: way.is_new() and tones() >= 4)
    way.press("form[action='/protection/press/falseAlarm'] button")
    way.comes("the case is over", lambda: way.is_new() and not way.all("[data-own-case]"))
    way.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)


def tested(way, friend):
    """A contact says that the test arrived."""
    friend.driver.get(link_in(way, "bruno", TEST_WORDS[way.lang]))
    friend.comes("a test says that nobody is in danger", lambda: friend.text("sosContact.testTitle") in friend.main())
    friend.shot("contact-test")
    friend.press("form[action$='/seen'] button")
    thanks = friend.text("sosContact.testDone").split(".")[0]
    friend.comes("the contact confirms it", lambda: friend.is_new() and thanks in friend.main() and not friend.all("main form"))
    way.go("/protection")
    way.press("#drill ~ details summary")
    way.comes("and the person sees that", lambda: f", {way.text('protection.call_acknowledged')}" in way.find("#drill ~ details").text)


def prepared(kin, ada):
    """A relative proposes a contact, and the person says yes."""
    kin.enter({"contactName": "Dora Made-Up", "contactEmail": f"dora.{kin.lang}@example.org"})
    kin.press("form[action$='/protection/contacts'] button")
    kin.comes("the contact waits for the person's yes", lambda: kin.is_new() and kin.all("#prepared") and "Dora Made-Up" in kin.main())
    kin.shot("care-prepared")
    ada.hub.mail(ada.email, "/protection")
    ada.go("/protection")
    ada.comes("the person sees what was prepared", lambda: "Dora Made-Up" in ada.main() and ada.all("form[action$='/prepared/yes']"))
    ada.shot("protection-prepared")
    ada.press("form[action$='/prepared/yes'] button")
    ada.comes("and agrees", lambda: ada.is_new() and "Dora Made-Up" in ada.main() and not ada.all("#prepared"))


def everywhere(ways):
    """Whoever is concerned sees the emergency on any page, and comes back to it by the bar."""
    for way, name, place in ways:
        for path in ("/home", "/runs"):
            way.go(path)
            way.comes(f"{name}: the emergency stands on {path}", lambda: way.all(".emergency a"))
            first = way.driver.execute_script("return document.querySelector('main').innerText")
            check(f"{way.lang}: {name}: before everything else", first.startswith(way.find(".emergency").text[:20]), first[:80])
            wrong = way.driver.execute_script(CONTRAST)
            check(f"{way.lang}: {name}: the bar stands out from its ground", not wrong, wrong[:5])
        way.shot(f"bar-{name}")
        way.press(".emergency a")
        way.comes(f"{name}: it leads to the emergency", lambda: way.is_new() and place in way.driver.current_url)


def no_sign(way):
    """The person wants to be asked where there is no sign of life."""
    form = "form[action='/protection/inactivity']"

    def choose(**values):
        for name, value in values.items():
            way.driver.execute_script("document.querySelector(arguments[0]).value = arguments[1]", f"{form} [name={name}]", value)
        way.press(f"{form} button")
    way.go("/protection")
    check(f"{way.lang}: nothing is chosen beforehand", way.text("protection.inactivityOff") in way.main())
    choose(inactiveBy="360", inactiveHours="4")
    way.comes("a time at the end of the night is refused in words", lambda: way.is_new() and way.text("protection.badInactivity") in way.find("[role=alert]").text)
    choose(inactiveBy="540", inactiveHours="4")
    way.comes("it is on", lambda: way.is_new() and way.text("protection.inactivityOn") in way.main())
    way.shot("no-sign")
