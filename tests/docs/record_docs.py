"""Compares docs/schema and the tables of docs/record.md with the table of the record's fields (src/write/record_fields.c).

usage: record_docs.py RECORD_DOCS DOCS [--accept]
With --accept, writes them. RECORD_DOCS is the program of record_docs.c.
"""
import json
import os
import subprocess
import sys


def printed(program, what):
    return subprocess.run([program, what], check=True, stdout=subprocess.PIPE).stdout.decode()


def schema_text(title, description, schema):
    head = {'$schema': 'https://json-schema.org/draft/2020-12/schema', 'title': title, 'description': description}
    return json.dumps({**head, **schema}, indent=2, ensure_ascii=False) + '\n'


def schemas(program):
    """Returns the texts of the schemas by name. A reject has the source of a record."""
    record = json.loads(printed(program, 'schema'))
    text = {'type': 'string'}
    reject = {'type': 'object', 'properties': {'reason': {'type': 'string', 'pattern': '^[a-z_]+$'}, 'detail': text, 'source': record['properties']['source'], 'url': text},
              'required': ['reason', 'detail', 'source'], 'additionalProperties': False}
    return {'record': schema_text('thresher/1', 'A page, as docs/record.md describes it. A field that is not known is absent, never null.', record),
            'reject': schema_text('thresher reject', 'A refused record, as docs/record.md describes it.', reject)}


def with_fields(document, fields):
    """Returns the document with these tables."""
    start = document.index('## Always, if known')
    return document[:start] + fields + '\n' + document[document.index('## Flags'):]


def main():
    program, docs = sys.argv[1:3]
    record = os.path.join(docs, 'record.md')
    with open(record, encoding='utf-8') as file:
        texts = {record: with_fields(file.read(), printed(program, 'fields'))}
    for name, text in schemas(program).items():
        texts[os.path.join(docs, 'schema', name + '.json')] = text
    stale = []
    for path, text in texts.items():
        with open(path, encoding='utf-8') as file:
            if file.read() == text:
                continue
        stale.append(path)
        if sys.argv[3:] == ['--accept']:
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)
    for path in stale:
        print('%s differs from the table of fields: cmake --build BUILD --target record_docs_accept' % os.path.relpath(path, docs))
    return 1 if stale and not sys.argv[3:] else 0


if __name__ == '__main__':
    sys.exit(main())
