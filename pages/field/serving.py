"""The server of the survey that is open: whether it answers, what people are given, a pause, and its end."""

import datetime as dt
import ipaddress
from functools import partial

import streamlit as st

from pages.field import starting
from pages.field.opening import OpenSurvey
from pages.shared import widgets
from pages.shared.mode import refuse_in_demo
from rrcore.asking import invitation_page, qr_code
from rrcore.limits import MAX_INVITATIONS
from rrcore.receiver import Store
from rrcore.receiver.field import SurveySoFar
from rrcore.receiver.invitations import invite, links, used_codes
from rrcore.receiver.reach import reach
from rrcore.receiver.running import Served, end_serving, fault_at, is_to_end, served_of
from rrcore.wording import count_text, csv_text

_SECONDS = 10  # between two looks at its health


@widgets.complaining
def show(opened: OpenSurvey, survey: SurveySoFar) -> None:
    """What is known of the server, refreshed while the survey runs; nothing of one that another program serves, unless it says where."""
    served = served_of(opened.store)
    if served is None and survey.closed is not None:
        return
    with st.container(border=True, key="field_server"):
        st.fragment(_look, run_every=_SECONDS if survey.closed is None else None)(opened, survey.closed is not None)


def _look(opened: OpenSurvey, closed: bool) -> None:
    store = opened.store
    served = served_of(store)
    fault = "No server gives out its form yet." if served is None else fault_at(served, served.own)
    if served is None or fault:
        if closed:
            st.caption("Its server is stopped: whoever opens the form's address finds nothing there.")
        else:
            _down(opened, served, fault)
        return
    if opened.tried != served.run:
        fault = fault_at(served, served.address)
        opened.tried = "" if fault else served.run
    paused = store.refusing == "paused"
    state = ":material/block: Closed" if closed else ":material/pause: Paused" if paused else ":material/check_circle: Running"
    can_store = "whoever opens the form reads that it is closed" if closed else "and can store answers"
    address = widgets.plain(served.address)
    link = address if set(served.address) & set("<>\n ") else f"[{address}](<{served.address}>)"
    st.markdown(f"**{state}** at {link}", help=f"Its server answers, {can_store}. This is looked at by itself.")
    if fault and not closed:
        widgets.warn(f"Nobody is to be invited yet. {fault}")
    if not (fault or closed):
        _give(store, served)
    _act(opened, served, paused=paused, closed=closed)
    opened.show_problem()


def _down(opened: OpenSurvey, served: Served | None, fault: str) -> None:
    """What is wrong with a server that does not answer, or that somebody has stopped, and how it is started again."""
    if served is not None and is_to_end(opened.store, served.run):
        st.info("Its server is stopped: nobody can open the form until it is started again.", icon=":material/stop:")
    else:
        widgets.warn(
            fault if served is None else f"The server of this survey does not answer, so that no answers arrive. {fault}"
        )
    if served is None:
        _start_anew(opened, "Start its server")
    else:
        st.button("Start it again", on_click=starting.start, args=(opened,), icon=":material/play_arrow:", type="primary")
        widgets.details("At another address", "field_elsewhere", partial(_start_anew, opened, "Start it there"), icon="wifi_find")
    opened.show_problem()


def _start_anew(opened: OpenSurvey, label: str) -> None:
    way = starting.ask_way()
    st.button(label, on_click=starting.start, args=(opened, *way), icon=":material/play_arrow:")


@widgets.complaining
def _give(store: Store, served: Served) -> None:
    """What people are given: address, QR code, a page to print; codes where only the invited may answer."""
    left, right = st.columns([1, 3], gap="medium", vertical_alignment="center")
    code = qr_code(served.address)
    left.image(code, width=200, alt=f"QR code of {served.address}")
    with right:
        st.code(served.address, language=None, wrap_lines=True)
        with st.container(horizontal=True):
            page = partial(
                invitation_page,
                served.address,
                title=store.title,
                introduction=store.introduction,
                language_code=store.language,
                unrandomised=store.unrandomised,
            )
            widgets.download("Invitation to print", page, "invitation.html", icon=":material/print:")
            widgets.download("QR code", lambda: code, "qr-code.svg", icon=":material/qr_code_2:")
            if store.key:
                _codes(store, served)
        for sentence in reach(
            served.host, served.port, served.address, tls=bool(served.certificate), behind_proxy=served.behind_proxy
        )[:1]:
            widgets.caption(sentence)
        if ipaddress.ip_address(served.host).is_loopback and not served.behind_proxy:
            st.caption("Only this computer can open it.")


def _codes(store: Store, served: Served) -> None:
    """New invitation codes, as a file that is made when the button is pressed."""
    number = widgets.number("Codes", "field_codes", 50, (1, MAX_INVITATIONS), step=50)

    def made() -> str:
        codes = invite(store, number)
        return csv_text(
            {"code": codes, "link": links(served.address, codes)}, zip(codes, links(served.address, codes), strict=True)
        )

    used, known = used_codes(store)
    widgets.download("New codes", made, "codes.csv", help=f"Of {count_text(known)} codes {count_text(used)} are used.")


def _act(opened: OpenSurvey, served: Served, *, paused: bool, closed: bool) -> None:
    with st.container(horizontal=True):
        if opened.tried != served.run and not closed:
            st.button("Try again", icon=":material/refresh:")
        if not closed:
            name, icon, until = ("Resume", "play_arrow", "Until then people") if paused else ("Pause", "pause", "People")
            sentence = f"{until} who open the form are asked to come back later. Nothing is lost, and what was sent stays."
            st.button(name, on_click=_pause, args=(opened, not paused), icon=f":material/{icon}:", help=sentence)
        sentence = (
            "Nobody can open the form until it is started again. Answers stay."
            if not closed
            else "Nobody reads any more that it is closed."
        )
        st.button(
            "Stop the server", on_click=_stop, args=(opened, served), icon=":material/stop:", help=sentence, type="tertiary"
        )


def _pause(opened: OpenSurvey, wanted: bool) -> None:
    with opened.attempt():
        refuse_in_demo()
        opened.store.pause(dt.date.today()) if wanted else opened.store.resume()


def _stop(opened: OpenSurvey, served: Served) -> None:
    with opened.attempt():
        starting.require()
        end_serving(opened.store, served)
