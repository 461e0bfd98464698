"""The set-up page of a box in a real browser: from the link over the words to the sensors."""
# proves EDGE-16: a box is enrolled by its own page, once the words were confirmed on both sides, and takes over settings of an earlier one
# proves ACC-12: the page in English and Italian
import sys

from box_page import Box, BoxPage, HEIGHT, NAMELESS, TEXTS, browser
from live_page import check, failed, passed

FRAGMENT = "ABCDEFGH..hub.example:8443"
WIDE = "return document.documentElement.scrollWidth <= innerWidth"


def walk(page, box, address):
    words = TEXTS["en"]
    page.look(320, 640, mobile=True)
    page.language("en-GB")
    page.driver.get(f"{address}/#{FRAGMENT}")
    page.wait("the hub of the link is shown", lambda: page.one("#linkedHub").text == "hub.example:8443")
    check("the code has left the address bar", "#" not in page.driver.current_url, page.driver.current_url)
    check("nothing has to be typed but a name", not page.one("#typed").is_displayed() and page.one("#linkedName").get_attribute("value") != "")
    check("the page fits at 320 px", page.driver.execute_script(WIDE))
    page.shot("setup-open")
    page.press("#linked button")
    page.wait("the words are shown", lambda: page.one("#compare .keyWords").text == "babab-dodod")
    check("buttons are large and have names", page.driver.execute_script(HEIGHT) >= 56 and page.driver.execute_script(NAMELESS) == 0)
    page.shot("setup-compare")
    page.press("#same")
    page.wait("the hub is waited for", lambda: page.one("#waiting").is_displayed())
    page.shot("setup-waiting")
    box.write("confirm", True)
    page.wait("settings of an earlier box are offered", lambda: page.one("#takeNone").is_displayed())
    lines = [item.text for item in page.driver.find_elements("css selector", "#offers li")]
    check("in plain words", f"{words['kept.sensor']}: Strap of Ada" in lines and f"{words['kept.role']}: {words['kept.role.gateway']}" in lines, lines)
    check("what is not taken over comes last, with the reason", lines[-1].endswith(words["kept.not.unknown"]) or words["kept.not.button"] in lines[-1], lines)
    check("the page fits at 320 px", page.driver.execute_script(WIDE))
    check("buttons are large and have names", page.driver.execute_script(HEIGHT) >= 56 and page.driver.execute_script(NAMELESS) == 0)
    page.shot("setup-offered")
    page.press("#offers button")
    page.wait("the sensors follow by themselves", lambda: page.one("#scan").is_displayed())
    check("in the reader's words", page.one("#enrolledTitle").text == words["setUp.enrolledTitle"])
    page.press("#scan")
    page.wait("a scan that cannot be made says so", lambda: page.one("#told").text not in ("", words["setUp.scanning"]))
    page.shot("setup-sensors")
    page.driver.get(f"{address}/?lang=it")
    page.wait("the browser that began may come back, in Italian", lambda: page.one("#enrolledTitle").text == TEXTS["it"]["setUp.enrolledTitle"])
    page.press("#finish")
    page.wait("and closes the page", lambda: page.one("#closed").is_displayed())


def typed(page, address):
    page.driver.get(address)
    page.wait("without a link hub and code are typed", lambda: page.one("#typed").is_displayed())
    check("the page fits at 320 px", page.driver.execute_script(WIDE))
    page.shot("setup-typed")


def main():
    box, driver = Box("SetUpForBrowser"), None
    try:
        address = box.address()
        driver = browser()
        page = BoxPage(driver)
        page.look(320, 640, mobile=True)
        typed(page, address)
        walk(page, box, address)
        # Until the box is enrolled there are no sensors to tell of (503).
        complaints = [line for line in page.complaints() if "503" not in str(line)]
        check("the browser has nothing to complain of (errors, content security policy)", not complaints, complaints[:5])
    except Exception as error:  # a check that could not even be made is a failed one
        check("the run came to its end", False, f"{type(error).__name__}: {error}")
    finally:
        if driver:
            driver.quit()
        box.end()
    print(f"{len(passed)} passed, {len(failed)} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
