"""Open or create a survey and serve it until the program is stopped."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from rrcore.asking import SurveyFile
from rrcore.asking.form import form_origin
from rrcore.errors import InputError
from rrcore.jobs import forbid_core_dumps
from rrcore.limits import POLL_HOURS
from rrcore.promise import MechanismFile
from rrcore.receiver.addresses import Terms, origins_of, reach
from rrcore.receiver.app import receiver_app
from rrcore.receiver.blind_signatures import new_key
from rrcore.receiver.poll_folder import check_poll_place, delete_poll
from rrcore.receiver.server import check_tls, listening, serve
from rrcore.receiver.server_status import Served, note_served
from rrcore.receiver.store import Store, create_store, open_store, store_exists


def open_or_create(place: str, asked: SurveyFile | MechanismFile | None) -> Store:
    """Open the survey at ``place``, or create it.

    Parameters
    ----------
    place : str
        Path of an SQLite file.
    asked : SurveyFile, MechanismFile or None
        The questions of a new survey. An existing survey must have the same questions or the same mechanism file.

    Raises
    ------
    InputError
        If there is no survey and ``asked`` is not a survey file, or the existing survey has other questions.
    """
    if not store_exists(place):
        if not isinstance(asked, SurveyFile):
            raise InputError(f"There is no survey at '{place}'. Choose a survey file, or a mechanism file and a title.")
        return create_store(place, asked.mechanism, **asked.texts, key=new_key() if asked.invited else "")
    store = open_store(place)
    if asked not in (None, store.survey, store.mechanism):
        raise InputError(
            f"The survey at '{store.place}' has different questions. Leave out the options of a new survey, or choose another path."
        )
    return store


def serve_survey(
    place: str,
    asked: SurveyFile | MechanismFile | None,
    *,
    host: str,
    port: int,
    address: str = "",
    tls: tuple[str, str] | None = None,
    behind_proxy: bool = False,
    origins: Iterable[str] = (),
    per_minute: int = 3000,
    poll: bool = False,
    say: Callable[[str], None],
) -> None:
    """Serve a survey until SIGTERM or SIGINT.

    Parameters
    ----------
    place, asked
        As in ``open_or_create``.
    host, port
        As in ``listening``.
    address : str
        Address of the form for respondents. By default localhost and the port.
    tls : tuple of str or None
        PEM files of a certificate and its key.
    behind_proxy, origins, per_minute
        As in ``Terms``.
    poll : bool
        Serve a class poll, which ends by itself and is deleted at its end.
    say : function of a string
        Called when the server accepts requests.

    Raises
    ------
    InputError
        If the address cannot be used, or the survey cannot be opened.
    """
    forbid_core_dumps()
    files = (Path(tls[0]).absolute(), Path(tls[1]).absolute()) if tls else None
    if files:
        check_tls(*files)
    at = listening(host, port)
    there, number = at.getsockname()[:2]
    terms = Terms(address or f"{'https' if tls else 'http'}://localhost:{number}", origins_of(origins), behind_proxy, per_minute)
    if poll:
        terms = replace(terms, plain_http=True, hours=POLL_HOURS)
        check_poll_place(place)
    # An address that cannot work is refused before a survey is created.
    form_origin(f"{terms.address.rstrip('/')}/answers", plain_http=terms.plain_http)
    store = open_or_create(place, asked)
    certificate, key = map(str, files) if files else ("", "")
    run = note_served(store, Served(there, number, terms.address, behind_proxy, certificate, key, poll=poll))
    app = receiver_app(store, terms, run=run)
    sentences = [
        f"The form of '{store.title}' is at {terms.address}. Answers are stored in {store.place}. Ctrl+C ends it.",
        *reach(there, number, terms.address, tls=bool(tls), behind_proxy=behind_proxy),
        f"Publish this fingerprint, so that respondents can check the form: sha256 {app.state.fingerprint}",
    ]
    serve(app, at, tls=files, started=lambda: say("\n".join(sentences)))
    if poll:
        delete_poll(place)
