#!/usr/bin/env python3
"""Takes a picture of speedscope showing a file that `pinsight export --to speedscope` wrote.

    speedscope_png.py FILE SPEEDSCOPE OUT.png [WIDTH HEIGHT]

SPEEDSCOPE is the unpacked npm package speedscope; Chromium has to be on the PATH. The picture is of speedscope's first
view, time order.
"""
import base64
import pathlib
import subprocess
import sys
import tempfile

OPTIONS = [
    "--headless", "--no-sandbox", "--no-first-run", "--disable-quic", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    "--allow-file-access-from-files", "--hide-scrollbars", "--virtual-time-budget=15000",
]


def main():
    if len(sys.argv) not in (4, 6):
        sys.exit(__doc__)
    profile, package, picture = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    width, height = sys.argv[4:] or ("1280", "640")
    page = package / "dist" / "release" / "index.html"
    if not page.exists():
        sys.exit("%s: there is no speedscope here (npm pack speedscope, and unpack it)" % page)
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder, "profile.js")
        script.write_text("speedscope.loadFileFromBase64('%s', '%s')"
                          % (profile.name, base64.b64encode(profile.read_bytes()).decode()))
        done = subprocess.run(
            ["chromium", *OPTIONS, "--user-data-dir=" + folder, "--window-size=%s,%s" % (width, height),
             "--screenshot=%s" % picture, "%s#localProfilePath=%s" % (page.as_uri(), script)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace", timeout=120)
    if done.returncode != 0 or not picture.exists():
        sys.exit(done.stdout)


if __name__ == "__main__":
    main()
