/*
 * Property: any page has posts or no thread. Each paragraph belongs to at most one post and
 * lies between the first and the last paragraph of that post. Nodes are nodes of the page.
 * Posts and the text with their lines can be printed. The first byte gives the type of the
 * page, the parts that are kept, and limits. The rest is HTML.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "content/thread.h"
#include "fuzz_target.h"
#include "page/page_text.h"
#include "thresher/parse.h"

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void is_short(th_view view)
{
    must(view.len <= 1024);
    must(view.len == 0 || view.data[view.len - 1] != '\n');
}

static void parts_hold(const th_page *page, const th_thread *thread)
{
    for (uint32_t i = 0; i < page->paragraph_count; i++) {
        const uint32_t number = thread->post_of[i];
        must((number == TH_NONE) == (thread->part_of[i] == TH_POST_NO_PART));
        if (number == TH_NONE)
            continue;
        must(number < thread->count);
        must(thread->posts[number].first_paragraph <= i);
        must(thread->posts[number].end_paragraph > i);
    }
}

static void posts_hold(const th_page *page, const th_thread *thread)
{
    must(thread->count > 0 && thread->found_by);
    for (uint32_t i = 0; i < thread->count; i++) {
        const th_post *post = &thread->posts[i];
        must(post->node < page->node_count && post->text_node < page->node_count);
        must(post->node <= post->text_node);
        must(i == 0 || thread->posts[i - 1].node < post->node);
        is_short(post->author);
        is_short(post->published);
        is_short(post->quote_of);
        must(th_page_print_post(page, i).data);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { PARSERS = 4 };
    static th_parser *parsers[PARSERS];
    static th_arena *arena;
    if (!arena) {
        for (unsigned i = 0; i < PARSERS; i++) {
            th_options opt;
            th_options_init(&opt);
            opt.page_ms = 0; /* time differs from run to run */
            opt.reads = TH_READS_CLASSES | (i & 1 ? TH_READS_HIDDEN : 0u);
            if (i & 2) {
                opt.max_depth = 5;
                opt.max_nodes = 12;
                opt.max_blocks = 4;
                opt.max_links = 1;
            }
            parsers[i] = th_parser_new(&opt);
            assert(parsers[i]);
        }
        arena = th_arena_new(0);
        assert(arena);
    }
    if (size == 0)
        return 0;
    const th_document document = { .bytes = { (const char *)data + 1, size - 1 },
                                   .url = TH_VIEW("http://example.org/t/1"),
                                   .charset = TH_VIEW("utf-8") };
    th_page *page = NULL;
    th_encoding encoding;
    th_error error;
    th_arena_reset(arena);
    if (th_parse_html(parsers[data[0] / 2 % PARSERS], &document, arena, &page, &encoding,
                      &error) != TH_OK)
        return 0;
    (void)th_thread_may_be(page);
    must(th_thread_find(page, data[0] & 1 ? TH_THREAD_FORUM : TH_THREAD_KNOWN, arena,
                        &page->thread) == TH_OK);
    if (!page->thread)
        return 0;
    parts_hold(page, page->thread);
    posts_hold(page, page->thread);
    must(th_page_print_thread(page, NULL, NULL, NULL).data);
    return 0;
}
