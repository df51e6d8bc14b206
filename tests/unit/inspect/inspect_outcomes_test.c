/* src/inspect: the text, the JSON and the report of random pages, as a digest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "inspect/inspection.h"
#include "inspect/report_parts.h"
#include "lab/segment/lab_segmenters.h"
#include "language/fasttext.h"
#include "outcomes.h"
#include "pipeline/pipeline.h"
#include "random_html.h"

enum { ROUNDS = 70 };

static void make_options(struct outcomes *all, const th_fasttext *model, th_options *opt)
{
    static const char *const presets[] = { "modern", "none", "paper", "datatrove" };
    static const char *const classifiers[] = { "learned", "num-words", "densitometric",
                                               "main-content" };
    static const char *const segmenters[] = { "bf-rulebased", "bf-plain", "cclus",
                                              "gcuts", "full-text" };
    th_options_init(opt);
    opt->segmenters = th_lab_segmenters;
    opt->page_ms = 0;
    opt->minhash = ONE(all, presets);
    opt->sign = below(all, 16);
    opt->bands = below(all, 3) == 0;
    opt->classifier = ONE(all, classifiers);
    opt->segmenter = ONE(all, segmenters);
    opt->emit = below(all, 3) ? below(all, 1u << 12) : 0;
    opt->comments = below(all, 4) == 0;
    opt->w_max = below(all, 3) ? 80 : 30;
    opt->max_blocks = below(all, 5) ? opt->max_blocks : 1 + below(all, 9);
    opt->max_links = below(all, 5) ? opt->max_links : 1 + below(all, 9);
    opt->language_detector = "none";
    if (below(all, 2)) {
        opt->fasttext = model;
        opt->language_detector = below(all, 2) ? "fasttext" : "none";
    }
}

/* Some paragraphs recur on the site, as the site memory says. */
struct memory {
    uint8_t *recurs;
    uint32_t *pages;
};

static struct memory remember(struct outcomes *all, th_page *page)
{
    const size_t count = (size_t)page->paragraph_count + 1;
    const struct memory memory = { calloc(count, sizeof *memory.recurs),
                                   calloc(count, sizeof *memory.pages) };
    assert_true(memory.recurs && memory.pages);
    for (uint32_t i = 0; i < page->paragraph_count; i++) {
        memory.recurs[i] = below(all, 3) == 0;
        memory.pages[i] = below(all, 50);
    }
    page->paragraph_recurs = memory.recurs;
    page->paragraph_pages = memory.pages;
    page->site_pages = 50 + below(all, 50);
    return memory;
}

static void note_inspection(struct outcomes *all, const th_inspection *inspection)
{
    th_buffer out = { 0 };
    assert_int_equal(th_inspection_text(inspection, below(all, 3) == 0, &out), TH_OK);
    note_view(all, th_buffer_view(&out));
    if (getenv("TH_TEST_TRACE"))
        (void)fprintf(stderr, "%.*s\n", (int)out.len, out.data);
    th_buffer_reset(&out);
    assert_int_equal(th_inspection_json(inspection, &th_inspection_complete, &out),
                     TH_OK);
    note_view(all, th_buffer_view(&out));
    if (getenv("TH_TEST_TRACE"))
        (void)fprintf(stderr, "%.*s\n", (int)out.len, out.data);
    th_buffer_reset(&out);
    assert_int_equal(th_inspection_html(inspection, &out), TH_OK);
    const size_t around = th_report_head_len + th_report_tail_len;
    assert_true(out.len > around);
    note_view(all, (th_view){ out.data + th_report_head_len, out.len - around });
    th_buffer_done(&out);
}

static void inspections_of_random_pages_are_known(void **state)
{
    static const char *const methods[] = { "all", "tag-gap,keep-all", "",
                                           "bf-plain,num-words", "nothing" };
    static const char *const urls[] = { "http://a.example/b/c?d", "http://[::1]/", "x" };
    (void)state;
    struct outcomes all = { .chance = 61 };
    th_fasttext *model = NULL;
    assert_int_equal(th_fasttext_load(TH_TEST_DATA "/fasttext/softmax.bin", &model, NULL),
                     TH_OK);
    for (unsigned round = 0; round < ROUNDS; round++) {
        th_buffer block = { 0 };
        th_options opt;
        th_annotated annotated;
        th_readings readings;
        th_error err = { .text = "" };
        make_options(&all, model, &opt);
        random_html_put(&all, &block);
        assert_false(block.has_failed);
        const char *url = ONE(&all, urls);
        const th_record record = { .kind = TH_RECORD_RESOURCE,
                                   .content_type = TH_VIEW("text/html"),
                                   .url = { url, strlen(url) },
                                   .id = TH_VIEW("<urn:r:1>"),
                                   .date = TH_VIEW("2024-03-04T05:06:07Z"),
                                   .block = th_buffer_view(&block),
                                   .block_len = block.len };
        th_pipeline *pipeline = th_pipeline_new(&opt);
        assert_non_null(pipeline);
        assert_int_equal(th_pipeline_run(pipeline, &record, &annotated), TH_OK);
        assert_int_equal(annotated.status, TH_OK);
        struct memory memory = { NULL, NULL };
        if (below(&all, 2))
            memory = remember(&all, annotated.page);
        const th_status status =
            th_readings_make(annotated.page, &opt, ONE(&all, methods), &readings, &err);
        note_line(&all, "%d: %s", status, err.text);
        if (status == TH_OK) {
            const th_inspection inspection = { &opt, &annotated, &readings,
                                               "thresher/test" };
            note_inspection(&all, &inspection);
        }
        th_readings_done(&readings);
        th_pipeline_free(pipeline);
        th_buffer_done(&block);
        free(memory.recurs);
        free(memory.pages);
    }
    th_fasttext_free(model);
    expect_digest(&all, UINT64_C(0xDAC278846AF14034));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inspections_of_random_pages_are_known),
    };
    return cmocka_run_group_tests_name("inspect_outcomes", tests, NULL, NULL);
}
