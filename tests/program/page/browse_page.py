#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Opens pages in a browser and reports their defects: browse_page.py FILE.html ... [--shots FOLDER].

Headless Chromium shows each page in the width of a phone and of a desktop, in light and dark mode, with
all details open. Checks that
- nothing is wider than the window
- all text has a contrast of at least 4.5 (WCAG 2.1)
- the page makes no request and logs nothing
- each internal link has a target, and each id is unique
- tables and pictures have descriptions.
Writes each view to FOLDER as a PNG. Exit status: 0, 1, or 77 if chromium is missing or does not start.
SIMTCHECK_CHROMIUM names another browser.
"""
import argparse
import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import sys
import tempfile

WIDTHS = {"phone": 360, "narrow": 320, "desk": 1280}
SCHEMES = ("light", "dark")
SECONDS = 60  # timeout of one answer
TALLEST = 16000  # maximum height of a picture in pixels

# Returns the defects of the displayed page, as an array of sentences.
LOOK = r"""
(() => {
  const wrong = [];
  const name = (element) => element.tagName.toLowerCase() +
    (element.id ? '#' + element.id : '') +
    (element.className && element.className.baseVal === undefined ? '.' + element.className : '') +
    ' "' + (element.textContent || '').trim().slice(0, 40) + '"';
  const say = (text) => { if (wrong.length < 20) wrong.push(text); };
  const root = document.documentElement;

  // Overflow: of the page, and of any text that does not scroll by itself.
  if (root.scrollWidth > root.clientWidth)
    say('the page is ' + root.scrollWidth + ' pixels wide, the window ' + root.clientWidth);
  const scrolls = (element) => {
    for (let e = element; e && e !== document.body; e = e.parentElement)
      if (['auto', 'scroll'].includes(getComputedStyle(e).overflowX)) return true;
    return false;
  };
  const hidden = (element) => element.closest('.hidden, .skip, [aria-hidden=true]');
  for (const element of document.body.querySelectorAll('*')) {
    const box = element.getBoundingClientRect();
    if (box.width > 0 && box.right > root.clientWidth + 1 && !hidden(element) && !scrolls(element))
      say(name(element) + ' ends at ' + Math.round(box.right) + ' of ' + root.clientWidth + ' pixels');
  }

  // Tables: one that fits does not scroll, and names of engines are upright where there is room.
  for (const region of document.querySelectorAll('.wide')) {
    const table = region.firstElementChild;
    if (table.getBoundingClientRect().width <= region.clientWidth &&
        (region.scrollWidth > region.clientWidth || region.scrollHeight > region.clientHeight))
      say(name(region) + ' fits and has a scrollbar');
  }
  for (const engine of document.querySelectorAll('.engine span')) {
    const matrix = engine.closest('.matrix');
    if (getComputedStyle(engine).writingMode !== 'horizontal-tb' && root.clientWidth > 1000 &&
        matrix.querySelectorAll('.engine').length <= 6)
      say(name(engine) + ' is not upright');
  }

  // Contrast.
  const parts = (colour) => (colour.match(/[\d.]+/g) || []).map(Number);
  const light = (colour) => {
    const [r, g, b] = colour.slice(0, 3).map((c) => c / 255)
      .map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = parts(getComputedStyle(e).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  let texts = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (walker.currentNode.data.trim() === '' || element.closest('title')) continue;
    const style = getComputedStyle(element);
    const inSvg = element.namespaceURI.endsWith('svg');
    const a = light(parts(inSvg ? style.fill : style.color)), b = light(ground(element));
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    texts++;
    if (contrast < 4.5) say(name(element) + ' has a contrast of ' + contrast.toFixed(2));
  }
  if (texts < 10) say('there are only ' + texts + ' texts');

  // Links and names.
  const ids = new Set();
  for (const element of document.querySelectorAll('[id]')) {
    if (ids.has(element.id)) say('the id ' + element.id + ' is there twice');
    ids.add(element.id);
  }
  for (const link of document.querySelectorAll('a')) {
    const target = link.getAttribute('href') || '';
    if (!target.startsWith('#')) say(name(link) + ' leads to ' + target);
    else if (!ids.has(target.slice(1))) say(name(link) + ' has no target ' + target);
    if (link.textContent.trim() === '') say('a link to ' + target + ' has no words');
  }
  for (const reference of document.querySelectorAll('[aria-labelledby]'))
    if (!ids.has(reference.getAttribute('aria-labelledby'))) say(name(reference) + ' has no label');
  for (const table of document.querySelectorAll('table')) {
    if (!table.querySelector('caption')) say(name(table) + ' has no caption');
    for (const cell of table.querySelectorAll('th'))
      if (!cell.scope) say(name(cell) + ' heads neither row nor column');
    for (const row of table.querySelectorAll('tbody tr'))
      if (!row.querySelector('th')) say(name(row) + ' has no head');
  }
  for (const picture of document.querySelectorAll('svg'))
    if (!picture.closest('[aria-hidden=true]') &&
        !(picture.getAttribute('role') === 'img' && picture.getAttribute('aria-label')))
      say('a picture has no words');
  for (const region of document.querySelectorAll('[role=region]'))
    if (!region.getAttribute('aria-label') || region.tabIndex !== 0)
      say(name(region) + ' cannot be named, or not be reached by keys');
  if (!document.documentElement.lang || !document.title || document.querySelectorAll('h1').length !== 1)
    say('the page lacks a language, a title or its one h1');
  if (document.querySelector('script, iframe, object, embed, link:not([href="data:,"]), img, base'))
    say('there is a script, or what would be fetched');
  for (const element of document.querySelectorAll('*'))
    for (const attribute of element.attributes)
      if (/^on/i.test(attribute.name)) say(name(element) + ' has ' + attribute.name);
  return wrong;
})()
"""


class Browser:
    """A Chromium process. Messages of the DevTools protocol pass through pipes and end with a zero byte."""

    def __init__(self, program, folder):
        to_read, self.output = os.pipe()
        self.input, to_write = os.pipe()
        command = [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
                   "--disable-background-networking", "--disable-component-update", "--disable-sync",
                   "--disable-dev-shm-usage", "--remote-debugging-pipe", f"--user-data-dir={folder}"]
        # The browser reads from descriptor 3 and writes to 4.
        shell = f'exec "$@" 3<&{to_read} 4>&{to_write} {to_read}<&- {to_write}>&-'
        if {to_read, to_write} & {3, 4}:
            shell = f'exec 8<&{to_read} 9>&{to_write}; exec 3<&8 4>&9; exec "$@" 8<&- 9>&-'
        self.process = subprocess.Popen(["bash", "-c", shell, "bash"] + command, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        pass_fds=(to_read, to_write), cwd=folder)
        os.close(to_read)
        os.close(to_write)
        self.number = 0
        self.rest = b""
        self.events = []
        self.session = None

    def message(self):
        while b"\0" not in self.rest:
            if not select.select([self.input], [], [], SECONDS)[0]:
                raise RuntimeError(f"the browser has been silent for {SECONDS} s")
            data = os.read(self.input, 1 << 20)
            if not data:
                raise RuntimeError("the browser has ended")
            self.rest += data
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session is not None:
            request["sessionId"] = self.session
        data = json.dumps(request).encode() + b"\0"
        while data:
            data = data[os.write(self.output, data):]
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def wait(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.message())

    def open(self):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["exception"]["description"])
        return result["result"].get("value")

    def close(self):
        if self.process.poll() is None:
            self.session = None
            try:
                self.call("Browser.close")
            except (RuntimeError, OSError):
                self.process.kill()
        self.process.wait(SECONDS)


def view(browser, url, width, scheme, shot):
    """Returns the defects of the page in this view."""
    browser.events.clear()
    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1,
                 mobile=width < 600)
    browser.call("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": scheme}])
    browser.call("Page.navigate", url=url)
    browser.wait("Page.loadEventFired")
    wrong = []
    if shot is not None:
        picture(browser, f"{shot}.png", width)
    browser.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    wrong += browser.evaluate(LOOK)
    if shot is not None:
        picture(browser, f"{shot}-open.png", width)
    for event in browser.events:
        method, what = event.get("method"), event.get("params", {})
        if method == "Network.requestWillBeSent" and what["request"]["url"] not in (url, "data:,"):
            wrong.append(f"it asks for {what['request']['url'][:200]}")
        elif method == "Log.entryAdded":
            wrong.append(f"the browser says: {what['entry']['text'][:200]}")
        elif method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Page.javascriptDialogOpening"):
            wrong.append(f"a script has run: {json.dumps(what)[:200]}")
    return wrong


def picture(browser, path, width):
    height = min(browser.evaluate("document.documentElement.scrollHeight"), TALLEST)
    data = browser.call("Page.captureScreenshot", captureBeyondViewport=True,
                        clip={"x": 0, "y": 0, "width": width, "height": height, "scale": 1})["data"]
    pathlib.Path(path).write_bytes(base64.b64decode(data))


def find_browser():
    named = os.environ.get("SIMTCHECK_CHROMIUM")
    if named is not None:
        return shutil.which(named)
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="+", metavar="FILE.html")
    parser.add_argument("--shots", metavar="FOLDER")
    arguments = parser.parse_args()
    program = find_browser()
    if program is None:
        print("no chromium is here: apt-get install chromium, or ci/page, which does")
        return 77
    failed = False
    with tempfile.TemporaryDirectory(prefix="simtcheck-page-", ignore_cleanup_errors=True) as folder:
        browser = Browser(program, folder)
        try:
            try:
                browser.open()
            except (RuntimeError, OSError) as error:
                print(f"{program} does not start here: {error}")
                return 77
            for file in arguments.files:
                for window, width in WIDTHS.items():
                    for scheme in SCHEMES:
                        shot = None
                        if arguments.shots is not None:
                            os.makedirs(arguments.shots, exist_ok=True)
                            shot = os.path.join(arguments.shots, f"{pathlib.Path(file).stem}-{window}-{scheme}")
                        wrong = view(browser, pathlib.Path(file).resolve().as_uri(), width, scheme, shot)
                        for sentence in wrong:
                            print(f"{file}, {window}, {scheme}: {sentence}")
                        failed = failed or bool(wrong)
                print(f"{file}: {len(WIDTHS) * len(SCHEMES)} views")
        finally:
            browser.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
