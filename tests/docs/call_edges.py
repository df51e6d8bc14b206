"""Checks that calls between folders form no cycle, from the object files of a build.

usage: call_edges.py ROOT BUILD [--edges]

* A folder calls another folder if one of its objects needs a function or a variable that an object of the other folder defines.
  `nm` lists both. Calls through a function pointer are not seen, which is how a lower folder may reach a higher folder.
* Folders and subfolders of src count separately, as for includes.py. Source files next to the folders are named without their suffix.
Prints the number of folders, edges and cycles, and each cycle with the symbols that tie it. --edges also prints every edge.
"""
import collections
import glob
import json
import os
import shlex
import subprocess
import sys

DEFINED, NEEDED = 'TDBRVWGS', 'U'


def folder_of(path):
    """Returns the folder of a source file: segment/segmenter.c is of `segment`."""
    return os.path.dirname(path) or os.path.splitext(path)[0]


def objects_of(root, build):
    """Returns {object: folder} of the sources in src, and of those that the build generates for a folder of src."""
    found = {}
    tops = [os.path.join(os.path.realpath(top), 'src', '') for top in (build, root)]
    with open(os.path.join(build, 'compile_commands.json'), encoding='utf-8') as f:
        for row in json.load(f):
            source = os.path.realpath(os.path.join(row['directory'], row['file']))
            words = row.get('arguments') or shlex.split(row['command'])
            compiled = os.path.join(row['directory'], words[words.index('-o') + 1])
            for top in tops:
                if source.startswith(top) and os.path.exists(compiled):
                    found[compiled] = folder_of(source[len(top):])
    return found


def symbols_of(objects):
    """Returns ({symbol: folder that defines it}, {folder: {symbols that it needs}})."""
    home, needs = {}, collections.defaultdict(set)
    listed = subprocess.run(['nm', '-A', '-g', '-P', *objects], check=True, capture_output=True, text=True).stdout
    for line in listed.splitlines():
        path, _, rest = line.partition(': ')
        symbol, kind = rest.split()[:2]
        if kind in NEEDED:
            needs[objects[path]].add(symbol)
        elif kind in DEFINED:
            home[symbol] = objects[path]
    return home, needs


def edges_of(objects):
    """Returns {folder: {called folder: symbols}}."""
    home, needs = symbols_of(objects)
    edges = collections.defaultdict(lambda: collections.defaultdict(set))
    for folder, symbols in needs.items():
        for symbol in symbols:
            if home.get(symbol, folder) != folder:
                edges[folder][home[symbol]].add(symbol)
    return edges


def cycles_of(edges):
    """Returns the sets of folders that call each other, directly or indirectly (Tarjan)."""
    number, low, stack, cycles = {}, {}, [], []

    def visit(folder):
        number[folder] = low[folder] = len(number)
        stack.append(folder)
        for target in sorted(edges.get(folder, ())):
            if target not in number:
                visit(target)
            if target in stack:
                low[folder] = min(low[folder], low[target])
        if low[folder] == number[folder]:
            at = stack.index(folder)
            if len(stack) - at > 1:
                cycles.append(sorted(stack[at:]))
            del stack[at:]

    for folder in sorted(edges):
        if folder not in number:
            visit(folder)
    return cycles


def main():
    objects = objects_of(sys.argv[1], sys.argv[2])
    edges = edges_of(objects)
    folders = set(objects.values())
    wanted = {path.split('/')[0] for path in glob.glob('*/**/*.c', root_dir=os.path.join(sys.argv[1], 'src'), recursive=True)}
    missing = wanted - {folder.split('/')[0] for folder in folders}
    cycles = cycles_of(edges)
    print('%d folders, %d edges, %d cycles' % (len(folders), sum(map(len, edges.values())), len(cycles)))
    if '--edges' in sys.argv:
        for folder in sorted(edges):
            print('%s: %s' % (folder, ' '.join(sorted(edges[folder]))))
    for name in sorted(missing):
        print('FAILED: no object of src/%s in %s' % (name, sys.argv[2]))
    for cycle in cycles:
        print('FAILED: a cycle of %s' % ', '.join(cycle))
        for folder in cycle:
            for target in cycle:
                if edges.get(folder, {}).get(target):
                    print('  %s calls %s: %s' % (folder, target, ' '.join(sorted(edges[folder][target]))))
    sys.exit(1 if cycles or missing else 0)


if __name__ == '__main__':
    main()
