"""What a person sees in the pages on compact kernels: `tune-support`, `fit --method lssvm`, `pca`."""

import json
import random

import pytest
from conftest import measure

DESKTOP, PHONE = 1200, 360


def chart(page, title):
    return next(c for c in page["charts"] if c["title"].startswith(title))


def kinds(chart):
    return [layer["kind"] for layer in chart["layers"]]


@pytest.fixture(scope="module")
def pages(groat, tmp_path_factory):
    """The pages as a browser lays them out, and the commands' own numbers."""
    folder = tmp_path_factory.mktemp("compact")
    draw = random.Random(5)
    rows = [(draw.random(), draw.random()) for _ in range(400)]
    lines = [f"{a},{b},{'in' if (a - 0.5) ** 2 + (b - 0.5) ** 2 < 0.1 else 'out'}" for a, b in rows]
    (folder / "disc.csv").write_text("a,b,class\n" + "\n".join(lines) + "\n")

    def page(name, *arguments):
        answer = groat(*arguments, "--report", f"{name}.html", "--json", cwd=folder).stdout
        report = folder / f"{name}.html"
        assert report.stat().st_size < 2_000_000
        widths = (measure(report, tmp_path_factory.mktemp(name), width) for width in (DESKTOP, PHONE))
        return json.loads(answer), *widths

    kernel = ["--kernel", "gaussian:width=0.5"]
    return {
        "tune": page("tune", "tune-support", "disc.csv", "--drop", "class", *kernel, "--rule", "sparsity=0.95"),
        "fit": page("fit", "fit", "disc.csv", "--target", "class", "--method", "lssvm", "--support", "auto"),
        "pca": page("pca", "pca", "disc.csv", "--drop", "class", *kernel, "-k", "4", "--support", "sparsity=0.9"),
    }


def test_the_curves_cross_from_sparse_to_aligned(pages):
    answer, page, _ = pages["tune"]
    curves = chart(page, "Alignment and sparsity")
    lines = {layer["series"]: layer for layer in curves["layers"]}
    assert lines["alignment"]["shown"] == lines["share of zeros"]["shown"] == len(answer["curve"])
    assert "chosen" in lines and kinds(curves).count("marker") == 1


def test_spy_plots_show_the_orders(pages):
    answer, page, _ = pages["tune"]
    for order in answer["orders"]:
        picture = chart(page, order["name"])
        assert kinds(picture) == ["cells"]
        assert picture["layers"][0]["marks"] > 100 and picture["layers"][0]["skipped"] == 0
        left, right, width, height = picture["box"]
        assert width > 300 and height > 300, "a matrix is drawn large enough to see its structure"
    table = next(t for t in page["tables"] if t["name"] == "Orders")
    told = {row[0]: row[1:] for row in table["rows"][1:]}
    for order in answer["orders"]:
        numbers = [order["reach"], order["half_bandwidth"], order["bandwidth"], order["fill"]]
        assert [int(cell) for cell in told[order["name"]]] == numbers


def test_boundaries_are_drawn_over_the_rows(pages):
    answer, page, _ = pages["fit"]
    regions = chart(page, "Decision regions")
    assert kinds(regions).count("cells") == 1
    clouds = [layer for layer in regions["layers"] if layer["kind"] == "scatter"]
    assert sum(layer["points"] for layer in clouds[:2]) == answer["rows"]


def test_components_have_contours(pages):
    answer, page, _ = pages["pca"]
    for number in range(1, 5):
        assert {"cells", "contours", "scatter"} <= set(kinds(chart(page, f"Component {number}")))
    shares = chart(page, "Explained variance")["layers"][0]
    assert shares["points"] == answer["components"] == 4


@pytest.mark.parametrize("name", ["tune", "fit", "pca"])
def test_nothing_reaches_beyond_a_phone(pages, name):
    _, _, phone = pages[name]
    assert phone["scroll_width"] <= phone["width"] == PHONE
    for shown in phone["charts"]:
        assert shown["box"][1] <= PHONE and shown["smallest_text"] > 8, shown["title"]
