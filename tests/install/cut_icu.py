"""The data that deploy/cut_icu.sh leaves in ICU are enough: records, languages and sort keys have the same bytes as with the whole data.

usage: cut_icu.py PROGRAM      skipped (77) without icupkg, gcc, or ICU as a shared library of Debian
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, '..', '..')
PROGRAM = os.path.abspath(sys.argv[1])
SENTENCES = {
    'ja': '吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。ﾊﾝｶｸｶﾅも㌔も読む。', 'zh': '渡轮将于四月一日重新开航，九年来首次连接本岛与外岛，居民们非常高兴。',
    'th': 'เรือข้ามฟากกลางคืนจะกลับมาแล่นอีกครั้งในวันที่หนึ่งเมษายน', 'lo': 'ເຮືອຂ້າມຟາກຈະກັບມາແລ່ນອີກໃນວັນທີໜຶ່ງເມສາ', 'km': 'សាឡាងពេលយប់នឹងត្រឡប់មកវិញនៅថ្ងៃទីមួយខែមេសា',
    'my': 'ညဘက်ကူးတို့သင်္ဘောသည် ဧပြီလ ၁ ရက်နေ့မှစ၍ ပြန်လည်ပြေးဆွဲမည်', 'ar': 'ستعود العبارة الليلية إلى الإبحار في أول نيسان بعد تسع سنوات.', 'sr': 'Ноћни трајект поново саобраћа од првог априла, после девет година.',
    'de': 'Die Nachtfähre nach den äußeren Inseln fährt wieder vom ersten April an.', 'ko': '야간 여객선이 구 년 만에 사월 일일부터 다시 운항한다고 시가 밝혔다.',
}


def record(number, url, body, charset):
    http = b'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=%s\r\nContent-Length: %d\r\n\r\n%s' % (charset, len(body), body)
    return (b'WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:b8ccb93b-04bf-517b-8727-%012d>\r\nWARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Target-URI: %s\r\n'
            b'Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n' % (number, url.encode(), len(http), http))


def pages():
    for language, text in SENTENCES.items():
        for charset in ('utf-8', 'gb18030', 'shift_jis', 'euc-jp', 'big5', 'euc-kr'):
            try:
                body = ('<title>%s</title><h1>%s</h1>' % (language, text) + '<p>%s</p>' % (text * 4) * 3).encode(charset)
            except UnicodeEncodeError:
                continue
            yield 'http://%s.bücher.example/ä/%s' % (language, charset), body, charset.encode()


if not (shutil.which('icupkg') and shutil.which('gcc') and glob.glob('/usr/lib/*/libicudata.so.??')):
    print('skipped: no icupkg, no gcc, or no libicudata.so')
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, 'pages.warc')
    with open(path, 'wb') as out:
        for number, page in enumerate(pages()):
            out.write(record(number, *page))
    cut = os.path.join(folder, 'cut')
    subprocess.run(['sh', os.path.join(SOURCE, 'deploy', 'cut_icu.sh'), cut], check=True, stdout=subprocess.DEVNULL)
    news = os.path.join(SOURCE, 'samples', 'news.warc.gz')
    # A model whose labels have another preferred code (arb: ar), and not their language's usual script.
    names = iter((b'arb_Latn', b'srp_Latn', b'rus_Latn', b'jpn_Latn'))
    with open(os.path.join(SOURCE, 'tests', 'data', 'fasttext', 'softmax.bin'), 'rb') as file:
        data = re.sub(rb'__label__[^\0]+', lambda _: b'__label__' + next(names), file.read())
    model = os.path.join(folder, 'model.bin')
    with open(model, 'wb') as file:
        file.write(data)
    for command in (['run', '-q', '-k', 'keep-all', '--language-fasttext', model, '--language-detector', 'fasttext', path], ['run', '-q', path], ['run', '-q', news], ['records', '-q', '--cdxj', path]):
        whole, small = (subprocess.run([PROGRAM, *command], check=True, stdout=subprocess.PIPE, env=dict(os.environ, **more)).stdout for more in ({}, {'LD_LIBRARY_PATH': cut}))
        assert whole.count(b'\n') > 15, command
        if whole != small:
            first = next((a, b) for a, b in zip(whole.splitlines(), small.splitlines()) if a != b)
            sys.exit('%s\nwhole: %.2000s\ncut:   %.2000s' % (command, first[0].decode(), first[1].decode()))
loaded = subprocess.run(['ldd', PROGRAM], stdout=subprocess.PIPE, universal_newlines=True).stdout
assert 'libicudata' in loaded, loaded
print('the same records and sort keys')
