/* The three forms of an inspection: any bytes anywhere make one JSON object, a report
 * with a correct end of its script element, and text without terminal control
 * characters. */
#include "inspect/inspection.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "inspect/report_parts.h"
#include "lab/segment/lab_segmenters.h"
#include "make_page.h"
#include "outcomes.h"
#include "pipeline/pipeline.h"
#include "write/json_line.h"
#include "write/sample_page.h"

static bool holds(const th_buffer *out, const char *text)
{
    return out->len && memmem(out->data, out->len, text, strlen(text)) != NULL;
}

static size_t count(th_view text, const char *what)
{
    size_t found = 0;
    const size_t len = strlen(what);
    for (size_t at = 0; at + len <= text.len; at++)
        found += memcmp(text.data + at, what, len) == 0;
    return found;
}

/* Characters of C0, C1 and marks of text direction in the output. */
static void steers_no_terminal(th_view text)
{
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char c = (unsigned char)text.data[i];
        assert_true(c >= 0x20 || c == '\n');
        assert_int_not_equal(c, 0x7F);
        if (c == 0xC2 && i + 1 < text.len)
            assert_true((unsigned char)text.data[i + 1] >= 0xA0);
    }
    assert_int_equal(count(text, "\xE2\x80\xAE"), 0); /* right-to-left override */
    assert_int_equal(count(text, "\xE2\x81\xA6"), 0); /* left-to-right isolate */
}

static void all_outputs_hold(const th_inspection *inspection)
{
    th_buffer json = { 0 }, html = { 0 }, text = { 0 };
    assert_int_equal(th_inspection_json(inspection, &th_inspection_complete, &json),
                     TH_OK);
    assert_true(json_line_is_valid(th_buffer_view(&json)));
    assert_int_equal(th_inspection_html(inspection, &html), TH_OK);
    const th_view data = { html.data + th_report_head_len,
                           html.len - th_report_head_len - th_report_tail_len };
    assert_true(json_line_is_valid(data));
    assert_int_equal(count(data, "<"), 0);
    assert_int_equal(count(data, ">"), 0);
    assert_int_equal(count(data, "&"), 0);
    assert_int_equal(count(data, "\xE2\x80\xA8"), 0);
    assert_int_equal(count(data, "\xE2\x80\xA9"), 0);
    assert_int_equal(th_inspection_text(inspection, false, &text), TH_OK);
    steers_no_terminal(th_buffer_view(&text));
    th_buffer_done(&json);
    th_buffer_done(&html);
    th_buffer_done(&text);
}

static void any_bytes_in_any_string(void **state)
{
    (void)state;
    static const char *const bytes[] = {
        "</script><script>alert(1)</script>",
        "<!--<script>",
        "\xE2\x80\xA8 and \xE2\x80\xA9",
        "\xff\xfe \xE2\x80",
        "\033]0;title\a\033[2J",
        "\xC2\x9B\63\61m \xE2\x80\xAE \xE2\x81\xA6",
        "&amp; ]]> \\u003c \" ' `",
        "",
    };
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        for (unsigned number = 0;; number++) {
            sample_page s;
            sample_page_init(&s);
            th_view *string = sample_page_string(&s, number);
            if (!string) {
                sample_page_done(&s);
                break;
            }
            *string = (th_view){ bytes[i], strlen(bytes[i]) };
            s.opt.segmenters = th_lab_segmenters;
            th_readings readings;
            assert_int_equal(
                th_readings_make(&s.page, &s.opt, "tag-gap,keep-all", &readings, NULL),
                TH_OK);
            const th_inspection inspection = { &s.opt, &s.annotated, &readings,
                                               "thresher/test" };
            all_outputs_hold(&inspection);
            th_readings_done(&readings);
            sample_page_done(&s);
        }
    }
}

/* A page through the whole road, as the command takes it. */
struct scene {
    th_options opt;
    th_record record;
    th_pipeline *pipeline;
    th_annotated annotated;
    th_readings readings;
    th_inspection inspection;
};

static void open_scene(struct scene *scene, const char *html, size_t len)
{
    *scene = (struct scene){ .record = { .kind = TH_RECORD_RESOURCE,
                                         .content_type = TH_VIEW("text/html"),
                                         .url = TH_VIEW("http://a.example/"),
                                         .block = { html, len },
                                         .block_len = len } };
    th_options_init(&scene->opt);
    scene->opt.segmenters = th_lab_segmenters;
    scene->pipeline = th_pipeline_new(&scene->opt);
    assert_non_null(scene->pipeline);
    assert_int_equal(th_pipeline_run(scene->pipeline, &scene->record, &scene->annotated),
                     TH_OK);
    assert_int_equal(scene->annotated.status, TH_OK);
    assert_int_equal(th_readings_make(scene->annotated.page, &scene->opt,
                                      "tag-gap,keep-all", &scene->readings, NULL),
                     TH_OK);
    scene->inspection = (th_inspection){ &scene->opt, &scene->annotated, &scene->readings,
                                         "thresher/test" };
}

static void close_scene(struct scene *scene)
{
    th_readings_done(&scene->readings);
    th_pipeline_free(scene->pipeline);
}

static void pages_of_any_kind(void **state)
{
    (void)state;
    static const char *const pages[] = {
        "<html>",
        "<p>",
        "<title>t</title>",
        "<p>|<p>a</p>-<hr><hr>",
        "<p>\xE2\x80\xAE turned \xF0\x9F\x98\x80",
        "<table><td><p>\x01\x02\x1b[31m<b></table>",
        "<a href='javascript:x'>x</a><a href='http://[bad/'>y</a><a href=x></a>",
    };
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        struct scene scene;
        open_scene(&scene, pages[i], strlen(pages[i]));
        all_outputs_hold(&scene.inspection);
        close_scene(&scene);
    }
}

/* 25,000 blocks: the JSON has all, the report says what it leaves out. The learned
 * classifier's trees are gone through once for all rows: to do it for each took most of two
 * minutes under sanitizers, where 3 s are enough. */
static void limits_are_told(void **state)
{
    (void)state;
    const clock_t begun = clock();
    enum { BLOCKS = 25000, LEN = 3 + 2 };
    static char html[BLOCKS * LEN + 6];
    for (size_t i = 0; i < BLOCKS; i++)
        memcpy(html + 6 + i * LEN, "<p>ab", LEN);
    memcpy(html, "<html>", 6);
    struct scene scene;
    open_scene(&scene, html, sizeof html);
    th_buffer json = { 0 }, html_out = { 0 };
    assert_int_equal(
        th_inspection_json(&scene.inspection, &th_inspection_complete, &json), TH_OK);
    assert_int_equal(count(th_buffer_view(&json), "\"text\":\"ab\""), BLOCKS);
    assert_false(holds(&json, "\"omitted\""));
    assert_int_equal(th_inspection_html(&scene.inspection, &html_out), TH_OK);
    assert_int_equal(count(th_buffer_view(&html_out), "\"text\":\"ab\""), 20000);
    assert_true(holds(&html_out, "\"omitted\":{\"blocks\":5000,\"links\":0}"));
    assert_true((clock() - begun) / CLOCKS_PER_SEC < 20);
    th_buffer_done(&json);
    th_buffer_done(&html_out);
    close_scene(&scene);
}

/* A long text is cut between two characters. */
static void long_block_is_cut(void **state)
{
    (void)state;
    static char html[3 + 3 * 7000];
    memcpy(html, "<p>", 3);
    for (size_t i = 0; i < 7000; i++)
        memcpy(html + 3 + 3 * i, "国", 3);
    struct scene scene;
    open_scene(&scene, html, sizeof html);
    all_outputs_hold(&scene.inspection);
    th_buffer out = { 0 };
    assert_int_equal(th_inspection_html(&scene.inspection, &out), TH_OK);
    assert_true(holds(&out, "\"text_len\":21000"));
    th_buffer_done(&out);
    close_scene(&scene);
}

static void colours_only_when_asked(void **state)
{
    (void)state;
    static const char html[] = "<html><p>some words of a page";
    struct scene scene;
    open_scene(&scene, html, sizeof html - 1);
    th_buffer out = { 0 };
    assert_int_equal(th_inspection_text(&scene.inspection, true, &out), TH_OK);
    assert_true(holds(&out, "\033["));
    struct outcomes all = { .chance = 0 };
    note_view(&all, th_buffer_view(&out));
    expect_digest(&all, UINT64_C(0xC40354F6ADFBCEBB)); /* each part has its colour */
    th_buffer_reset(&out);
    assert_int_equal(th_inspection_text(&scene.inspection, false, &out), TH_OK);
    assert_false(holds(&out, "\033"));
    th_buffer_done(&out);
    close_scene(&scene);
}

/* The policy names exactly the style and the script of the page: no placeholder is
 * left, and there is one of each. */
static void report_is_whole(void **state)
{
    (void)state;
    const th_view head = { (const char *)th_report_head, th_report_head_len };
    const th_view tail = { (const char *)th_report_tail, th_report_tail_len };
    assert_int_equal(count(head, "'sha256-"), 2);
    assert_int_equal(
        count(head, "@STYLE") + count(head, "@SCRIPT") + count(head, "@DATA"), 0);
    assert_int_equal(
        count(tail, "@STYLE") + count(tail, "@SCRIPT") + count(tail, "@DATA"), 0);
    assert_int_equal(count(head, "</style>"), 1);
    assert_int_equal(count(tail, "</script>"), 2);
    assert_int_equal(count(head, "http:") + count(head, "https:"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_bytes_in_any_string), cmocka_unit_test(pages_of_any_kind),
        cmocka_unit_test(limits_are_told),         cmocka_unit_test(long_block_is_cut),
        cmocka_unit_test(colours_only_when_asked), cmocka_unit_test(report_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
