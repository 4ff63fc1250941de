"""What a person sees in the page of `groat reproduce --report`."""

import json
import re

import pytest
from conftest import measure

DESKTOP, PHONE = 1200, 400


@pytest.fixture(scope="module")
def page(groat, tmp_path_factory):
    """The page of two experiments that need no data, and the command's own numbers."""
    folder = tmp_path_factory.mktemp("reproduce")
    call = ["reproduce", "A10", "E6", "--quick", "--report", "page.html", "--json"]
    return folder / "page.html", json.loads(groat(*call, cwd=folder).stdout)


@pytest.fixture(scope="module", params=[DESKTOP, PHONE])
def shown(request, page, tmp_path_factory):
    return request.param, measure(page[0], tmp_path_factory.mktemp("shown"), request.param), page[1]


def table(page, name):
    return next(t for t in page["tables"] if t["name"] == name)


def test_verdicts_are_those_of_the_command(shown):
    _, laid_out, answer = shown
    for experiment in answer["experiments"]:
        told = [line for line in experiment["lines"] if line["against"] != "silent"]
        rows = table(laid_out, f"{experiment['experiment']}: verdicts")["rows"][1:]
        assert [row[0] for row in rows] == [line["what"] for line in told]
        words = {"agrees": "agrees", "differs": "differs", "quoted": "the paper's alone", "doubtful": "doubtful"}
        for row, line in zip(rows, told):
            assert row[1].startswith(words[line["against"]]), row


def test_the_count_is_that_of_the_command(shown):
    _, laid_out, answer = shown
    head, *rows = table(laid_out, "Verdicts")["rows"]
    counts = dict(zip(head[1:], map(int, rows[-1][1:])))
    tally = answer["tally"]
    assert counts["agree"] == tally["agree"] > 20
    assert counts["differ, with a reason"] == tally["differ"]
    assert counts["unexplained"] == tally["unexplained"] == 0
    assert counts["unchanged"] == tally["unchanged"] > 0 == counts["changed"]


def test_nothing_is_out_of_sight(shown):
    width, laid_out, _ = shown
    assert laid_out["scroll_width"] <= laid_out["width"] == width
    for name in ["Verdicts", "A10: verdicts", "E6: verdicts"]:
        left, right, *_ = table(laid_out, name)["box"]
        assert 0 <= left and right <= width, name
    for chart in laid_out["charts"]:
        assert chart["box"][1] <= width
        assert chart["smallest_text"] > 8, chart["title"]


def test_titles_and_keys_fit_and_colours_mean_one_thing(shown):
    _, laid_out, _ = shown
    panels = [c for c in laid_out["charts"] if c["title"].startswith(("Figure 6", "Figures 6", "Truncation"))]
    assert len(panels) == 3
    ticks = [[t for t in chart["ticks"] if re.fullmatch(r"[0-9.e-]+", t)] for chart in panels]
    assert ticks[0] == ticks[1] == ticks[2], "panels that are compared have one scale"
    colours = {}
    for chart in panels:
        for layer in chart["layers"]:
            if layer["kind"] == "line":
                assert colours.setdefault(layer["colour"], layer["series"]) == layer["series"]


def test_every_experiment_is_introduced(page):
    text = page[0].read_text()
    for words in ["What is claimed", "Protocol as read", "What was unclear", "Found beyond the paper", "Why numbers differ"]:
        assert text.count(words) == 2, words
