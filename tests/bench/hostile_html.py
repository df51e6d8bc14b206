"""Measures the cost of hostile HTML, and that it grows at most linearly with its length [docs/reliability.md#hostile-html].

usage: hostile_html.py PROGRAM [--rounds N] [--mib M] [CASE...]
    --rounds N      the best of N counts (default 5)
    --mib M         size of the smallest of the three pages (default 4); the others have twice and four times that

Each case is a page made of one unit, n, 2n and 4n times, between two sentences. Measured is the CPU time of `thresher run -j1` on
an archive that holds it, less that on an archive with an empty page. Exit 1 unless, for every case,
  * a page of 4n takes at most 100 ms per MiB;
  * 2n takes less than 2.6 times n, and 4n less than 2.6 times 2n (a time under 5 ms counts as 5: there the clock and the start of
    the process decide). A machine that hiccups is no quadratic parser: what fails is measured again, twice at most;
  * the sentence after the units is in the text if the standard keeps it.
  It also measures the time for four single pages. Use a Release build. It takes about five minutes.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'run'))
import archive  # noqa: E402

MIB = 1 << 20
MS_PER_MIB, RATIO, MEASURABLE_MS = 100, 2.6, 5
BEFORE = 'The lighthouse keeper counted the ships.'
AFTER = 'Every one of them had come home.'
LIMITS = ['--max-body', '512M', '--max-record', '512M', '--page-ms', '0']


def unit(text):
    """The same over and over."""
    return lambda length: text * max(1, length // len(text))


def numbered(before, after):
    """With a number in each."""
    def make(length):
        count = max(1, length // (len(before) + len(after) + 6))
        return ''.join('%s%d%s' % (before, i, after) for i in range(count))
    return make


def around(start, middle, end=''):
    return lambda length: start + middle(length) + end


def halves(first, second):
    """Half of the length one thing, then the other."""
    return lambda length: first(length // 2) + second(length // 2)


# name: (number in the spec, maker, whether the sentence after it is kept)
CASES = {
    'depth': (37, unit('<div>'), True),
    'depth_closed': (37, halves(unit('<div>'), unit('</div>')), True),
    'depth_of_inline_elements': (37, unit('<span>'), True),
    'depth_of_unknown_elements': (37, unit('<x-a>'), True),
    'depth_then_stray_end_tags': (37, halves(unit('<div>'), unit('</i>')), True),
    'depth_then_paragraphs': (37, halves(unit('<span>'), unit('<p>x')), True),
    'depth_of_buttons': (37, unit('<button>x'), True),
    'attribute_flood': (38, around('<div ', numbered(' a', '=1'), '>'), True),
    'attribute_flood_bare': (38, around('<div ', numbered(' a', ''), '>'), True),
    'attribute_flood_same_name': (38, around('<div ', unit(' a=1'), '>'), True),
    'attribute_flood_unclosed': (38, around('<div ', numbered(' a', '=1')), True),
    'attribute_flood_quoted': (38, around('<div ', numbered(' a', "='>'"), '>'), True),
    'attribute_value': (38, around('<div title="', unit('x &amp; '), '">'), True),
    'attribute_name': (38, around('<div ', unit('x'), '>'), True),
    'attributes_of_an_end_tag': (38, around('</div ', numbered(' a', '=1'), '>'), True),
    'tag_name': (38, around('<', unit('x'), '>'), True),
    'body_tags': (39, numbered('<body a', '=1>'), True),
    'html_tags': (39, numbered('<html a', '=1>'), True),
    'names_that_occur_once': (39, numbered('<x', '></x>'), True),
    'distinct_ids': (40, numbered('<i id=', '></i>'), True),
    'paragraphs': (41, unit('<p>x'), True),
    'text': (42, unit('word and '), True),
    'word': (42, unit('x'), True),
    'text_not_ascii': (42, unit('Wörter und '), True),
    'formatting': (43, numbered('<b><i><font color=', '>'), True),
    'formatting_then_paragraphs': (43, halves(numbered('<font color=', '>'), unit('<p>x')), True),
    'formatting_misnested': (43, unit('<a><b><p></a></b>'), True),
    'formatting_closed_outside': (43, unit('<b><p></b>'), True),
    'formatting_ended_around_spans': (43, unit('<i>' + '<span>' * 16000 + '<div></i></div>'), True),
    'formatting_ended_before_spans': (43, unit('<i>' + '<span>' * 8000 + '<div>' + '<span>' * 8000 + '</i></div>'), True),
    'forms_ended': (43, around('<q><div>' + '<form><span></form>' * 8000, unit('</q>')), True),
    'forms_ended_then_list_items': (43, around('<form><span></form>' * 8000, unit('<li>x')), True),
    'nobr': (43, unit('<nobr>x'), True),
    'tables_in_tables': (44, unit('<table>x'), True),
    'tables_in_cells': (44, unit('<table><tr><td>'), True),
    'foster_parents': (44, around('<table>', unit('x<tr>y')), True),
    'lists': (44, unit('<ul><li>'), True),
    'list_items': (44, unit('<li>x'), True),
    'list_items_in_spans': (44, unit('<li><span>x'), True),
    'definition_lists': (45, unit('<dl><dd>'), True),
    'colspans': (46, around('<table>', unit('<tr><td colspan=9007199254740991>x'), '</table>'), True),
    'short_blocks': (47, unit('<p>a</p>'), True),
    'links': (47, unit('<a href=/x>y</a> '), True),
    'links_unclosed': (47, unit('<a href=/x>y'), True),
    'quote_unclosed': (49, around('<a href="', unit('x y ')), False),
    'svg_paths': (50, around('<svg>', unit('<path d="M0"/>'), '</svg>'), True),
    'svg_unclosed': (50, unit('<svg>'), None),
    'math': (50, unit('<math><mi>x'), True),
    'comment_unclosed': (51, around('<!--', unit('-- -')), False),
    'comments': (51, unit('<!---->'), True),
    'comment_ends': (51, around('<!--', unit('<!--'), '-->'), True),
    'script_unclosed': (51, around('<script>', unit('</scrip ')), False),
    'script_escaped': (51, around('<script><!--', unit('<script></script>'), '--></script>'), True),
    'scripts': (51, unit('<script>x</script>'), True),
    'style_unclosed': (51, around('<style>', unit('p{}<')), False),
    'title_unclosed': (51, around('<title>', unit('</titl &amp;')), True),
    'titles': (51, unit('<title>x</title>'), True),
    'textarea_unclosed': (51, around('<textarea>', unit('<b>&lt;')), False),
    'plaintext': (51, around('<plaintext>', unit('</p>x ')), True),
    'templates': (51, unit('<template>'), False),
    'selects': (51, unit('<select><option>x'), None),
    'noscript': (51, unit('<noscript>x'), None),
    'data_uri': (51, around('<img src="data:image/png;base64,', unit('iVBORw0K'), '">'), True),
    'end_tags_p': (51, unit('</p>'), True),
    'end_tags_other': (51, unit('</div></b></table>'), True),
    'end_tags_br': (51, unit('</br>x'), True),
    'less_than': (51, unit('<'), True),
    'less_than_slash': (51, around('', unit('</'), '>'), True),
    'bogus_comments': (51, unit('<!x><?y></ z>'), True),
    'doctypes': (51, unit('<!DOCTYPE html>'), True),
    'doctype_unclosed': (51, around('<!DOCTYPE html PUBLIC "', unit('x')), True),
    'cdata': (51, unit('<![CDATA[x]]>'), True),
    'references': (51, unit('&amp;&lt;&nosuch;&'), True),
    'references_of_one_name': (51, around('', unit('&notit')), True),
    'ampersand_name': (51, around('&', unit('a')), True),
    'numeric_reference': (51, around('&#', unit('1'), ';'), True),
    'ampersands': (51, unit('&'), True),
    'nuls': (34, unit('x\0'), True),
    'carriage_returns': (34, unit('x\r'), True),
    'headings': (51, unit('<h1>x'), True),
    'forms': (51, unit('<form>x'), True),
    'rubies': (51, unit('<ruby>x<rt>y'), True),
    'styles': (52, unit('<p style=";;::display:nones;;!!">x'), True),
    'hidden': (52, unit('<p hidden>x<p>y'), True),
}

# Single pages: maker, milliseconds.
SINGLE = {
    '1 MiB in one tag (libxml2: 148 s)': (lambda: '<div ' + ' '.join('a%d=1' % i for i in range(118000)) + '>', 50),
    'depth 400,000': (lambda: '<div>' * 400000, None),
    'a million attributes': (lambda: '<div ' + ' '.join('a%d=1' % i for i in range(1000000)) + '>', None),
    '100 MB of text': (lambda: 'word and ' * (100 * 1000 * 1000 // 9), None),
}


def page(middle):
    return '<!DOCTYPE html><title>t</title><body><p>%s</p>%s<p>%s</p>' % (BEFORE, middle, AFTER)


class Runner:
    def __init__(self, program, rounds, folder):
        self.program, self.rounds, self.folder = program, rounds, folder
        self.floor = self.seconds(page(''))[0]

    def seconds(self, html):
        """Least CPU seconds of all rounds, and the page's record."""
        path, out = os.path.join(self.folder, 'a.warc'), os.path.join(self.folder, 'a.jsonl')
        archive.write(path, [archive.response(html, 'http://hostile.example/')], 'plain')
        best = None
        for _ in range(self.rounds):
            with open(out, 'wb') as target:
                process = subprocess.Popen([self.program, 'run', '-q', '-j1', '-m', 'none',
                                            '--emit', 'full_text', *LIMITS, path], stdout=target)
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                raise SystemExit('%s: exit code %d' % (self.program, process.returncode))
            taken = usage.ru_utime + usage.ru_stime
            best = taken if best is None else min(best, taken)
        with open(out, 'rb') as made:
            return best, json.loads(made.readline())

    def cost(self, html):
        """Milliseconds beyond an empty page's, and the text."""
        best, record = self.seconds(html)
        return max(0.0, best - self.floor) * 1000, ' '.join(record['full_text'].split()), record['flags']


def ratios_of(costs):
    return [longer / max(shorter, MEASURABLE_MS) for shorter, longer in zip(costs, costs[1:])]


def judge(runner, name, mib):
    """One row. @return what is wrong with it"""
    number, make, is_kept = CASES[name]
    pages = [page(make(mib * MIB * times)) for times in (1, 2, 4)]
    wrong, costs, flags = set(), [], []
    for html in pages:
        cost, text, flags = runner.cost(html)
        costs.append(cost)
        if BEFORE not in text:
            wrong.add('text before is lost')
        if is_kept is not None and (AFTER in text) != is_kept:
            wrong.add('text behind is lost' if is_kept else 'text behind is there')
    for _ in range(2):
        if max(ratios_of(costs)) >= RATIO:
            costs = [min(cost, runner.cost(html)[0]) for cost, html in zip(costs, pages)]
    size = len(pages[2].encode()) / MIB
    if costs[2] > MS_PER_MIB * size:
        wrong.add('over %d ms per MiB' % MS_PER_MIB)
    if max(ratios_of(costs)) >= RATIO:
        wrong.add('grows faster than its length')
    print('| %d | %s | %.1f | %.2f | %.2f | %.2f | %s | %s |' % (number, name, size, costs[2] / size, *ratios_of(costs), ' '.join(flags),
                                                              ', '.join(sorted(wrong)) or 'ok'))
    sys.stdout.flush()
    return wrong


def judge_single(runner, name):
    make, most = SINGLE[name]
    html = page(make())
    cost, text, flags = runner.cost(html)
    most = most or MS_PER_MIB * len(html.encode()) / MIB
    is_good = cost <= most and BEFORE in text and AFTER in text
    print('%s: %.1f ms, at most %.0f ms; %s: %s' % (name, cost, most, ' '.join(flags), 'ok' if is_good else 'WRONG'))
    return is_good


def main():
    options = argparse.ArgumentParser(usage=__doc__.split('usage: ')[1].split('\n\n')[0])
    options.add_argument('program')
    options.add_argument('--rounds', type=int, default=5)
    options.add_argument('--mib', type=int, default=4)
    options.add_argument('cases', nargs='*')
    asked = options.parse_intermixed_args()
    is_good = True
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(asked.program, asked.rounds, folder)
        print('an empty page: %.1f ms\n' % (runner.floor * 1000))
        print('| § | case | MiB | ms/MiB | 2n : n | 4n : 2n | flags | |\n|---|---|---|---|---|---|---|---|')
        for name in asked.cases or CASES:
            is_good = not judge(runner, name, asked.mib) and is_good
        if not asked.cases:
            print()
            for name in SINGLE:
                is_good = judge_single(runner, name) and is_good
    return 0 if is_good else 1


if __name__ == '__main__':
    sys.exit(main())
