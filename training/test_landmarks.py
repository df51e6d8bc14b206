"""Tests landmarks.py on a synthetic page: its gold, the page without its marks, and pages without gold. Exits with 77 without Resiliparse."""
import collections
import sys
import unittest

try:
    import landmarks
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

PAGE = """<!doctype html><title>t</title><body class=main>
<header role="banner" class="site-header">Our paper of record since long</header>
<!-- <nav>no mark</nav> --><div role=navigation aria-label="x > y">Home World Sports Opinion About</div>
<main id=main><article>First story has <a href=/>its own</a>words here<p hidden>unseen words</article></main>
<section>without a name is no landmark</section>
<section><h2>Named by heading is a</h2>landmark</section>
<footer>Imprint contact and all rights reserved</footer>"""


def made(html, **more):
    left_out = collections.Counter()
    page = landmarks.make_page(dict(id="a:1", url="http://a.example/", html=html, **more), "a", left_out)
    return page, left_out


class Landmarks(unittest.TestCase):
    def test_gold(self):
        (url, html, gold), _ = made(PAGE)
        self.assertEqual(url, "http://a.example/")
        by_word = dict(zip(gold["tokens"], gold["segment"]))
        self.assertEqual([by_word[word] for word in ("Our", "Home", "First", "Named", "landmark", "Imprint")], [0, 1, 2, 3, 3, 4])
        self.assertEqual(by_word["without"], -1)
        self.assertEqual(by_word["ownwords"], 2)  # A parts no words
        self.assertNotIn("unseen", by_word)

    def test_marks_are_gone(self):
        (_, html, _), _ = made(PAGE)
        for mark in ("<header", "<main", "<article", "<footer", "role=", "aria-label", "</main"):
            self.assertNotIn(mark, html)
        self.assertIn('class="site-header"', html)  # class and id stay
        self.assertIn("<!-- <nav>no mark</nav> -->", html)

    def test_no_gold(self):
        menu = '<div role=navigation aria-label="x > y">Home World Sports Opinion About</div>'
        for html, reason in (("<p>some words and no mark", "no landmark"),
                             (PAGE.replace("</main>", "</main>" + "outside of all " * 40), "landmarks around less than 80 %"),
                             (PAGE.replace("First", "First " + "more " * 400), "one segment over 85 %"),
                             (PAGE.replace(menu, "<nav><div>Home World Sports Opinion About</nav>"), "hiding changes the tree"),
                             ("x" * 700001, "over 700 kB")):
            page, left_out = made(html)
            self.assertIsNone(page)
            self.assertEqual(left_out[reason], 1, left_out)


if __name__ == "__main__":
    unittest.main()
