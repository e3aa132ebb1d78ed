"""A simulated file on the pages: Read and Models mark all that follows, Audit, Release and documents for handing out refuse it."""

import json

import numpy as np

import rrcore as rr
from rrcore.estimate import simulated_csv
from rrcore.mark import simulation_mark
from rrcore.table import Attribute, Dataset, Schema

SCHEMA = Schema((Attribute("smokes", ("no", "yes")), Attribute("area", ("north", "south", "west"))))
MECHANISM = rr.build("kronecker", SCHEMA.sizes, [1.0, 1.0])
FILE = rr.MechanismFile(SCHEMA, rr.integer_groups(MECHANISM))
TRUE = Dataset(SCHEMA, np.random.default_rng(1).integers(0, (2, 3), (3_000, 2)), "people")
MARK = simulation_mark(7)
SIMULATED = simulated_csv(rr.perturb(TRUE, MECHANISM, rng=np.random.default_rng(7)).dataset, 7).encode()
RELEASED = rr.randomise(FILE, TRUE).to_csv().encode()


def choose(session, content):
    uploads = session.at.file_uploader
    uploads[0].set_value(("mechanism.json", FILE.to_json().encode(), "application/json"))
    uploads[1].set_value([("a.csv", content, "text/plain")])
    return session.run()


def warned(session):
    return [warning.value for warning in session.at.warning if MARK in warning.value]


def test_read_marks_figures_tables_files_and_documents(session):
    read = choose(session.go("read"), SIMULATED)
    assert len(warned(read)) == 1
    assert [text.value[:47] for text in read.at.markdown if "is estimated at" in text.value] == [
        "**Simulation, not a release.** From 3,000 answer"[:47]
    ]
    assert all(figure.spec["layout"]["title"]["text"] == MARK for figure in read.figures.values())
    assert read.figures
    saved = [json.loads(one.proto.json) for one in read.at.get("bidi_component") if "save_figure" in one.proto.component_name]
    assert {(each["mark"], each["file"].partition("-")[0]) for each in saved} == {(MARK, "simulated")}
    assert MARK in [caption.value for caption in read.at.caption]
    assert "A report for handing out needs collected answers" in read.text
    names = [name for _, name in read.files]
    assert "simulated-report-of-findings.html" not in names
    csv, found = (
        read.download(next(name for name in names if name.startswith("simulated-") and name.endswith(end)))
        for end in ("csv", "json")
    )
    report = read.download("simulated-internal-report-of-findings.html")
    assert csv.splitlines()[0].startswith(f'"{MARK}",')
    assert json.loads(found)["simulation"] == MARK
    assert "Simulation: These answers are marked" in report
    assert "computed from anybody's true answers" not in report
    assert read.download("simulated-reading.py").startswith(f"# These answers are marked '{MARK}'")


def test_models_mark_figures_and_files(session):
    choose(session.go("read"), SIMULATED)
    models = session.go("models")
    assert len(warned(models)) == 1
    assert MARK in models.download("simulated-coefficients.csv").splitlines()[0]


def test_the_mark_goes_with_its_answers(session):
    read = choose(session.go("read"), SIMULATED)
    assert not warned(session.go("perturb"))
    assert len(warned(session.go("read"))) == 1
    read = choose(session.go("read"), RELEASED)
    assert not warned(read)
    assert "report-of-findings.html" in [name for _, name in read.files]


def test_audit_refuses(session):
    audit = session.given(audit_section="answers").go("audit")
    audit.set("radio", "Mechanism to audit", "file")
    audit.at.file_uploader[0].set_value(("mechanism.json", FILE.to_json().encode(), "application/json"))
    audit.run()
    audit.at.file_uploader[1].set_value([("a.csv", SIMULATED, "text/plain")])
    audit.run()
    assert f"An audit needs collected answers, and these are marked '{MARK}'" in "".join(error.value for error in audit.at.error)


def test_uploaded_as_true_answers_it_is_said_and_not_released(session):
    data = session.upload(SIMULATED)
    assert len(warned(data)) == 1
    assert session.at.session_state["work"].schema.names == SCHEMA.names
    errors = [error.value for error in session.go("release").at.error]
    assert "needs collected answers" in "".join(errors)
