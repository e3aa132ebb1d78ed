"""Key-value: each key, the protocols against each other, a conditional question, and ratings from a file."""

import re

import pytest


@pytest.fixture
def ratings(session):
    return session.go("keyvalue").set("number_input", "Users", 20_000)


def section(session, key):
    """The page with one of its details open."""
    return session.look_at(f"keyvalue_{key}", True)


def shown(session, column):
    return next(frame.value for frame in session.at.dataframe if column in frame.value.columns)


def measure(session, button):
    return session.click(button).finish("keyvalue_curves")


def test_the_page_opens_with_an_answer_its_price_and_a_figure(ratings):
    answer = next(
        one.value.replace("\N{NO-BREAK SPACE}", " ")
        for one in ratings.at.markdown
        if one.value.startswith("From one report by each of")
    )
    assert "of 20,000 users, **KVUE** tells how many have a key within **±" in answer
    assert answer.endswith("One report, the whole of what is sent: × 2.72 (1.00 nats).")
    assert list(ratings.figures) == ["key-frequencies"]


def digits_follow(estimate):
    """The last digit stands for less than about a third of half the interval, and for more than a thirtieth."""
    told, low, high = estimate.groups()
    digits, half = len(told.partition(".")[2]), (float(high) - float(low)) / 2
    assert len(low.partition(".")[2]) == len(high.partition(".")[2]) == digits
    assert 2.5 * 10.0**-digits < half < 36.5 * 10.0**-digits


def test_each_key_against_the_truth(ratings):
    section(ratings, "numbers")
    assert {"key-frequencies", "key-means"} <= set(ratings.figures)
    rows = shown(ratings, "True frequency")
    assert len(rows) == 10
    amount = r"(-?[\d.]+)"
    for share, mean in zip(rows["Estimate"], rows["Estimate "], strict=True):
        digits_follow(re.fullmatch(rf"{amount} % \({amount} to {amount}\)", share.replace("−", "-")))
        digits_follow(re.match(rf"{amount} \({amount} to {amount}\)", mean.replace("−", "-")))
    assert rows["Reports"].sum() == 20_000
    assert "exact level 1.00 nats" in ratings.text
    assert "The paper's bound" in ratings.text
    margins = re.findall(r"± ([\d.]+)", ratings.text.replace("\N{NO-BREAK SPACE}", " "))
    assert margins[:2] == margins[2:]  # of the first sentence, and of the last one


@pytest.mark.slow
def test_privkv_is_called_biased_and_less_telling_than_it_claims(ratings):
    ratings.set("selectbox", "Protocol", "privkv")
    assert any("This estimator is biased" in text for text in ratings.warnings)
    section(ratings, "numbers")
    assert "exact level 0.72 nats" in ratings.text
    ratings.set("selectbox", "Protocol", "privkv-a")
    assert not any("biased" in text for text in ratings.warnings)


@pytest.mark.slow
def test_options_belong_to_their_protocol(ratings):
    assert not ratings.has("slider", "Default value")
    ratings.set("selectbox", "Protocol", "f2m")
    assert ratings.has("slider", "Default value")
    assert ratings.has("slider", "Share of the level for the key")
    ratings.set("selectbox", "Protocol", "privkvm")
    assert ratings.has("number_input", "Rounds")


@pytest.mark.slow
def test_all_protocols_against_the_level(ratings):
    section(ratings, "level")
    measure(ratings, "Measure all protocols")
    assert ratings.figures["errors-frequency"].traces == [
        "PrivKV",
        "PrivKV-A (unbiased counts)",
        "PrivKVM",
        "F2M",
        "KVUE",
        "KVOH",
    ]
    assert "Lowest error at most points: KVUE for the frequency" in ratings.text


@pytest.mark.slow
def test_the_default_of_f2m(ratings):
    section(ratings, "default_value")
    measure(ratings, "Measure F2M")
    assert ratings.figures["errors-mean"].traces == ["F2M"]


@pytest.mark.slow
def test_a_question_in_words(ratings):
    ratings.set("number_input", "Keys", 4)
    section(ratings, "question")
    rows = shown(ratings, "Way").set_index("Way")
    assert list(rows.index) == ["IOH (as published)", "RR-Ind-Joint on states", "Pair-safe on states", "Designed for pairs"]
    assert rows.loc["IOH (as published)", "Bits per user"] == "81"
    drawn = [way for trace in ratings.figures["answer-frequency"].spec["data"] for way in trace["y"]]
    assert drawn == [way for way, share in rows["Share"].items() if share != "too few to tell"]
    assert len(drawn) < len(rows)
    assert "Of the users who rated key 2" in ratings.text
    ratings.set("multiselect", "and did not rate", ["key 3"])
    assert "did not rate key 3" in ratings.text


@pytest.mark.slow
def test_more_keys_than_ioh_takes_are_refused_in_its_row(ratings):
    ratings.set("number_input", "Keys", 11)
    section(ratings, "question")
    rows = shown(ratings, "Way").set_index("Way")
    assert "at most 10 keys" in rows.loc["IOH (as published)", "Note"]
    assert rows.loc["Pair-safe on states", "Share"] != ""


@pytest.mark.slow
def test_two_hundred_keys_and_as_many_of_them_together_as_wanted(ratings):
    section(ratings, "numbers").set("number_input", "Keys", 200)
    assert len(shown(ratings, "True frequency")) == 200
    assert "The figure shows the 40 keys that come first of 200." in ratings.text
    section(ratings, "question")
    ratings.set("number_input", "Level (nats)", 4.0).set("number_input", "Keys that are collected together", 13)
    rows = shown(ratings, "Way").set_index("Way")
    assert rows.loc["Pair-safe on states", "Share"] != ""
    assert "at most 10 keys" in rows.loc["IOH (as published)", "Note"]


@pytest.mark.slow
def test_ratings_from_a_file(ratings):
    ratings.set("radio", "Data", "file")
    assert any("Choose a file of ratings" in info.value for info in ratings.at.info)
    rows = "".join(f"u{i},{'tea' if i % 3 else 'beer'},{1 + i % 5}\n" for i in range(400))
    ratings.at.file_uploader[0].set_value(("ratings.csv", f"user,key,value\n{rows}".encode(), "text/csv"))
    ratings.run()
    assert "expected -1 to 1" in ratings.errors[0]
    ratings.set("number_input", "Lowest value of the scale", 1.0).set("number_input", "Highest value of the scale", 5.0)
    assert ratings.errors == []
    section(ratings, "numbers")
    assert shown(ratings, "Key")["Key"].tolist() == ["beer", "tea"]
    assert any("No key is declared" in text for text in ratings.warnings)
    ratings.set("text_area", "Declared keys, one per line", "tea\ncoffee")
    assert shown(ratings, "Key")["Key"].tolist() == ["tea", "coffee"]
