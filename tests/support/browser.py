"""Chromium without a screen, spoken to over pipes (--remote-debugging-pipe): pages are opened, and scripts run in them."""
import base64
import json
import os
import select
import shutil
import subprocess
import time

from . import places

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
# Without a display, a GPU, or a user's own settings; as root it has no sandbox.
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage", "--no-first-run",
         "--force-device-scale-factor=1", "--remote-debugging-pipe", "--disable-extensions", "--disable-background-networking")
LIMIT = 60


def path():
    for name in NAMES:
        if shutil.which(name):
            return shutil.which(name)
    return None


class Refused(Exception):
    """What was asked for cannot be done, as while one page goes and another comes."""


class Browser:
    """A browser with one page. What the page writes to its console, and what its policy forbade, is in `said`."""

    def __init__(self, folder, width=1280, height=900):
        to_it, from_it = os.pipe(), os.pipe()

        def place():  # the descriptors that it reads from and writes to
            os.dup2(os.dup(to_it[0]), 3)
            os.dup2(from_it[1], 4)

        # 3 and 4 may be among the pipes' own numbers: they are moved away first.
        to_it, from_it = ([os.dup2(fd, fd + 40) for fd in pair] for pair in (to_it, from_it))
        self.process = subprocess.Popen([path() or places.missing("chromium"), *FLAGS, "--user-data-dir=%s" % folder, "about:blank"],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        preexec_fn=place, pass_fds=(3, 4), env=dict(os.environ, HOME=str(folder)))
        os.close(to_it[0])
        os.close(from_it[1])
        self.to_it, self.from_it, self.number, self.buffer, self.said, self.session = to_it[1], from_it[0], 0, b"", [], None
        self.happened = []
        targets = self.ask("Target.getTargets")["targetInfos"]
        (page,) = [target["targetId"] for target in targets if target["type"] == "page"]
        self.session = self.ask("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(domain + ".enable")
        self.size(width, height)

    def message(self, until):
        while b"\0" not in self.buffer:
            left = until - time.monotonic()
            assert left > 0 and select.select([self.from_it], [], [], left)[0], "the browser does not answer"
            data = os.read(self.from_it, 1 << 20)
            assert data, "the browser ended"
            self.buffer += data
        one, _, self.buffer = self.buffer.partition(b"\0")
        told = json.loads(one.decode())
        method, told_of = told.get("method"), told.get("params", {})
        if method == "Runtime.consoleAPICalled":
            self.said.append(" ".join(str(argument.get("value")) for argument in told_of["args"]))
        elif method == "Runtime.exceptionThrown":
            self.said.append(json.dumps(told_of["exceptionDetails"])[:2000])
        elif method == "Log.entryAdded":
            self.said.append(told_of["entry"]["text"])
        elif method:
            self.happened.append((method, told_of))
        return told

    def ask(self, method, **parameters):
        self.number += 1
        asked = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            asked["sessionId"] = self.session
        os.write(self.to_it, json.dumps(asked).encode() + b"\0")
        until = time.monotonic() + LIMIT
        while True:
            told = self.message(until)
            if told.get("id") == self.number:
                if "error" in told:
                    raise Refused(told["error"])
                return told["result"]

    def size(self, width, height, phone=False):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)

    def do(self, script):
        """The value of an expression in the page, which may be a promise."""
        done = self.ask("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def wait(self, script):
        """Until an expression is true."""
        until = time.monotonic() + LIMIT
        while True:
            try:
                if self.do(script):
                    return
            except Refused:
                pass
            assert time.monotonic() < until, "not so: %s; it said %s" % (script, self.said)
            time.sleep(0.02)

    def open(self, file, view=""):
        """Opens a page of PInsight's, and waits until it shows its run."""
        self.ask("Page.navigate", url="about:blank")
        self.ask("Page.navigate", url=file.resolve().as_uri() + view)
        self.wait("location.protocol === 'file:' && document.documentElement && "
                  "Boolean(document.documentElement.dataset.ready || document.documentElement.dataset.failed)")

    def picture(self, file, whole=False):
        """Writes what is seen as PNG."""
        data = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole,
                        **({"clip": dict(self.ask("Page.getLayoutMetrics")["cssContentSize"], scale=1)} if whole else {}))["data"]
        file.write_bytes(base64.b64decode(data))

    def close(self):
        try:
            self.session = None
            self.ask("Browser.close")
            self.process.wait(20)
        except (AssertionError, Refused, subprocess.TimeoutExpired, OSError):
            self.process.kill()
            self.process.wait()
        finally:
            os.close(self.to_it)
            os.close(self.from_it)
