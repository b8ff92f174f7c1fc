"""What Lighthouse and axe say of each kind of page.

    accelreport build --base-url https://example.org/
    npm install --prefix FOLDER --ignore-scripts lighthouse axe-core
    python benchmarks/page_quality.py SITE --tools FOLDER [--only axe|lighthouse]

Serves a built site from this machine, compressed as publishers do, and opens one page of
each kind, and that of every benchmark, since families differ; where the site has one machine,
machines side by side are those of made records. axe looks at it in light and dark, 1280 and
390 pixels wide; Lighthouse scores it as on a telephone and on a desk. Prints everything found,
and fails where axe finds a violation, or a score is below what the project asks of itself: 100
for accessibility, best practices and SEO, 98 (telephone) and 100 (desk) for performance, which a
busy machine lowers.
"""

from __future__ import annotations

import argparse
import atexit
import functools
import gzip
import http.server
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from accelreport.report.site.builder import build
from accelreport.report.site.options import BuildOptions
from tests.report.scenarios import two_machines
from tests.support.browser import BROWSER_ARGUMENTS, browser_path

LEAST = {"accessibility": 100, "best-practices": 100, "seo": 100}
FAST = {"mobile": 98, "desktop": 100}
SETTINGS = [(scheme, width) for scheme in ("light", "dark") for width in (1280, 390)]


class Compressed(http.server.SimpleHTTPRequestHandler):
    """Serves pages as gzip."""

    def send_head(self) -> Any:
        """A page, compressed; other files as they are."""
        path = Path(self.translate_path(self.path))
        if path.suffix != ".html" or not path.is_file():
            return super().send_head()
        content = gzip.compress(path.read_bytes(), 6)
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        return io.BytesIO(content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Says nothing."""


def kinds(site: Path) -> Iterator[str]:
    """Pages of the site and of its benchmarks; the longest deck and cell."""
    pages = (path.name for path in site.glob("*.html"))
    yield from sorted(name for name in pages if not name.endswith(".slides.html"))
    for pattern in ("*.slides.html", "cells/*.html"):
        found = sorted(site.glob(pattern), key=lambda path: path.stat().st_size)
        yield from (path.relative_to(site).as_posix() for path in found[-1:])


def served(site: Path) -> str:
    """The address of a site that this process serves until it ends."""
    handler = functools.partial(Compressed, directory=str(site))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}/"


def side_by_side() -> str:
    """Machines side by side, of made records: a site of one machine has no such page."""
    out = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, out)
    build(two_machines(), out, options=BuildOptions(base_url="https://example.org/"))
    return f"{served(out)}compare.html"


RULES = "{rules: {'target-size': {enabled: true}}}"
"""Beside axe's usual ones, one of Lighthouse: links are 24 pixels high, or as far apart."""


def axe(browser: Browser, address: str, source: str) -> list[str]:
    """Violations on a page, in every setting."""
    found = []
    for scheme, width in SETTINGS:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if scheme == "dark" else "light",
            bypass_csp=True,  # axe is a script that the page does not know
        )
        page = context.new_page()
        page.goto(address)
        page.evaluate(source)
        for violation in page.evaluate(f"axe.run({RULES})")["violations"]:
            where = violation["nodes"][0]["html"][:120]
            count = len(violation["nodes"])
            found.append(f"{scheme} {width}: {violation['id']} × {count}, such as {where}")
        context.close()
    return found


def lighthouse(tools: Path, address: str, form: str) -> dict[str, int]:
    """Scores of a page out of 100, by category."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "report.json"
        command = [
            "node", str(tools / "lighthouse" / "cli" / "index.js"), address, "--quiet",
            "--output=json", f"--output-path={out}", "--no-enable-error-reporting",
            f"--chrome-flags={' '.join(BROWSER_ARGUMENTS)}",
        ]  # fmt: skip
        command += ["--preset=desktop"] if form == "desktop" else []
        environment = {**os.environ, "CHROME_PATH": browser_path()}
        subprocess.run(command, check=True, env=environment, capture_output=True)
        report = json.loads(out.read_text(encoding="utf-8"))
    for audit in report["audits"].values():
        if audit["score"] is not None and audit["score"] < 0.9:
            print(f"    {form}: {audit['id']} {audit['score']} {audit.get('displayValue', '')}")
    return {name: round(100 * found["score"]) for name, found in report["categories"].items()}


def main() -> int:
    """Looks, prints, and judges."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("site", type=Path)
    parser.add_argument("--tools", type=Path, default=Path())
    parser.add_argument("--only", choices=["axe", "lighthouse"])
    chosen = parser.parse_args()
    tools = chosen.tools / "node_modules"
    root = served(chosen.site)
    bad = 0
    pages = [root + name for name in kinds(chosen.site)]
    if f"{root}compare.html" not in pages:
        pages.append(side_by_side())
    if chosen.only != "lighthouse":
        source = (tools / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
        with sync_playwright() as playwright:
            arguments = list(BROWSER_ARGUMENTS)
            browser = playwright.chromium.launch(executable_path=browser_path(), args=arguments)
            for name in pages:
                found = axe(browser, name, source)
                print(f"axe: {len(found)} violations in {len(SETTINGS)} settings: {name}")
                print("".join(f"    {each}\n" for each in found), end="")
                bad += len(found)
            browser.close()
    if chosen.only != "axe":
        for name in pages:
            for form, fast in FAST.items():
                scores = lighthouse(tools, name, form)
                print(f"lighthouse {form}: {scores}: {name}", flush=True)
                bad += sum(scores[each] < least for each, least in LEAST.items())
                bad += scores["performance"] < fast
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
