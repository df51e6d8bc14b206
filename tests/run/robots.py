#!/usr/bin/env python3
"""`thresher robots build|show|check`, `run --robots FILE --agent NAME`, and statements about rights in records.

usage: robots.py THRESHER
"""
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

PAGE = b"<html><head><meta name=robots content=noai></head><body><p>A page with a few words of text in its only paragraph."
TEXT = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"


def run(*command, **options):
    return subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **options)


def record(url, block, date="2026-01-01T00:00:00Z", kind="response"):
    head = ("WARC/1.1\r\nWARC-Type: %s\r\nWARC-Date: %s\r\nWARC-Target-URI: %s\r\nContent-Type: application/http\r\nContent-Length: %d\r\n\r\n"
            % (kind, date, url, len(block)))
    return head.encode() + block + b"\r\n\r\n"


def page(url):
    return record(url, b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Robots-Tag: mybot: noindex\r\n\r\n" + PAGE)


def rules_of(archives, thresher, folder, *options):
    out = folder / "rules.jsonl"
    done = run(thresher, "robots", "build", "-q", *archives, "-O", out, *options)
    assert (done.returncode, done.stderr) == (0, b""), done
    return out


def check_build(thresher, folder):
    """Writes and reads a file: the newest of several, codings, redirects, statuses, tdmrep.json. Returns its name."""
    packed = gzip.compress(b"User-agent: MyBot\nDisallow: /packed\nContent-Usage: train-ai=n\nContent-Signal: search=yes\nLicense: https://l.example/rsl.xml\n", mtime=0)
    archive = folder / "robots.warc"
    archive.write_bytes(b"".join([
        record("http://a.example/robots.txt", TEXT + b"User-agent: *\nDisallow: /new\n", "2026-02-01T00:00:00Z"),
        record("http://a.example/robots.txt", TEXT + b"User-agent: *\nDisallow: /old\n"),
        record("http://A.example:80/robots.txt", b"", kind="revisit"),
        record("https://a.example/robots.txt", b"HTTP/1.1 301 Moved\r\nLocation: http://b.example/robots.txt\r\n\r\nmoved"),
        record("http://b.example/robots.txt", TEXT.replace(b"\r\n\r\n", b"\r\nContent-Encoding: gzip\r\n\r\n") + packed),
        record("http://c.example/robots.txt", b"HTTP/1.1 404 Not Found\r\n\r\nUser-agent: *\nDisallow: /\n"),
        record("http://d.example/robots.txt", b"HTTP/1.1 503 Busy\r\n\r\nbusy"),
        record("http://e.example/robots.txt", b"HTTP/1.1 302 Found\r\nLocation: /robots.txt\r\n\r\nitself"),
        record("http://f.example/.well-known/tdmrep.json", TEXT + b'[{"location": "/a*", "tdm-reservation": 1, "tdm-policy": "https://p.example/"}]'),
        record("http://g.example/robots.txt", TEXT + b"User-agent: *\nDisallow: /" + b"a" * 3000 + b"\n"),
        record("http://a.example/x/robots.txt", TEXT + b"User-agent: *\nDisallow: /\n"),
    ]))
    rules = rules_of([archive], thresher, folder)
    lines = [json.loads(line) for line in rules.read_text().splitlines()]
    assert [line["host"] for line in lines[:-1]] == ["http://a.example", "http://b.example", "http://c.example", "http://d.example", "http://e.example",
                                                    "http://f.example", "http://g.example", "https://a.example"], lines
    assert lines[0]["robots"] == {"date": "2026-02-01T00:00:00Z", "status": 200, "rules": "user-agent: *\ndisallow: /new\n"}, lines[0]
    assert lines[6]["robots"]["cut"] is True, lines[6]
    assert lines[-1]["schema"] == "thresher-robots/1" and lines[-1]["hosts"] == 8, lines[-1]
    again = rules.read_bytes()
    assert rules_of([archive, archive], thresher, folder, "--memory", "1M").read_bytes() == again

    damaged = folder / "damaged.jsonl"
    damaged.write_bytes(again.replace(b"/new", b"/now", 1))
    for command in (["robots", "show", damaged], ["run", "-e", "rights", "--robots", damaged, archive]):
        done = run(thresher, *command)
        assert done.returncode == 74 and b"is damaged" in done.stderr and not done.stdout, done
    done = run(thresher, "run", "--robots", rules, archive)
    assert done.returncode == 2 and b"robots needs emit = rights or filter.rights" in done.stderr, done

    done = run(thresher, "robots", "show", rules, "a.example")
    assert json.loads(done.stdout)["robots"]["status"] == 301, done
    assert run(thresher, "robots", "show", rules).stdout.count(b"\n") == 8
    assert run(thresher, "robots", "show", rules, "z.example").returncode == 2

    wanted = [("http://a.example/new?x", "disallow", "disallow: /new"), ("http://a.example/old", "allow", ""), ("http://A.example/robots.txt", "allow", ""),
              ("https://a.example/packed", "disallow", "disallow: /packed"), ("http://c.example/", "allow", ""), ("http://d.example/", "disallow", "unreachable"),
              ("http://e.example/", "allow", ""), ("http://z.example/", "allow", "no robots.txt"), ("http://g.example/aaa", "allow", "")]
    done = run(thresher, "robots", "check", rules, "mybot", wanted[0][0], "-", input="\n".join(url for url, _, _ in wanted[1:]).encode())
    assert done.stdout.decode() == "".join("%s\t%s\t%s\n" % (how, url, rule) for url, how, rule in wanted), done
    return rules


def check_run(thresher, folder, rules):
    archive = folder / "pages.warc"
    archive.write_bytes(b"".join(page(url) for url in ("http://a.example/new", "https://a.example/packed", "http://f.example/ab", "http://z.example/")))
    done = run(thresher, "run", "-q", "-e", "rights", "--robots", rules, "--agent", "mybot", archive)
    assert (done.returncode, done.stderr) == (0, b""), done
    rows = [[(right["signal"], right["from"], right.get("agent"), right["value"]) for right in json.loads(line)["rights"]] for line in
            done.stdout.splitlines()]
    own = [("robots", "http", "mybot", "noindex"), ("robots", "meta", None, "noai")]
    assert rows[0] == [own[0], ("robots.txt", "robots.txt", None, "disallow: /new"), own[1]], rows[0]
    assert rows[1] == [own[0], ("robots.txt", "robots.txt", "mybot", "disallow: /packed"), ("content-usage", "robots.txt", "mybot", "train-ai=n"),
                       ("content-signal", "robots.txt", "mybot", "search=yes"),
                       ("rsl", "robots.txt", None, "https://l.example/rsl.xml"), own[1]], rows[1]
    assert rows[2] == [own[0], ("tdm-reservation", "tdmrep.json", None, "1"), ("tdm-policy", "tdmrep.json", None, "https://p.example/"), own[1]], rows[2]
    assert rows[3] == own, rows[3]
    assert done.stdout == run(thresher, "run", "-q", "-j", 3, "-e", "rights", "--robots", rules, "--agent", "mybot", archive).stdout
    if json.loads(run(thresher, "version", "--json").stdout)["parts"]["isolation"]:
        assert run(thresher, "run", "-q", "--isolation", "process", "-e", "rights", "--robots", rules, "--agent", "mybot", archive).stdout == done.stdout

    for items, agent, kept in (("robots.txt", "mybot", 2), ("train-ai=n", "mybot", 3), ("train-ai=n", "", 4), ("tdm-reservation", "", 3), ("noai", "", 0),
                               ("noindex", "mybot", 0), ("noindex", "", 4)):
        done = run(thresher, "run", "--robots", rules, "--agent", agent, "--filter.rights", items, archive)
        assert done.stdout.count(b"\n") == kept, (items, agent, done)
        assert (b"filter_rights %d" % (4 - kept) in done.stderr) == (kept < 4), (items, agent, done.stderr)


def check_errors(thresher, folder, rules):
    broken = folder / "broken"
    broken.write_bytes(rules.read_bytes()[:-1])
    for command in (("run", "-q", "-e", "rights", "--robots", broken, folder / "pages.warc"), ("robots", "show", broken), ("robots", "check", broken, "a", "http://a/")):
        done = run(thresher, *command)
        assert done.returncode == 2 and b"complete file" in done.stderr, done
    for content in (b"", b"x" * 100000, b"{}\n", rules.read_bytes() + b"x" * 100000, rules.read_bytes() + b"\n"):
        broken.write_bytes(content)
        done = run(thresher, "robots", "show", broken)
        assert done.returncode == 2 and b"robots build" in done.stderr and not done.stdout, (content[:100], done)
    assert run(thresher, "robots", "show", folder / "missing").returncode == 74
    assert run(thresher, "robots", "check", rules, "a", "a.example").returncode == 2
    done = run(thresher, "robots", "biuld")
    assert done.returncode == 2 and b"build, show, check" in done.stderr, done


def main():
    thresher = sys.argv[1]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        rules = check_build(thresher, folder)
        check_run(thresher, folder, rules)
        check_errors(thresher, folder, rules)


if __name__ == "__main__":
    main()
