/* `eval` and `train` about random corpora: all that they print and write, as a digest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/json.h"
#include "shortage.h"

enum { ROUNDS = 6, MOST_PARTS = 10 };

static const char *const words[] = {
    "river",      "stone",       "of",
    "the",        "quiet",       "market",
    "and",        "opened",      "winter",
    "a",          "Letter",      "was",
    "found",      "bridge,",     "near",
    "1",          "caf\xC3\xA9", "mill.",
    "before",     "it",          "\xE6\xB2\xB3\xE6\xB0\xB4",
    "well-known", "x",           "\"so\"",
    "3.5"
};
static const char *const hosts[] = { "a.example", "www.a.example", "b.example",
                                     "c.co.uk",   "10.0.0.1",      "d.example" };
static const char *const starts[] = {
    "<p>",  "<p>",      "<p class=lead>",   "<h2>", "<li>", "<div>", "<pre>", "<footer>",
    "<td>", "<ul><li>", "<p class=comment>"
};

/* A page: paragraphs of words, some of them links. */
struct part {
    size_t start, end; /* of its words in the text */
    uint32_t segment;
    bool is_link, is_gold;
};

struct page {
    th_buffer text, html, id;
    struct part parts[MOST_PARTS];
    uint32_t count;
};

static void free_page(struct page *page)
{
    th_buffer_done(&page->text);
    th_buffer_done(&page->html);
    th_buffer_done(&page->id);
}

static th_view part_text(const struct page *page, uint32_t i)
{
    const struct part *part = &page->parts[i];
    return (th_view){ page->text.data + part->start, part->end - part->start };
}

static void put_words(struct outcomes *all, th_buffer *out, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        th_buffer_printf(out, "%s%s", i ? " " : "", ONE(all, words));
}

static void make_page(struct outcomes *all, struct page *page, uint32_t number)
{
    const bool is_plain = below(all, 12) == 0;
    th_buffer_reset(&page->text);
    th_buffer_reset(&page->html);
    th_buffer_reset(&page->id);
    th_buffer_printf(&page->id, "urn:own:%" PRIu32, number);
    th_buffer_append_text(&page->html,
                          is_plain ? "%PDF-1.4 " : "<!DOCTYPE html><title>Title</title>");
    page->count = below(all, 15) ? 1 + below(all, MOST_PARTS) : 0;
    uint32_t segment = 0;
    for (uint32_t i = 0; i < page->count; i++) {
        struct part *part = &page->parts[i];
        segment += below(all, 2);
        part->segment = segment;
        part->is_link = below(all, 4) == 0;
        part->is_gold = below(all, 8) ? !part->is_link : part->is_link;
        part->start = page->text.len;
        put_words(all, &page->text, 1 + below(all, part->is_link ? 5 : 40));
        part->end = page->text.len;
        th_buffer_append_text(&page->html, ONE(all, starts));
        th_buffer_append_text(&page->html, part->is_link ? "<a href=/x>" : "");
        th_buffer_append_view(&page->html, part_text(page, i));
        th_buffer_append_text(&page->html, part->is_link ? "</a>\n" : "\n");
    }
    assert_false(page->text.has_failed || page->html.has_failed || page->id.has_failed);
}

/* The text of a part, often unchanged, else shorter, or two lines. */
static void put_part(struct outcomes *all, const struct page *page, uint32_t i,
                     th_buffer *out)
{
    th_view text = part_text(page, i);
    const uint32_t kind = below(all, 9);
    if (kind == 0)
        text.len = text.len / 2 + 1;
    for (size_t at = 0; at < text.len; at++) {
        const bool is_cut = kind == 1 && at > text.len / 2 && text.data[at] == ' ';
        th_buffer_append_char(out, is_cut ? '\n' : text.data[at]);
    }
    if (kind == 2)
        put_words(all, out, 3);
    th_buffer_append_char(out, kind == 3 ? ' ' : '\n');
}

static void put_list(struct outcomes *all, const struct page *page, bool is_gold,
                     th_json *json)
{
    th_json_open_array(json);
    for (uint32_t i = 0; i < page->count; i++)
        if (page->parts[i].is_gold == is_gold && below(all, 2))
            th_json_string(json, part_text(page, i));
    if (below(all, 4) == 0)
        th_json_string(json, TH_VIEW("absent words"));
    th_json_close_array(json);
}

/* ---- a corpus of pages with their main text ---- */

static void put_page_line(struct outcomes *all, const struct page *page, uint32_t kinds,
                          th_buffer *out)
{
    static const char *const types[] = { "article", "forum", "", "product" };
    static const char *const languages[] = { "en", "de", "zh" };
    static const char *const encodings[] = { "utf-8", "", "iso-8859-1" };
    static const char *const required[] = { "ingredients", "steps", "facts" };
    char url[64];
    th_buffer gold = { 0 };
    th_json json;
    th_json_begin(&json, out);
    th_json_open_object(&json);
    th_json_member_buffer(&json, "id", &page->id);
    const char *host = ONE(all, hosts);
    (void)snprintf(url, sizeof url, "http://%s/%" PRIu32, host, below(all, 99));
    if (below(all, 10))
        th_json_member_text(&json, "url", url);
    if (below(all, 20))
        th_json_member_buffer(&json, "html", &page->html);
    else
        th_json_member_text(&json, "html_b64",
                            below(all, 8) ? "PHA+VGhlIHJpdmVyIG9mIHN0b25l" : "?");
    if (below(all, 2))
        th_json_member_text(&json, "encoding", ONE(all, encodings));
    for (uint32_t i = 0; i < page->count; i++)
        if (page->parts[i].is_gold)
            put_part(all, page, i, &gold);
    if (kinds & 1 && below(all, 10))
        th_json_member_buffer(&json, "gold_text", &gold);
    if (kinds & 2) {
        th_json_key(&json, "with");
        put_list(all, page, true, &json);
        th_json_key(&json, "without");
        put_list(all, page, false, &json);
    }
    if (kinds & 4) {
        th_json_key(&json, "required");
        th_json_open_object(&json);
        for (uint32_t i = 0; i < 3; i++)
            if (below(all, 2)) {
                th_json_key(&json, required[i]);
                put_list(all, page, true, &json);
            }
        th_json_close_object(&json);
    }
    if (kinds & 8) {
        th_json_member_text(&json, "page_type", ONE(all, types));
        th_json_member_text(&json, "lang", ONE(all, languages));
        th_json_member_text(&json, "generator", ONE(all, types));
    }
    th_json_close_object(&json);
    assert_int_equal(th_json_end(&json), TH_OK);
    th_buffer_done(&gold);
}

static void put_peer_line(struct outcomes *all, const struct page *page, th_buffer *out)
{
    th_buffer text = { 0 };
    th_json json;
    for (uint32_t i = 0; i < page->count; i++)
        if (below(all, 8) ? page->parts[i].is_gold : !page->parts[i].is_gold)
            put_part(all, page, i, &text);
    th_json_begin(&json, out);
    th_json_open_object(&json);
    if (below(all, 200))
        th_json_member_buffer(&json, "id", &page->id);
    th_json_member_buffer(&json, "text", &text);
    th_json_close_object(&json);
    assert_int_equal(th_json_end(&json), TH_OK);
    th_buffer_done(&text);
}

static void write_pages(struct outcomes *all, const char *name, bool has_peer)
{
    char path[64];
    struct page page = { 0 };
    th_buffer lines = { 0 }, peer = { 0 };
    const uint32_t kinds = below(all, 4) ? 1 | below(all, 16) : below(all, 16);
    for (uint32_t i = below(all, 12); i; i--) {
        make_page(all, &page, i);
        put_page_line(all, &page, kinds, &lines);
        if (below(all, 6))
            put_peer_line(all, &page, &peer);
    }
    if (below(all, 20) == 0)
        th_buffer_append_text(&lines, "{\"id\":\n");
    assert_false(lines.has_failed || peer.has_failed);
    (void)snprintf(path, sizeof path, "%s/pages.jsonl", name);
    shortage_write(path, lines.data ? lines.data : "", lines.len);
    if (has_peer) {
        (void)snprintf(path, sizeof path, "%s/peer-outputs/peer.jsonl.gz", name);
        shortage_write(path, peer.data ? peer.data : "", peer.len);
    }
    th_buffer_done(&lines);
    th_buffer_done(&peer);
    free_page(&page);
}

/* ---- a corpus of pages with their segments ---- */

static void put_record(const struct page *page, const char *host, th_buffer *out)
{
    static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: text/html; "
                               "charset=utf-8\r\n\r\n";
    th_buffer_append_text(out, "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <");
    th_buffer_append_view(out, th_buffer_view(&page->id));
    th_buffer_printf(out,
                     ">\r\nWARC-Target-URI: http://%s/\r\nWARC-Date: "
                     "2024-05-06T00:00:00Z\r\nContent-Type: "
                     "application/http\r\nContent-Length: %zu\r\n\r\n%s",
                     host, page->html.len + sizeof head - 1, head);
    th_buffer_append_view(out, th_buffer_view(&page->html));
    th_buffer_append_text(out, "\r\n\r\n");
}

static void put_gold(struct outcomes *all, const struct page *page, th_buffer *out)
{
    static const char *const sources[] = { "one", "two" };
    th_buffer labels = { 0 }, topics = { 0 };
    th_json json;
    bool is_first = true;
    const bool is_short = below(all, 120) == 0;
    th_json_begin(&json, out);
    th_json_open_object(&json);
    th_json_member_buffer(&json, "id", &page->id);
    if (below(all, 2))
        th_json_member_text(&json, "source", ONE(all, sources));
    th_json_key(&json, "tokens");
    th_json_open_array(&json);
    for (uint32_t i = 0; i < page->count; i++) {
        const th_view text = part_text(page, i);
        for (size_t at = 0, end = 0; at < text.len; at = end + 1) {
            for (end = at; end < text.len && text.data[end] != ' ';)
                end++;
            const bool is_other = below(all, 30) == 0;
            th_json_string(&json, is_other ? TH_VIEW("other")
                                           : (th_view){ text.data + at, end - at });
            const int segment = below(all, 40) ? (int)page->parts[i].segment : -1;
            th_buffer_printf(&labels, is_first ? "%d" : ",%d", segment);
            th_buffer_printf(&topics, is_first ? "%d" : ",%d", segment / 2);
            is_first = false;
        }
    }
    th_json_close_array(&json);
    th_json_close_object(&json);
    assert_int_equal(th_json_end(&json), TH_OK);
    out->len -= 2; /* "}\n" */
    th_buffer_append_text(out, ",\"segment\":[");
    th_buffer_append_view(out, th_buffer_view(&labels));
    th_buffer_append_text(out, is_short ? ",1]" : "]");
    if (below(all, 3)) {
        th_buffer_append_text(out, ",\"topic\":[");
        th_buffer_append_view(out, th_buffer_view(&topics));
        th_buffer_append_text(out, "]");
    }
    th_buffer_append_text(out, "}\n");
    th_buffer_done(&labels);
    th_buffer_done(&topics);
}

static void write_segments(struct outcomes *all)
{
    struct page page = { 0 };
    th_buffer archive = { 0 }, gold = { 0 };
    for (uint32_t i = below(all, 14); i; i--) {
        make_page(all, &page, i);
        put_record(&page, ONE(all, hosts), &archive);
        if (below(all, 8))
            put_gold(all, &page, &gold);
    }
    assert_false(archive.has_failed || gold.has_failed);
    shortage_write("s/pages.warc.gz", archive.data ? archive.data : "", archive.len);
    shortage_write("s/gold.jsonl", gold.data ? gold.data : "", gold.len);
    th_buffer_done(&archive);
    th_buffer_done(&gold);
    free_page(&page);
}

/* ---- commands ---- */

static const char *const extraction_options[] = {
    "--json",
    "--markdown",
    "--worst 3",
    "--resamples 0",
    "--resamples 50",
    "--classifiers num-words,keep-all,min-words",
    "--classifiers densitometric,largest-content",
    "--profiles all --classifiers num-words",
    "-s bf-plain",
    "--without-classes",
    "--strictness wide",
    "--content-without headings,cut",
    "--sites ../counts --site-pages 2",
    "--max-body 1K",
};
static const char *const extraction_inputs[] = { "../a", "../b/", "../a ../b",
                                                 "../a/pages.jsonl", "../b ../a" };
static const char *const segment_options[] = { "--json",
                                               "--markdown",
                                               "--fields segment,topic",
                                               "--fields topic",
                                               "--segmenters bf-plain,tag-gap,gcuts",
                                               "--segmenters all",
                                               "--profiles all",
                                               "--plot o.svg",
                                               "-O o",
                                               "--resamples 20",
                                               "--theta-max .3" };
static const char *const others[] = {
    "train gcuts --seed 3 ../s --output o",
    "train -q boundary-graph --folds ../s --output o",
    "train cclus ../s --output o",
    "train gcuts --without one ../s --output o",
    "train -q gcuts --field topic ../s --output o",
    "train -q boundary-graph --seed 5 --without two,one ../s --output o",
    "train gcuts ../s --seed x --output o",
    "train gcuts ../s -s nothing --output o",
    "train gcuts ../s --output",
    "train gcuts ../s --strictness odd --output o",
    "train gcuts ../s -o minhash=odd --output o",
    "eval lines --strictness odd ../a",
    "eval extraction --classifiers nothing ../a",
    "eval lines -q ../b ../s",
    "eval segmentation --fields nothing ../s",
    "train gcuts ../s --theta-max nan --output o",
    "eval density -j1 ../s/pages.warc.gz",
    "eval density -j1 -s just-rules --json ../s/pages.warc.gz ../s/pages.warc.gz",
    "eval density -q -j1 --markdown --plot o.svg ../s/pages.warc.gz",
    "eval features -j1 -O o ../a",
    "eval features -q -j1 --without-classes -O o ../a ../b",
    "eval features -q -j1 --sites ../counts -O o ../b",
    "eval features -j1 ../a",
};

static void run_at_random(struct outcomes *all, const char *start,
                          const char *const *options, uint32_t option_count,
                          const char *input)
{
    char command[512];
    int len = snprintf(command, sizeof command, "%s%s -j1 --page-ms 0", start,
                       below(all, 2) ? " -q" : "");
    for (uint32_t i = below(all, 4); i; i--)
        len += snprintf(command + len, sizeof command - (size_t)len, " %s",
                        options[below(all, option_count)]);
    (void)snprintf(command + len, sizeof command - (size_t)len, " %s", input);
    note_command(all, command, NULL);
}

#define SIZE(list) ((uint32_t)(sizeof(list) / sizeof *(list)))

static void outcomes_are_known(void **state)
{
    (void)state;
    struct outcomes all = { .chance = 31 };
    shortage_begin();
    shortage_folder("a");
    shortage_folder("a/peer-outputs");
    shortage_folder("b");
    shortage_folder("s");
    for (uint32_t round = 0; round < ROUNDS; round++) {
        write_pages(&all, "a", true);
        write_pages(&all, "b", false);
        write_segments(&all);
        note_command(&all,
                     "sites build -q -j1 --min-pages 1 -O counts ../s/pages.warc.gz",
                     "counts");
        for (unsigned i = 0; i < 4; i++)
            run_at_random(&all, "eval extraction", extraction_options,
                          SIZE(extraction_options), ONE(&all, extraction_inputs));
        for (unsigned i = 0; i < 2; i++)
            run_at_random(&all, "eval lines", extraction_options,
                          SIZE(extraction_options), ONE(&all, extraction_inputs));
        for (unsigned i = 0; i < 3; i++)
            run_at_random(&all, "eval segmentation", segment_options,
                          SIZE(segment_options), "../s");
        for (unsigned i = 0; i < 6; i++)
            note_command(&all, ONE(&all, others), NULL);
    }
    shortage_end();
    expect_digest(&all, UINT64_C(0x969E28477C65CF33));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(outcomes_are_known) };
    return cmocka_run_group_tests_name("eval_command_outcomes", tests, NULL, NULL);
}
