"""The operator's page of the ways out, in a real browser at phone size and in both languages."""
# proves SOS-22: a way out that has failed stands on the operator's pages until it works again
from pathlib import Path

from hub_pages import run, until
from live_page import check
from sos_pages import SOS


def ways(chief):
    """A way out that has failed stands on the operator's pages until it works again."""
    program = Path(chief.hub.environment["HUB_MAIL_SENDMAIL"])
    away = program.with_suffix(".away")

    def stands(state, name):
        def is_so():
            chief.go("/operator/ways")
            # The words stand in other sentences of the page, too.
            return chief.text(f"ways.state_{state}") in [badge.text for badge in chief.all("main h2 .badge")]
        for _ in range(2):
            try:
                return check(f"{chief.lang}: {name}", bool(until(name, is_so)))
            except RuntimeError:
                continue
        raise RuntimeError(name)
    stands("working", "the mail program works")
    chief.shot("ways")
    program.rename(away)
    try:
        stands("failing", "a mail program that is gone stands there as failed")
        chief.shot("ways-failed")
        chief.go("/operator/maintenance")
        banner = chief.text("ways.banner").split("{")[0]
        check(f"{chief.lang}: and on the other pages", banner in chief.main(), chief.main()[:200])
    finally:
        away.rename(program)
    stands("working", "it works again")


def walk(home, hub, lang):
    with SOS(home, hub, lang, "operator") as chief:
        chief.operator()
        ways(chief)


if __name__ == "__main__":
    run("ways", walk, "check=mail state=failing")
