"""`eval --plot`: the bars and curves have the figures of the report, and only kinds with a plot accept the option."""
import json
import os
import re
import tempfile

from case import contents, expect, expect_true, thresher

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGES = os.path.join(HERE, 'golden', 'two_pages.warc')
CORPUS = os.path.join(HERE, 'data', 'eval', 'segmentation')


def near(seen, wanted):
    return len(seen) == len(wanted) and all(abs(a - b) <= .011 for a, b in zip(seen, wanted))


def check_density(plot):
    done = thresher('eval', 'density', '--json', '--plot', plot, PAGES)
    expect('density: exit code', done.returncode, 0)
    tokens = json.loads(done.stdout)['tokens_by_density']
    bars = [tuple(map(float, bar)) for bar in re.findall(r'<rect class="c0 b" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"', contents(plot).decode())]
    bars.pop()  # of the legend
    used = [(density, count) for density, count in enumerate(tokens) if count]
    unit = bars[0][2] / .8
    expect_true('a bar is at its density', near([bar[0] for bar in bars], [bars[0][0] + unit * (density - used[0][0]) for density, _ in used]), bars)
    expect_true('its height is its share', near([bar[3] / bars[-1][3] for bar in bars], [count / used[-1][1] for _, count in used]), bars)
    expect_true('it ends at zero', near([bar[1] + bar[3] for bar in bars], [bars[0][1] + bars[0][3]] * len(bars)), bars)


def curves(svg):
    """The curves of the first chart: pairs of a parameter and a figure, both from 0 to 1. Solid, then dashed."""
    found = {}
    for style, points in re.findall(r'<polyline class="c\d+( d)?" style="fill:none" points="([^"]*)"', svg.split('</g>')[0]):
        pairs = [tuple(map(float, pair.split(','))) for pair in points.split()]
        found.setdefault(style, []).append([((x - 56) / 420, (270 - y) / 236) for x, y in pairs])
    return found


def check_segmentation(plot):
    done = thresher('eval', 'segmentation', '--segmenters', 'bf-plain,bf-rulebased', '--plot', plot, CORPUS)
    expect('segmentation: exit code', done.returncode, 0)
    best = {line.split()[0]: [float(figure) for figure in line.split()[3:]] for line in done.stdout.decode().splitlines() if ' theta_max ' in line and 'best' not in line}
    expect('the report has the best parameter of each', sorted(best), ['bf-plain', 'bf-rulebased'])
    found = curves(contents(plot).decode())
    expect('a curve for each method and measure', [len(found.get(style, [])) for style in ('', ' d')], [2, 2])
    for curve, name in zip(found[''], sorted(best)):
        expect_true('%s: each parameter' % name, near([x for x, _ in curve], [i / 20 for i in range(21)]), curve)
        top = max(curve, key=lambda point: round(point[1], 3))
        expect_true('%s: its best is the report\'s' % name, near(top, best[name][:2]), (top, best[name]))
    expect_true('the other measure differs', found[''] != found[' d'])


with tempfile.TemporaryDirectory() as folder:
    plot, empty = os.path.join(folder, 'plot.svg'), os.path.join(folder, 'empty')
    os.mkdir(empty)
    check_density(plot)
    check_segmentation(plot)
    for args, code, words in ((['extraction', '--plot', plot, CORPUS], 2, b'eval extraction has no plots'),
                              (['duplicates', '--plot', plot, PAGES], 2, b'eval duplicates has no plots'),
                              (['density', '--plot', PAGES, PAGES], 2, b'is also an input'),
                              (['density', '--plot', os.path.join(folder, 'none', 'x.svg'), PAGES], 74, b'x.svg'),
                              (['density', empty], 74, b'no archive found')):
        done = thresher('eval', *args)
        expect('%s: exit code' % args, done.returncode, code)
        expect_true('in words', words in done.stderr, done.stderr)
