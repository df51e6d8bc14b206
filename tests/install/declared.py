"""Prints the names that the headers of a folder declare: python3 declared.py FOLDER"""
import glob
import os
import re
import sys

DECLARATION = re.compile(r'^(?:extern )?(?:TH|WARC)_API ([^;{]*?)(?:\(|\[|;)|^extern (?:TH|WARC)_API ([^;]*?)(?:\[|;)', re.M)

for path in sorted(glob.glob(os.path.join(sys.argv[1], '*.h'))):
    with open(path, encoding='utf-8') as header:
        for found in DECLARATION.finditer(header.read()):
            print(re.search(r'\w+$', (found[1] or found[2]).strip())[0])
