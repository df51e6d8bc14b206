"""Checks that includes point down, by docs/architecture.md#folders.

usage: includes.py ROOT

* No folder of src includes a folder of the same or a higher level in LEVELS, except the pairs of KNOWN, which must still exist.
* There are no include cycles between folders. Subfolders count separately.
* src/warc, a separate library, includes nothing of the others.
Prints the number of folders, and the number of pairs of folders that include each other.
"""
import collections
import os
import re
import sys

# From the lowest level. Folders of one level do not include each other. A source file next to the folders is named without its suffix.
LEVELS = (
    ('base', 'warc'),
    ('page', 'parquet'),
    ('content',),
    ('remote',),
    ('log', 'ingest', 'parse', 'segment', 'select', 'language', 'signals', 'sketch', 'redact', 'robots', 'index', 'write'),
    ('site',),
    ('methods',),
    ('pipeline',),
    ('traffic', 'dedup', 'inspect'),
    ('spool', 'kafka', 'graph', 'isolate'),
    ('cdxj',),
    ('settings',),
    ('daemon', 'eval'),
    ('app', 'left_out'),
    ('lab',),
)
# Exceptions to the order: the included folder and the reason.
KNOWN = {('write', 'segment'): 'a record names the checksum of the model that its segmenter used'}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def folder_of(path):
    return os.path.dirname(path) or os.path.splitext(path)[0]


def edges_of(source):
    """Returns {folder: {included folder: files with the include}}."""
    edges = collections.defaultdict(lambda: collections.defaultdict(list))
    for top, _, names in os.walk(source):
        for name in sorted(names):
            path = os.path.relpath(os.path.join(top, name), source)
            if not name.endswith(('.c', '.h')):
                continue
            with open(os.path.join(source, path), encoding='utf-8') as f:
                for included in INCLUDE.findall(f.read()):
                    here = os.path.join(os.path.dirname(path), included)
                    target = here if os.path.exists(os.path.join(source, here)) else included
                    if os.path.exists(os.path.join(source, target)) and folder_of(target) != folder_of(path):
                        edges[folder_of(path)][folder_of(target)].append(path)
    return edges


def circle_in(edges):
    """The folders of a circle, [] when there is none."""
    done = set()

    def walk(folder, way):
        if folder in way:
            return way[way.index(folder):] + [folder]
        if folder in done:
            return []
        for target in edges.get(folder, ()):
            found = walk(target, way + [folder])
            if found:
                return found
        done.add(folder)
        return []

    for folder in sorted(edges):
        found = walk(folder, [])
        if found:
            return found
    return []


def main():
    edges = edges_of(os.path.join(sys.argv[1], 'src'))
    level_of = {name: level for level, names in enumerate(LEVELS) for name in names}
    faults, met = [], set()
    for folder, targets in sorted(edges.items()):
        for target, paths in sorted(targets.items()):
            pair = (folder.split('/')[0], target.split('/')[0])
            unknown = [name for name in pair if name not in level_of]
            if unknown:
                faults.append('%s: no level is said for it' % unknown[0])
            elif pair[0] != pair[1] and level_of[pair[1]] >= level_of[pair[0]]:
                met.add(pair)
                if pair not in KNOWN:
                    faults.append('%s includes %s, which does not stand below it: %s' % (folder, target, ', '.join(paths)))
    faults += ['%s no longer includes %s: strike it off KNOWN' % pair for pair in sorted(set(KNOWN) - met)]
    faults += ['src/warc includes %s' % target for target in edges.get('warc', ())]
    circle = circle_in(edges)
    if circle:
        faults.append('a circle: %s' % ' > '.join(circle))
    folders = set(edges) | {target for targets in edges.values() for target in targets}
    print('%d folders, %d pairs, %d against the order' % (len(folders), sum(map(len, edges.values())), len(met)))
    for fault in faults:
        print('FAILED: %s' % fault)
    sys.exit(1 if faults else 0)


if __name__ == '__main__':
    main()
