/*
 * Attributes for the documents that the format "dolma" writes for the same input. Lines
 * have the same order and the same ids. Spans of the text are in code points, because
 * Dolma's taggers and mixer count code points. docs/record.md#dolma-attributes
 */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "page/page_text.h"
#include "write/annotation.h"
#include "write/format.h"

enum { SCORE_PLACES = 4, NAME_ROOM = 96 };

static th_status check(const th_format_use *use, th_error *err)
{
    const th_options *page = use->page;
    if (strcmp(page->text_format, "plain") != 0)
        return th_fail(err, TH_USAGE,
                       "format dolma-attributes needs text-format plain, not %s",
                       page->text_format);
    if (page->text_front_matter ||
        (page->text_title && strcmp(page->text_title, "yes") == 0))
        return th_fail(err, TH_USAGE,
                       "format dolma-attributes cannot be combined with text-title or "
                       "text-front-matter");
    return TH_OK;
}

static void span(th_json *json, uint32_t first, uint32_t end, double score)
{
    th_json_open_array(json);
    th_json_uint(json, first);
    th_json_uint(json, end);
    th_json_decimal(json, score, SCORE_PLACES);
    th_json_close_array(json);
}

/* Writes an attribute of the whole text. @param name  with its tagger: "language__de" */
static void whole(th_json *json, const char *name, uint32_t chars, double score)
{
    char key[NAME_ROOM + 16];
    (void)snprintf(key, sizeof key, "thresher__%s", name);
    th_json_key(json, key);
    th_json_open_array(json);
    span(json, 0, chars, score);
    th_json_close_array(json);
}

/* Writes shares. A model gives none, but a probability. */
static void write_languages(th_json *json, const th_page *page, uint32_t chars)
{
    const th_languages *const found = page->languages;
    const bool is_model = found && !found->has_shares && page->second_language;
    for (uint32_t i = 0; found && i < found->count; i++) {
        char name[NAME_ROOM];
        (void)snprintf(name, sizeof name, "language__%.32s", found->of[i].tag);
        whole(json, name, chars,
              is_model ? page->second_language->score : found->of[i].percent / 100.0);
    }
}

/* Writes each paragraph of the text with the probability that it is content. */
static void write_paragraphs(th_json *json, const th_page *page,
                             const th_text_place *places)
{
    th_json_key(json, "thresher__paragraph__score");
    th_json_open_array(json);
    for (uint32_t i = 0; i < page->paragraph_count; i++)
        if (page->paragraph_label_of[i] == TH_CONTENT)
            span(json, places[i].chars, places[i].chars + page->paragraphs[i].char_len,
                 page->learned->score_of[i] / (double)UINT16_MAX);
    th_json_close_array(json);
}

static void write_attributes(th_json *json, const th_page *page,
                             const th_text_place *places, uint32_t chars)
{
    const th_learned *const learned = page->learned;
    if (learned) {
        char name[NAME_ROOM];
        (void)snprintf(name, sizeof name, "page_type__%.32s", learned->page_type);
        whole(json, name, chars, learned->page_type_score / (double)UINT16_MAX);
        whole(json, "quality__expected", chars, learned->quality / (double)UINT16_MAX);
        write_paragraphs(json, page, places);
    }
    write_languages(json, page, chars);
}

static th_status page(const th_format_options *opt, const th_annotated *annotated,
                      th_buffer *out)
{
    const th_record *const record = annotated->record;
    th_page *const read = annotated->page;
    uint32_t chars = 0;
    th_json json;
    (void)opt;
    th_text_place *places =
        th_arena_calloc(read->arena, (size_t)read->paragraph_count + 1, sizeof *places);
    if (!places ||
        !th_page_print_thread(read, read->paragraph_label_of, places, &chars).data)
        return th_annotation_failure(read);
    th_json_begin(&json, out);
    th_json_open_object(&json);
    th_json_member(&json, "id", record->id.data ? record->id : record->url);
    th_json_member_text(&json, "source", "thresher");
    th_json_key(&json, "attributes");
    th_json_open_object(&json);
    write_attributes(&json, read, places, chars);
    th_json_close_object(&json);
    th_json_close_object(&json);
    return th_json_end(&json);
}

const th_format th_dolma_attributes_format = {
    .name = "dolma-attributes",
    .help = "JSON lines, attributes of Dolma documents: spans in code points",
    .suffix = "jsonl",
    .takes_only_success = true,
    .not_for_index = "its schema has no field for near-duplicates",
    .not_for_serve = "its schema has no stub for records that are too large",
    .check = check,
    .page = page,
};
