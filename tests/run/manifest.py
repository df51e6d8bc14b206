"""A manifest describes an output; summary prints its sums and a description in Croissant.

usage: manifest.py PROGRAM
"""
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

import archive
from case import contents, expect, expect_true, thresher

folder = tempfile.mkdtemp()
PROGRAM = os.path.abspath(sys.argv[1])
inputs = [os.path.join(folder, name + '.warc.gz') for name in 'ab']
for number, path in enumerate(inputs):
    archive.write(path, archive.records(40 + number, seed=number))


def at(name):
    return os.path.join(folder, name)


def sha256(path):
    return hashlib.sha256(contents(path)).hexdigest()


def run(*options, code=0):
    done = thresher('run', '-q', *options)
    expect('exit of run %s' % ' '.join(map(os.path.basename, options)), done.returncode, code)
    return done


def manifest(path):
    with open(path, encoding='utf-8') as f:
        return json.load(f)


run('--rejects', at('no.jsonl'), '-O', at('one.jsonl'), *inputs)
one = manifest(at('one.jsonl.manifest.json'))
expect('schema', (one['schema'], one['program']), ('thresher-manifest/1', 'thresher'))
expect('inputs', [(i['name'], i['bytes'], i['sha256']) for i in one['inputs']], [(p, os.path.getsize(p), sha256(p)) for p in inputs])
expect('outputs', [(o['name'], o['kind'], o['sha256']) for o in one['outputs']],
       [('one.jsonl', 'records', sha256(at('one.jsonl'))), ('no.jsonl', 'lines', sha256(at('no.jsonl')))])
expect('counts', one['counts']['read'], one['counts']['emitted'] + sum(one['counts']['refused'].values()))
expect('emitted', one['counts']['emitted'], contents(at('one.jsonl')).count(b'\n'))
expect('the format, which the name selects, and the rejects file are options', sorted(one['options']), ['format', 'rejects'])
before = contents(at('one.jsonl.manifest.json'))
run('--rejects', at('no.jsonl'), '-j', '3', '-O', at('one.jsonl'), *inputs)
expect('the same for other workers and times', contents(at('one.jsonl.manifest.json')), before)
os.unlink(at('one.jsonl.manifest.json'))
run('--rejects', at('no.jsonl'), '--resume', '-O', at('one.jsonl'), *inputs)
expect('--resume completes a missing manifest', contents(at('one.jsonl.manifest.json')), before)
run('--manifest=off', '-O', at('plain.jsonl'), *inputs)
expect('without a manifest the output is the same', sha256(at('plain.jsonl')), sha256(at('one.jsonl')))
expect_true('and no manifest is written', not os.path.exists(at('plain.jsonl.manifest.json')))

# Killed at any moment, then resumed: the manifest is absent, or that of the whole output.
big = at('big.warc.gz')
archive.write(big, archive.records(1500, seed=9))
run('-O', at('whole.jsonl'), big)
whole = manifest(at('whole.jsonl.manifest.json'))
for delay in (0.05, 0.2, 0.5):
    command = [PROGRAM, 'run', '-q', '-j', '1', '--checkpoint-ms', '0', '-O', at('cut.jsonl'), big]
    with subprocess.Popen(command) as process:
        try:
            process.wait(delay)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
    if os.path.exists(at('cut.jsonl.manifest.json')):
        expect('manifest of a finished run', manifest(at('cut.jsonl.manifest.json'))['outputs'][0]['sha256'], sha256(at('cut.jsonl')))
    run('--checkpoint-ms', '0', '--resume', '-O', at('cut.jsonl'), big)
    cut = manifest(at('cut.jsonl.manifest.json'))
    expect('counts after a kill', cut['counts'], whole['counts'])
    expect('digest after a kill', (cut['outputs'][0]['sha256'], cut['inputs']), (whole['outputs'][0]['sha256'], whole['inputs']))

run('-O', at('folder/'), *inputs)
both = manifest(at('folder/thresher.manifest.json'))
expect('one manifest for a folder', [(o['name'], o['sha256']) for o in both['outputs']],
       [(n, sha256(at('folder/' + n))) for n in ('a.jsonl', 'b.jsonl')])
run('--shard', '0/1', '-O', at('shards/'), *inputs)
expect('one manifest for each input of a shard', sorted(n for n in os.listdir(at('shards')) if n.endswith('.manifest.json')),
       ['a.jsonl.manifest.json', 'b.jsonl.manifest.json'])

sums = subprocess.run([PROGRAM, 'summary', '--sha256', '.'], cwd=at('shards'), stdout=subprocess.PIPE, check=True).stdout
check = subprocess.run(['sha256sum', '-c', '--strict', '--quiet'], input=sums, cwd=at('shards'), check=False)
expect('sha256sum -c', (check.returncode, sums.count(b'\n')), (0, 2))
with open(at('shards/a.jsonl'), 'ab') as f:
    f.write(b'x')
check = subprocess.run(['sha256sum', '-c', '--strict', '--quiet'], input=sums, cwd=at('shards'), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
expect('a changed output', check.returncode, 1)

told = json.loads(thresher('summary', '--croissant', '--name', 'news', '--license', 'https://example.org/l', '--url', 'https://example.org/',
                          '--date', '2026-01-02', '--creator', 'The Crawlers', at('folder')).stdout)
expect('Croissant', (told['@type'], told['conformsTo'][0], told['name']), ('sc:Dataset', 'http://mlcommons.org/croissant/1.1', 'news'))
expect('about it', [told[key] for key in ('license', 'url', 'datePublished', 'creator')],
       ['https://example.org/l', 'https://example.org/', '2026-01-02', {'@type': 'sc:Organization', 'name': 'The Crawlers'}])
expect('files', [(f['@id'], f['sha256']) for f in told['distribution']], [(o['name'], o['sha256']) for o in both['outputs']])
expect_true('RAI', 'not removed' in told['rai:personalSensitiveInformation'].lower() and str(both['counts']['read']) in told['rai:dataCollection'])
expect_true('fields are those of records', {'id', 'url', 'text'} <= {f['name'] for f in told['recordSet'][0]['field']})


# Signatures: a manifest for each rank, so that machines can write to one folder.
for rank in ('0', '7'):
    run('-f', 'minhash-sig', '-m', 'datatrove', '--rank', rank, '-O', at('sig/'), inputs[0])
names = [o['name'] for o in manifest(at('sig/00007.manifest.json'))['outputs']]
expect('files of a rank', names, ['bucket_%03d/00007.minhash.sig' % band for band in range(14)])
sums = thresher('summary', '--sha256', at('sig')).stdout
expect('their sums', (subprocess.run(['sha256sum', '-c', '--strict', '--quiet'], input=sums, check=False).returncode, sums.count(b'\n')), (0, 28))

# Single records of an archive: the archive is not read as a whole, and has no digest.
places = [json.loads(line)['offset'] for line in thresher('records', inputs[0]).stdout.splitlines()[:2]]
run('-O', at('places.jsonl'), *['%s#%d' % (inputs[0], place) for place in places])
expect('records of an archive', manifest(at('places.jsonl.manifest.json'))['inputs'], [{'name': inputs[0]}])

# A daemon writes one for each file when it is complete. Its inputs do not end, so it has no inputs and counts.
for manifests in ('on', 'off'):
    spool, out = at('spool-' + manifests), at('out-' + manifests)
    os.mkdir(spool)
    archive.write(os.path.join(spool, 'a.warc.gz'), archive.records(20))
    with subprocess.Popen([PROGRAM, 'serve', '-o', 'spool.path=' + spool, '-o', 'files.path=' + out, '-o', 'spool.min-age-ms=1', '-o', 'spool.rescan-ms=20',
                           '-o', 'manifest=' + manifests, '-o', 'daemon.listen=none', '-o', 'minhash=datatrove'], stderr=subprocess.DEVNULL) as daemon:
        while daemon.poll() is None and not os.path.exists(os.path.join(spool, 'done', 'a.warc.gz')):
            time.sleep(.02)
        daemon.terminate()
        expect('the daemon ends', daemon.wait(), 0)
    names = sorted(n for n in os.listdir(out) if not n.startswith('.'))
    files = [n for n in names if n.endswith('.jsonl')]
    expect('files and manifests of a daemon', names, sorted(files + [n + '.manifest.json' for n in files if manifests == 'on']))
    for name in files if manifests == 'on' else ():
        told = manifest(os.path.join(out, name + '.manifest.json'))
        expect('one file', [(o['name'], o['kind'], o['sha256']) for o in told['outputs']], [(name, 'lines' if name.startswith('rejects') else 'records', sha256(os.path.join(out, name)))])
        expect('its options', (told['options'], sorted(told)), ({'minhash': 'datatrove'}, ['format', 'models', 'options', 'outputs', 'program', 'schema', 'version']))
sums = thresher('summary', '--sha256', at('out-on')).stdout
expect('sums of a daemon', (subprocess.run(['sha256sum', '-c', '--strict', '--quiet'], input=sums, check=False).returncode, sums.count(b'\n')), (0, 2))

with open(at('folder/x.manifest.json'), 'w', encoding='utf-8') as f:
    f.write('{"schema":"thresher-manifest/1","format":"jsonl","outputs":[{"name":"../x","sha256":"%s"}]}' % ('0' * 64))
done = thresher('summary', '--sha256', at('folder'))
expect('a name outside the folder is refused', (done.returncode, b'is not a manifest' in done.stderr), (2, True))
expect('an option without value', thresher('summary', at('folder'), '--name').returncode, 2)
