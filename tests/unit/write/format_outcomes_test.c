/* src/write: bytes of each format for random pages and options, as a digest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "dedup/decompressed_input.h"
#include "language/fasttext.h"
#include "outcomes.h"
#include "pipeline/pipeline.h"
#include "random_html.h"
#include "write/format.h"

enum { ROUNDS = 260 };

static void make_options(struct outcomes *all, const th_fasttext *model, th_options *opt)
{
    static const char *const texts[] = {
        "plain", "markdown", "html", "plain,markdown", "markdown,html,plain", "html,plain"
    };
    static const char *const presets[] = { "modern",    "none",      "paper",
                                           "datatrove", "textdedup", "crawl" };
    static const char *const classifiers[] = { "learned", "learned", "num-words",
                                               "keep-all", "main-content" };
    static const char *const segmenters[] = { "bf-rulebased", "bf-plain",
                                              "boundary-graph", "full-text" };
    static const char *const strictness[] = { "balanced", "strict", "wide,balanced",
                                              ".4" };
    static const char *const titles[] = { "auto", "yes", "no" };
    th_options_init(opt);
    opt->page_ms = 0;
    opt->text_format = ONE(all, texts);
    opt->text_title = ONE(all, titles);
    opt->text_links = below(all, 2) != 0;
    opt->text_images = below(all, 2) != 0;
    opt->text_front_matter = below(all, 4) == 0;
    opt->minhash = ONE(all, presets);
    opt->sign = below(all, 16);
    opt->bands = below(all, 3) == 0;
    opt->classifier = ONE(all, classifiers);
    opt->segmenter = ONE(all, segmenters);
    opt->strictness = ONE(all, strictness);
    opt->emit = below(all, 3) ? below(all, 1u << 12) : 0;
    opt->redact = below(all, 3) ? 0 : below(all, 1u << TH_REDACT_COUNT);
    opt->comments = below(all, 4) == 0;
    opt->weak_facts = below(all, 4) == 0;
    if (below(all, 3) == 0) { /* as formats with few texts want them */
        opt->text_format = "plain";
        opt->text_title = "auto";
        opt->text_front_matter = 0;
        opt->minhash = "datatrove";
        opt->sign = 1u << below(all, 4);
    }
    opt->language_detector = "none";
    if (below(all, 2)) {
        opt->fasttext = model;
        opt->language_detector = below(all, 2) ? "fasttext" : "none";
    }
}

static th_view text_view(const char *text)
{
    return (th_view){ text, text ? strlen(text) : 0 };
}

/* Fields of a record, some of them absent. */
static void make_record(struct outcomes *all, const th_buffer *block, bool is_http,
                        th_record *record)
{
    static const char *const dates[] = { "2024-03-04T05:06:07Z", "2024-03-04", "never",
                                         NULL };
    static const char *const ids[] = { "<urn:uuid:0-1-2>", "urn:x", NULL };
    static const char *const urls[] = { "http://a.example/b/c?d",
                                        "https://www.b.example/", "http://[::1]/", "a b",
                                        NULL };
    static const char *const digests[] = { "sha1:ABC", NULL };
    *record = (th_record){ .kind = is_http ? TH_RECORD_RESPONSE : TH_RECORD_RESOURCE,
                           .type = text_view(is_http ? "response" : "resource"),
                           .is_http = is_http,
                           .block = th_buffer_view(block),
                           .block_len = block->len };
    record->content_type = text_view(is_http ? "application/http" : "text/html");
    record->url = text_view(ONE(all, urls));
    record->id = text_view(ONE(all, ids));
    record->date = text_view(ONE(all, dates));
    record->ip = text_view(below(all, 2) ? "192.0.2.1" : NULL);
    record->truncated = text_view(below(all, 6) ? NULL : "length");
    record->payload_digest = text_view(ONE(all, digests));
    if (below(all, 2)) {
        record->position.file = text_view("dir/a.warc.gz");
        record->position.offset = below(all, 1 << 20);
        record->position.length = below(all, 3) * 77;
        record->position.skip = below(all, 3) ? 0 : 5;
    } else {
        record->position.topic = text_view("pages");
        record->position.offset = below(all, 99);
        record->position.partition = (int32_t)below(all, 4);
        record->position.key = text_view(below(all, 2) ? "key" : NULL);
    }
    record->flags = below(all, 5) ? 0 : 1u << below(all, 5);
}

/* A format that compresses each record gives the bytes of the plain one. */
static void expect_compressed(const th_format *format, const th_options *opt,
                              const th_annotated *annotated, const th_buffer *plain)
{
    for (th_compression how = TH_GZIP; how <= TH_ZSTD; how++) {
        const th_format_options options = { .page = opt,
                                            .compression = how,
                                            .software = "thresher/test" };
        char path[] = "/tmp/thresher-format-XXXXXX", bytes[4096];
        th_decompressed_input *input = NULL;
        th_buffer packed = { 0 }, text = { 0 };
        size_t got = 0;
        assert_int_equal(format->page(&options, annotated, &packed), TH_OK);
        const int fd = mkstemp(path);
        assert_true(fd >= 0);
        assert_int_equal(write(fd, packed.data, packed.len), (ssize_t)packed.len);
        assert_int_equal(close(fd), 0);
        assert_int_equal(th_decompressed_open(path, NULL, NULL, &input, NULL), TH_OK);
        while (th_decompressed_read(input, bytes, sizeof bytes, &got, NULL) == TH_OK)
            th_buffer_append(&text, bytes, got);
        assert_int_equal(text.len, plain->len);
        assert_memory_equal(text.data, plain->data, plain->len);
        th_decompressed_free(input);
        th_buffer_done(&packed);
        th_buffer_done(&text);
        assert_int_equal(unlink(path), 0);
    }
}

static void note_formats(struct outcomes *all, const th_options *opt,
                         th_annotated *annotated)
{
    th_buffer out = { 0 };
    size_t place = 0;
    for (const th_format *const *at = th_formats; *at; at++) {
        const th_format_options how = { .page = opt, .software = "thresher/test" };
        const th_format_use use = { .page = opt, .is_folder = true, .input_count = 1 };
        th_error err = { .text = "" };
        place = 0;
        th_buffer_reset(&out);
        if ((*at)->check && (*at)->check(&use, &err) != TH_OK) {
            note_line(all, "%s: %s", (*at)->name, err.text);
            continue;
        }
        annotated->near_duplicate_at = below(all, 2) ? &place : NULL;
        th_status start = TH_OK;
        if ((*at)->start)
            start = (*at)->start(&how, text_view(below(all, 2) ? "a.warc" : NULL), &out);
        const th_status status = (*at)->page(&how, annotated, &out);
        note_line(all, "%s: %d %d, %zu bytes, near duplicate at %zu", (*at)->name, start,
                  status, out.len, place);
        note_view(all, th_buffer_view(&out));
        if (getenv("TH_TEST_TRACE") && out.len)
            (void)fprintf(stderr, "%.*s\n", (int)out.len, out.data);
    }
    for (const th_format *const *at = th_formats; *at; at++) {
        const th_format_options how = { .page = opt, .software = "thresher/test" };
        if (!(*at)->is_compressing || below(all, 4))
            continue;
        th_buffer_reset(&out);
        assert_int_equal((*at)->page(&how, annotated, &out), TH_OK);
        expect_compressed(*at, opt, annotated, &out);
    }
    th_buffer_reset(&out);
    const th_format_options how = { .page = opt, .software = "thresher/test" };
    th_record answered = *annotated->record;
    annotated->record = &answered;
    answered.answer_format = below(all, 4);
    note_number(all, (uint64_t)th_answer_format.page(&how, annotated, &out));
    note_view(all, th_buffer_view(&out));
    th_buffer_done(&out);
}

static void formats_of_random_pages_are_known(void **state)
{
    static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: text/html; "
                               "charset=utf-8\r\nContent-Language: en\r\nX-Robots-Tag: "
                               "noai\r\nLast-Modified: Mon, 04 Mar 2024 05:06:07 "
                               "GMT\r\n\r\n";
    (void)state;
    struct outcomes all = { .chance = 51 };
    th_fasttext *model = NULL;
    assert_int_equal(th_fasttext_load(TH_TEST_DATA "/fasttext/softmax.bin", &model, NULL),
                     TH_OK);
    for (unsigned round = 0; round < ROUNDS; round++) {
        th_buffer block = { 0 };
        th_options opt;
        th_record record;
        th_annotated annotated;
        th_error err = { .text = "" };
        make_options(&all, model, &opt);
        const bool is_http = below(&all, 3) != 0;
        th_buffer_append_text(&block, is_http ? head : "");
        random_html_put(&all, &block);
        assert_false(block.has_failed);
        make_record(&all, &block, is_http, &record);
        if (getenv("TH_TEST_TRACE"))
            (void)fprintf(stderr, "%.*s\n", (int)block.len, block.data);
        if (th_options_check(&opt, &err) != TH_OK) {
            note_line(&all, "%s", err.text);
        } else {
            th_pipeline *pipeline = th_pipeline_new(&opt);
            assert_non_null(pipeline);
            assert_int_equal(th_pipeline_run(pipeline, &record, &annotated), TH_OK);
            note_line(&all, "page: %d: %s", annotated.status, annotated.detail);
            if (annotated.status == TH_OK) {
                note_formats(&all, &opt, &annotated);
            } else {
                th_buffer out = { 0 };
                assert_int_equal(th_reject_line(&annotated, &out), TH_OK);
                note_view(&all, th_buffer_view(&out));
                th_buffer_done(&out);
            }
            th_pipeline_free(pipeline);
        }
        th_buffer_done(&block);
    }
    th_fasttext_free(model);
    expect_digest(&all, UINT64_C(0x98E898811F362E12));
}

/* A record of more than 2 MiB is written in pieces. */
static void large_records_are_whole(void **state)
{
    enum { PARAGRAPHS = 400, WORDS = 1000 };
    (void)state;
    struct outcomes all = { .chance = 52 };
    th_buffer block = { 0 }, out = { 0 };
    th_options opt;
    th_annotated annotated;
    th_options_init(&opt);
    opt.page_ms = 0;
    opt.minhash = "none";
    opt.classifier = "keep-all";
    opt.language_detector = "none";
    opt.emit = TH_EMIT_HTML | TH_EMIT_BLOCKS;
    for (uint32_t i = 0; i < PARAGRAPHS * WORDS; i++)
        th_buffer_printf(&block, "%sword%" PRIu32, i % WORDS ? " " : "<p>", i % 10);
    const th_record record = { .kind = TH_RECORD_RESOURCE,
                               .type = text_view("resource"),
                               .content_type = text_view("text/html"),
                               .url = text_view("http://a.example/"),
                               .id = text_view("<urn:uuid:0-1-2>"),
                               .date = text_view("2024-03-04T05:06:07Z"),
                               .block = th_buffer_view(&block),
                               .block_len = block.len };
    th_pipeline *pipeline = th_pipeline_new(&opt);
    assert_non_null(pipeline);
    assert_int_equal(th_pipeline_run(pipeline, &record, &annotated), TH_OK);
    assert_int_equal(annotated.status, TH_OK);
    for (const th_format *const *at = th_formats; *at; at++) {
        const th_format_options how = { .page = &opt, .software = "thresher/test" };
        if (!(*at)->is_compressing)
            continue;
        th_buffer_reset(&out);
        assert_int_equal((*at)->page(&how, &annotated, &out), TH_OK);
        note_line(&all, "%s: %zu bytes", (*at)->name, out.len);
        note_view(&all, th_buffer_view(&out));
        expect_compressed(*at, &opt, &annotated, &out);
    }
    th_pipeline_free(pipeline);
    th_buffer_done(&block);
    th_buffer_done(&out);
    expect_digest(&all, UINT64_C(0x0981A991045DDF4F));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_of_random_pages_are_known),
        cmocka_unit_test(large_records_are_whole),
    };
    return cmocka_run_group_tests_name("format_outcomes", tests, NULL, NULL);
}
