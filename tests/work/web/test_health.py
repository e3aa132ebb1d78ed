"""Health is tried now and then, by one at a time."""

from rrcore.work.web.health import Health


def test_one_waits_for_a_trial_that_hangs_and_others_do_not():
    told, tried = [], ["hangs", ""]

    def trial():
        told.append(health.fault())  # whoever asks meanwhile
        return tried.pop()

    health = Health(trial, clock=lambda: now)
    now = 0.0
    assert health.fault() == ""
    assert told == [""]
    now = 4.9
    assert (health.fault(), len(tried)) == ("", 1)  # fresh
    health.recheck()
    assert health.fault() == "hangs"
    tried.append("well again")
    now = 20.0
    assert (health.fault(), told) == ("well again", ["", "", "hangs"])
