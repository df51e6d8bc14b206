"""Measurements of pages by thresher-lab. Each is done once per run and kept in a folder."""
import functools
import gzip
import hashlib
import json
import os
import subprocess


class Missing(Exception):
    """A corpus that an experiment needs is not in the folder of corpora."""


class Lab:
    """
    program: thresher-lab
    corpora: the folder of corpora
    work: a folder for files that are computed
    limit: number of pages of each corpus, at equal distances; 0 for all
    """

    def __init__(self, program, corpora, work, jobs=2, limit=0):
        self.program, self.corpora, self.work, self.jobs, self.limit = program, corpora, work, jobs, limit
        self._kept = {}
        os.makedirs(work, exist_ok=True)

    def once(self, name, make):
        """The value of `make`, which runs once for each name."""
        if name not in self._kept:
            self._kept[name] = make()
        return self._kept[name]

    def path(self, *names):
        path = os.path.join(self.corpora, *names)
        if not os.path.exists(path):
            raise Missing(f"{path} is missing")
        return path

    def call(self, *words, **options):
        """Runs the program and returns its output."""
        done = subprocess.run([self.program, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        if done.returncode not in (0, 1):
            raise RuntimeError(f"{' '.join(map(str, words))}: {done.stderr.decode(errors='replace').strip()[-500:]}")
        return done.stdout

    def _file(self, words, suffix):
        name = hashlib.sha256("\0".join(map(str, (*words, self.limit))).encode()).hexdigest()[:24]
        return os.path.join(self.work, name + suffix)

    def archive(self, corpus):
        """A WARC file of a corpus, with some of the pages if there is a limit."""
        folder = self.path(*corpus.split("/"))
        path = os.path.join(folder, "pages.warc.gz")
        if os.path.exists(path) and not self.limit:
            return path
        made = self._file(("archive", folder), ".warc")
        if not os.path.exists(made):
            if os.path.exists(path):
                _some_records(path, made, self.limit)
            else:
                _write_warc(self.gold(corpus), made)
        return made

    def gold(self, corpus):
        """The lines of pages.jsonl.gz of a corpus."""
        return self.once(("gold", corpus), lambda: list(self._lines(self.path(*corpus.split("/"), "pages.jsonl.gz"))))

    def _lines(self, path):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            yield from map(json.loads, spread(list(lines), self.limit))

    def records(self, corpus, segmenter="bf-rulebased", *more):
        """Records with full_text, segments, blocks, and labels by num-words, read one by one."""
        words = ("run", "-q", "-j", self.jobs, "-m", "none", "-k", "num-words", "-s", segmenter, "--emit", "full_text,segments,blocks", *more)
        path = self._file((*words, corpus), ".jsonl.gz")
        if not os.path.exists(path):
            lines = self.call(*words, self.archive(corpus))
            with gzip.open(path + ".part", "wb", compresslevel=1) as out:
                out.write(lines)
            os.replace(path + ".part", path)
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)

    def segmentation(self, corpus, *more):
        """The methods of `eval segmentation`, as its JSON report has them, by field."""
        words = ("eval", "segmentation", "-q", "-j", self.jobs, "-k", "num-words", "--json", "--resamples", "0", *more)
        return self.once((*words, corpus), lambda: {field["field"]: field["methods"] for field in json.loads(
            self.call(*words, self.corpus(corpus)))["corpora"][0]["fields"]})

    def page_scores(self, corpus, *more):
        """Scores of each page: {segmenter: [row, ...]}, with the pages in the same order for each."""
        def make():
            path = self._file(("scores", corpus, *more), ".jsonl")
            if not os.path.exists(path):
                self.call("eval", "segmentation", "-q", "-j", self.jobs, "-k", "num-words", "--json", "--resamples", "0", "-O", path, *more, self.corpus(corpus))
            found = {}
            with open(path, encoding="utf-8") as lines:
                for line in lines:
                    row = json.loads(line)
                    found.setdefault(row["segmenter"], []).append(row)
            return found
        return self.once(("scores", corpus, *more), make)

    def corpus(self, corpus):
        """The folder of a corpus with gold segments, or one with some of its pages if there is a limit."""
        folder = self.path(*corpus.split("/"))
        if not self.limit:
            return folder
        made = os.path.join(self.work, f"some-{self.limit}", os.path.basename(folder))
        if not os.path.exists(made):
            os.makedirs(made + ".part", exist_ok=True)
            with gzip.open(os.path.join(folder, "gold.jsonl.gz"), "rt", encoding="utf-8") as lines, \
                    gzip.open(os.path.join(made + ".part", "gold.jsonl.gz"), "wt", encoding="utf-8") as out:
                out.writelines(spread(list(lines), self.limit))
            os.symlink(os.path.join(folder, "pages.warc.gz"), os.path.join(made + ".part", "pages.warc.gz"))
            os.rename(made + ".part", made)
        return made

    def gold_segments(self, corpus):
        """The lines of gold.jsonl.gz, in order."""
        return self.once(("segments", corpus), lambda: list(self._lines(self.path(*corpus.split("/"), "gold.jsonl.gz"))))


def _write_warc(pages, path):
    """Pages with id, url and html or html_b64 as WARC records; the id of a record is the page's id."""
    import base64
    with open(path + ".part", "wb") as out:
        for page in pages:
            body = base64.b64decode(page["html_b64"]) if "html_b64" in page else page["html"].encode()
            encoding = page.get("encoding") or ("utf-8" if "html" in page else "")
            head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html{'; charset=' + encoding if encoding else ''}\r\n\r\n".encode()
            url = page.get("url") or "http://unknown.example/"
            out.write(f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:page:{hashlib.sha1(page['id'].encode()).hexdigest()}>\r\nWARC-Target-URI: {url}\r\n"
                      f"WARC-Date: 2020-01-01T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {len(head) + len(body)}\r\n\r\n".encode())
            out.write(head + body + b"\r\n\r\n")
    os.replace(path + ".part", path)


def record_id(page):
    """The record id that `archive` gives to a page of pages.jsonl.gz."""
    return f"<urn:page:{hashlib.sha1(page['id'].encode()).hexdigest()}>"


def spread(items, limit):
    """At most `limit` items at equal distances; all if the limit is 0."""
    return items if not limit or len(items) <= limit else [items[i * len(items) // limit] for i in range(limit)]


def _some_records(path, made, limit):
    """Copies pages of a WARC file, at equal distances."""
    records = []
    with gzip.open(path, "rb") as archive:
        while True:
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                line = archive.readline()
                if not line:
                    break
                head += line
            if not head.strip():
                break
            length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length"))
            record = head + archive.read(length + 4)
            if b"WARC-Type: response" in head or b"WARC-Type: resource" in head:
                records.append(record)
    with open(made + ".part", "wb") as out:
        out.writelines(spread(records, limit))
    os.replace(made + ".part", made)


@functools.lru_cache(maxsize=None)
def words_of(text):
    """Runs of characters other than white space that contain a letter or digit."""
    return tuple(word for word in text.split() if any(c.isalnum() for c in word))
