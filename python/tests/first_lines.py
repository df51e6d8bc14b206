"""The first lines of python/README.md, on an installed package: python3 first_lines.py ARCHIVE"""
import sys

import thresher

records = list(thresher.records(sys.argv[1]))
with thresher.warc(sys.argv[1]) as reader:
    kinds = [record.type for record in reader]
page = thresher.extract(b'<title>Rain</title><h1>Rain</h1><p>' + b'The rain had stopped before the ferry left the harbour. ' * 8, url='https://example.org/story')
print(len(kinds), 'records in the archive,', len(records), 'pages;', page.title, '-', page.text[:53])
assert records and records[0]['text'] and page.title == 'Rain' and 'The rain had stopped' in page.text
assert thresher.sign(page.text) == page.signature()
try:
    thresher.extract(b'\0\1\2\3PNG not a page', content_type='image/png')
    sys.exit('an image was taken for a page')
except thresher.Refused as refused:
    print('refused:', refused)
