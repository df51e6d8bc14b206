#!/usr/bin/env python3
"""Writes a bill of materials (CycloneDX 1.5, JSON) of the libraries that a program is really linked with.

usage: sbom.py --version VERSION --source SOURCE_FOLDER --out FILE [--map LINKER_MAP] BINARY...

Shared libraries come from the dynamic sections of the binaries and, in turn, of their libraries. Static libraries come from the linker's map, which names each
archive member that was included. On Debian and its derivatives, a component is the package of a library, with its version and its licenses.
Elsewhere it is the library itself. The same build writes the same bytes: there is no time and no random number in the file.
"""
import argparse
import hashlib
import json
import os
import re
import subprocess

MEMBER = re.compile(r'(/[^\s()]+\.a)\([^)]+\)')


def output(*command):
    """Returns what a tool prints, or '' without the tool. dpkg-query prints the packages that it knows, and fails if it does not know one."""
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, universal_newlines=True, env=dict(os.environ, LC_ALL='C')).stdout
    except FileNotFoundError:
        return ''


def needed(path):
    return re.findall(r'\(NEEDED\).*\[(.+)\]', output('readelf', '-dW', path))


def resolved(binary):
    """Returns the path of each library that the dynamic linker loads for the binary, by its name."""
    return {os.path.basename(name): path for name, path in re.findall(r'^\s*(\S+) (?:=> )?\(?(/\S+)', output('ldd', binary), re.M)}


def names_of(path):
    """Returns the names by which the package of a file may list it: with and without /usr, and without links."""
    real = os.path.realpath(path)
    return [path, real, real.replace('/usr/lib', '/lib', 1), '/usr' + real]


def packages_of(paths):
    """Returns name, version, architecture and source of the Debian package of each path, if a package has it."""
    owners = {name: owner.split(',')[0] for owner, name in
              re.findall(r'^(.*): (/.*)$', output('dpkg-query', '-S', *(name for path in paths for name in names_of(path))), re.M)}
    rows = output('dpkg-query', '-W', '-f', '${Package}\t${Version}\t${Architecture}\t${source:Package}\n', *sorted(set(owners.values()))).splitlines()
    facts = {row.split('\t')[0]: row.split('\t') for row in rows}
    found = {}
    for path in paths:
        owner = next((owners[name] for name in names_of(path) if name in owners), '')
        if owner:
            found[path] = facts[owner.split(':')[0]]
    return found


def licenses_of(package):
    """Returns the names of the licenses in the package's copyright file, if a program can read it."""
    try:
        with open('/usr/share/doc/%s/copyright' % package.split(':')[0], encoding='utf-8', errors='replace') as file:
            text = file.read()
    except OSError:
        return []
    if not text.startswith('Format:'):
        return []
    return sorted({name.strip() for files, name in re.findall(r'^Files: (.*(?:\n .*)*)(?:\n(?!License:|\n).*)*\nLicense: (.+)$', text, re.M)
                   if not files.startswith('debian/')})


def distribution():
    """Returns the distribution's name and name with version, such as debian and debian-12."""
    with open('/etc/os-release') as file:
        facts = dict(re.findall(r'^(\w+)="?([^"\n]*)', file.read(), re.M))
    return facts['ID'], '%s-%s' % (facts['ID'], facts.get('VERSION_ID', 'unstable'))


def component(path, package):
    if not package:
        return {'type': 'library', 'bom-ref': os.path.basename(path), 'name': os.path.basename(path)}
    name, version, arch, source = package
    vendor, release = distribution()
    purl = 'pkg:deb/%s/%s@%s?arch=%s&distro=%s' % (vendor, name, version.replace(':', '%3A').replace('+', '%2B'), arch, release)
    made = {'type': 'library', 'bom-ref': purl, 'name': name, 'version': version, 'purl': purl, 'properties': [{'name': 'debian:source', 'value': source}]}
    licenses = licenses_of(name)
    if licenses:
        made['licenses'] = [{'license': {'name': license}} for license in licenses]
    return made


def linked(binaries, linker_map, own):
    """Returns for each library, and for '' (the program), the paths of the libraries that it needs. Libraries of the build are the program."""
    paths, edges, waiting = {}, {'': set()}, [('', binary) for binary in binaries]
    for binary in binaries:
        paths.update(resolved(binary))

    def is_own(path):
        return os.path.realpath(path).startswith(own + os.sep)

    while waiting:
        of, path = waiting.pop()
        for library in filter(None, map(paths.get, needed(path))):
            if is_own(library):
                continue  # one of the binaries
            edges[of].add(library)
            if library not in edges:
                edges[library] = set()
                waiting.append((library, library))
    if linker_map:
        with open(linker_map, encoding='utf-8', errors='replace') as file:
            edges[''].update(path for path in map(os.path.normpath, MEMBER.findall(file.read())) if not is_own(path))
    return edges


def materials(binaries, linker_map, own):
    """Returns the components by reference, and for each reference the references that it depends on. The program's is 'thresher'."""
    edges = linked(binaries, linker_map, own)
    paths = sorted(set().union(*edges.values()))
    packages = packages_of(paths)
    made = {path: component(path, packages.get(path)) for path in paths}
    refs = {'': 'thresher', **{path: made[path]['bom-ref'] for path in paths}}
    joined = {}
    for path, targets in edges.items():
        joined.setdefault(refs[path], set()).update(refs[target] for target in targets if refs[target] != refs[path])
    return {one['bom-ref']: one for one in made.values()}, joined


def model(source):
    path = 'src/content/models/content.model'
    with open(os.path.join(source, path), 'rb') as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    return {'type': 'machine-learning-model', 'bom-ref': 'content.model', 'name': path, 'hashes': [{'alg': 'SHA-256', 'content': digest}],
            'licenses': [{'license': {'id': 'Apache-2.0'}}], 'properties': [{'name': 'thresher:model-card', 'value': 'training/model-card.md'}]}


def main():
    parser = argparse.ArgumentParser()
    for name in ('version', 'source', 'out'):
        parser.add_argument('--' + name, required=True)
    parser.add_argument('--own', default='/nonexistent', help='folder of the build: its libraries are the program')
    parser.add_argument('--map')
    parser.add_argument('binary', nargs='+')
    args = parser.parse_args()
    components, edges = materials(args.binary, args.map, os.path.realpath(args.own))
    embedded = model(args.source)
    edges['thresher'].add(embedded['bom-ref'])
    program = {'type': 'application', 'bom-ref': 'thresher', 'name': 'thresher', 'version': args.version, 'licenses': [{'license': {'id': 'Apache-2.0'}}]}
    document = {'bomFormat': 'CycloneDX', 'specVersion': '1.5', 'version': 1, 'metadata': {'component': program},
                'components': [components[ref] for ref in sorted(components)] + [embedded],
                'dependencies': [{'ref': ref, 'dependsOn': sorted(edges[ref])} for ref in sorted(edges)]}
    with open(args.out, 'w', encoding='utf-8') as file:
        json.dump(document, file, indent=1, ensure_ascii=False)
        file.write('\n')


if __name__ == '__main__':
    main()
