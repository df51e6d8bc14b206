"""`eval --plot`: the bars and curves have the figures of the report, and only kinds with a plot accept the option."""
import json
import math
import os
import re
import tempfile

import archive
from case import contents, expect, expect_true, thresher

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NEWS = os.path.join(os.path.dirname(HERE), 'samples', 'news.warc.gz')
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


def beta(x, a, b):
    return math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)) * x ** (a - 1) * (1 - x) ** (b - 1)


def mixture_at(m, density):
    """The whole fit and its parts, as docs/methods.md has them: template text, full text, between."""
    x = density / m['x_norm']
    parts = (m['c'] * (1 - m['d']) * beta(x, m['a2'], m['b2']), m['c'] * m['d'] * beta(x, m['a1'], m['b1']),
             (1 - m['c']) / math.sqrt(2 * math.pi * m['sigma2']) * math.exp(-(m['e'] * x - m['mu']) ** 2 / (2 * m['sigma2'])))
    return (sum(parts), *parts)


def check_mixture(plot):
    """The table, the line with the fit and the curves have the figures of the JSON report."""
    report = json.loads(thresher('eval', 'density', '--json', '--plot', plot, NEWS).stdout)
    m, tokens = report['mixture'], report['tokens_by_density']
    expect('the last density with enough tokens is the end of the fit', (m['x_norm'], m['f']), (len(tokens) - 1, 0))
    shares = [count / report['tokens'] for count in tokens]
    fit = [mixture_at(m, density)[0] for density in range(len(tokens))]
    rmse = math.sqrt(sum((a - b) ** 2 for a, b in zip(shares, fit)) / len(fit))
    mean = [sum(values) / len(fit) for values in (shares, fit)]
    r2 = sum((a - mean[0]) * (b - mean[1]) for a, b in zip(shares, fit)) ** 2 / (sum((a - mean[0]) ** 2 for a in shares) * sum((b - mean[1]) ** 2 for b in fit))
    expect_true('the fit is that of its parameters', abs(rmse - m['rmse']) < 2e-6 and abs(r2 - m['r2']) < 2e-5 and r2 > .9, (rmse, r2, m))
    done = thresher('eval', 'density', NEWS)
    rows = [line.split() for line in done.stdout.decode().splitlines() if re.match(r' *\d+ +\d+ +0\.', line)]
    expect('a row for each density', [(row[0], row[1], row[2]) for row in rows], [(str(i), str(n), '%.4f' % share) for i, (n, share) in enumerate(zip(tokens, shares))])
    expect_true('with the fit', all(abs(float(row[3]) - value) < 6e-5 for row, value in zip(rows, fit)), (rows, fit))
    modes = [(m[a] - 1) / (m[a] + m[b] - 2) * m['x_norm'] for a, b in (('a2', 'b2'), ('a1', 'b1'))]
    expect_true('and a line with its parameters', 'fit: R2 %.4f, RMSE %.4f; modes at density %.1f and %.1f\n     a1 %.4g, b1 %.4g; a2 %.4g, b2 %.4g; c %.4g, d %.4g; '
                'e %.4g, f 0, mu %.4g, sigma2 %.4g; x_norm %d\n' % (m['r2'], m['rmse'], *modes, *(m[key] for key in ('a1', 'b1', 'a2', 'b2', 'c', 'd', 'e', 'mu', 'sigma2')),
                                                                   m['x_norm']) in done.stdout.decode(), (done.stdout, m))
    svg = contents(plot).decode()
    wanted = [[mixture_at(m, i / 8)[part] for i in range(8 * int(m['x_norm']) + 1)] for part in range(4)]
    top = max(*shares, *wanted[0]) * 1.05
    for part, name in enumerate(('fit', 'template text', 'full text', 'between')):
        points = re.findall(r'<polyline class="c%d%s" style="fill:none" points="([^"]*)"' % (part + 1, '' if part == 0 else ' d'), svg)
        expect('a curve of the %s' % name, len(points), 1)
        seen = [tuple(map(float, pair.split(','))) for pair in points[0].split()]
        expect_true('at each eighth', near([x for x, _ in seen], [56 + 420 * (i / 8 + .5) / (m['x_norm'] + 1) for i in range(len(wanted[part]))]), seen)
        expect_true('has its height', near([y for _, y in seen], [270 - 236 * y / top for y in wanted[part]]), [(a, 270 - 236 * y / top) for a, y in zip(seen, wanted[part])])
        expect_true('and its name', re.search(r'>%s<' % name, svg))
    bar = re.findall(r'<rect class="c0 b" x="[\d.]+" y="[\d.]+" width="[\d.]+" height="([\d.]+)"', svg)
    expect_true('the bars have the same scale', near([max(map(float, bar[:-1]))], [236 * max(shares) / top]), bar)


def check_texts(folder):
    """Texts of templates: a long one ends between two characters, and a table has no control characters."""
    page = os.path.join(folder, 'texts.warc')
    archive.write(page, [archive.response('<html><body><p>One | two \u202e three<p>%s</body></html>' % ('x' + '\u00fc' * 60), 'http://a.example/')])
    texts = [found['text'] for found in json.loads(thresher('eval', 'density', '--json', page).stdout)['templates']]
    expect('texts of templates', sorted(texts), sorted(['One | two \u202e three', 'x' + '\u00fc' * 35]))
    lines = [line.split(maxsplit=3)[3] for line in thresher('eval', 'density', page).stdout.decode().splitlines() if re.match('[0-9a-f]{16} ', line)]
    expect('and in a table', sorted(lines), sorted(['One . two . three', 'x' + '\u00fc' * 35]))


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
    check_mixture(plot)
    check_texts(folder)
    check_segmentation(plot)
    for args, code, words in ((['extraction', '--plot', plot, CORPUS], 2, b'eval extraction has no plots'),
                              (['duplicates', '--plot', plot, PAGES], 2, b'eval duplicates has no plots'),
                              (['density', '--plot', PAGES, PAGES], 2, b'is also an input'),
                              (['density', '--plot', os.path.join(folder, 'none', 'x.svg'), PAGES], 74, b'x.svg'),
                              (['density', empty], 74, b'no archive found')):
        done = thresher('eval', *args)
        expect('%s: exit code' % args, done.returncode, code)
        expect_true('in words', words in done.stderr, done.stderr)
