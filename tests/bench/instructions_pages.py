#!/usr/bin/env python3
"""Writes the archive of bench.instructions, the same bytes every time.

usage: tests/bench/instructions_pages.py OUT.warc.gz

Pages of seven kinds with the markup of real ones: class lists, inline scripts, styles and pictures, menus, cards, comments, tables. The
sentences come from samples/stories.py (public domain or invented for this project), in another order on each page.
"""
import gzip
import io
import pathlib
import random
import re
import sys
import uuid

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "samples"))
from stories import STORIES  # noqa: E402

ENGLISH = [name for name, story in STORIES.items() if story.language == "en"]
OTHERS = [name for name, story in STORIES.items() if story.language != "en"]
ICON = '<svg class="icon icon-{0}" width="24" height="24" viewBox="0 0 24 24" aria-hidden="true"><path d="M{0} 2C6.48 2 2 6.48 2 12s4.48 10 10 10 10-4.48 10-10S17.52 2 12 2z"/></svg>'
WORDS = "home news sport travel shop help about contact search login events weather culture opinion science history music books games food".split()


class Page:
    def __init__(self, number):
        self.dice = random.Random(number)
        self.number = number
        name = OTHERS[number // 4 % len(OTHERS)] if number % 4 == 3 else ENGLISH[number % len(ENGLISH)]
        self.story = STORIES[name]
        self.sentences = re.findall(r"[^.!?。！？؟]+[.!?。！？؟]?[”」’]?\s*", " ".join(self.story.paragraphs))

    def text(self, least, most):
        """Sentences in any order; few are linked or set apart."""
        out = []
        for _ in range(self.dice.randint(least, most)):
            sentence = self.dice.choice(self.sentences).strip()
            dice = self.dice.random()
            if dice < .08:
                sentence = f'<a href="/{self.dice.choice(WORDS)}/{self.dice.randint(1, 9999)}?ref=text">{sentence}</a>'
            elif dice < .14:
                sentence = f"<em>{sentence}</em>"
            elif dice < .18:
                sentence = sentence.replace(" ", "&nbsp;", 1).replace("’", "&rsquo;")
            out.append(sentence)
        return " ".join(out)

    def title(self):
        return f"{self.story.title} {self.dice.randint(2, 99)}"

    def link(self, depth=1):
        path = "/".join(self.dice.choice(WORDS) for _ in range(depth))
        return f"https://www.example.org/{path}/{self.dice.randint(1, 99999)}"

    def menu(self, items, css):
        rows = "".join(
            f'\n        <li class="menu-item menu-item-type-custom menu-item-{self.dice.randint(100, 99999)} {css}__item"><a class="{css}__link" href="{self.link()}" '
            f'data-track="nav:{i}" title="{word.title()}"><span class="{css}__label">{word.title()}</span>{ICON.format(i) if i % 5 == 0 else ""}</a></li>'
            for i, word in enumerate(self.dice.choices(WORDS, k=items)))
        return f'\n    <nav class="{css} {css}--wide" aria-label="{css}"><ul id="{css}-list" class="{css}__list">{rows}\n      </ul></nav>'

    def card(self, i):
        return (f'\n      <div class="col-md-4 col-sm-6 card card--teaser js-card" id="card-{i}" data-id="{self.dice.getrandbits(40)}" data-position="{i}">'
                f'<a class="card__image-link" href="{self.link(2)}"><img class="lazy card__image" loading="lazy" width="320" height="180" alt="{self.title()}" '
                f'src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" data-src="https://img.example.org/{self.dice.getrandbits(60):x}.jpg"></a>'
                f'<div class="card__body"><h3 class="card__title"><a href="{self.link(2)}">{self.title()}</a></h3><p class="card__text">{self.text(1, 2)}</p>'
                f'<span class="card__price price">$ {self.dice.randint(2, 900)}.{self.dice.randint(10, 99)}</span> <button type="button" class="btn btn-primary btn-sm">Add to cart</button></div></div>')

    def comment(self, i):
        return (f'\n      <li class="comment even thread-even depth-1" id="comment-{i}"><article class="comment-body"><footer class="comment-meta"><b class="fn">reader{i}</b> '
                f'<time datetime="2026-02-{1 + i % 28:02}T10:00:00Z">{1 + i % 28} February 2026</time></footer><div class="comment-content"><p>{self.text(1, 4)}</p></div>'
                f'<div class="reply"><a rel="nofollow" class="comment-reply-link" href="#comment-{i}">Reply</a></div></article></li>')

    def script(self, bytes_):
        body = "".join(f'd["k{self.dice.getrandbits(24):x}"]={{"v":{self.dice.getrandbits(30)},"n":"{self.dice.choice(WORDS)}"}};' for _ in range(bytes_ // 36))
        return f"\n  <script>(function(w,d){{if(!w.x){{{body}}}}})(window,{{}});</script>"

    def style(self, rules):
        return "\n  <style>" + "".join(f".{self.dice.choice(WORDS)}-{i}{{margin:0 {i}px;color:#{self.dice.getrandbits(24):06x};display:flex}}" for i in range(rules)) + "</style>"

    def article(self):
        return "".join(f'\n      <p class="article__text">{self.text(2, 6)}</p>' if i % 6 else f'\n      <h2 class="article__heading">{self.title()}</h2>' for i in range(1, 40))

    def listing(self):
        return '\n    <div class="row grid grid--cards">' + "".join(map(self.card, range(60))) + "</div>"

    def forum(self):
        return '\n    <ol class="comment-list">' + "".join(map(self.comment, range(50))) + "</ol>"

    def product(self):
        rows = "".join(f'\n        <tr class="spec"><th scope="row">{self.title()}</th><td>{self.dice.randint(1, 99)} cm</td></tr>' for _ in range(30))
        return (f'\n    <div class="product" itemscope itemtype="https://schema.org/Product"><div itemprop="description" class="product-description">{self.article()}</div>'
                f'\n      <table class="table table-striped specs"><tbody>{rows}</tbody></table></div>{self.listing()}')

    def manual(self):
        code = "".join(f"\n<pre><code class=\"language-c\">static int f{i}(const char *name, int x)\n{{\n    if (x &lt; {i} &amp;&amp; name[0] == '{i}')\n        return x * {i};\n    return 0;\n}}\n</code></pre>"
                       f'\n<p>{self.text(1, 3)} See <code>f{i}</code>.</p>\n<ul><li>{self.text(1, 1)}</li><li>{self.text(1, 1)}</li></ul>' for i in range(24))
        return f'\n    <div class="markdown-body">{code}</div>'

    def service(self):
        return "".join(f'\n    <section class="section section--{i} container-fluid"><div class="row"><div class="col-lg-8 offset-lg-2"><h2>{self.title()}</h2><p class="lead">{self.text(1, 3)}</p>'
                       f'<div hidden class="accordion__panel" id="panel-{i}"><p>{self.text(2, 3)}</p></div><div style="display:none">{self.text(1, 1)}</div></div></div></section>' for i in range(16))

    def old(self):
        cells = "".join(f'<tr><td bgcolor="#eeeeee" width="20%"><font size=2 color="navy"><b>{self.title()}</b></font><td valign=top><font face="Arial">{self.text(1, 4)}<br><br>{self.text(1, 2)}</font>'
                        for _ in range(30))
        return f'<center><table border=0 cellpadding=4 width="100%">{cells}</table></center>'

    KINDS = (article, listing, forum, product, manual, service, old)

    def html(self):
        title = self.title()
        body = self.KINDS[self.number % len(self.KINDS)](self)
        meta = "".join(f'\n  <meta property="og:{name}" content="{value}">' for name, value in (("title", title), ("type", "article"), ("site_name", "Example"), ("url", self.link(2))))
        data = (f'\n  <script type="application/ld+json">{{"@context":"https://schema.org","@type":"Article","headline":"{title}","datePublished":"2026-01-{1 + self.number % 28:02}",'
                f'"author":{{"@type":"Person","name":"{self.story.author or "Ann Example"}"}}}}</script>')
        return (f'<!DOCTYPE html>\n<html lang="{self.story.language}">\n<head>\n  <meta charset="utf-8">\n  <title>{title} | Example</title>{meta}\n  <meta name="description" content="{self.dice.choice(self.sentences).strip()}">'
                f'{self.style(40)}{self.script(6000)}{data}\n</head>\n<body class="single single-post postid-{self.number} wp-embed-responsive">\n  <header class="site-header" id="masthead">{self.menu(24, "nav-main")}</header>'
                f'\n  <main id="content" class="site-main">\n    <article class="post type-post status-publish hentry"><h1 class="entry-title">{title}</h1><div class="byline">By <a rel="author" href="/a">'
                f'{self.story.author or "Ann Example"}</a></div><div class="entry-content">{body}</div></article>\n    <aside class="sidebar widget-area">{self.menu(12, "widget")}<ul class="related">'
                + "".join(f'<li><a href="{self.link(3)}">{self.title()}</a></li>' for _ in range(12)) + f'</ul></aside>\n  </main>{self.script(4000)}\n  <footer class="site-footer">{self.menu(16, "nav-footer")}'
                f'<p class="copyright">© 2026 Example. All rights reserved. Cookie policy.</p></footer>\n</body>\n</html>\n').encode()


def member(number, html):
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    fields = (f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: https://www.example.org/{WORDS[number % 20]}/{number}\r\nWARC-Date: 2026-03-01T00:00:00Z\r\n"
              f"WARC-Record-ID: <urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, str(number))}>\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {len(head) + len(html)}\r\n\r\n")
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=9, mtime=0) as packed:
        packed.write(fields.encode() + head + html + b"\r\n\r\n")
    return out.getvalue()


def main():
    with open(sys.argv[1], "wb") as out:
        for number in range(56):
            out.write(member(number, Page(number).html()))


if __name__ == "__main__":
    main()
