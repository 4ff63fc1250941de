"""A real browser, driven from the command line, and the reports it is shown."""

import html
import json
import math
import os
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Run inside a page that holds the report in a frame: measures what is laid out and writes it down as JSON.
MEASURE = """
const frame = document.querySelector('iframe'), page = frame.contentDocument, view = frame.contentWindow;
const all = (selector, root = page) => [...root.querySelectorAll(selector)];
const box = e => { const b = e.getBoundingClientRect(); return [b.left, b.right, b.width, b.height]; };
const charts = all('svg.chart').map(chart => ({
  title: chart.querySelector('title').textContent,
  box: box(chart),
  ticks: all('.tick', chart).map(t => t.textContent),
  smallest_text: Math.min(...all('text', chart).map(t =>
    parseFloat(view.getComputedStyle(t).fontSize) * chart.getBoundingClientRect().width / chart.viewBox.baseVal.width)),
  layers: all('[data-layer]', chart).map(g => ({
    kind: g.dataset.layer, series: g.dataset.series, points: +g.dataset.points, shown: +g.dataset.shown,
    skipped: +g.dataset.skipped, marks: g.querySelectorAll('circle, path, rect').length, box: box(g),
    colour: g.firstElementChild ? view.getComputedStyle(g.firstElementChild).fill + ' '
      + view.getComputedStyle(g.firstElementChild).stroke : '' })),
}));
const tables = all('table').map(t => ({ name: t.dataset.table, box: box(t),
  rows: all('tr', t).map(r => all('th, td', r).map(c => c.textContent)) }));
const settings = Object.fromEntries(all('[data-setting]').map(d => [d.dataset.setting, d.textContent]));
document.getElementById('measured').textContent = JSON.stringify({
  title: page.title, headings: all('h2').map(h => h.textContent), charts, tables, settings,
  width: view.innerWidth, scroll_width: page.documentElement.scrollWidth,
  background: view.getComputedStyle(page.body).backgroundColor, colour: view.getComputedStyle(page.body).color,
});
"""


def browser():
    for name in ["chromium", "chromium-browser", "google-chrome"]:
        if path := shutil.which(name):
            return path
    pytest.fail("no browser found: install chromium")


def chromium(folder, *flags):
    """What the browser prints, with a profile and a home of its own and without the often small /dev/shm."""
    quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"]
    alone = [f"--user-data-dir={folder / 'profile'}", "--disable-dev-shm-usage"]
    command = [browser(), "--headless", "--no-sandbox", "--disable-gpu", *alone, *quiet, *flags]
    home = {**os.environ, "HOME": str(folder)}
    done = subprocess.run(command, env=home, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout


def measure(report: Path, folder: Path, width: int, dark: bool = False):
    """What the browser makes of a report in a frame of the given width."""
    frame = f'<iframe width="{width}" height="4000" style="border:0" srcdoc="{html.escape(report.read_text())}"></iframe>'
    script = f"window.addEventListener('load', () => {{ {MEASURE} }});"
    harness = folder / "harness.html"
    harness.write_text(f'<!DOCTYPE html><body><pre id="measured"></pre>{frame}<script>{script}</script></body>')
    scheme = [f"--blink-settings=preferredColorScheme={0 if dark else 1}"]
    dom = chromium(folder, "--window-size=1400,4200", "--virtual-time-budget=10000", *scheme, "--dump-dom", harness.as_uri())
    measured = re.search(r'<pre id="measured">(.+?)</pre>', dom, re.S)
    assert measured, f"the page was not measured: {dom[:2000]}"
    return json.loads(html.unescape(measured[1]))


@pytest.fixture(scope="session")
def groat():
    """Runs the command that was built."""
    built = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "debug" / "groat"
    program = Path(os.environ.get("GROAT_BIN", built))
    if not program.exists():
        pytest.fail(f"{program} is missing: cargo build --workspace --all-features")
    return lambda *args, cwd: subprocess.run([program, *map(str, args)], cwd=cwd, check=True, capture_output=True, text=True)


@pytest.fixture(scope="session")
def regression(groat, tmp_path_factory):
    """The report of a noisy sinc: its path and the command's own numbers."""
    folder = tmp_path_factory.mktemp("regression")
    draw = random.Random(3)
    xs = [draw.uniform(-10, 10) for _ in range(200)]
    rows = [f"{x},{math.sin(x) / x + draw.gauss(0, 0.05)}" for x in xs]
    (folder / "sinc.csv").write_text("x,y\n" + "\n".join(rows) + "\n")
    answer = groat("fit", "sinc.csv", "--target", "y", "--report", "report.html", "--json", cwd=folder).stdout
    return folder / "report.html", json.loads(answer)


@pytest.fixture(scope="session")
def classification(groat, tmp_path_factory):
    """The report of three classes in the plane, one of them with a hostile name."""
    folder = tmp_path_factory.mktemp("classification")
    draw = random.Random(4)
    centres = {"left": (-2, 0), "right": (2, 0), "<script>alert(1)</script>": (0, 3)}
    rows = [f"{draw.gauss(x, 0.7)},{draw.gauss(y, 0.7)},{name}" for name, (x, y) in centres.items() for _ in range(50)]
    (folder / "three.csv").write_text("a,b,class\n" + "\n".join(rows) + "\n")
    answer = groat("fit", "three.csv", "--target", "class", "--report", "report.html", "--json", cwd=folder).stdout
    return folder / "report.html", json.loads(answer)


def clusters(rows, seed):
    """Two clusters in the plane."""
    draw = random.Random(seed)
    centres = [(-2, 0), (2, 1)]
    return [(draw.gauss(x, 0.6), draw.gauss(y, 0.8)) for x, y in (centres[i % 2] for i in range(rows))]


@pytest.fixture(scope="session", params=[1, 2])
def density(request, groat, tmp_path_factory):
    """The report of a density of one or two features: how many, its path and the command's own numbers."""
    folder = tmp_path_factory.mktemp(f"density{request.param}")
    rows = [f"{a},{b}" for a, b in clusters(300, 5)]
    (folder / "two.csv").write_text("a,b\n" + "\n".join(rows) + "\n")
    features = "a,b" if request.param == 2 else "a"
    call = ["fit", "two.csv", "--task", "density", "--features", features, "--report", "report.html", "--json"]
    return request.param, folder / "report.html", json.loads(groat(*call, cwd=folder).stdout)
