"""The check-in on the box's page."""
# proves RUN-5: a check-in says who reads what until when, above two large buttons, and one tap answers it
import re

from box_states import check_in, person, state
from live_page import check
from selenium.webdriver.common.by import By


def check_ins(page, box, address, words):
    page.look(390, 844, mobile=True)
    box.set(state(person(checkIns=[check_in()])))
    page.driver.get(address)
    page.wait("a check-in is asked", lambda: page.driver.find_elements(By.CSS_SELECTOR, ".checkIn"))
    text = page.one(".checkIn").text
    for part in ("Podistica Bergamo", words["checkIn.kind.position"], words["checkIn.kind.heartRate"], words["checkIn.public"]):
        check(f"it says {part[:40]}", part in text, text)
    check("until when", len(re.findall(r"\d\d:\d\d", text)) == 2, text)
    above = page.driver.execute_script(
        "return document.querySelector('.checkIn .by').getBoundingClientRect().bottom <= document.querySelector('.checkIn .ok').getBoundingClientRect().top")
    check("all of that above the buttons", above)
    heights = page.driver.execute_script("return [...document.querySelectorAll('.checkIn button')].map((e) => e.offsetHeight)")
    check("two buttons, as large as a hand", len(heights) == 2 and min(heights) >= 96, heights)
    page.driver.execute_script("scrollTo(0, 0)")
    bottom = page.driver.execute_script("return document.querySelector('.first .help').getBoundingClientRect().bottom")
    check("help stays in sight", bottom <= 844, bottom)
    for answer in ("accept", "refuse"):
        page.press(f".checkIn [data-answer={answer}]")
        wanted = {"action": "check-in", "answer": answer, "checkIn": f"{11:032x}", "person": f"{7:032x}"}
        page.wait(f"one tap says {answer}", lambda: box.acts()[-1] == wanted)
    box.refuse({"isDone": False, "message": "Too late", "advice": "Look at the hub", "words": "refusal.checkInLate"})
    page.press(".checkIn [data-answer=accept]")
    page.wait("why it is refused is said in the reader's language", lambda: words["refusal.checkInLate"] in page.one(".result").text)
    check("and nothing else", "Too late" not in page.one(".result").text, page.one(".result").text)
    page.shot("check-in-refused")
    box.refuse(None)
    for phase in ("sending", "late", "accepted", "withoutPosition", "refused", "notDone", "ended"):
        more = {"why": "withdrawn"} if phase == "notDone" else {"choice": "accept"}
        box.set(state(person(checkIns=[check_in(phase, **more)])))
        told = words[f"checkIn.phase.{phase}"].replace("{answer}", words["checkIn.accept"])
        page.wait(f"the check-in is {phase}", lambda: page.one(".checkIn .standing").text == told)
        check(f"{phase}: nothing to tap any more", not page.one(".checkIn .buttons").is_displayed())
    box.set(state(person(checkIns=[check_in("sending", choice="accept", problem="no network")])))
    page.wait("what keeps the answer from the hub is said in the reader's language", lambda: page.one(".checkIn .problem").text == words["checkIn.problem"])
    box.set(state(person(checkIns=[check_in()], kinds={"heartRate": True, "position": False})))
    page.wait("a position that is off is said", lambda: page.one(".checkIn .off").text == words["checkIn.positionOff"])
