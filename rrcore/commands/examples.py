"""What stands under the help of each command: one line that can be typed, and the document that goes on from there."""

from importlib.metadata import PackageNotFoundError, metadata
from urllib.parse import urlsplit

EXAMPLES = {
    "describe": ("--in demo:haireye", "howto/steward.md"),
    "plan": ("--sizes 2,2 --names bribe,tax --eps 1.6,1.6 --question 'bribe;tax' --people 1800", "reference/commands.md"),
    "simulate": ("--in demo:titanic --attributes Class,Sex,Survived --eps 2,2,2 --marginal Sex,Survived", "howto/steward.md"),
    "compare": ("--in demo:census --eps 2 --width 2..4 --schemes rr-independent,blend,pair-safe --repeats 5", "howto/teacher.md"),
    "lopub": ("--in demo:titanic --source pair-safe --eps 2 --out synthetic.csv", "reference/commands.md"),
    "keyvalue": ("--users 20000 --key-count 2 --eps 2", "reference/commands.md"),
    "mechanism": ("--design 'smokes=forced:2/3,1/6,1/6' --categories 'smokes=no|yes' --out survey.json", "howto/survey-team.md"),
    "designs": ("crosswise --numbers 1/4", "howto/survey-team.md"),
    "certify": ("--mechanism survey.json --people 1000 --report before.html", "howto/survey-team.md"),
    "form": ("--mechanism survey.json --language es --title 'Encuesta de salud' --out form.html", "howto/survey-team.md"),
    "collect": ("--mechanism survey.json --in true.csv --out answers.csv", "howto/steward.md"),
    "serve": ("--mechanism survey.json --db pilot.survey --title 'Health in the city'", "howto/receiver.md"),
    "invite": ("--db pilot.survey --number 500 --out codes.csv --address https://survey.example.org/", "howto/receiver.md"),
    "poll": ("--question 'Have you ever copied in an exam?' --people 30 --dry-run", "howto/teacher.md"),
    "answers": ("--db pilot.survey --out answers.csv", "howto/receiver.md"),
    "read": ("--mechanism survey.json --in answers.csv --weights weight --report findings.html", "howto/analyst.md"),
    "model": ("--mechanism survey.json --in answers.csv --formula 'smokes ~ age + age^2 + town'", "howto/analyst.md"),
    "pause": ("--db pilot.survey", "howto/field.md"),
    "resume": ("--db pilot.survey", "howto/field.md"),
    "close": ("--db pilot.survey --ledger releases.ledger --population 'panel 2026' --report findings.html", "howto/field.md"),
    "audit": ("--mechanism survey.json --runs 100000", "howto/auditor.md"),
    "ledger": ("add --db releases.ledger --mechanism survey.json --population 'panel 2026' --people 1200", "howto/steward.md"),
    "papers": ("run --fast", "papers.md"),
    "learn": ("--question 'Have you ever cheated in an exam?' --out learn.html", "howto/teacher.md"),
    "app": ("--survey pilot.survey", "tutorial/browser.md"),
}
"""Command -> (what follows its name in an example, a page of ``docs``)."""


def epilog(name: str) -> str:
    """The last lines of the help of a command; an installed package has no documents, so their address is named, where there is one."""
    example, page = EXAMPLES[name]
    address = documents_address()
    more = f"\n\nMore: {address}/{page.removesuffix('.md')}.html" if address else ""
    return f"example:\n  rrcore {name} {example}{more}"


def documents_address() -> str:
    """Where the documents can be read, as the package says; empty until whoever publishes it has filled that in (pyproject.toml)."""
    try:
        named = metadata("rr-workbench").get_all("Project-URL") or []
    except PackageNotFoundError:
        return ""
    address = dict(each.split(", ", 1) for each in named).get("Documentation", "").rstrip("/")
    return "" if urlsplit(address).hostname == "example.org" else address
