"""Checks deploy/sbom.py: the bill of materials has every library that the dynamic linker loads, and each static library with a linked member.

usage: sbom.py ROOT PROGRAM CC

The first part reads PROGRAM. The second part compiles a program with zlib as an archive and libzstd as a shared library. An archive with a used member
is listed. An archive that the linker only opened is not. Two runs write the same bytes. Skipped with 77 without dpkg.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT, PROGRAM, CC = sys.argv[1:4]
SCRIPT = os.path.join(ROOT, 'deploy', 'sbom.py')
SOURCE = '''#include <stdio.h>
#include <zlib.h>
#include <zstd.h>
int main(void) { printf("%s %u\\n", zlibVersion(), ZSTD_versionNumber()); return 0; }
'''


def bill(folder, *arguments):
    out = os.path.join(folder, 'bill.json')
    subprocess.run([sys.executable, SCRIPT, '--version', '1.2.3', '--source', ROOT, '--out', out, *arguments], check=True)
    with open(out, encoding='utf-8') as file:
        return file.read()


def names(text):
    document = json.loads(text)
    refs = {component['bom-ref'] for component in document['components']} | {'thresher'}
    for row in document['dependencies']:
        assert {row['ref'], *row['dependsOn']} <= refs, row
    assert document['metadata']['component']['version'] == '1.2.3'
    assert any(component['type'] == 'machine-learning-model' for component in document['components'])
    return {component['name']: component for component in document['components']}


def owner(path):
    found = [subprocess.run(['dpkg-query', '-S', name], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, universal_newlines=True).stdout
             for name in (path, os.path.realpath(path), os.path.realpath(path).replace('/usr/lib', '/lib', 1))]
    return next(filter(None, found)).split(':')[0]


def main():
    if not shutil.which('dpkg-query'):
        print('skipped: no dpkg')
        return 77
    with tempfile.TemporaryDirectory() as folder:
        listed = names(bill(folder, PROGRAM))
        loaded = re.findall(r'=> (/\S+)', subprocess.run(['ldd', PROGRAM], check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout)
        # A sanitizer's library belongs to the build, and not to the program.
        missing = {owner(path) for path in loaded if 'san.so' not in path} - set(listed)
        assert len(loaded) > 10 and not missing, missing
        libxml2 = listed[next(name for name in listed if re.fullmatch(r'libxml2(-\d+)?', name))]
        assert libxml2['version'] and libxml2['purl'].startswith('pkg:deb/') and libxml2['licenses'], libxml2

        source, program, linker_map = (os.path.join(folder, name) for name in ('a.c', 'a', 'a.map'))
        with open(source, 'w') as file:
            file.write(SOURCE)
        subprocess.run([CC, source, '-o', program, '-Wl,-Map=' + linker_map, '-Wl,-Bstatic', '-lz', '-lxxhash', '-Wl,-Bdynamic', '-lzstd'], check=True)
        text = bill(folder, '--map', linker_map, program)
        listed = set(names(text))
        assert {'zlib1g-dev', 'libzstd1', 'libc6'} <= listed and 'libxxhash-dev' not in listed and 'zlib1g' not in listed, listed
        assert bill(folder, '--map', linker_map, program) == text
    print('shared and static libraries are listed')
    return 0


if __name__ == '__main__':
    sys.exit(main())
