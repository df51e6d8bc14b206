#include "segment/vectors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lab/segment/lab_segmenters.h"
#include "thresher/options.h"
#include "thresher/parse.h"

enum { MOST_BYTES = 1 << 20, SKIPPED = 77 };

/* TH_DATA is a folder; the build names it. */
static const char *folder = TH_DATA "/segmentation";

int run_vector_tests(int argc, char **argv, const struct CMUnitTest *tests, size_t count)
{
    if (argc > 1)
        folder = argv[1];
    if (access(folder, R_OK) != 0) {
        print_message("skipped: cannot read '%s'\n", folder);
        return SKIPPED;
    }
    return _cmocka_run_group_tests("tests", tests, count, NULL, NULL);
}

json *load_vectors(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("cannot open '%s'", path);
    char *bytes = calloc(1, MOST_BYTES);
    assert_non_null(bytes);
    const size_t len = fread(bytes, 1, MOST_BYTES, file);
    assert_in_range(len, 1, MOST_BYTES - 1);
    (void)fclose(file);
    json *tree = json_read(bytes, len);
    free(bytes);
    if (!tree)
        fail_msg("%s is not JSON", path);
    return tree;
}

json_val member(json_val object, const char *name)
{
    json_val value = json_get(object, name);
    if (!value)
        fail_msg("no member '%s'", name);
    return value;
}

uint32_t length_of(json_val array)
{
    assert_int_equal(array->type, JSON_ARRAY);
    return (uint32_t)array->count;
}

json_val element(json_val array, uint32_t i)
{
    assert_true(i < length_of(array));
    return &array->items[i];
}

int64_t integer(json_val number)
{
    assert_true(json_is_integer(number));
    return strtoll(number->text, NULL, 10);
}

const char *string(json_val value)
{
    assert_int_equal(value->type, JSON_STRING);
    return value->text;
}

int64_t integer_at(json_val array, uint32_t i)
{
    return integer(element(array, i));
}

th_page *vector_page(const char *name, th_arena *arena)
{
    json *file = load_vectors("pages.json");
    json_val pages = member(file, "pages");
    const char *html = "";
    for (uint32_t i = 0; i < length_of(pages) && !*html; i++) {
        json_val page = element(pages, i);
        if (strcmp(string(member(page, "name")), name) == 0)
            html = string(member(page, "html"));
    }
    if (!*html)
        fail_msg("no page '%s'", name);
    th_options opt;
    th_options_init(&opt);
    opt.classifier = "num-words"; /* the references know no hidden text */
    th_parser *parser = th_parser_new(&opt);
    assert_non_null(parser);
    const th_document document = { .bytes = { html, strlen(html) },
                                   .url = TH_VIEW("http://example.org/") };
    th_page *page = NULL;
    assert_int_equal(th_parse_html(parser, &document, arena, &page, NULL, NULL), TH_OK);
    th_parser_free(parser);
    json_free(file);
    return page;
}

void check_numbers(json_val want, const uint32_t *have, uint32_t count)
{
    assert_int_equal(length_of(want), count);
    for (uint32_t i = 0; i < count; i++) {
        if (integer_at(want, i) != have[i])
            fail_msg("number %u is %u, not %lld", i, have[i],
                     (long long)integer_at(want, i));
    }
}

static uint32_t add_weights(json_val model, const char *name, uint32_t at,
                            th_segment_model *out)
{
    json_val weights = member(model, name);
    for (uint32_t i = 0; i < length_of(weights); i++)
        out->final.of[at + i] = (int32_t)integer_at(weights, i);
    return at + length_of(weights);
}

th_options vector_options(const th_segment_model *shipped, th_segment_model *model)
{
    th_options opt;
    json *file = load_vectors("models.json");
    json_val row = member(file, shipped->features->method);
    uint32_t count = 0;
    *model = (th_segment_model){ .features = shipped->features };
    if (shipped->features == &th_gcuts_features) {
        count = add_weights(row, "metric", count, model);
        count = add_weights(row, "neighbour", count, model);
        count = add_weights(row, "child", count, model);
    } else {
        count = add_weights(row, "weights", count, model);
    }
    assert_int_equal(count, shipped->features->weight_count);
    if (shipped->features != &th_boundary_features)
        model->parameters[0] = (int32_t)integer(member(row, "lambda"));
    json_free(file);
    th_options_init(&opt);
    opt.segmenters = th_lab_segmenters;
    opt.segmenter = shipped->features->method;
    opt.segment_model = model;
    return opt;
}
