"""The trace of requirements as a table, for people who judge it: each requirement with its test procedures, their results, days and commits.

It is what DO-178C asks of software of level D: each high-level requirement has a test procedure, and its result is known (tables A-6 and A-7)."""
import csv
import dataclasses
import html

COLUMNS = ("requirement", "title", "state", "procedure", "place", "result", "date (UTC)", "commit")
PROVED, OPEN, UNPROVED = "proved", "open", "NOT PROVED"
STYLE = """
body { font: 15px/1.4 sans-serif; margin: 2em; color: #222; }
table { border-collapse: collapse; width: 100%; }
th, td { border: 1px solid #bbb; padding: .3em .5em; text-align: left; vertical-align: top; }
thead th { position: sticky; top: 0; background: #eee; }
tbody:nth-of-type(even) { background: #f7f7f7; }
code { font-size: 90%; overflow-wrap: anywhere; }
.bad { color: #a00; font-weight: bold; }
@media print { body { margin: 0; font-size: 9pt; } }
"""


@dataclasses.dataclass
class Procedure:
    """One test, and how it went when it was run last. `date` and `commit` are empty where nobody saw it pass."""
    name: str
    place: str
    result: str
    date: str = ""
    commit: str = ""
    is_proof: bool = False


@dataclasses.dataclass
class Requirement:
    identifier: str
    title: str
    state: str
    procedures: list


def write(folder, requirements, facts):
    """Makes table.csv and table.html in a folder. `facts` is what stands above the table: pairs of a name and a value."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "table.csv", "w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\r\n")  # RFC 4180
        rows.writerow(COLUMNS)
        for requirement in requirements:
            head = (requirement.identifier, requirement.title, requirement.state)
            for procedure in requirement.procedures or [Procedure("", "", "no test")]:
                rows.writerow((*head, procedure.name, procedure.place, procedure.result, procedure.date, procedure.commit))
    (folder / "table.html").write_text(page(requirements, facts), encoding="utf-8")


def page(requirements, facts):
    said = "".join(f"<tr><th scope='row'>{html.escape(name)}</th><td>{html.escape(value)}</td></tr>\n" for name, value in facts)
    head = "".join(f"<th scope='col'>{html.escape(column)}</th>" for column in COLUMNS)
    bodies = "".join(map(body, requirements))
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>TrackMe: requirements and their tests</title>
<style>{STYLE}</style>
<h1>Requirements and their tests</h1>
<p>Each requirement with the procedures that test it, and their last results: DO-178C, level D, tables A-6 and A-7. A procedure that was changed
since it passed proves nothing until it is run again.</p>
<table>
{said}</table>
<p></p>
<table>
<thead><tr>{head}</tr></thead>
{bodies}</table>
</html>
"""


def body(requirement):
    procedures = requirement.procedures or [Procedure("", "", "no test")]
    span = len(procedures)
    heads = [f"<th scope='rowgroup' rowspan='{span}'>{html.escape(requirement.identifier)}</th>", *(
        f"<td rowspan='{span}'{mark}>{html.escape(text)}</td>"
        for text, mark in ((requirement.title, ""), (requirement.state, "" if requirement.state == PROVED else " class='bad'")))]
    rows = []
    for number, procedure in enumerate(procedures):
        mark = "" if procedure.is_proof else " class='bad'"
        cells = [f"<td>{html.escape(procedure.name)}</td>", f"<td><code>{html.escape(procedure.place)}</code></td>",
                 f"<td{mark}>{html.escape(procedure.result)}</td>", f"<td>{html.escape(procedure.date)}</td>",
                 f"<td><code>{html.escape(procedure.commit)}</code></td>"]
        rows.append("<tr>" + "".join((heads if number == 0 else []) + cells) + "</tr>\n")
    return "<tbody>\n" + "".join(rows) + "</tbody>\n"
