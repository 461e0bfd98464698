"""What axe-core finds wrong with a page, in light and dark, on the narrowest phone and on a wide desk, and whether it scrolls sideways."""
import re
import time

from axe_core_python.base import AXE_SCRIPT

NARROW, WIDE = (320, 640), (1920, 1080)
# Colours alone depend on the scheme: in the second one nothing else is looked at again.
CONTRAST = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
RUN = """
const [options, done] = arguments;
axe.run(document, { resultTypes: ["violations"], ...options }).then(({ violations }) => done(violations.map((rule) =>
  `${rule.id} (${rule.help}): ${rule.nodes.slice(0, 3).map((node) => `${node.target.join(" ")}${rule.id === "color-contrast" ? ` ${node.any[0]?.message ?? ""}` : ""}`).join(" | ")}`
)), (error) => done([`axe: ${error}`]));
"""
SIDEWAYS = "return document.documentElement.scrollWidth - innerWidth"
# Whoever asks for calm gets no transition, in whose middle a colour would be neither of the two.
CALM = {"name": "prefers-reduced-motion", "value": "reduce"}


def faults(driver, options=None):
    """What axe finds in the page as it stands: texts, one for each rule with its first places."""
    if not driver.execute_script("return typeof axe === 'object'"):
        driver.execute_script(AXE_SCRIPT)
    return driver.execute_async_script(RUN, options or {})


def look(driver, size, dark):
    command, (width, height) = driver.execute_cdp_cmd, size
    command("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 1000})
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    command("Emulation.setEmulatedMedia", {"features": [scheme, CALM]})


def inspect(driver):
    """What is wrong with the page that the browser shows, which is left wide and dark. A text, empty where nothing is."""
    found = []
    for size in (NARROW, WIDE):
        for dark in (False, True):
            look(driver, size, dark)
            said = faults(driver, CONTRAST if dark else None)
            found += [f"{size[0]} px, {'dark' if dark else 'light'}: {text}" for text in said]
        if size == NARROW and (wide := driver.execute_script(SIDEWAYS)) > 0:
            found.append(f"at {size[0]} px it scrolls sideways by {wide} px")
    return "".join(f"\n    {text}" for text in found)


def inspect_once(page, name, seen=set()):
    """As ``inspect``; None for a state that was looked at before. Sizes and colours of one state, which end its name, are the same page."""
    state = re.sub(r"-(dark|\d+)$", "", name)
    if state in seen:
        return None
    seen.add(state)
    last = page.last
    wrong = inspect(page.driver)
    page.look(*last)
    return wrong


# What a page may weigh on the line, scripts included and tiles not (bytes), by the beginning of its address.
WEIGHTS = {"/home": 100_000, "/health": 250_000, "/people/": 350_000, "/care/person/": 350_000, "/workouts/": 350_000, "/runs/": 350_000, "/places": 350_000}
PAINT_MAX = 1000  # milliseconds, at a quarter of the processor
SLOWER, TRIES = 4, 3
WEIGH = """
const entries = [performance.getEntriesByType("navigation")[0], ...performance.getEntriesByType("resource")];
return entries.filter(({ name }) => !/\\/tiles\\//.test(name)).map(({ name, transferSize }) => [new URL(name).pathname, transferSize]);
"""
PAINT = "return performance.getEntriesByName('first-paint')[0]?.startTime"


def weigh(driver, base, address):
    """Bytes of a page that nothing is known of, with the largest parts, and milliseconds until a slow phone shows something of it."""
    command, paints = driver.execute_cdp_cmd, []
    look(driver, (390, 844), False)
    command("Network.enable", {})
    for slower in [1] + [SLOWER] * TRIES:
        driver.get("about:blank")
        command("Network.clearBrowserCache", {})
        command("Emulation.setCPUThrottlingRate", {"rate": slower})
        driver.get(base + address)
        time.sleep(3 if slower == 1 else 0.5)
        if slower == 1:
            parts = driver.execute_script(WEIGH)
        else:
            paints.append(driver.execute_script(PAINT) or float("inf"))
    command("Emulation.setCPUThrottlingRate", {"rate": 1})
    return sum(size for _, size in parts), sorted(parts, key=lambda part: -part[1]), min(paints)


def weight_max(address):
    return next((most for prefix, most in WEIGHTS.items() if address.startswith(prefix)), None)
