"""Archives of the pages by hand in tests/threads and tests/languages."""
import json
import subprocess


def archive(folder, names, path, host):
    """Writes a WARC file with the page folder/NAME.html of each name, as https://HOST/NAME."""
    with open(path, 'wb') as out:
        for name in names:
            html = (folder / (name + '.html')).read_bytes()
            out.write(b'WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:x:%s>\r\nWARC-Target-URI: https://%s/%s\r\n'
                      b'WARC-Date: 2026-01-01T00:00:00Z\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n'
                      % (name.encode(), host.encode(), name.encode(), len(html)) + html + b'\r\n\r\n')


def records(program, path, *options):
    """Returns the record of each page by its name."""
    lines = subprocess.run([program, 'run', '-q', *options, '-O', '-', str(path)], check=True, stdout=subprocess.PIPE).stdout
    return {record['url'].rsplit('/', 1)[1]: record for record in map(json.loads, lines.splitlines())}
