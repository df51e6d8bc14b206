/* A page with several records in the archive is scored by the first record, for any
 * number of workers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "ingest/source.h"
#include "lab/segment/lab_segmenters.h"
#include "lab/segmentation/segmentation_scores.h"

enum { BLOCKS = 4, PADDING = 3000 };

/* A folder with a gold and an archive, and how they are scored. */
struct scene {
    char folder[32], gold[64], archive[64];
    th_options page;
    th_segmentation_variant variant;
    th_eval_request request;
};

static void write_file(const char *path, th_view bytes)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes.data, 1, bytes.len, file), bytes.len);
    assert_int_equal(fclose(file), 0);
}

static void begin(struct scene *scene)
{
    *scene = (struct scene){ .folder = "/tmp/thresher-eval-XXXXXX" };
    assert_non_null(mkdtemp(scene->folder));
    (void)snprintf(scene->gold, sizeof scene->gold, "%s/gold.jsonl", scene->folder);
    (void)snprintf(scene->archive, sizeof scene->archive, "%s/pages.warc", scene->folder);
    write_file(scene->gold, TH_VIEW("{\"id\":\"urn:page\",\"tokens\":[\"alpha\",\"beta\","
                                    "\"gamma\",\"delta\"],\"segment\":[0,0,1,1]}\n"));
    th_options_init(&scene->page);
    scene->page.segmenters = th_lab_segmenters;
    scene->variant = (th_segmentation_variant){
        .segmenter = "tag-gap", .profile = "html5", .theta_max = -1, .w_max = 80
    };
    scene->request =
        (th_eval_request){ .page = &scene->page, .wants_plot = true, .workers = 1 };
}

static void end(const struct scene *scene)
{
    (void)unlink(scene->gold);
    (void)unlink(scene->archive);
    (void)rmdir(scene->folder);
}

static void add_record(th_buffer *archive, const char *id, th_view html)
{
    th_buffer_printf(archive,
                     "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <%s>\r\n"
                     "WARC-Target-URI: http://a.example/\r\n"
                     "WARC-Date: 2024-01-01T00:00:00Z\r\nContent-Type: text/html\r\n"
                     "Content-Length: %zu\r\n\r\n",
                     id, html.len);
    th_buffer_append_view(archive, html);
    th_buffer_append_text(archive, "\r\n\r\n");
}

/* The gold's words in `count` blocks, followed by blocks that no gold contains. */
static void add_page(th_buffer *archive, unsigned blocks, unsigned padding)
{
    static const char *const words[BLOCKS] = { "alpha", "beta", "gamma", "delta" };
    th_buffer html = { 0 };
    th_buffer_append_text(&html, "<p>");
    for (unsigned i = 0; i < BLOCKS; i++)
        th_buffer_printf(&html, "%s%s ", i && i % (BLOCKS / blocks) == 0 ? "<p>" : "",
                         words[i]);
    for (unsigned i = 0; i < padding; i++)
        th_buffer_append_text(&html, "<p>padding");
    add_record(archive, "urn:page", th_buffer_view(&html));
    th_buffer_done(&html);
}

/* Ends the batch, so that what follows may be another worker's. */
static void end_batch(th_buffer *archive)
{
    char *bytes = calloc(1, TH_BATCH_BYTES);
    assert_non_null(bytes);
    memset(bytes, 'x', TH_BATCH_BYTES);
    add_record(archive, "urn:other", (th_view){ bytes, TH_BATCH_BYTES });
    free(bytes);
}

struct outcome {
    th_segmentation_score score;
    uint64_t segments[2]; /* counted by their tokens: found, gold */
};

static uint64_t sum_of(const uint64_t *lengths)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < TH_SEGMENTATION_LENGTHS; i++)
        sum += lengths[i];
    return sum;
}

static struct outcome score(struct scene *scene, unsigned workers)
{
    th_arena *arena = th_arena_new(0);
    th_segmentation_archive archive = { .path = scene->archive };
    th_segmentation_scores scores = {
        .request = &scene->request,
        .name = "scene",
        .variants = { .items = &scene->variant,
                      .count = 1,
                      .table_count = 1,
                      .width_first = 1 },
    };
    scene->request.workers = workers;
    assert_int_equal(
        th_gold_set_read(scene->gold, "segment", NULL, arena, &scores.gold, NULL), TH_OK);
    assert_int_equal(th_segmentation_score_all(&scores, &archive, arena, NULL), TH_OK);
    assert_true(scores.was_found[0]);
    const struct outcome outcome = {
        .score = *th_segmentation_score_at(&scores, 0, 0, 0),
        .segments = { sum_of(scores.lengths),
                      sum_of(scores.lengths + TH_SEGMENTATION_LENGTHS) },
    };
    th_arena_free(arena);
    return outcome;
}

/* The first is long and done after the second, where two workers share them. */
static void the_first_record_of_an_id_counts(void **state)
{
    (void)state;
    for (int has_border = 0; has_border < 2; has_border++) {
        struct scene scene;
        th_buffer archive = { 0 };
        begin(&scene);
        add_page(&archive, 2, PADDING);
        if (has_border)
            end_batch(&archive);
        write_file(scene.archive, th_buffer_view(&archive));
        const struct outcome alone = score(&scene, 1);
        assert_int_equal((int)alone.score.found_segments, 2);
        assert_int_equal((int)alone.score.largest_found, 1);
        assert_int_equal(alone.segments[0], 2 + PADDING);
        assert_int_equal(alone.segments[1], 2);
        add_page(&archive, 4, 0);
        write_file(scene.archive, th_buffer_view(&archive));
        for (unsigned workers = 1; workers <= 8; workers++) {
            const struct outcome found = score(&scene, workers);
            assert_memory_equal(&found, &alone, sizeof found);
        }
        th_buffer_done(&archive);
        end(&scene);
    }
}

/*
 * Gold {a bbb} {cc}, found {a} {bbb cc}, one letter of two bytes. By characters
 * P = (1 * 1 + 3 * 3/5 + 2 * 2/5) / 6, R = (1 * 1/4 + 3 * 3/4 + 2 * 1) / 6; by tokens
 * P = R = 2/3. Both blocks are nodes of the first gold segment: P = 1, R = 1/2. No found
 * segment is the largest one of the gold.
 */
static void characters_weigh(void **state)
{
    (void)state;
    struct scene scene;
    th_buffer archive = { 0 };
    begin(&scene);
    write_file(scene.gold,
               TH_VIEW("{\"id\":\"urn:page\",\"tokens\":[\"\xC3\xA9\",\"bbb\","
                       "\"cc\"],\"segment\":[0,0,1]}\n"));
    add_record(&archive, "urn:page", TH_VIEW("<meta charset=utf-8><p>\xC3\xA9<p>bbb cc"));
    write_file(scene.archive, th_buffer_view(&archive));
    const th_segmentation_score found = score(&scene, 1).score;
    assert_true(fabs(found.b3_chars_p - 0.6) < 1e-12);
    assert_true(fabs(found.b3_chars_r - 0.75) < 1e-12);
    assert_true(fabs(found.b3_chars_f - 2.0 / 3) < 1e-12);
    assert_true(fabs(found.b3_p - 2.0 / 3) < 1e-12);
    assert_true(fabs(found.b3_r - 2.0 / 3) < 1e-12);
    assert_true(fabs(found.b3_nodes_p - 1) < 1e-12);
    assert_true(fabs(found.b3_nodes_r - 0.5) < 1e-12);
    assert_true(fabs(found.b3_nodes_f - 2.0 / 3) < 1e-12);
    assert_true(found.largest_found == 0);
    th_buffer_done(&archive);
    end(&scene);
}

/* The parameter of a variant overrides the model's: with the minimum grain there is one
 * segment, and with the maximum every part is separate. */
static void parameters_vary(void **state)
{
    (void)state;
    struct scene scene;
    th_buffer archive = { 0 };
    begin(&scene);
    add_page(&archive, 4, 0);
    write_file(scene.archive, th_buffer_view(&archive));
    scene.variant.segmenter = "boundary-graph";
    scene.variant.has_parameter = true;
    scene.variant.parameter = -1048576;
    assert_int_equal((int)score(&scene, 1).score.found_segments, 1);
    scene.variant.parameter = 1048576;
    assert_int_equal((int)score(&scene, 1).score.found_segments, 4);
    th_buffer_done(&archive);
    end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_vary),
        cmocka_unit_test(the_first_record_of_an_id_counts),
        cmocka_unit_test(characters_weigh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
