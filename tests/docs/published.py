"""Checks what is published with tools from PyPI: the licenses of all files, the citation, and the site with strict links.

usage: published.py ROOT reuse|citation
       published.py ROOT site THRESHER

The tools are in a virtual environment in the user's cache. Exits with 77 if they are not available. By hand, in a virtual environment:

    pip install -r site/requirements.txt && reuse lint && cffconvert --validate && site/build.sh OUT
"""
import fcntl
import hashlib
import os
import re
import subprocess
import sys
import tempfile

SKIPPED = 77


def tools(requirements):
    """Returns the folder of the tools' programs. Installs them if they are missing."""
    with open(requirements, 'rb') as file:
        version = hashlib.sha1(file.read()).hexdigest()[:8]
    base = os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache')
    folder = os.path.join(base, 'thresher-published-' + version)
    os.makedirs(folder, exist_ok=True)
    venv = os.path.join(folder, 'venv')
    with open(os.path.join(folder, 'lock'), 'w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(os.path.join(folder, 'complete')):
            subprocess.run([sys.executable, '-m', 'venv', '--clear', venv], check=True, timeout=300, stdout=subprocess.DEVNULL)
            subprocess.run([os.path.join(venv, 'bin', 'python'), '-m', 'pip', 'install', '-q', '--disable-pip-version-check', '-r', requirements],
                           check=True, timeout=600, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            open(os.path.join(folder, 'complete'), 'w').close()
    return os.path.join(venv, 'bin')


def tracked(root, folder):
    """Copies the files of the commit or, without git, of the folder, so that builds in the folder are not checked."""
    if subprocess.run(['git', '-C', root, 'rev-parse', '--git-dir'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
        return root
    names = subprocess.run(['git', '-C', root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], check=True, stdout=subprocess.PIPE).stdout
    subprocess.run(['sh', '-c', 'tar -C "$0" --null --ignore-failed-read -T - -cf - | tar -C "$1" -xf -', root, folder], check=True, input=names, stderr=subprocess.DEVNULL)
    return folder


def site(source, folder, environment, thresher):
    """Builds the site. Its pages load nothing from other hosts, and the gallery has twenty reports. A link without a target stops the build."""
    done = subprocess.run([os.path.join(source, 'build.sh'), folder, thresher], env=environment)
    if done.returncode:
        return done.returncode
    reports = os.listdir(os.path.join(folder, 'reports'))
    loaded = []
    for at, _, names in os.walk(folder):
        for name in names:
            if name.endswith(('.html', '.css')) and at != os.path.join(folder, 'reports'):
                with open(os.path.join(at, name), encoding='utf-8') as file:
                    loaded += re.findall(r'''(?:<script[^>]+src=|<link[^>]+stylesheet[^>]+href=|<img[^>]+src=|url\()["']?(https?://[^"')]+)''', file.read())
    for kind, target in (('link', 'missing%s' % '.md'), ('anchor', '#missing')):
        with tempfile.TemporaryDirectory() as work:
            os.mkdir(os.path.join(work, 'docs'))
            with open(os.path.join(work, 'docs', 'index.md'), 'w') as file:
                file.write('# Title\n\n[text](%s)\n' % target)
            with open(os.path.join(source, 'mkdocs.yml')) as file, open(os.path.join(work, 'mkdocs.yml'), 'w') as out:
                out.write(file.read().split('nav:')[0])
            broken = subprocess.run([os.path.join(environment['THRESHER_SITE_TOOLS'], 'mkdocs'), 'build', '--strict', '-f', os.path.join(work, 'mkdocs.yml')],
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
            if not broken.returncode or 'missing' not in broken.stdout:
                print('a broken %s does not stop the build: %s' % (kind, broken.stdout))
                return 1
    if loaded or len(reports) != 20:
        print('%d reports; loaded from other hosts: %s' % (len(reports), loaded))
        return 1
    return 0


def main():
    root, part = os.path.abspath(sys.argv[1]), sys.argv[2]
    try:
        programs = tools(os.path.join(root, 'site', 'requirements.txt'))
    except (OSError, subprocess.SubprocessError) as error:
        print('skipped: no tools from PyPI: %s' % error)
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        if part == 'reuse':
            return subprocess.run([os.path.join(programs, 'reuse'), '--root', tracked(root, folder), 'lint', '--lines']).returncode
        if part == 'citation':
            return subprocess.run([os.path.join(programs, 'cffconvert'), '--validate', '-i', os.path.join(root, 'CITATION.cff')]).returncode
        return site(os.path.join(root, 'site'), folder, dict(os.environ, THRESHER_SITE_TOOLS=programs), os.path.abspath(sys.argv[3]))


if __name__ == '__main__':
    sys.exit(main())
