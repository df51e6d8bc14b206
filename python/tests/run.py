"""The package's tests on a build's library: python3 run.py PROGRAM LIBRARY. 77 (skipped) without pytest.

test_examples.py is omitted, because Ray and Spark take minutes, and Java does not start with a sanitizer's runtime.
"""
import os
import subprocess
import sys

try:
    import pytest  # noqa: F401
except ImportError:
    print('skipped: pytest is not installed')
    sys.exit(77)

program, library = map(os.path.abspath, sys.argv[1:3])
folder = os.path.dirname(os.path.abspath(__file__))
environment = dict(os.environ, THRESHER_PROGRAM=program, THRESHER_LIBRARY_DIR=os.path.dirname(library),
                   PYTHONPATH=os.path.dirname(folder), PYTHONDONTWRITEBYTECODE='1')
if len(sys.argv) > 3:  # the sanitizer's runtime must come before Python's own allocator; Python itself leaks at exit
    environment.update(LD_PRELOAD=sys.argv[3], ASAN_OPTIONS='detect_leaks=0')
sys.exit(subprocess.run([sys.executable, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', '--ignore', os.path.join(folder, 'test_examples.py'), folder], env=environment).returncode)
