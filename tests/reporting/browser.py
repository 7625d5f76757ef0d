"""Opens a page in headless Chromium and returns what a script in the page found."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from string import Template
from typing import Any

import pytest

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--virtual-time-budget=4000",
    "--dump-dom",
)
FRAME = """<!doctype html>
<iframe src="page.html$address" style="border:0; width:${width}px; height:800px"></iframe>
<pre id="outcome"></pre><script>
addEventListener("message", event => { document.querySelector("pre").textContent = event.data; });
</script>"""
TOO_WIDE = """(() => {
  all("details").forEach(list => { list.open = true; });
  if (window.showRows) all("table.packed").forEach(showRows);
  form.classList.add("open");
  const found = all("body *").filter(one => one.getBoundingClientRect().right > innerWidth + 1);
  const inBox = one => one.parentElement.closest(".wide, pre") || one.matches(".skip");
  return found.filter(one => !inBox(one)).map(one => one.outerHTML.slice(0, 80));
})()"""  # the elements that are wider than the page, outside boxes that scroll


def outcome(page: str, probe: str, folder: Path, *, address: str = "", width: int = 1280) -> Any:
    """The value of the JavaScript expression `probe` in a page of a width in pixels.

    The page is in a frame, because the window of Chromium has a least width. `address` is the part
    of the address that begins with #.
    """
    if CHROMIUM is None:
        pytest.skip(
            "no chromium, chromium-browser or google-chrome on the path: the script of the page "
            "is not run"
        )
    asked = f"<script>(async () => parent.postMessage(JSON.stringify(await {probe}), '*'))();"
    (folder / "page.html").write_text(
        page.replace("</body>", f"{asked}</script></body>"), encoding="utf-8"
    )
    (folder / "frame.html").write_text(Template(FRAME).substitute(address=address, width=width))
    command = [CHROMIUM, *OPTIONS, f"--user-data-dir={folder / 'profile'}"]
    seen = subprocess.run(
        [*command, (folder / "frame.html").as_uri()],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    found = re.search(r'<pre id="outcome">(.+?)</pre>', seen, flags=re.DOTALL)
    assert found is not None, seen[-2000:]
    return json.loads(html.unescape(found[1]))
