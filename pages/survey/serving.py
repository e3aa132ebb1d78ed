"""The server of the open survey: whether it answers, what respondents get, a pause, and its end."""

import datetime as dt
import ipaddress
from functools import partial

import streamlit as st

from pages.shared import widgets
from pages.shared.mode import refuse_in_demo
from pages.survey import starting
from pages.survey.opening import OpenSurvey
from rrcore.asking import invitation_page, qr_code
from rrcore.limits import MAX_INVITATIONS
from rrcore.receiver import Store
from rrcore.receiver.addresses import reach
from rrcore.receiver.invitations import invite, links, used_codes
from rrcore.receiver.monitoring import SurveySoFar
from rrcore.receiver.server_status import Served, end_serving, fault_at, is_to_end, served_of
from rrcore.wording import count_text, csv_text

_SECONDS = 10  # between two looks at its health


@widgets.complaining
def show(opened: OpenSurvey, survey: SurveySoFar) -> None:
    """What is known of the server, refreshed while the survey runs."""
    closed = survey.closed is not None
    if not (closed and served_of(opened.store) is None):
        with widgets.card("Server", key="field_server"):
            st.fragment(_look, run_every=None if closed else _SECONDS)(opened, closed)


def _look(opened: OpenSurvey, closed: bool) -> None:
    store = opened.store
    served = served_of(store)
    fault = "The form has no server yet." if served is None else fault_at(served, served.own)
    if served is None or fault:
        if closed:
            st.caption("The server is stopped, so nobody can open the form.")
        else:
            _down(opened, served, fault)
        return
    if opened.tried != served.run:
        fault = fault_at(served, served.address)
        opened.tried = "" if fault else served.run
    paused = store.refusing == "paused"
    state = ":material/block: Closed" if closed else ":material/pause: Paused" if paused else ":material/check_circle: Running"
    address = widgets.plain(served.address)
    link = address if set(served.address) & set("<>\n ") else f"[{address}](<{served.address}>)"
    st.markdown(f"{state} at {link}")
    if fault and not closed:
        widgets.warn(f"Respondents cannot open the form yet. {fault}")
    if not (fault or closed):
        _give(store, served)
    _act(opened, served, paused=paused, closed=closed)
    opened.show_problem()


def _down(opened: OpenSurvey, served: Served | None, fault: str) -> None:
    """Say why a server does not answer, and offer to start it again."""
    if served is not None and is_to_end(opened.store, served.run):
        st.info("The server is stopped. Start it again to receive answers.", icon=":material/stop:")
    else:
        widgets.warn(fault if served is None else f"The server does not answer, so no answers arrive. {fault}")
    if served is None:
        _start_elsewhere(opened, "Start the server")
    else:
        st.button("Start it again", on_click=starting.start, args=(opened,), icon=":material/play_arrow:", type="primary")
        elsewhere = partial(_start_elsewhere, opened, "Start it there")
        widgets.details("Start it at another address", "field_elsewhere", elsewhere, icon="wifi_find")
    opened.show_problem()


def _start_elsewhere(opened: OpenSurvey, label: str) -> None:
    way = starting.ask_way()
    st.button(label, on_click=starting.start, args=(opened, *way), icon=":material/play_arrow:")


@widgets.complaining
def _give(store: Store, served: Served) -> None:
    """Show what respondents get: address, QR code and a page to print, with codes if only invited people may answer."""
    left, right = st.columns([1, 4], gap="medium", vertical_alignment="center")
    code = qr_code(served.address)
    left.image(code, width=160, alt=f"QR code of {served.address}")
    with right:
        st.code(served.address, language=None, wrap_lines=True)
        with st.container(horizontal=True):
            page = partial(
                invitation_page,
                served.address,
                title=store.title,
                introduction=store.introduction,
                language_code=store.language,
                unrandomized=store.unrandomized,
            )
            widgets.download("Download invitation", page, "invitation.html", icon=":material/print:")
            widgets.download("Download QR code", lambda: code, "qr-code.svg", icon=":material/qr_code_2:")
            if store.key:
                _codes(store, served)
        if ipaddress.ip_address(served.host).is_loopback and not served.behind_proxy:
            st.caption("Only this computer can open this address.")
        tls = bool(served.certificate)
        for sentence in reach(served.host, served.port, served.address, tls=tls, behind_proxy=served.behind_proxy)[:1]:
            widgets.caption(sentence)


def _codes(store: Store, served: Served) -> None:
    """New invitation codes, as a file that is made when the button is pressed."""
    number = widgets.number("Number of codes", "field_codes", 50, (1, MAX_INVITATIONS), step=50)

    def made() -> str:
        codes = invite(store, number)
        columns = {"code": codes, "link": links(served.address, codes)}
        return csv_text(columns, zip(*columns.values(), strict=True))

    used, known = used_codes(store)
    widgets.download(
        "Download codes", made, "codes.csv", help=f"Respondents have used {count_text(used)} of {count_text(known)} codes."
    )


def _act(opened: OpenSurvey, served: Served, *, paused: bool, closed: bool) -> None:
    with st.container(horizontal=True):
        if opened.tried != served.run and not closed:
            st.button("Try again", icon=":material/refresh:")
        if not closed:
            name, icon = ("Resume", "play_arrow") if paused else ("Pause", "pause")
            help = "During a pause, the form asks people to come back later."
            if st.button(name, on_click=_pause, args=(opened, not paused), icon=f":material/{icon}:", help=help):
                st.rerun()  # the headline shows the pause too
        help = "Nobody can open the form until you start the server again. The answers are kept."
        args = (opened, served)
        st.button("Stop the server", on_click=_stop, args=args, icon=":material/stop:", help=help, type="tertiary")


def _pause(opened: OpenSurvey, wanted: bool) -> None:
    with opened.attempt():
        refuse_in_demo()
        opened.store.pause(dt.date.today()) if wanted else opened.store.resume()


def _stop(opened: OpenSurvey, served: Served) -> None:
    with opened.attempt():
        starting.require()
        end_serving(opened.store, served)
