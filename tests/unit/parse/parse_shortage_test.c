/* Pages with many kinds of markup, with calls that fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "shortage.h"

/* clang-format off */
static const char *const pages[] = {
    "<title>Sums</title><h1>Sums</h1><p>One has <math><mfrac><mi>a</mi><msqrt><mi>b</mi></msqrt></mfrac><mo>=</mo>"
    "<munderover><mo>&sum;</mo><mi>i</mi><mi>n</mi></munderover><mtable><mtr><mtd>1<mtd>2</mtd></mtr></mtable></math> of "
    "them, and <math alttext='x^2'><semantics><mi>x</mi><annotation encoding='application/x-tex'>x^2</annotation></semantics></math>.",

    "<title>Cells</title><table><caption>All</caption><tr><th rowspan=2>Name<th colspan=2>Size<tr><td>wide<td>high<tr><td>a<td>1<td>2"
    "<tr><td colspan=3><pre>\n code of\n\tit</pre><ul><li>an item<ol start=3><li>third</ol></ul></table><dl><dt>term<dd>text</dl>"
    "<blockquote>quoted <b>words *of* <i>it</i></b></blockquote><figure><img src=a.png alt=image><figcaption>caption</figcaption></figure>",

    "<html lang=de><head><title>Facts - Site</title><meta property=og:title content='The facts'><meta name=author content='Ann Lee'>"
    "<meta property=article:published_time content=2024-01-02T03:04:05Z><link rel=canonical href=/facts><link rel=license href=/by>"
    "<script type=application/ld+json>{\"@context\":\"https://schema.org\",\"@type\":\"Article\",\"headline\":\"Facts\",\"author\":[{\"@type\":"
    "\"Person\",\"name\":\"Ann Lee\"}],\"datePublished\":\"2024-01-02\",\"comment\":[{\"@type\":\"Comment\",\"text\":\"Yes.\"}]}</script></head>"
    "<body><div itemscope itemtype=http://schema.org/Recipe><span itemprop=name>Soup</span><time itemprop=datePublished datetime=2024-02-03>"
    "</time></div><p vocab=http://schema.org/ typeof=Person><a property=name href=/ann rel=author>Ann Lee</a><p class=byline>By Ann Lee, 3 March 2024",

    "<meta charset=shift_jis><title>\x83\x65\x83\x58\x83\x67</title><p>\x93\xfa\x96\x7b\x8c\xea\x82\xcc\x83\x65\x83\x4c\x83\x58\x83\x67\x81\x42"
    "<ruby>a<rt>b</ruby><svg><text>c</text></svg><template><p>d</template><noscript>e</noscript><select><option>f</select>"
    "<iframe src=g></iframe><a href='h?i=1&amp;j#k'>l</a><form><input value=m></form>",
};
/* clang-format on */

static const char *const commands[] = {
    "text -q --json -e full_text,segments,blocks,links,html,paragraphs,structured,rights "
    "--text-format markdown,html,plain --text-links --text-images ../page.html",
    "text -q --url http://a.example/b/c --text-format markdown --text-front-matter "
    "--redact email,ip,phone --weak-facts ../page.html",
};

static void outcomes_are_known(void **state)
{
    (void)state;
    struct outcomes all = { .chance = 10 };
    shortage_begin();
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        shortage_write("page.html", pages[i], strlen(pages[i]));
        for (size_t k = 0; k < sizeof commands / sizeof *commands; k++)
            note_shortages(&all, commands[k], 600);
    }
    shortage_end();
    expect_digest(&all, UINT64_C(0xB1BCB1AB67694DF0));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(outcomes_are_known) };
    return cmocka_run_group_tests_name("parse_shortage", tests, NULL, NULL);
}
