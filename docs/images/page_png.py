#!/usr/bin/env python3
"""Takes a picture of a page of PInsight's in Chromium.

    page_png.py PAGE OUT.png [VIEW [WIDTH HEIGHT]]

VIEW is what stands behind the page's address: #theme=dark&sight=0~1000000
"""
import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests"))
from support import browser  # noqa: E402


def main():
    if len(sys.argv) not in (3, 4, 6):
        sys.exit(__doc__)
    page, picture = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    width, height = map(int, sys.argv[4:] or (1200, 1130))
    with tempfile.TemporaryDirectory() as folder:
        chromium = browser.Browser(folder, width, height)
        try:
            chromium.open(page, sys.argv[3] if len(sys.argv) > 3 else "")
            time.sleep(0.3)  # what moves has come to rest
            chromium.picture(picture)
        finally:
            chromium.close()


if __name__ == "__main__":
    main()
