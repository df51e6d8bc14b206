/*
 * A page and its readings as one JSON object: for programs, and for the report's script,
 * which draws everything from it.
 *
 *   schema record{thresher/1} inspection{ software w_max profile blocks[] segmenters[]
 *   classifiers[] readings[] whys[] chosen omitted{} }
 *
 * Columns of readings are arrays and strings, one entry a block, not members of the rows:
 * fifty readings of a page must not repeat fifty times what the blocks are.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "inspect/explanation.h"
#include "inspect/inspection.h"
#include "inspect/reason_list.h"
#include "inspect/reason_text.h"
#include "page/node_path.h"
#include "segment/gap_profile.h"
#include "thresher/minhash.h"
#include "write/annotation.h"

enum {
    PLACES = 4, /* of densities, as in records */
    LOG_ODDS_PLACES = 2,
    MOST_TAGS = 100, /* of a gap that are named */
};

const th_inspection_limits th_inspection_complete = { UINT32_MAX, UINT32_MAX,
                                                      UINT32_MAX };
const th_inspection_limits th_inspection_shown = { 20000, 5000, 20000 };

static const char *label_name(uint8_t label)
{
    return label == TH_CONTENT ? "content" : "boilerplate";
}

static const char *gap_name(uint8_t class)
{
    return class == TH_GAP_ENFORCING  ? "enforcing"
           : class == TH_GAP_AVOIDING ? "avoiding"
                                      : "neutral";
}

/* Returns the text or its first `max` bytes, not cut inside a code point. */
static th_view head_of(th_view text, uint32_t max)
{
    if (text.len <= max)
        return text;
    size_t len = max;
    while (len && ((unsigned char)text.data[len] & 0xC0) == 0x80)
        len--;
    return (th_view){ text.data, len };
}

/* Returns the slope delta to the block before. [K11 Eq. 4.7] */
static double slope_delta(const th_page *page, uint32_t block)
{
    const double x = th_page_density(page, block - 1, block);
    const double y = th_page_density(page, block, block + 1);
    const double high = fmax(x, y);
    return high > 0 ? fabs(x - y) / high : 0;
}

static void write_gap(th_json *json, const th_inspection *inspection, const th_page *page,
                      uint32_t number)
{
    const th_block *block = &page->blocks[number];
    const uint16_t *tags = page->gap_tags + block->gap_start;
    const th_gap_profile *profile = th_gap_profile_find(inspection->opt->profile);
    th_json_key(json, "gap");
    th_json_open_array(json);
    for (uint32_t i = 0; i < block->gap_len && i < MOST_TAGS; i++) {
        char text[32]; /* the longest name of the list has 11 letters */
        (void)snprintf(text, sizeof text, "%s%s", tags[i] & TH_GAP_END ? "/" : "",
                       th_tag_name(tags[i] & (th_tag)~TH_GAP_END));
        th_json_string(json, (th_view){ text, strlen(text) });
    }
    th_json_close_array(json);
    th_json_member_uint(json, "gap_len", block->gap_len);
    th_json_member_text(json, "gap_class",
                        gap_name(th_gap_class(profile, tags, block->gap_len)));
    if (number)
        th_json_member_decimal(json, "slope_delta", slope_delta(page, number), PLACES);
}

/* Writes the number of pages of the site that contain the block's paragraph. */
static void write_site(th_json *json, const th_page *page, uint32_t paragraph)
{
    if (!page->paragraph_recurs)
        return;
    th_json_member_uint(json, "pages", page->paragraph_pages[paragraph]);
    th_json_key(json, "recurs");
    th_json_bool(json, page->paragraph_recurs[paragraph]);
}

static void write_block(th_json *json, const th_inspection *inspection, uint32_t number,
                        uint32_t max_bytes, th_buffer *scratch)
{
    const th_reading *reading = &inspection->readings->rows[inspection->readings->chosen];
    const th_classifier *classifier =
        inspection->readings->classifiers[reading->classifier];
    const th_page *page = &reading->page;
    const th_block *block = &page->blocks[number];
    char path[TH_NODE_PATH_ROOM];
    th_buffer_reset(scratch);
    th_reason_text(page, number, th_reason_of(classifier, page->reason_of[number])->words,
                   scratch);
    th_json_open_object(json);
    th_json_member(json, "text", head_of(th_block_text(page, number), max_bytes));
    if (block->text_len > max_bytes)
        th_json_member_uint(json, "text_len", block->text_len);
    th_json_member_uint(json, "segment", page->segment_of[number]);
    th_json_member_uint(json, "paragraph", block->paragraph);
    if (page->paragraphs[block->paragraph].is_hidden) {
        th_json_key(json, "hidden");
        th_json_bool(json, true);
    }
    th_json_member_text(json, "label", label_name(page->label_of[number]));
    th_json_member_buffer(json, "why", scratch);
    th_json_member_uint(json, "tokens", block->tokens);
    th_json_member_uint(json, "linked", block->linked_tokens);
    th_json_member_uint(json, "lines", block->lines);
    th_json_member_uint(json, "last_line_tokens", block->last_line_tokens);
    th_json_member_decimal(json, "density", th_page_density(page, number, number + 1),
                           PLACES);
    th_json_member_decimal(json, "link_density",
                           th_page_link_density(page, number, number + 1), PLACES);
    write_site(json, page, block->paragraph);
    write_gap(json, inspection, page, number);
    th_json_member(json, "path", th_node_path(page, block->node, path));
    th_json_close_object(json);
}

/* Methods of both kinds have these. */
static void open_method(th_json *json, const char *name, const char *cites,
                        const char *help)
{
    th_json_open_object(json);
    th_json_member_text(json, "name", name);
    th_json_member_text(json, "cites", cites);
    th_json_member_text(json, "help", help);
}

static void write_segment(th_json *json, const th_segment *segment)
{
    th_json_open_object(json);
    th_json_member_uint(json, "first_block", segment->first_block);
    th_json_member_uint(json, "blocks", segment->block_count);
    th_json_member_uint(json, "tokens", segment->tokens);
    th_json_member_uint(json, "linked", segment->linked_tokens);
    th_json_member_decimal(json, "density", segment->density, PLACES);
    th_json_member_decimal(json, "link_density", segment->link_density, PLACES);
    th_json_close_object(json);
}

/* Counts the segments of the first `blocks` blocks. Numbers are dense from 0. */
static uint32_t segments_of(const th_page *page, uint32_t blocks)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < blocks; i++)
        count = page->segment_of[i] >= count ? page->segment_of[i] + 1 : count;
    return count;
}

static void write_segmenter(th_json *json, const th_inspection *inspection,
                            uint32_t number, uint32_t blocks)
{
    const th_readings *readings = inspection->readings;
    const th_segmenter *method = readings->segmenters[number];
    const th_page *page =
        &readings->rows[(size_t)number * readings->classifier_count].page;
    const uint32_t segments = segments_of(page, blocks);
    const double theta = inspection->opt->theta_max;
    open_method(json, method->name, method->cites, method->help);
    if (method->theta_max >= 0)
        th_json_member_decimal(json, "theta_max", theta >= 0 ? theta : method->theta_max,
                               6);
    if (page->main_segment != TH_NONE)
        th_json_member_uint(json, "main_segment", page->main_segment);
    th_json_member_uint(json, "segment_count", page->segment_count);
    th_json_key(json, "segment_of");
    th_json_open_array(json);
    for (uint32_t i = 0; i < blocks; i++)
        th_json_uint(json, page->segment_of[i]);
    th_json_close_array(json);
    th_json_key(json, "segments");
    th_json_open_array(json);
    for (uint32_t i = 0; i < segments; i++)
        write_segment(json, &page->segments[i]);
    th_json_close_array(json);
    th_json_close_object(json);
}

static void write_classifier(th_json *json, const th_classifier *method)
{
    open_method(json, method->name, method->cites, method->help);
    th_json_key(json, "reasons");
    th_json_open_array(json);
    for (const th_reason *reason = method->reasons; reason->words; reason++) {
        th_json_open_object(json);
        th_json_member_text(json, "label", label_name(reason->label));
        th_json_member_text(json, "words", reason->words);
        th_json_close_object(json);
    }
    th_json_close_array(json);
    th_json_close_object(json);
}

/* Writes hexadecimal signatures under the names that records give them. */
static void write_signatures(th_json *json, const th_page *page)
{
    const th_minhash_preset *preset = page->minhash;
    if (page->has_text_digest) {
        th_json_key(json, "digest");
        th_json_hex_words(json, page->text_digest, 2, sizeof *page->text_digest);
    }
    for (unsigned i = 0; preset && i < TH_SIGN_COUNT; i++) {
        const th_signature *signature = &page->signatures[i];
        if (!signature->slots)
            continue;
        th_json_key(json, th_sign_name(i));
        th_json_hex_words(json, signature->slots, signature->slot_count,
                          preset->slot_bits / 8);
    }
}

/* Writes labels as a string, 'c' or 'b' for each. */
static void write_letters(th_json *json, const char *key, th_buffer *letters)
{
    th_json_member_buffer(json, key, letters);
    th_buffer_reset(letters);
}

static char letter_of(uint8_t label)
{
    return label == TH_CONTENT ? 'c' : 'b';
}

/* Writes for each block the rule that decided and its reason. */
static void write_reasons(th_json *json, const th_page *page,
                          const th_classifier *classifier, uint32_t blocks,
                          th_reason_list *whys)
{
    th_json_key(json, "reasons");
    th_json_open_array(json);
    for (uint32_t i = 0; i < blocks; i++)
        th_json_uint(json, page->reason_of[i]);
    th_json_close_array(json);
    th_json_key(json, "why");
    th_json_open_array(json);
    for (uint32_t i = 0; i < blocks; i++) {
        uint32_t number = 0;
        const char *words = th_reason_of(classifier, page->reason_of[i])->words;
        const th_status status = th_reason_list_add(whys, page, i, words, &number);
        if (status != TH_OK)
            th_json_fail(json, status);
        th_json_uint(json, number);
    }
    th_json_close_array(json);
}

/* Numbers with two places: [score, base, one for each group]. */
static void write_explained(th_json *json, const th_page *page,
                            const th_explanation *explanation, uint32_t paragraph)
{
    const th_explained explained = th_explanation_of(explanation, paragraph);
    th_json_open_array(json);
    th_json_decimal(json, page->learned->score_of[paragraph] / (double)UINT16_MAX,
                    PLACES);
    th_json_decimal(json, explained.base, LOG_ODDS_PLACES);
    for (unsigned i = 0; i < TH_FEATURE_GROUP_COUNT; i++)
        th_json_decimal(json, explained.by_group[i], LOG_ODDS_PLACES);
    th_json_close_array(json);
}

static void write_groups(th_json *json)
{
    th_json_key(json, "groups");
    th_json_open_array(json);
    for (unsigned i = 0; i < TH_FEATURE_GROUP_COUNT; i++) {
        th_json_open_object(json);
        th_json_member_text(json, "name", th_feature_group_name(i));
        th_json_member_text(json, "help", th_feature_group_help(i));
        th_json_close_object(json);
    }
    th_json_close_array(json);
}

/* Writes a learned classifier's results for the paragraphs of the first `blocks`
 * blocks. */
static void write_learned(th_json *json, const th_inspection *inspection,
                          const th_page *page, uint32_t blocks)
{
    if (!page->learned)
        return;
    th_explanation explanation;
    const th_status status =
        th_explanation_make(page, inspection->opt, page->arena, &explanation);
    if (status != TH_OK) {
        th_json_fail(json, status);
        return;
    }
    const uint32_t count = blocks ? page->blocks[blocks - 1].paragraph + 1 : 0;
    th_json_key(json, "learned");
    th_json_open_object(json);
    th_json_member_decimal(json, "cut", page->learned->cut / (double)UINT16_MAX, PLACES);
    th_json_member_decimal(json, "missed_weight", page->learned->missed_weight / 100.0,
                           PLACES);
    write_groups(json);
    th_json_key(json, "paragraphs");
    th_json_open_array(json);
    for (uint32_t i = 0; i < count; i++)
        write_explained(json, page, &explanation, i);
    th_json_close_array(json);
    th_json_close_object(json);
}

static void write_reading(th_json *json, const th_inspection *inspection,
                          const th_reading *reading, const th_classifier *classifier,
                          uint32_t blocks, th_reason_list *whys, th_buffer *scratch)
{
    const th_page *page = &reading->page;
    const uint32_t segments = segments_of(page, blocks);
    th_json_open_object(json);
    th_json_member_uint(json, "segmenter", reading->segmenter);
    th_json_member_uint(json, "classifier", reading->classifier);
    th_json_member_uint(json, "content_tokens", page->content_tokens);
    th_buffer_reset(scratch);
    for (uint32_t i = 0; i < blocks; i++)
        th_buffer_append_char(scratch, letter_of(page->label_of[i]));
    write_letters(json, "labels", scratch);
    for (uint32_t i = 0; i < segments; i++)
        th_buffer_append_char(scratch, letter_of(page->segments[i].label));
    write_letters(json, "segment_labels", scratch);
    write_reasons(json, page, classifier, blocks, whys);
    write_learned(json, inspection, page, blocks);
    write_signatures(json, page);
    th_json_close_object(json);
}

static void write_link(th_json *json, const th_page *page, const th_link *link,
                       uint32_t blocks)
{
    th_json_open_object(json);
    th_json_member(json, "url", link->url);
    if (link->anchor_len)
        th_json_member(
            json, "anchor",
            head_of((th_view){ page->text.data + link->anchor_start, link->anchor_len },
                    300));
    if (link->block < blocks)
        th_json_member_uint(json, "block", link->block);
    th_json_key(json, "internal");
    th_json_bool(json, link->is_internal);
    th_json_member(json, "rel", link->rel);
    th_json_close_object(json);
}

static void write_omitted(th_json *json, const th_page *page, uint32_t blocks,
                          uint32_t links)
{
    if (blocks == page->block_count && links == page->link_count)
        return;
    th_json_key(json, "omitted");
    th_json_open_object(json);
    th_json_member_uint(json, "blocks", page->block_count - blocks);
    th_json_member_uint(json, "links", page->link_count - links);
    th_json_close_object(json);
}

/* Writes the readings, followed by the texts that they name by number. */
static void write_readings(th_json *json, const th_inspection *inspection,
                           uint32_t blocks, th_buffer *scratch)
{
    const th_readings *readings = inspection->readings;
    th_reason_list whys = { 0 };
    th_json_key(json, "readings");
    th_json_open_array(json);
    for (uint32_t i = 0; i < readings->count; i++) {
        const th_reading *reading = &readings->rows[i];
        const th_classifier *classifier = readings->classifiers[reading->classifier];
        write_reading(json, inspection, reading, classifier, blocks, &whys, scratch);
    }
    th_json_close_array(json);
    th_json_key(json, "whys");
    th_reason_list_write(&whys, json);
    th_reason_list_done(&whys);
}

static uint32_t min(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static th_status write_inspection(const th_inspection *inspection,
                                  const th_inspection_limits *limits, th_buffer *out)
{
    const th_readings *readings = inspection->readings;
    const th_page *page = &readings->rows[readings->chosen].page;
    const uint32_t blocks = min(page->block_count, limits->blocks);
    const uint32_t links = min(page->link_count, limits->links);
    th_buffer scratch = { 0 };
    th_json json;
    th_json_begin(&json, out);
    th_json_open_object(&json);
    th_json_member_text(&json, "software", inspection->software);
    th_json_member_uint(&json, "w_max", inspection->opt->w_max);
    th_json_member_text(&json, "profile", inspection->opt->profile);
    th_json_key(&json, "blocks");
    th_json_open_array(&json);
    for (uint32_t i = 0; i < blocks; i++)
        write_block(&json, inspection, i, limits->block_bytes, &scratch);
    th_json_close_array(&json);
    th_json_key(&json, "links");
    th_json_open_array(&json);
    for (uint32_t i = 0; i < links; i++)
        write_link(&json, page, &page->links[i], blocks);
    th_json_close_array(&json);
    th_json_key(&json, "segmenters");
    th_json_open_array(&json);
    for (uint32_t i = 0; i < readings->segmenter_count; i++)
        write_segmenter(&json, inspection, i, blocks);
    th_json_close_array(&json);
    th_json_key(&json, "classifiers");
    th_json_open_array(&json);
    for (uint32_t i = 0; i < readings->classifier_count; i++)
        write_classifier(&json, readings->classifiers[i]);
    th_json_close_array(&json);
    write_readings(&json, inspection, blocks, &scratch);
    th_json_member_uint(&json, "chosen", readings->chosen);
    write_omitted(&json, page, blocks, links);
    th_json_close_object(&json);
    if (scratch.has_failed)
        th_json_fail(&json, TH_NOMEM);
    th_buffer_done(&scratch);
    return th_json_end(&json);
}

/* Joins two separate documents, which become members of one. */
th_status th_inspection_json(const th_inspection *inspection,
                             const th_inspection_limits *limits, th_buffer *out)
{
    const size_t start = out->len;
    const bool has_segments =
        inspection->annotated->page->segment_count <= limits->blocks;
    const th_annotation_parts parts = { .emit = has_segments ? TH_EMIT_SEGMENTS : 0,
                                        .has_no_text = true };
    th_buffer_append_text(out, "{\"schema\":\"thresher-inspect/1\",\"record\":");
    th_status status =
        th_annotation_write(inspection->opt, inspection->annotated, parts, out);
    if (status == TH_OK) {
        out->len--; /* the newline that ends a record */
        th_buffer_append_text(out, ",\"inspection\":");
        status = write_inspection(inspection, limits, out);
    }
    if (status == TH_OK) {
        out->len--;
        th_buffer_append_text(out, "}\n");
    }
    if (status == TH_OK && out->has_failed)
        status = TH_NOMEM;
    if (status != TH_OK)
        out->len = start;
    return status;
}
