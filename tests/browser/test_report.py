"""What a person sees in the page of `groat fit --report`."""

import re

import pytest
from conftest import chromium, measure

PHONE, DESKTOP = 360, 1200


def chart(page, title):
    found = [c for c in page["charts"] if c["title"] == title]
    assert found, f"{title} is not among {[c['title'] for c in page['charts']]}"
    return found[0]


def layer(chart, series):
    return next(g for g in chart["layers"] if g["series"] == series)


@pytest.fixture(scope="module")
def desktop(regression, tmp_path_factory):
    return measure(regression[0], tmp_path_factory.mktemp("desktop"), DESKTOP)


@pytest.fixture(scope="module")
def phone(regression, tmp_path_factory):
    return measure(regression[0], tmp_path_factory.mktemp("phone"), PHONE)


@pytest.fixture(scope="module")
def classes(classification, tmp_path_factory):
    return measure(classification[0], tmp_path_factory.mktemp("classes"), DESKTOP)


def test_all_parts_are_there(desktop):
    assert desktop["title"] == "y from sinc.csv"
    for heading in ["Errors", "Predictions", "Selection", "Kept vectors", "Settings"]:
        assert heading in desktop["headings"]


def test_charts_show_every_row(desktop, regression):
    answer = regression[1]
    for title in ["Predicted against true", "Residuals"]:
        shown = chart(desktop, title)
        for series, rows in [("training", answer["training_rows"]), ("test", answer["test_rows"])]:
            cloud = layer(shown, series)
            assert cloud["points"] == cloud["shown"] == cloud["marks"] == rows
            assert cloud["skipped"] == 0
    curve = layer(chart(desktop, "Choice of the width"), "leave-one-out error")
    assert curve["shown"] > 1
    weights = layer(chart(desktop, "Weights"), "weights")
    assert weights["points"] == answer["vectors"]


def test_the_chosen_width_is_marked(desktop, regression):
    width = float(re.search(r"width=([0-9.e-]+)", regression[1]["kernel"])[1])
    marked = [g["series"] for g in chart(desktop, "Choice of the width")["layers"] if g["kind"] == "marker"]
    assert len(marked) == 1
    assert float(marked[0].removeprefix("width ")) == pytest.approx(width, rel=1e-3)


def test_errors_are_those_of_the_command(desktop, regression):
    answer = regression[1]
    rows = {row[0]: row[1:] for row in desktop["tables"][0]["rows"]}
    for name, errors in [("training", answer["training"]), ("test", answer["test"])]:
        assert int(rows[name][0]) == errors["rows"]
        assert float(rows[name][1]) == pytest.approx(errors["root_mean_squared"], rel=1e-3)
    assert float(rows["leave-one-out"][2]) == pytest.approx(answer["leave_one_out"]["mean_squared"], rel=1e-3)
    assert desktop["settings"]["kernel"] == answer["kernel"]


def test_nothing_reaches_beyond_a_phone(phone):
    assert phone["scroll_width"] <= phone["width"] == PHONE
    for shown in phone["charts"]:
        left, right, width, height = shown["box"]
        assert 0 <= left and right <= PHONE
        assert width > 280 and height > 150
        assert shown["smallest_text"] > 8, shown["title"]


def test_charts_stand_side_by_side_on_a_desk(desktop):
    first, second = desktop["charts"][:2]
    assert second["box"][0] > first["box"][1]


def test_axes_have_ticks(desktop):
    for shown in desktop["charts"]:
        assert len(shown["ticks"]) >= 4, shown["title"]
        assert not any("NaN" in tick for tick in shown["ticks"])


def test_dark_screens_get_dark_pages(regression, desktop, tmp_path):
    dark = measure(regression[0], tmp_path, DESKTOP, dark=True)
    brightness = lambda colour: sum(map(int, re.findall(r"\d+", colour)[:3]))
    assert brightness(dark["background"]) < 200 < 500 < brightness(dark["colour"])
    assert brightness(desktop["background"]) > 500 > 200 > brightness(desktop["colour"])
    clouds = [layer(chart(page, "Residuals"), "training")["colour"] for page in (dark, desktop)]
    assert clouds[0] != clouds[1]


def test_classes_have_regions_and_confusion(classes, classification):
    answer = classification[1]
    regions = chart(classes, "Decision regions")
    kinds = [g["kind"] for g in regions["layers"]]
    assert kinds.count("cells") == 1 and kinds.count("scatter") >= 3
    assert sum(g["points"] for g in regions["layers"][1:4]) == answer["rows"]
    confusion = next(t for t in classes["tables"] if t["name"] == "Confusion matrix, test")
    counts = [int(cell) for row in confusion["rows"][1:] for cell in row[1:]]
    assert counts == answer["test"]["confusion"]


def test_names_from_the_data_stay_text(classes, classification):
    confusion = next(t for t in classes["tables"] if t["name"] == "Confusion matrix, test")
    assert "<script>alert(1)</script>" in confusion["rows"][0]
    assert "<script" not in classification[0].read_text()


def test_the_page_needs_no_network(regression):
    text = regression[0].read_text().replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?:|src=|@import|url\(", text)


def test_the_page_can_be_printed(regression, tmp_path):
    chromium(tmp_path, f"--print-to-pdf={tmp_path / 'page.pdf'}", regression[0].as_uri())
    printed = (tmp_path / "page.pdf").read_bytes()
    assert printed.startswith(b"%PDF")
    # Tables that would have to stand on one sheet leave sheets half empty before them.
    assert printed.count(b"/Type /Page\n") <= 5


def test_growth_shows_held_out_errors_and_where_the_model_was_cut(desktop, classes, regression, classification):
    for page, answer in [(desktop, regression[1]), (classes, classification[1])]:
        growth = chart(page, "Growth of the model")
        for series in ["held-out parts", "test"]:
            line = layer(growth, series)
            # The sizes that were tried.
            assert line["kind"] == "line" and line["points"] > 2, series
            assert line["marks"] == 1 and line["box"][2] > 0
        assert any(g["series"].startswith("full machine, ") for g in growth["layers"])
        marked = [g["series"] for g in growth["layers"] if g["kind"] == "marker"]
        assert marked == [f"{answer['vectors']} vectors"]


def test_chosen_centres_are_ringed(desktop, classes, regression, classification):
    for page, title, answer in [
        (desktop, "The fitted curve", regression[1]),
        (classes, "Decision regions", classification[1]),
    ]:
        rings = layer(chart(page, title), "kept vectors")
        assert rings["points"] == rings["marks"] == answer["vectors"]


def test_a_density_stands_beside_the_parzen_estimate(density, tmp_path):
    features, path, answer = density
    page = measure(path, tmp_path, DESKTOP)
    parzen = answer["training_rows"]
    if features == 1:
        shown = chart(page, "Density")
        for series in [f"{answer['vectors']} kernels", f"Parzen, {parzen} kernels"]:
            assert layer(shown, series)["marks"] == 1
        assert layer(shown, "rows")["kind"] == "bars"
        assert layer(shown, "kept vectors")["marks"] == answer["vectors"]
    else:
        sparse = chart(page, f"Density of {answer['vectors']} kernels")
        beside = chart(page, f"Parzen estimate, {parzen} kernels")
        for shown in (sparse, beside):
            assert [g["kind"] for g in shown["layers"]].count("cells") == 1
        assert layer(sparse, "kept vectors")["marks"] == answer["vectors"]
        assert beside["box"][0] > sparse["box"][1], "they stand side by side"
    rows = {row[0]: row[1:] for row in page["tables"][0]["rows"]}
    assert float(rows["test"][1]) == pytest.approx(answer["test"]["mean_log_density"], rel=1e-3)
