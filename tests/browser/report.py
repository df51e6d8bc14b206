#!/usr/bin/env python3
"""The report of `thresher inspect --html` in a real browser.

usage: report.py PROGRAM          every case; exits with 77 without Chromium
       report.py PROGRAM pictures FOLDER PAGE.html...   screenshots of reports, wide and narrow, light and dark, to look at
"""
import json
import os
import subprocess
import sys
import tempfile
import time

import browser
import pages

PROGRAM = sys.argv[1] if len(sys.argv) > 1 else ''


def expect(claim, seen, wanted):
    if seen != wanted:
        print('FAILED: %s\n  seen   %.2000r\n  wanted %.2000r' % (claim, seen, wanted))
        sys.exit(1)
    print('ok: %s' % claim)


def expect_true(claim, holds, detail=''):
    expect('%s %s' % (claim, detail) if not holds else claim, bool(holds), True)


def report_of(folder, name, html, *options):
    source, report = (os.path.join(folder, name + suffix) for suffix in ('.html', '.report.html'))
    with open(source, 'w', encoding='utf-8') as f:
        f.write(html)
    subprocess.run([PROGRAM, 'inspect', '-q', '--url', 'http://light.example/keeper', '--classifier', 'num-words', '--html', report, *options, source], check=True, timeout=120)
    return report


def is_quiet(page, report):
    """Checks that only the file was fetched, without errors and dialogs."""
    expect('no console message', page.errors, [])
    expect('no dialog', page.dialogs, [])
    expect('one request: the file', [os.path.basename(url) for url in page.requests], [os.path.basename(report)])


def labels(page):
    return page.run('[...document.querySelectorAll(".block")].map(b => b.classList.contains("content") ? "c" : "b").join("")')


def starts(page):
    return page.run('[...document.querySelectorAll(".block.starts .number")].map(n => n.textContent).join(" ")')


def colours(page, x=0, y=0, width=4000, height=4000):
    """Colours in a part of the chart, read from a copy."""
    return page.run('''(() => { const copy = document.createElement("canvas"), chart = document.getElementById("chart-base");
        copy.width = chart.width; copy.height = chart.height; const pen = copy.getContext("2d", {willReadFrequently: true});
        pen.drawImage(chart, 0, 0);
        const d = new Uint32Array(pen.getImageData(%d, %d, Math.min(%d, copy.width), Math.min(%d, copy.height)).data.buffer);
        return [...new Set(d)]; })()''' % (x, y, width, height))


def plain(web, folder):
    report = report_of(folder, 'plain', pages.PLAIN, '--compare')
    said = json.loads(subprocess.run([PROGRAM, 'inspect', '--classifier', 'num-words', '--json', '--compare', os.path.join(folder, 'plain.html')],
                                     capture_output=True, check=True).stdout)['inspection']
    page = web.open(report)
    expect('title', page.run('document.getElementById("title").textContent'), 'The keeper of the light')
    expect('texts', page.run('[...document.querySelectorAll(".said")].map(s => s.textContent)'), [block['text'] for block in said['blocks']])
    chosen = said['readings'][said['chosen']]
    expect('labels', labels(page), chosen['labels'])

    page.click('#block-4 .said')
    row = page.run('document.getElementById("row").textContent')
    expect_true('a click shows the row', 'Block 4' in row and 'When the storm' not in row, row)
    expect('why', page.run('document.querySelector("#row .why").textContent'), 'num-words: ' + said['blocks'][4]['why'])
    expect('its path', page.run('document.querySelector("#row .path").textContent'), said['blocks'][4]['path'])
    expect('its link', page.run('[...document.querySelectorAll("#row a")].map(a => a.href)'), ['https://pier.example/'])
    expect('selected', page.run('document.querySelector("[aria-selected=true]").id'), 'block-4')
    page.run('document.getElementById("blocks").focus()')
    page.key('ArrowDown')
    expect('arrow down', page.run('document.querySelector("[aria-selected=true]").id'), 'block-5')
    page.key('PageUp')
    expect_true('page up goes to where a segment starts', page.run('document.querySelector("[aria-selected=true]").classList.contains("starts")'))
    page.key('End')
    expect('end', page.run('document.querySelector("[aria-selected=true]").id'), 'block-%d' % (len(said['blocks']) - 1))

    methods(page, said)
    chart(page)
    theme(page)
    for fold in ('segments', 'links', 'record'):
        page.click('#%s-fold > summary' % fold)
    expect('links by label', page.run('[...document.querySelectorAll("#links h3")].map(h => h.textContent)'), ['In content: 1', 'In boilerplate: 3'])
    expect_true('the signature is shown', 'modern' in page.run('document.getElementById("record").textContent'))
    expect('no wider than the window', [web.open(report, width).run('document.documentElement.scrollWidth') for width in (400, 1600)], [400, 1600])
    is_quiet(page, report)


def methods(page, said):
    """Every pair of methods, as --json has it."""
    for reading in said['readings']:
        segmenter, classifier = reading['segmenter'], reading['classifier']
        page.run('''for (const [id, value] of [["segmenter", %d], ["classifier", %d]]) {
            document.getElementById(id).value = String(value); document.getElementById(id).dispatchEvent(new Event("change")); }''' % (segmenter, classifier))
        segment_of = said['segmenters'][segmenter]['segment_of']
        borders = [str(s) for i, s in enumerate(segment_of) if i == 0 or s != segment_of[i - 1]]
        if (labels(page), starts(page)) != (reading['labels'], ' '.join(borders)):
            expect('reading %s' % reading, (labels(page), starts(page)), (reading['labels'], ' '.join(borders)))
        block = int(page.run('document.querySelector("[aria-selected=true]").dataset.block'))
        expect('why', page.run('document.querySelector("#row .why").textContent'),
               '%s: %s' % (said['classifiers'][classifier]['name'], said['whys'][reading['why'][block]]))
    expect_true('readings differ', len({reading['labels'] for reading in said['readings']}) > 2)
    print('ok: %d readings shown as --json has them' % len(said['readings']))
    chosen = said['readings'][said['chosen']]
    page.run('''for (const [id, value] of [["segmenter", %d], ["classifier", %d]]) {
        document.getElementById(id).value = String(value); document.getElementById(id).dispatchEvent(new Event("change")); }''' % (chosen['segmenter'], chosen['classifier']))


def chart(page):
    """A click on the chart selects the block of the bar. Hovering shows it and keeps the selection."""
    page.run('document.getElementById("chart").scrollIntoView({block: "center"})')
    left, top, width = page.run('(() => { const r = document.getElementById("chart-over").getBoundingClientRect(); return [r.left, r.top, r.width]; })()')
    expect_true('bars are drawn', len(colours(page)) > 8)
    page.ask('Input.dispatchMouseEvent', type='mouseMoved', x=left + width - 20, y=top + 150)
    page.settle()
    expect_true('hover shows the last block', 'Block 7' in page.run('document.querySelector("#row h2").textContent'))
    page.click_at(left + 40, top + 150)
    expect('a press selects the first', page.run('document.querySelector("[aria-selected=true]").id'), 'block-0')
    page.click('#zoom-in')
    page.click('#zoom-in')
    expect_true('zoom widens the chart', page.run('document.getElementById("chart-space").clientWidth > document.getElementById("chart-scroll").clientWidth'))
    page.click('#zoom-fit')


def theme(page):
    ground = 'getComputedStyle(document.body).backgroundColor'
    light, light_chart = page.run(ground), colours(page, 300, 170, 1, 1)
    page.click('[data-theme-to=dark]')
    dark = page.run(ground)
    expect_true('the switch darkens the page', dark != light, dark)
    expect_true('and the chart', colours(page, 300, 170, 1, 1) != light_chart)
    page.click('[data-theme-to=light]')
    page.shape(1200, 900, True)
    expect('light stays light in a dark system', page.run(ground), light)
    page.click('[data-theme-to=auto]')
    expect('auto follows the system', page.run(ground), dark)
    page.shape(1200, 900, False)


def hostile(web, folder):
    report = report_of(folder, 'hostile', pages.HOSTILE, '--compare')
    with open(report, encoding='utf-8', newline='') as f:
        text = f.read()
    expect('two script elements end', text.count('</script'), 2)
    expect_true('no line separator', '\u2028' not in text and '\u2029' not in text)
    page = web.open(report)
    for i in range(page.run('document.querySelectorAll(".block").length')):
        page.run('document.getElementById("block-%d").click()' % i)
        page.run('document.getElementById("block-%d").dispatchEvent(new MouseEvent("mouseover", {bubbles: true}))' % i)
    for fold in ('segments', 'links', 'record'):
        page.click('#%s-fold > summary' % fold)
    expect_true("links are listed, those of no web address as text", page.run('document.querySelectorAll("#links li").length > document.querySelectorAll("#links a").length'))
    expect('only the web is linked', page.run('[...document.querySelectorAll("a, area")].filter(a => !/^https?:$/.test(a.protocol)).length'), 0)
    expect('no element of the page', page.run('document.querySelectorAll("img, iframe, object, embed, svg, form, base, frame").length'), 0)
    expect('no handler', page.run('[...document.querySelectorAll("*")].filter(e => [...e.attributes].some(a => a.name.startsWith("on"))).length'), 0)
    expect('nothing ran', page.run('[typeof window.ran, document.title === "RAN"]'), ['undefined', False])
    expect_true('the text is all there', page.run('document.getElementById("blocks").textContent.includes("</script><script>")'))
    page.run('setTimeout("window.ranLate = 1", 0)')
    page.run('document.body.insertAdjacentHTML("beforeend", "<p onclick=window.ranLate=2 id=late>x</p>")')
    page.run('document.getElementById("late").click()')
    page.settle()
    expect('the policy also refuses scripts that are added later', page.run('typeof window.ranLate'), 'undefined')
    page.errors = [error for error in page.errors if 'Content Security Policy' not in error]
    is_quiet(page, report)


def long(web, folder):
    report = report_of(folder, 'long', pages.long(10000), '--compare')
    started = time.monotonic()
    page = web.open(report)
    loaded = time.monotonic() - started
    expect('blocks', page.run('document.querySelectorAll(".block").length'), 10000)
    switched = page.run('''(async () => { const s = document.getElementById("segmenter"); const t = performance.now();
        s.value = "1"; s.dispatchEvent(new Event("change")); document.body.offsetHeight;
        await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))); return performance.now() - t; })()''')
    print('10,000 blocks, 56 readings: %.1f MB, open in %.2f s, another segmenter in %.0f ms' % (os.path.getsize(report) / 1e6, loaded, switched))
    is_quiet(page, report)


def pictures(folder, reports):
    with browser.Browser() as web:
        for report in reports:
            for width, height in ((1600, 1000), (400, 860)):
                for dark in (False, True):
                    name = '%s-%s-%s.png' % (os.path.basename(report).removesuffix('.html'), 'wide' if width > 800 else 'narrow', 'dark' if dark else 'light')
                    web.open(report, width, height, dark).screenshot(os.path.join(folder, name))
                    print(os.path.join(folder, name))


def main():
    if not browser.path():
        print('skipped: no Chromium found (Debian: apt install chromium); CHROMIUM names another one')
        return 77
    if sys.argv[2:3] == ['pictures']:
        pictures(sys.argv[3], sys.argv[4:])
        return 0
    with tempfile.TemporaryDirectory() as folder, browser.Browser() as web:
        if not web.starts():
            print('skipped: %s does not start on this machine' % browser.path())
            return 77
        for case in (plain, hostile, long):
            print('== ' + case.__name__)
            case(web, folder)
    return 0


if __name__ == '__main__':
    if not PROGRAM:
        sys.exit(__doc__)
    sys.exit(main())
