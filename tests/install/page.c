/* A user's program: parses a page, runs a segmenter and a classifier, reads the blocks.
 */
#include <stdio.h>
#include <string.h>

#include <thresher/thresher.h>

static const char html[] =
    "<html><body><ul><li><a href='/'>Home</a><li><a href='/news'>News</a></ul>"
    "<p>The rain had stopped when she came down to the harbour, and the boats that had "
    "gone "
    "out before dawn were coming back one after the other, heavy and slow with their "
    "catch.</p>"
    "<p>Nobody on the pier said a word until the last of them had been made fast, and "
    "then "
    "everybody spoke at once, as people do who have been afraid together for a whole "
    "night.</p>"
    "</body></html>";

int main(void)
{
    th_options opt;
    th_options_init(&opt);
    th_arena *arena = th_arena_new(0);
    th_parser *parser = th_parser_new(&opt);
    const th_document document = { .bytes = { html, strlen(html) },
                                   .url = TH_VIEW("http://harbour.example/") };
    th_page *page = NULL;
    if (th_parse_html(parser, &document, arena, &page, NULL, NULL) != TH_OK ||
        th_segment_page(page, &opt) != TH_OK || th_select_page(page, &opt) != TH_OK)
        return 1;
    for (uint32_t i = 0; i < page->block_count; i++) {
        const th_view text = th_block_text(page, i);
        printf("%s segment %u: %.*s\n",
               page->label_of[i] == TH_CONTENT ? "content" : "boilerplate",
               (unsigned)page->segment_of[i], (int)text.len, text.data);
    }
    th_parser_free(parser);
    th_arena_free(arena);
    return 0;
}
