"""Chromium without a window, driven by the DevTools protocol over a pipe."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


class Browser:
    def __init__(self, program):
        to_read, self.to = os.pipe()
        self.of, to_write = os.pipe()
        self.folder = tempfile.mkdtemp()

        def ends():  # Chromium reads from 3 and writes to 4
            os.dup2(to_read, 20), os.dup2(to_write, 21)
            os.dup2(20, 3), os.dup2(21, 4)

        command = [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
                   "--no-first-run", "--hide-scrollbars", "--user-data-dir=" + self.folder, "about:blank"]
        self.process = subprocess.Popen(command, preexec_fn=ends, close_fds=False, stderr=subprocess.DEVNULL)
        os.close(to_read), os.close(to_write)
        self.rest, self.number, self.session, self.events = b"", 0, None, []
        targets = self("Target.getTargets")["targetInfos"]
        page = next(each["targetId"] for each in targets if each["type"] == "page")
        self.session = self("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        self("Page.enable"), self("Runtime.enable")

    def __call__(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        until = time.time() + 30
        while True:
            while b"\0" not in self.rest:
                if not select.select([self.of], [], [], max(0, until - time.time()))[0]:
                    raise TimeoutError(method)
                self.rest += os.read(self.of, 1 << 20)
            text, self.rest = self.rest.split(b"\0", 1)
            answer = json.loads(text)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(method + ": " + answer["error"]["message"])
                return answer["result"]
            self.events.append(answer)

    def value(self, script):
        result = self("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(str(result["exceptionDetails"]))
        return result["result"].get("value")

    def until(self, script, seconds=20):
        end = time.time() + seconds
        while not (found := self.value(script)):
            if time.time() > end:
                raise TimeoutError(script)
            time.sleep(0.01)
        return found

    def picture(self, path, width, height, dark=False):
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self("Emulation.setEmulatedMedia", features=scheme)
        self("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        time.sleep(0.1)
        with open(path, "wb") as file:
            file.write(base64.b64decode(self("Page.captureScreenshot", captureBeyondViewport=True)["data"]))

    def seconds(self):
        """The processors' time of Chromium so far."""
        ticks, family = 0, {self.process.pid}
        for name in sorted((each for each in os.listdir("/proc") if each.isdigit()), key=int):
            try:
                with open(f"/proc/{name}/stat") as file:
                    values = file.read().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(name) in family or int(values[1]) in family:
                family.add(int(name))
                ticks += int(values[11]) + int(values[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def errors(self):
        """What the page threw or logged as an error."""
        return [str(each["params"]) for each in self.events
                if each.get("method") == "Runtime.exceptionThrown"
                or each.get("method") == "Runtime.consoleAPICalled" and each["params"]["type"] == "error"]

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.to), os.close(self.of)
        shutil.rmtree(self.folder, ignore_errors=True)
