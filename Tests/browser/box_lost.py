"""The box's page when its agent hangs or is killed."""
# proves SOS-18: an agent that stops answering is told within 5 s, and no old state passes for the present one
import signal
import time

from box_states import state
from live_page import check
from selenium.webdriver.common.by import By

LOST_MAX = 5


def lost(page, box, words):
    box.set(state())
    page.wait("all is well before", lambda: page.level() == "good")
    box.signal(signal.SIGSTOP)
    start = time.monotonic()
    page.wait("an agent that hangs is told", lambda: page.one("#lost").is_displayed(), 20)
    took = time.monotonic() - start
    check(f"within {LOST_MAX} s", took < LOST_MAX, f"{took:.1f} s")
    green = [element.get_attribute("outerHTML")[:200] for element in page.driver.find_elements(By.CSS_SELECTOR, "[data-level=good]")]
    check("nothing stays green", page.level() == "broken" and not green, green or page.level())
    check("in words", page.what() == words["lost.title"], page.what())
    page.shot("lost")
    box.signal(signal.SIGCONT)
    page.wait("the page finds it again by itself", lambda: page.level() == "good" and not page.one("#lost").is_displayed())


def killed(page, box):
    page.look(390, 844, mobile=True)
    page.wait("all is well before the end", lambda: page.one("#lost").get_attribute("hidden") is not None)
    box.signal(signal.SIGKILL)
    start = time.monotonic()
    page.wait("an agent that was killed is told", lambda: page.one("#lost").is_displayed(), 20)
    took = time.monotonic() - start
    check(f"within {LOST_MAX} s too", took < LOST_MAX, f"{took:.1f} s")
