"""Output destinations, and the messages if the output fails."""
import os
import subprocess
import tempfile

import archive
from case import PROGRAM, contents, exists, expect, expect_true, thresher

with tempfile.TemporaryDirectory() as folder:
    os.makedirs(os.path.join(folder, 'in', 'deep'))
    first = archive.write(os.path.join(folder, 'in', 'a.warc.gz'), archive.records(5))
    archive.write(os.path.join(folder, 'in', 'deep', 'b.warc'), archive.records(5, seed=2), 'plain')
    archive.write(os.path.join(folder, 'in', 'c.warc.gz.open'), archive.records(5, seed=3))
    out = os.path.join(folder, 'out', '')
    os.makedirs(os.path.join(folder, 'bare'))

    run = thresher('run', '-O', out, os.path.join(folder, 'in'))
    expect('a folder includes its subfolders, without .open files', (run.returncode, sorted(os.listdir(out))), (0, ['a.jsonl', 'b.jsonl', 'thresher.manifest.json', 'thresher.state']))
    expect('nothing temporary is left', [n for n in os.listdir(out) if n.endswith('.part')], [])
    # A compressed output without pages has an empty member or frame, so it can be decompressed. Also after --resume, in a folder, as a stream.
    nothing = archive.write(os.path.join(folder, 'nothing.warc.gz'), [archive.record('request', b'GET / HTTP/1.1\r\n\r\n', 'http://a.example/')])
    void = archive.write(os.path.join(folder, 'void.warc'), [], 'plain')
    for inputs in ([nothing], [void], [nothing, void]):
        for suffix, unpack in (('gz', ['gzip', '-dc']), ('zst', ['zstd', '-dcq'])):
            packed = os.path.join(folder, 'none.jsonl.' + suffix)
            for options in ([], ['--resume']):
                expect('%s of %s %s' % (suffix, inputs, options), thresher('run', '-q', '-O', packed, *options, *inputs).returncode, 0)
                unpacked = subprocess.run([*unpack, packed], capture_output=True)
                expect('unpacked', (unpacked.returncode, unpacked.stdout, unpacked.stderr), (0, b'', b''))
            expect('read by our own', thresher('dedup', packed).returncode, 0)
            way = 'gzip' if suffix == 'gz' else 'zstd'
            whole = contents(packed)
            expect('as a stream', thresher('run', '-q', '--compress', way, *inputs).stdout, whole)
            thresher('run', '-q', '--compress', way, '-O', os.path.join(folder, 'packed', ''), *inputs)
            for name in inputs:
                made = os.path.join(folder, 'packed', os.path.basename(name).split('.')[0] + '.jsonl.' + suffix)
                expect('in a folder', contents(made), whole)
    listing = os.path.join(folder, 'list')
    with open(listing, 'w') as f:
        f.write('# two inputs\n%s\n%s\n' % (first, os.path.join(folder, 'in', 'deep', '*.warc')))
    expect('@list with a pattern', len(thresher('run', '@' + listing).stdout.splitlines()), 10)

    for name, options, begin in (('named.parquet', [], b'PAR1'), ('named.warc', [], b'WARC/1.1\r\nWARC-Type: warcinfo'), ('named.warc.wet', [], b'WARC/1.1'),
                                 ('named.jsonl', [], b'{"schema"'), ('named', [], b'{"schema"'), ('as.warc.wet', ['-f', 'wet'], b'WARC/1.1')):
        expect('the format of %s' % name, thresher('run', '-q', *options, '-O', os.path.join(folder, name), first).returncode, 0)
        expect_true('begins as it should', contents(os.path.join(folder, name)).startswith(begin), name)
    expect('.wet has no metadata records', (contents(os.path.join(folder, 'named.warc.wet')), b'WARC-Type: metadata' in contents(os.path.join(folder, 'named.warc'))),
           (contents(os.path.join(folder, 'as.warc.wet')), True))

    for claim, args, code, words in (
            ('lines with the name of WARC', ['run', '-f', 'jsonl', '-O', os.path.join(folder, 'o.warc.gz'), first], 2, b'--format jsonl does not write .warc files; --format warc does'),
            ('no input', ['run'], 2, b'needs an INPUT'),
            ('missing file', ['run', os.path.join(folder, 'none.warc')], 74, b'none.warc'),
            ('folder without archive', ['run', os.path.join(folder, 'bare')], 74, b'no archive found'),
            ('gzip with the name of zstd', ['run', '--compress', 'gzip', '-O', os.path.join(folder, 'o.zst'), first], 2, b"o.zst' does not match; --compress gzip needs a name without .zst"),
            ('nothing with the name of gzip', ['run', '--compress', 'none', '-O', os.path.join(folder, 'o.jsonl.gz'), first], 2, b'--compress none needs a name without .gz'),
            ('pattern without match', ['run', os.path.join(folder, '*.nothing')], 74, b'*.nothing'),
            ('unknown option', ['run', '--nonsense', first], 2, b'--nonsense'),
            ("a suffix that is only the format's", ['run', '-f', 'minhash-sig', '--minhash', 'datatrove', '-O', os.path.join(folder, 'x.minhash.sig'), first], 2, b'DIR/'),
            ('unknown segmenter', ['run', '-s', 'magic', first], 2, b'magic'),
            ('bad number', ['run', '-j', 'many', first], 2, b'jobs'),
            ('an unknown letter', ['inspect', '-#628'], 2, b"option '-#' is not known"),
            ('an unknown letter among others', ['run', first, '-qZ4'], 2, b"option '-Z' is not known"),
            ('a letter of another command', ['dedup', first, '-qj4'], 2, b"option '-j' is not known"),
            ('a letter without its value', ['run', first, '-qj'], 2, b"option '-j' needs a value"),
            ('a word without its value', ['run', first, '--config'], 2, b"option '--config' needs a value"),
            ('too large a number', ['dedup', '--fan-out', '99999999999999', first], 2, b"'99999999999999' is out of range (expected 1 to 1024)"),
            ('too large for any', ['run', '-j', '99999999999999999999999K', first], 2, b'is out of range (expected 0 to 256)'),
            ('too large a size', ['dedup', '--memory', '99999999999G', first], 2, b'is out of range (expected 1M to 1P)'),
            ('a folder as file of options', ['run', '-c', folder, first], 74, b'Is a directory'),
            ('a folder, checked', ['config', 'check', folder], 74, b'Is a directory'),
            ('value out of range', ['run', '--max-depth', '0', first], 2, b'max-depth'),
            ('resume on stdout', ['run', '--resume', first], 2, b'resume'),
            ('output in a folder that is not there', ['run', '-O', os.path.join(folder, 'no', 'o.jsonl'), first], 74, b'o.jsonl'),
            ('output is a folder', ['run', '-O', out[:-1], first], 2, b'folder'),
            ('two inputs, one name', ['run', '-O', out, first, first], 2, b'both'),
            ('unknown command', ['ran'], 2, b'ran')):
        run = thresher(*args)
        expect_true(claim, run.returncode == code and words in run.stderr, (run.returncode, run.stderr))

    config = os.path.join(folder, 'c.conf')
    with open(config, 'w') as f:
        f.write('[text]\nsegmenter = just-rules\n[run]\njobs = 1\n')
    expect('config check', thresher('config', 'check', config).returncode, 0)
    expect_true('config show', b'segmenter = just-rules' in thresher('config', 'show', config).stdout)
    expect_true('file and command line', b'"segmenter":"bf-plain' in thresher('run', '-s', 'bf-plain', '-c', config, first).stdout)
    for text, words in (('[text]\n\nsegmenter = magic\n', b'c.conf'), ('[run]\nnonsense = 1\n', b'c.conf:2'), ('[text]\njobs = 1\n', b'section [run]'),
                        ('[kafka]\n\nlibrdkafka.sasl.mechanims = PLAIN\n', b'c.conf:3: librdkafka.sasl.mechanims')):
        with open(config, 'w') as f:
            f.write(text)
        run = thresher('run', '-c', config, first)
        expect('checked: %r' % text, thresher('config', 'check', config).stderr, run.stderr)
        expect_true('bad file: %r' % text, run.returncode == 2 and (words in run.stderr or b'magic' in run.stderr), run.stderr)

    options = thresher('config', 'options').stdout
    with open(config, 'wb') as f:
        f.write(options)
    expect('config options is a valid file', thresher('config', 'check', config).returncode, 0)

    existing = os.path.join(folder, 'existing.jsonl')
    with open(existing, 'w') as f:
        f.write('old\n')
    thresher('run', '-O', existing, first)
    expect('an existing file is replaced', len(contents(existing).splitlines()), 5)
    empty = os.path.join(folder, 'empty.warc')
    open(empty, 'w').close()
    nothing = os.path.join(folder, 'nothing.jsonl')
    expect('an empty archive is not wrong', (thresher('run', '-O', nothing, empty).returncode, contents(nothing)), (0, b''))
    if exists('/dev/full'):
        expect('full device', thresher('run', '-O', '/dev/full', first).returncode, 74)
        corpus = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'data', 'eval', 'required')
        page = os.path.join(folder, 'page.html')
        with open(page, 'w') as f:
            f.write('<p>The keeper counts the ships that come in before the storm, and writes their names on the wall.')
        for args in (['run', '-q', first], ['records', '-q', first], ['records', '-q', '--cdxj', first], ['text', page], ['eval', 'extraction', corpus]):
            with open('/dev/full', 'wb') as full:
                run = subprocess.run([PROGRAM, *args], stdout=full, stderr=subprocess.PIPE, timeout=600)
            expect('full stdout: %s' % ' '.join(args[:2]), (run.returncode, run.stderr.count(b'\n')), (74, 1))
