"""How recorded tests went, as Swift Testing writes it: a line of JSON for each event."""
import datetime
import json

PASSED, FAILED, SKIPPED, ABSENT = "passed", "FAILED", "skipped", "not in the recorded run"


class Run:
    """How the tests of one run went, by the event streams of its parts behind each other."""

    def __init__(self, path):
        self.begun, under_way = None, 0
        ids, suites, self.lines, self.outcomes = {}, set(), {}, {}
        with open(path, encoding="utf-8") as file:
            for line in file:
                try:
                    record = json.loads(line)
                except ValueError:
                    break  # the run was killed while it wrote
                payload = record["payload"]
                if record["kind"] == "test":
                    place = payload["sourceLocation"]
                    file_path = "Tests/" + (place.get("filePath") or place["_filePath"]).rpartition("/Tests/")[2]
                    raw = payload["name"].strip("`()") if payload["name"].startswith("`") else ""
                    name = " ".join(payload.get("displayName", raw).split())
                    ids[payload["id"]] = f"{file_path}: {name}"
                    self.lines[payload["id"]] = (file_path, place["line"])
                    if payload["kind"] == "suite":
                        suites.add(payload["id"])
                elif payload["kind"] == "runStarted":
                    began = datetime.datetime.fromtimestamp(payload["instant"]["since1970"], datetime.timezone.utc)
                    self.begun, under_way = min(self.begun or began, began), under_way + 1
                elif payload["kind"] == "runEnded":
                    under_way -= 1
                elif payload["kind"] in ("testEnded", "testSkipped"):
                    symbols = {message["symbol"] for message in payload["messages"]}
                    passed = not symbols.isdisjoint({"pass", "passWithWarnings"})
                    outcome = SKIPPED if payload["kind"] == "testSkipped" else PASSED if passed else FAILED
                    self.outcomes[payload["testID"]] = outcome
        self.ended = self.begun is not None and under_way == 0
        # A suite all of whose tests were skipped proves nothing.
        for suite in suites:
            if PASSED not in {outcome for key, outcome in self.outcomes.items() if key.startswith(suite + "/")} \
                    and self.outcomes.get(suite) == PASSED:
                self.outcomes[suite] = SKIPPED
        self.by_key = {}
        for identifier, key in ids.items():
            self.by_key.setdefault(key, set()).add(self.outcomes.get(identifier, ABSENT))

    def of(self, key):
        """Tests of one name in one file pass together or not at all."""
        found = self.by_key.get(key, {ABSENT})
        return next(outcome for outcome in (FAILED, ABSENT, SKIPPED, PASSED) if outcome in found)

    def gated(self, claims, is_long):
        """The IDs, in the event stream, of tests that are skipped elsewhere: by their own condition, their suite's, or as long ones."""
        places = {(claim.path, claim.line) for claim in claims if claim.is_gated or is_long(claim.path)}
        suites = {identifier for identifier, place in self.lines.items() if place in places}
        return {identifier for identifier in self.lines
                if identifier in suites or any(identifier.startswith(suite + "/") for suite in suites)}
