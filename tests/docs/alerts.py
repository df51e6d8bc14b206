"""Checks the Prometheus alert rules.

usage: alerts.py ROOT names      every metric that the rules and the dashboard name exists in the source
       alerts.py ROOT rules      `promtool check rules` and `promtool test rules` (Debian package prometheus); skipped without promtool
"""
import glob
import os
import re
import shutil
import subprocess
import sys

ROOT, WHAT = sys.argv[1:3]
RULES = os.path.join(ROOT, 'config', 'prometheus', 'alerts.yml')


def text_of(path):
    with open(path, encoding='utf-8') as f:
        return f.read()


def names():
    source = ''.join(text_of(path) for folder in ('daemon', 'spool', 'kafka') for path in glob.glob(os.path.join(ROOT, 'src', folder, '*.c')))
    missing, count = set(), 0
    for path in (RULES, os.path.join(ROOT, 'config', 'grafana', 'thresher.json')):
        for name in set(re.findall(r'\bthresher_([a-z_]+)\b', text_of(path))):
            count += 1
            if not any('"%s"' % known in source for known in (name, re.sub('_(bucket|sum|count)$', '', name))):
                missing.add(name)
    print('%d names, missing: %s' % (count, sorted(missing)))
    return bool(missing) or not count


def rules():
    promtool = shutil.which('promtool')
    if not promtool:
        print('skipped: promtool is missing (Debian package prometheus)')
        return 77
    return any(subprocess.run([promtool, verb, 'rules', path], check=False).returncode
               for verb, path in (('check', RULES), ('test', os.path.join(ROOT, 'tests', 'prometheus', 'alerts_test.yml'))))


if __name__ == '__main__':
    sys.exit(int({'names': names, 'rules': rules}[WHAT]()))
