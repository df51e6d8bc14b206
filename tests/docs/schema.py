"""Checks that every record, reject and edge of the program is valid by docs/schema.

usage: schema.py PROGRAM DOCS SAMPLES GOLDEN
Checks all JSON lines of these three kinds in the goldens, and a run over the samples with all parts. The validator supports the
keywords of our schemas and refuses others. First it is tested with invalid values.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

TYPES = {'object': dict, 'array': list, 'string': str, 'boolean': bool, 'number': (int, float), 'integer': int}
IGNORED = {'$schema', '$defs', 'title', 'description'}
KNOWN = IGNORED | {'type', 'properties', 'required', 'additionalProperties', 'items', 'enum', 'const', 'pattern', 'minimum', 'maximum', '$ref'}


def faults(value, schema, root, path='$'):
    """Yields a message for each error in a value."""
    unknown = set(schema) - KNOWN
    assert not unknown, unknown
    if '$ref' in schema:
        yield from faults(value, root['$defs'][schema['$ref'].rsplit('/', 1)[1]], root, path)
        return
    if 'const' in schema and value != schema['const']:
        yield '%s is not %r' % (path, schema['const'])
    if 'enum' in schema and value not in schema['enum']:
        yield '%s is %r, none of %r' % (path, value, schema['enum'])
    wanted = schema.get('type')
    if wanted and (not isinstance(value, TYPES[wanted]) or (isinstance(value, bool) and wanted != 'boolean')):
        yield '%s is no %s' % (path, wanted)
        return
    if 'pattern' in schema and not re.search(schema['pattern'], value):
        yield '%s is %r' % (path, value)
    if value is not None and ('minimum' in schema and value < schema['minimum'] or 'maximum' in schema and value > schema['maximum']):
        yield '%s is %r' % (path, value)
    if wanted == 'object':
        for name in schema['required']:
            if name not in value:
                yield '%s lacks %s' % (path, name)
        for name, member in value.items():
            if name in schema['properties']:
                yield from faults(member, schema['properties'][name], root, path + '.' + name)
            else:
                yield '%s has %s' % (path, name)
    for number, item in enumerate(value if wanted == 'array' else ()):
        yield from faults(item, schema['items'], root, '%s[%d]' % (path, number))


def kind_of(line):
    """Which of the three a line of JSON is, by its first name."""
    for start, kind in (('{"schema":"thresher/1"', 'record'), ('{"reason":"', 'reject'), ('{"page":"', 'edge')):
        if line.startswith(start):
            return kind
    return None


def lines_of(path):
    with open(path, encoding='utf-8', errors='replace') as f:
        for number, line in enumerate(f, 1):
            kind = kind_of(line)
            if kind:
                yield kind, json.loads(line), '%s:%d' % (os.path.basename(path), number)


def test_judge(schemas):
    """Each of these values has exactly one error."""
    source = {'offset': 0}
    good = {'reason': 'not_html', 'detail': 'x', 'source': source}
    assert not list(faults(good, schemas['reject'], schemas['reject']))
    for wrong in ({**good, 'more': 1}, {**good, 'reason': 'Not HTML'}, {**good, 'url': None}, {**good, 'source': {'offset': -1}},
                  {**good, 'source': {'offset': True}}, {**good, 'source': {}}, {'reason': 'x', 'detail': 'x'}):
        assert len(list(faults(wrong, schemas['reject'], schemas['reject']))) == 1, wrong


def main():
    program, docs, samples, golden = sys.argv[1:]
    schemas = {}
    for kind in ('record', 'reject', 'edge'):
        with open(os.path.join(docs, 'schema', kind + '.json'), encoding='utf-8') as f:
            schemas[kind] = json.load(f)
    test_judge(schemas)
    seen = dict.fromkeys(schemas, 0)
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        files = sorted(glob.glob(os.path.join(golden, '*.out'))) + sorted(glob.glob(os.path.join(golden, '*.err')))
        archives = sorted(glob.glob(os.path.join(samples, '*.warc.gz'))) + [os.path.join(golden, 'two_pages.warc')]
        for number, text_format in enumerate(('plain', 'markdown')):
            out = os.path.join(folder, '%d.' % number)
            done = subprocess.run([program, 'run', '-q', '--emit', 'full_text,segments,blocks,links,html,paragraphs', '--bands', '--sign', 'main,content,page',
                            '--text-format', text_format, '--index.path', out + 'index', '--index.edges', out + 'edges', '--rejects', out + 'rejects',
                            '-O', out + 'records.jsonl', *archives], stderr=subprocess.DEVNULL, timeout=100)
            assert done.returncode in (0, 1)  # 1: one of the samples is damaged
            files += [out + 'records.jsonl', out + 'rejects', out + 'edges']
        # With a site file, because it adds members.
        out = os.path.join(folder, 'sites.jsonl')
        subprocess.run([program, 'run', '-q', '--emit', 'blocks,paragraphs', '--two-pass', '-O', out, *archives], stderr=subprocess.DEVNULL, timeout=100)
        with open(out) as records:
            assert '"recurs":true' in records.read()
        files.append(out)
        for path in files:
            for kind, value, place in lines_of(path):
                seen[kind] += 1
                wrong += ['%s: %s' % (place, fault) for fault in faults(value, schemas[kind], schemas[kind])]
    print(', '.join('%d %ss' % (count, kind) for kind, count in seen.items()), 'are looked at')
    for fault in wrong[:20]:
        print(fault)
    return 1 if wrong or 0 in seen.values() else 0


if __name__ == '__main__':
    sys.exit(main())
