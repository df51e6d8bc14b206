#!/usr/bin/env python3
"""Compares `thresher robots` with protego (PyPI) on the URLs of made files, and of protego's own tests if its folder of tests is given.

usage: robots_protego.py THRESHER [PROTEGO_TESTS]
       PROTEGO_TESTS: folder `tests` of protego's source archive (default: $PROTEGO_TESTS); needs pytest

protego is more generous than RFC 9309. A case counts if RFC 9309 defines its result: is_defined() states the exceptions. Without protego the test is left out (77).
"""
import collections
import os
import random
import re
import subprocess
import sys
import tempfile

try:
    import protego
except ImportError:
    print("protego is missing")
    sys.exit(77)

RFC_KEYS = {"user-agent", "allow", "disallow"}
# Keys that protego reads as others, so that its groups differ.
ALIASES = {"dissallow", "dissalow", "disalow", "diasllow", "disallaw", "useragent", "user agent"}
TOKEN = re.compile(r"[A-Za-z_-]+\Z")

Case = collections.namedtuple("Case", "content url agent want")


def is_defined(case):
    """Returns whether RFC 9309 defines the result of a case."""
    if re.search("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]", case.content):  # protego ends lines at them
        return False
    if case.agent != "*" and not TOKEN.match(case.agent):
        return False
    for line in re.split("\r\n|\r|\n", case.content.lstrip("\ufeff")):
        line = line.split("#")[0].strip()
        key, colon, value = (part.strip() for part in line.partition(":"))
        if not line:
            continue
        if not colon or key.lower() in ALIASES:
            return False  # not a line of the grammar
        if key.lower() not in RFC_KEYS:
            # Other records must not interfere. protego ends a list of agents at most of them.
            if key.lower() not in ("sitemap", "host"):
                return False
            continue
        if key.lower() == "user-agent":
            if value != "*" and not TOKEN.match(value):
                return False
            # protego also applies a group whose name is a prefix of the agent's.
            if value not in ("*", case.agent) and value.lower() != case.agent.lower() and case.agent.lower().startswith(value.lower()):
                return False
        elif value:
            if value[0] not in "/*":
                return False  # path-pattern begins with a slash; a star is tolerated
            if "$" in value[:-1] or value.endswith("/index.html"):
                return False  # protego also reads "$" as a character, and adds "/$"
            if value.endswith("$") and ("$" in case.url or "%24" in case.url):
                return False  # the same for a final "$"
    return True


def made(count):
    """Yields cases with all features of the grammar."""
    chance = random.Random(9309)
    agents = ["ExampleBot", "other-bot", "third_bot", "*"]
    pieces = ["a", "b", "c", "/", "/", "*", "%41", "%3D", "=", "?", "&", "%2F", "é", "%C3%A9", ".", "~", "<", "%3c", "$x", "+", ",", ";"]
    for _ in range(count):
        lines, paths = [], []
        for _ in range(chance.randint(1, 4)):
            lines += [f"User-Agent: {chance.choice(agents)}" for _ in range(chance.randint(1, 2))]
            for _ in range(chance.randint(0, 4)):
                path = "/" + "".join(chance.choice(pieces) for _ in range(chance.randint(0, 5)))
                path = path.replace("$x", "x") + chance.choice(["", "", "", "$"])
                paths.append(path)
                lines.append(chance.choice(["Allow", "Disallow", "disallow"]) + chance.choice([": ", ":", " : "]) + chance.choice([path, path, path, ""]) +
                             chance.choice(["", "  ", " # comment"]))
            lines.append(chance.choice(["", "# comment", "Sitemap: http://a.example/s.xml"]))
        content = chance.choice(["\n", "\r\n", "\r"]).join(lines)
        parsed = protego.Protego.parse(content)
        for _ in range(8):
            path = chance.choice(paths or ["/"]).rstrip("$").replace("*", chance.choice(["", "b", "a/c", "%2A"]))
            path += chance.choice(["", "", "x", "/a?b=c"])
            agent = chance.choice(agents)
            yield Case(content, "http://a.example" + path, agent, parsed.can_fetch("http://a.example" + path, agent))


def recorded(folder):
    """Returns the cases of protego's own tests: every call of can_fetch."""
    import pytest
    cases = []
    parse, can_fetch = protego.Protego.parse.__func__, protego.Protego.can_fetch

    def parse_and_note(cls, content):
        parsed = parse(cls, content)
        parsed.noted = content
        return parsed

    def fetch_and_note(self, url, user_agent):
        result = can_fetch(self, url, user_agent)
        cases.append(Case(self.noted, url, user_agent, result))
        return result

    protego.Protego.parse, protego.Protego.can_fetch = classmethod(parse_and_note), fetch_and_note
    try:
        files = [os.path.join(folder, name) for name in ("test_protego.py", "test_on_google_spec.py")]
        code = pytest.main(["-q", "-x", "-p", "no:cacheprovider", *files])
    finally:
        protego.Protego.parse, protego.Protego.can_fetch = classmethod(parse), can_fetch
    assert code == 0, "protego's own tests fail"
    return cases


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **options)
    assert done.returncode == 0, (command[:4], done.stderr.decode())
    return done.stdout.decode()


def answers(thresher, cases, folder):
    """Returns whether thresher allows each case: a host for each file."""
    hosts = {}
    archive, rules = os.path.join(folder, "robots.warc"), os.path.join(folder, "robots.jsonl")
    with open(archive, "wb") as out:
        for case in cases:
            if case.content not in hosts:
                hosts[case.content] = "http://h%d.example" % len(hosts)
                block = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + case.content.encode("utf-8", "surrogatepass")
                head = ("WARC/1.1\r\nWARC-Type: response\r\nWARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Target-URI: %s/robots.txt\r\n"
                        "Content-Type: application/http\r\nContent-Length: %d\r\n\r\n" % (hosts[case.content], len(block)))
                out.write(head.encode() + block + b"\r\n\r\n")
    run(thresher, "robots", "build", "-q", archive, "-O", rules)
    found = [None] * len(cases)
    for agent in {case.agent for case in cases}:
        numbers = [i for i, case in enumerate(cases) if case.agent == agent]
        urls = []
        for i in numbers:
            rest = re.sub(r"^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*", "", cases[i].url)
            urls.append(hosts[cases[i].content] + (rest if rest.startswith("/") else "/" + rest))
        lines = run(thresher, "robots", "check", rules, agent, "-", input="\n".join(urls).encode()).splitlines()
        assert len(lines) == len(numbers), (agent, len(lines), len(numbers))
        for i, line in zip(numbers, lines):
            found[i] = line.startswith("allow\t")
    return found


def compare(thresher, name, cases):
    with tempfile.TemporaryDirectory() as folder:
        found = answers(thresher, cases, folder)
    differ = [(case, got) for case, got in zip(cases, found) if got != case.want]
    wrong = [(case, got) for case, got in differ if is_defined(case)]
    defined = sum(map(is_defined, cases))
    print("%s: %d cases, RFC 9309 defines %d of them: %d differ; %d of the others differ" %
          (name, len(cases), defined, len(wrong), len(differ) - len(wrong)))
    for case, got in wrong[:10]:
        print("FAILED: thresher %s, protego %s: %r" % (got, case.want, case))
    assert defined, "no case counts"
    return not wrong


def main():
    thresher = sys.argv[1]
    tests = sys.argv[2] if len(sys.argv) > 2 else os.environ.get("PROTEGO_TESTS", "")
    is_right = compare(thresher, "made files", list(made(400)))
    if tests:
        is_right &= compare(thresher, "protego's tests", recorded(tests))
    sys.exit(0 if is_right else 1)


if __name__ == "__main__":
    main()
