#!/usr/bin/env python3
"""The languages of Common Crawl's metadata records are in the record of their page, with any batch borders.

Usage: crawl_languages.py THRESHER
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

TEXT = "All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience. " * 3


def record(kind, number, fields, body):
    head = (f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Date: 2024-05-18T01:58:10Z\r\nWARC-Record-ID: <urn:x:{number}>\r\n"
            f"Content-Length: {len(body)}\r\n{fields}\r\n")
    return (head + body + "\r\n\r\n").encode()


def note(number, of, code="en", iso="eng"):
    said = json.dumps({"reliable": True, "text-bytes": 300, "languages": [
        {"code": code, "code-iso-639-3": iso, "text-covered": 0.99, "score": 1000.0, "name": "X"}]})
    return record("metadata", number, f"Content-Type: application/warc-fields\r\nWARC-Concurrent-To: <urn:x:{of}>\r\n",
                  f"fetchTimeMs: 1\r\nlanguages-cld2: {said}\r\n\r\n")


def page(number):
    body = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>{TEXT}</p>"
    return record("response", number, f"Content-Type: application/http\r\nWARC-Target-URI: http://a.example/{number}\r\n", body)


def run(thresher, archive, *options):
    return subprocess.run([thresher, "run", "-m", "none", "-k", "keep-all", *options, str(archive)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=True)


def records_of(done):
    return [json.loads(line) for line in done.stdout.splitlines()]


def at_every_end_of_a_batch(thresher, archive):
    """64 records are a batch: with one record before, two, ... each place of page and note meets its end."""
    for before in range(3):
        archive.write_bytes(b"".join(page(f"x{i}") for i in range(before))
                            + b"".join(page(i) + note(f"n{i}", i, *(("de", "deu") if i % 5 == 0 else ("en", "eng"))) for i in range(100)))
        done = run(thresher, archive, "-j", "1")
        records = records_of(done)
        assert len(records) == 100 + before
        for record_ in records[before:]:
            number = int(record_["id"][len("<urn:x:"):-1])
            assert record_["language_crawl"]["name"] == ("de" if number % 5 == 0 else "en"), record_
        assert not any("language_crawl" in record_ for record_ in records[:before])
        assert run(thresher, archive, "-j", "4").stdout == done.stdout
        if "language_detected" in records[0]:
            assert re.search(rb"crawl    names 80 languages that match the detected language, 20 that differ, 0 undecided", done.stderr), done.stderr


def notes_without_end(thresher, archive):
    """Notes on notes, and many on one page: no batch grows without end."""
    archive.write_bytes(page(0) + b"".join(note(i + 1, i) for i in range(3000)) + page("last"))
    assert len(records_of(run(thresher, archive))) == 2
    archive.write_bytes(b"".join(page(i) for i in range(63)) + b"".join(note(f"n{i}", 62) for i in range(3000)))
    records = records_of(run(thresher, archive))
    assert len(records) == 63 and records[62]["language_crawl"]["name"] == "en"


def main(thresher):
    with tempfile.TemporaryDirectory() as folder:
        archive = pathlib.Path(folder) / "pages.warc"
        at_every_end_of_a_batch(thresher, archive)
        notes_without_end(thresher, archive)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
