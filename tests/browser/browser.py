"""A headless Chromium, controlled by the DevTools protocol over a pipe, without packages, ports and network.

with Browser() as browser:
    page = browser.open('/tmp/report.html', width=1200, height=900, dark=False)
    page.run('document.title')
Every console message, exception, dialog and request of a page is kept: page.errors, page.dialogs, page.requests.
"""
import base64
import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse

NAMES = ('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable')
SECONDS = 30


def path():
    """Where Chromium is, or None."""
    return os.environ.get('CHROMIUM') or next((found for found in map(shutil.which, NAMES) if found), None)


def high(descriptor):
    """The same descriptor by another number than the 3 and 4 at which Chromium looks for it."""
    copy = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 20)
    os.close(descriptor)
    return copy


class Browser:
    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix='browser.')
        commands, self.to_browser = map(high, os.pipe())
        self.from_browser, answers = map(high, os.pipe())
        args = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--disable-extensions',
                '--disable-background-networking', '--disable-component-update', '--disable-sync', '--hide-scrollbars',
                '--force-color-profile=srgb', '--user-data-dir=' + self.folder, '--remote-debugging-pipe', 'about:blank']
        start = 'import os, sys; os.dup2(%d, 3); os.dup2(%d, 4); os.execv(sys.argv[1], sys.argv[1:])' % (commands, answers)
        self.process = subprocess.Popen([sys.executable, '-c', start, path(), *args], pass_fds=(commands, answers),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(commands)
        os.close(answers)
        self.unread = b''
        self.number = 0
        self.pages = {}
        return self

    def __exit__(self, *_):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self.to_browser)
        os.close(self.from_browser)
        shutil.rmtree(self.folder, ignore_errors=True)

    def starts(self):
        """Whether the browser started. With the package installed, a kernel or a container can still prevent it."""
        try:
            return bool(self.ask('Browser.getVersion'))
        except (TimeoutError, BrokenPipeError):
            return False

    def receive(self, until):
        """The next message."""
        while b'\0' not in self.unread:
            ready, _, _ = select.select([self.from_browser], [], [], max(0, until - time.monotonic()))
            data = os.read(self.from_browser, 1 << 20) if ready else b''
            if not data:
                raise TimeoutError('Chromium ' + ('ended' if ready else 'does not answer'))
            self.unread += data
        message, self.unread = self.unread.split(b'\0', 1)
        return json.loads(message)

    def send(self, method, session=None, **parameters):
        self.number += 1
        message = {'id': self.number, 'method': method, 'params': parameters}
        if session:
            message['sessionId'] = session
        data = json.dumps(message).encode() + b'\0'
        while data:
            data = data[os.write(self.to_browser, data):]
        return self.number

    def ask(self, method, session=None, **parameters):
        number = self.send(method, session, **parameters)
        until = time.monotonic() + SECONDS
        while True:
            message = self.receive(until)
            if message.get('id') == number:
                if 'error' in message:
                    raise RuntimeError('%s: %s' % (method, message['error']))
                return message['result']
            self.note(message)

    def note(self, message):
        page = self.pages.get(message.get('sessionId'))
        if page:
            page.note(message.get('method'), message.get('params', {}))

    def open(self, file, width=1200, height=900, dark=False, scripts=True):
        """A page from a file. Without scripts, of the page's own, nothing from the network is loaded either."""
        page = Page(self, self.ask('Target.createTarget', url='about:blank')['targetId'])
        page.shape(width, height, dark)
        if not scripts:
            page.still()
        page.go('file://' + urllib.parse.quote(os.path.abspath(file)))
        return page


class Page:
    def __init__(self, browser, target):
        self.browser = browser
        self.target, self.has_scripts = target, True
        self.session = browser.ask('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        self.errors, self.dialogs, self.requests, self.is_loaded = [], [], [], False
        browser.pages[self.session] = self
        for domain in ('Page', 'Runtime', 'Log', 'Network'):
            self.ask(domain + '.enable')

    def ask(self, method, **parameters):
        return self.browser.ask(method, self.session, **parameters)

    def note(self, method, parameters):
        if method == 'Page.loadEventFired':
            self.is_loaded = True
        elif method == 'Runtime.exceptionThrown':
            self.errors.append(str(parameters['exceptionDetails'].get('exception', {}).get('description') or parameters))
        elif method == 'Runtime.consoleAPICalled' and parameters['type'] in ('error', 'warning', 'assert'):
            self.errors.append(str(parameters['args']))
        elif method == 'Log.entryAdded' and parameters['entry']['level'] in ('error', 'warning'):
            self.errors.append(parameters['entry']['text'])
        elif method == 'Network.requestWillBeSent':
            self.requests.append(parameters['request']['url'])
        elif method == 'Page.javascriptDialogOpening':
            self.dialogs.append(parameters['message'])
            self.browser.send('Page.handleJavaScriptDialog', self.session, accept=True)

    def shape(self, width, height, dark):
        self.ask('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.ask('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': 'dark' if dark else 'light'}])

    def go(self, url):
        self.is_loaded = False
        self.ask('Page.navigate', url=url)
        until = time.monotonic() + SECONDS
        while not self.is_loaded:
            self.browser.note(self.browser.receive(until))
        self.settle()

    def still(self):
        self.has_scripts = False
        self.ask('Emulation.setScriptExecutionDisabled', value=True)
        self.ask('Network.setBlockedURLs', urls=['http://*', 'https://*', 'ws://*', 'wss://*'])

    def close(self):
        self.browser.ask('Target.closeTarget', targetId=self.target)
        del self.browser.pages[self.session]

    def settle(self):
        """Waits for two frames, until the change is drawn."""
        if not self.has_scripts:
            return
        self.run('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))')

    def run(self, expression):
        """Returns the value of a JavaScript expression."""
        found = self.ask('Runtime.evaluate', expression=expression, returnByValue=True, awaitPromise=True)
        if 'exceptionDetails' in found:
            raise RuntimeError('%s: %s' % (expression, found['exceptionDetails']))
        return found['result'].get('value')

    def click(self, selector):
        """A press of the mouse in the middle of an element, as the browser delivers it."""
        place = self.run('(() => { const e = document.querySelector(%s); e.scrollIntoView({block: "center"}); '
                         'const r = e.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; })()' % json.dumps(selector))
        self.click_at(*place)

    def click_at(self, x, y):
        for kind in ('mouseMoved', 'mousePressed', 'mouseReleased'):
            self.ask('Input.dispatchMouseEvent', type=kind, x=x, y=y, button='left' if kind != 'mouseMoved' else 'none', clickCount=1)
        self.settle()

    def key(self, key):
        for kind in ('keyDown', 'keyUp'):
            self.ask('Input.dispatchKeyEvent', type=kind, key=key, code=key)
        self.settle()

    def screenshot(self, file, whole=False):
        self.settle()
        picture = self.ask('Page.captureScreenshot', format='png', captureBeyondViewport=whole)
        with open(file, 'wb') as f:
            f.write(base64.b64decode(picture['data']))
