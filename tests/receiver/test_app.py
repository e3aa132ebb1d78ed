"""The receiver's web application: what it takes, what it refuses, in which words, and what it leaves behind."""

import asyncio
import datetime as dt
import json
import logging
import re
import secrets
import subprocess
from html import escape

import pytest

from rrcore.asking.languages import LANGUAGES, hard_spaces, language
from rrcore.asking.shared_parts import asset
from rrcore.errors import InputError
from rrcore.receiver import create_store
from rrcore.receiver.addresses import Terms, origins_of
from rrcore.receiver.app import CLOSED, receiver_app
from rrcore.receiver.blind_signatures import KEY_BITS, KEY_BYTES, Signer, new_key
from rrcore.receiver.invitations import invite, used_codes
from rrcore.receiver.rate_limit import Pace
from rrcore.receiver.refusals import refusal_page
from tests.programs import node
from tests.receiver.phones import KINDS, Hiding, ask, encoded, finished, line, running

DAY = dt.date(2026, 3, 1)
HOME = "https://survey.example.org"
PLANTED = "PLANTED"
CODES = (1, 2, 3, 4, 5, 6, 7, 8)


@pytest.fixture(scope="module")
def key():
    return new_key()


@pytest.fixture
def store(tmp_path, mechanism):
    return create_store(str(tmp_path / "survey.db"), mechanism, title="Pilot <1>")


def app_of(store, **terms):
    return receiver_app(store, Terms(**{"address": HOME, "per_minute": 10**9} | terms), today=lambda: DAY)


def asked(app, *requests):
    """The answers to requests that are made one after the other."""

    async def all_of_them():
        async with running(app):
            return [await ask(app, *request) for request in requests]

    return finished(all_of_them())


def test_the_form_hides_a_receipt_by_a_factor_as_long_as_the_modulus(key):
    """The form's own script on random bytes that are known here."""
    modulus, receipt, factor = Signer(key).modulus, list(secrets.token_bytes(32)), [1, *secrets.token_bytes(KEY_BYTES - 1)]
    call = f"hideReceipt('{modulus}', Uint8Array.from({receipt}), (count) => Uint8Array.from({factor}.slice(0, count)))"
    script = f"{asset('invitation.js')}\n{call}.then(({{ hidden }}) => console.log(hidden))"
    done = subprocess.run([node(), "-e", script], capture_output=True, check=True, timeout=60)
    n, message = int(modulus, 16), encoded(bytes(receipt), KEY_BITS)
    assert int(done.stdout, 16) == message * pow(int.from_bytes(bytes(factor)), 65537, n) % n


def good(mechanism, **more):
    return line(mechanism, CODES, **{"receipt": secrets.token_hex(32)} | more).encode()


def test_the_form_is_given_out_and_counted_and_an_answer_is_taken(store, mechanism):
    (status, headers, page), (_, _, head), posted, (_, _, health) = asked(
        app_of(store), ("GET", "/"), ("HEAD", "/"), ("POST", "/answers", good(mechanism)), ("GET", "/health")
    )
    assert status == 200
    assert "Pilot &lt;1&gt;" in page.decode()
    assert f"connect-src {HOME};" in page.decode()
    assert f'"{HOME}/answers"' in page.decode()
    assert headers["content-security-policy"] == "frame-ancestors 'none'"
    wanted = {"cache-control": "no-store", "referrer-policy": "no-referrer", "x-content-type-options": "nosniff"}
    assert wanted.items() <= headers.items()
    assert "set-cookie" not in headers
    assert (posted[0], json.loads(posted[2])) == (200, {"received": True})
    assert wanted.items() <= posted[1].items()
    assert json.loads(health) == {"status": "ok"}
    assert head in (b"", page)
    assert store.answers().dataset.codes.tolist() == [list(CODES)]
    assert store.by_day() == {DAY: 1}
    assert store.begun_by_day() == {DAY: 1}


def test_the_same_receipt_again_is_acknowledged_and_stored_once(store, mechanism):
    body = good(mechanism)
    found = asked(app_of(store), *[("POST", "/answers", body)] * 3)
    assert [(status, json.loads(content)) for status, _, content in found] == [(200, {"received": True})] * 3
    assert store.answers().n == 1


def test_pages_of_other_origins_may_send_only_where_they_are_named(store, mechanism):
    app = app_of(store, origins=("https://www.example.org", "null"))
    for origin, status in [
        (HOME, 200),
        ("https://www.example.org", 200),
        ("null", 200),
        ("https://www.example.org.evil.org", 403),
        ("http://survey.example.org", 403),
        ("https://survey.example.org:8443", 403),
    ]:
        from_there = KINDS | {"origin": origin}
        allowed, taken = asked(
            app, ("OPTIONS", "/answers", b"", {"origin": origin}), ("POST", "/answers", good(mechanism), from_there)
        )
        assert taken[0] == status
        assert allowed[0] == (204 if status == 200 else 403)
        assert taken[1].get("access-control-allow-origin") == (origin if status == 200 else None)
        assert taken[1]["vary"] == "Origin"
        assert "access-control-allow-credentials" not in taken[1]
        if status == 200:
            assert allowed[1]["access-control-allow-methods"] == "POST"
            assert allowed[1]["access-control-allow-headers"] == "Content-Type"
    assert store.answers().n == 3


def test_origins_are_written_as_browsers_do(store):
    assert origins_of(["https://a.org", "null"]) == ("https://a.org", "null")
    with pytest.raises(InputError, match=r"is invalid. Write it like"):
        origins_of(["www.example.org"])
    assert Terms("https://Survey.example.org:443/pilot").allowed == {"https://survey.example.org"}
    assert Terms("http://localhost:8000").allowed == {"http://localhost:8000", "http://127.0.0.1:8000"}
    assert Terms("https://a.org", ("https://köln.example.org/",)).allowed == {"https://a.org", "https://xn--kln-sna.example.org"}
    with pytest.raises(InputError, match="The answers cannot be sent to"):
        app_of(store, address="http://survey.example.org")


def changed(file, /, **fields):
    found = json.loads(good(file)) | fields
    return json.dumps({name: value for name, value in found.items() if value is not None}).encode()


def wrong(mechanism):
    """(status, body, headers) of a submission that is to be refused, each with a text that nothing may repeat."""
    answers = json.loads(good(mechanism))["answers"]
    body = good(mechanism)
    yield 400, body[:-1] + f', "note": "{PLANTED}"}}'.encode(), KINDS
    yield 400, body[: len(body) // 2] + PLANTED.encode(), KINDS
    yield 400, PLANTED.encode(), KINDS
    yield 400, b"", KINDS
    yield 400, b"[" * 1500 + PLANTED.encode(), KINDS
    yield 400, json.dumps([PLANTED]).encode(), KINDS
    yield 400, body.replace(b'"receipt"', b'"mechanism": "PLANTED", "receipt"'), KINDS
    yield 400, body.replace(b'"answer b"', b"NaN"), KINDS
    yield 400, body.replace(b'"answer b"', b'"PLANTED"'), KINDS
    yield 400, body.replace(b'"answer b"', b'"answer b "'), KINDS
    yield 400, body.replace(b'"answer b"', b"1"), KINDS
    yield 400, body.replace(b'"answer b"', b'["answer b"]'), KINDS
    yield 400, body.replace(b'"answer b"', b'"\xff\xfe"'), KINDS
    yield 400, body.replace(b'"answer b"', b'"\\ud800"'), KINDS
    yield 400, body.decode().encode("utf-16"), KINDS
    yield 400, changed(mechanism, mechanism=PLANTED), KINDS
    yield 400, changed(mechanism, mechanism="0" * 64), KINDS
    yield 400, changed(mechanism, answers=answers | {PLANTED: "answer a"}), KINDS
    yield 400, changed(mechanism, answers=dict(list(answers.items())[1:])), KINDS
    yield 400, changed(mechanism, answers=[PLANTED]), KINDS
    yield 400, changed(mechanism, receipt=None), KINDS
    yield 400, changed(mechanism, receipt=PLANTED), KINDS
    yield 400, changed(mechanism, receipt="A" * 64), KINDS
    yield 400, changed(mechanism, signature=PLANTED), KINDS
    yield 413, body + b" " * 5000 + PLANTED.encode(), KINDS
    yield 413, body, KINDS | {"content-length": "1000000"}
    yield 408, body, KINDS | {"content-length": PLANTED}
    yield 415, body, {}
    yield 415, body, {"content-type": "text/plain"}
    yield 415, body, {"content-type": f"application/json; {PLANTED}=1"}
    yield 415, body, KINDS | {"content-encoding": "gzip"}
    yield 403, body, KINDS | {"origin": f"https://{PLANTED}.example.org"}
    yield 403, body, KINDS | {"origin": "null"}


SENTENCES = re.compile(r"[A-Z][^.!?]*(\.[a-z][^.!?]*)*[.?!]( [A-Z][^.!?]*(\.[a-z][^.!?]*)*[.?!])?")


@pytest.mark.slow
def test_wrong_submissions_are_refused_in_one_sentence_and_leave_no_trace(store, mechanism, caplog, tmp_path, capfd):
    """Also a good one of which any byte is another one."""
    caplog.set_level(logging.DEBUG)
    app, body = app_of(store), good(mechanism)

    async def all_of_them():
        async with running(app):
            await ask(app, "POST", "/answers", body)
            for status, content, headers in wrong(mechanism):
                found, head, reported = await ask(app, "POST", "/answers", content, headers)
                assert found == status, content
                sentence = json.loads(reported)
                assert list(sentence) == ["error"]
                assert SENTENCES.fullmatch(sentence["error"]), sentence
                assert PLANTED not in reported.decode() + str(head)
            for at in range(len(body)):
                content = bytearray(good(mechanism))
                content[at] ^= 0x80
                assert (await ask(app, "POST", "/answers", bytes(content)))[0] == 400
            again = await asyncio.gather(*[ask(app, "POST", "/answers", body) for _ in range(20)])
            assert {status for status, *_ in again} == {200}  # sent again: acknowledged, and not stored

    finished(all_of_them())
    assert store.answers().n == 1
    out = capfd.readouterr()
    assert PLANTED not in caplog.text + out.out + out.err
    assert not any(PLANTED.encode() in each.read_bytes() for each in tmp_path.iterdir())


def test_other_paths_and_methods_are_told_in_a_sentence(store, mechanism):
    found = asked(app_of(store), ("GET", f"/{PLANTED}"), ("GET", "/answers"), ("DELETE", "/"), ("POST", "/invitation", b"{}"))
    assert [status for status, *_ in found] == [404, 405, 405, 404]
    for _, headers, content in found:
        assert SENTENCES.fullmatch(json.loads(content)["error"])
        assert headers["x-content-type-options"] == "nosniff"


BROWSER = {"accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}


@pytest.mark.parametrize("code", ["en", "fr"])
def test_a_browser_is_refused_in_the_surveys_language(tmp_path, mechanism, code, monkeypatch):
    store = create_store(str(tmp_path / "survey.db"), mechanism, title="Pilot <1>", language=code)
    open_app = app_of(store)
    nowhere = asked(open_app, ("GET", "/form", b"", BROWSER))[0]
    many = asked(app_of(store, per_minute=1), *[("GET", "/", b"", BROWSER)] * 2)[1]
    store.pause(DAY)
    paused = asked(open_app, ("GET", "/", b"", BROWSER))[0]
    store.close(DAY)
    closed, head = asked(app_of(store), ("GET", "/", b"", BROWSER), ("HEAD", "/", b"", BROWSER))
    monkeypatch.setattr(type(store), "refusing", property(lambda _: 1 / 0))
    failed = asked(app_of(store), ("GET", "/", b"", BROWSER))[0]
    texts = language(code).sections
    for (status, headers, content), expected, reported in [
        (closed, 410, texts["script"]["closed"]),
        (paused, 423, texts["script"]["paused"]),
        (many, 429, texts["script"]["too_many"]),
        (nowhere, 404, texts["page"]["nothing"]),
        (failed, 503, texts["page"]["failed"]),
    ]:
        page = content.decode()
        assert status == expected
        assert headers["content-type"].startswith("text/html")
        assert f'<html lang="{code}">' in page
        assert f"<p>{hard_spaces(escape(reported))}</p>" in page
        assert '<h1 dir="auto">Pilot &lt;1&gt;</h1>' in page
        assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'none'; style-src 'sha256-")
        assert headers["cache-control"] == "no-store"
    assert head[0] == 410


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_title_that_was_left_as_it_is_is_said_in_the_surveys_language(code):
    own = language(code).text("form", "untitled")
    page = refusal_page("Survey", code, 410).body.decode()
    assert f"<title>{own}</title>" in page
    assert f'<h1 dir="auto">{own}</h1>' in page


def test_a_closed_survey_is_told_to_respondents_in_one_sentence(store, mechanism):
    app, body = app_of(store), good(mechanism)
    asked(app, ("POST", "/answers", body))
    store.close(DAY)
    page, late, again = asked(app, ("GET", "/"), ("POST", "/answers", good(mechanism)), ("POST", "/answers", body))
    assert page[0] == late[0] == 410
    assert CLOSED in page[2].decode()
    assert json.loads(late[2]) == {"error": CLOSED}
    assert again[0] == 200
    assert store.answers().n == 1
    assert sum(store.begun_by_day().values()) == 0


def test_a_database_that_fails_stores_nothing_says_so_and_logs_no_answer(store, mechanism, monkeypatch, caplog):
    app, body = app_of(store), good(mechanism, receipt="ab" * 32)

    def fail(*_):
        raise RuntimeError(f"INSERT failed with {PLANTED}")

    with monkeypatch.context() as broken:
        broken.setattr(type(store), "add", fail)
        (refused,) = asked(app, ("POST", "/answers", body))
    assert refused[0] == 503
    assert "Try again later" in json.loads(refused[2])["error"]
    assert PLANTED not in caplog.text
    assert "RuntimeError" in caplog.text
    assert [status for status, *_ in asked(app_of(store), ("POST", "/answers", body))] == [200]


def test_pace_by_address(store, mechanism):
    app = app_of(store, per_minute=3)
    requests = [("GET", "/", b"", {}, sender) for sender in ["192.0.2.1"] * 5 + ["192.0.2.2"]]
    found = asked(app, *requests)
    assert [status for status, *_ in found] == [200, 200, 200, 429, 429, 200]
    assert SENTENCES.fullmatch(json.loads(found[3][2])["error"])
    behind = app_of(store, per_minute=2, behind_proxy=True)
    headers = [{"x-forwarded-for": f"198.51.100.{i}, 203.0.113.7"} for i in range(3)]  # what a sender writes itself stands first
    assert [status for status, *_ in asked(behind, *[("GET", "/", b"", each) for each in headers])] == [200, 200, 429]
    assert pace_of_mapped() == [True, True, False]


def test_an_address_that_a_proxy_writes_with_a_port_counts_without_it(store):
    """All such senders were one, and the pace of one sender was that of all."""
    behind = app_of(store, per_minute=2, behind_proxy=True)
    senders = ["203.0.113.7:4711", "203.0.113.7:4712", "203.0.113.8:4711", "[2001:db8::1]:1", "[2001:db8::2]:2", "203.0.113.7"]
    found = asked(behind, *[("GET", "/", b"", {"x-forwarded-for": sender}) for sender in senders])
    assert [status for status, *_ in found] == [200, 200, 200, 200, 200, 429]


def pace_of_mapped():
    """IPv4 as a socket for both kinds names it: each address counts by itself."""
    pace = Pace(1, clock=lambda: 0.0)
    return [pace.allows(f"::ffff:192.0.2.{i}") for i in (1, 2, 1)]


def test_pace_forgets_addresses_and_keeps_none():
    now = [0.0]
    pace = Pace(60, clock=lambda: now[0])
    assert [pace.allows("192.0.2.1") for _ in range(61)] == [True] * 60 + [False]
    now[0] = 2.0
    assert [pace.allows("192.0.2.1") for _ in range(3)] == [True, True, False]
    for i in range(20_000):
        pace.allows(f"10.0.{i // 256}.{i % 256}")
    assert len(pace._left) == 10_000
    assert "192.0.2" not in repr(vars(pace))
    assert [pace.allows("2001:db8::1") for _ in range(60)] == [True] * 60
    assert not pace.allows("2001:db8::2")  # of the same household
    assert pace.allows("2001:db8:0:1::2")


@pytest.fixture
def invited(tmp_path, mechanism, key):
    return create_store(str(tmp_path / "invited.db"), mechanism, title="Pilot", key=key)


def test_an_invitation_is_good_for_one_receipt(invited, mechanism):
    code, other = invite(invited, 2)
    app, modulus = app_of(invited), Signer(invited.key).modulus
    mine, another = Hiding(modulus), Hiding(modulus)
    small = code.lower().replace("-", " ")

    def invitation(**fields):
        return "POST", "/invitation", json.dumps(fields).encode()

    free, signed, again, used, gone, unknown, nonsense = asked(
        app,
        invitation(code=small),
        invitation(code=small, hidden=mine.hidden),
        invitation(code=code, hidden=mine.hidden),
        invitation(code=code, hidden=another.hidden),
        invitation(code=code),
        invitation(code="00000-00000-00000"),
        invitation(code=PLANTED * 20),
    )
    assert json.loads(free[2]) == {"free": True}
    assert signed[2] == again[2]
    assert signed[1]["connection"] == "close"
    signature = mine.reveal(json.loads(signed[2])["signature"])
    assert [used[0], gone[0], unknown[0], nonsense[0]] == [409, 409, 404, 404]
    for _, _, content in (used, unknown, nonsense):
        assert SENTENCES.fullmatch(json.loads(content)["error"])
        assert PLANTED not in content.decode()
    assert used_codes(invited) == (1, 2)

    receipt = mine.receipt.hex()
    stolen = another.receipt.hex()
    found = asked(
        app,
        ("POST", "/answers", good(mechanism, receipt=receipt)),
        ("POST", "/answers", good(mechanism, receipt=stolen, signature=signature)),
        ("POST", "/answers", good(mechanism, receipt=receipt, signature="0" * 512)),
        ("POST", "/answers", good(mechanism, receipt=receipt, signature=signature)),
        ("POST", "/answers", good(mechanism, receipt=receipt, signature=signature)),
    )
    assert [status for status, *_ in found] == [400, 403, 403, 200, 200]
    assert invited.answers().n == 1
    invited.close(DAY)
    assert asked(app, invitation(code=other))[0][0] == 410


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"code": 7},
        {"code": "x", "more": 1},
        {"code": "x", "hidden": 7},
        {"code": "x", "hidden": "0" * 512},
        {"code": "x", "hidden": "f" * 512},
    ],
)
def test_what_is_no_request_for_an_invitation(invited, fields):
    ((status, _, content),) = asked(app_of(invited), ("POST", "/invitation", json.dumps(fields).encode()))
    assert status == 400
    assert json.loads(content)["error"].startswith("This answer is not from the form")


def test_every_receipt_fits_every_hidden_one_equally_well(key):
    """What the receiver signs for a code tells nothing about the receipt: for each pair there is one factor that joins them, and it is as
    likely as any other."""
    signer = Signer(key)
    hidings = [Hiding(signer.modulus) for _ in range(4)]
    n = hidings[0].n
    for code in hidings:
        signed = int.from_bytes(signer.sign(bytes.fromhex(code.hidden)), "big")
        for answer in hidings:
            signature = int.from_bytes(signer.sign(answer.message.to_bytes(256, "big")), "big")
            factor = signed * pow(signature, -1, n) % n
            assert int(code.hidden, 16) == answer.message * pow(factor, 65537, n) % n
            assert signer.signed(answer.receipt, signature.to_bytes(256, "big"))


def test_codes_are_kept_as_hashes_and_only_for_surveys_by_invitation(invited, store):
    """Two of the codes are alike with a probability of 3e-20."""
    codes = invite(invited, 50)
    assert len(set(codes)) == 50
    assert all(re.fullmatch(r"([0-9A-HJKMNP-TV-Z]{5}-){2}[0-9A-HJKMNP-TV-Z]{5}", code) for code in codes)
    with open(invited.place, "rb") as file:
        content = file.read()
    assert not any(code.encode() in content or code.replace("-", "").encode() in content for code in codes)
    with pytest.raises(InputError, match="--invited"):
        invite(store, 1)
    with pytest.raises(InputError, match="from 1 to"):
        invite(invited, 0)
