/*
 * The table of the record's fields, and the functions that compute the values that no
 * object of the page has. See the header.
 */
#include "write/record_field.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "content/content_decision.h"
#include "content/content_model.h"
#include "page/page_text.h"
#include "segment/segment_model.h"
#include "thresher/classifier.h"
#include "thresher/segmenter.h"
#include "write/formatted_text.h"

enum { THETA_PLACES = 6 /* of parameters, which must be read back unchanged */ };

static void write_text_member(th_record_walk *walk, const th_record_field *field,
                              const char *text)
{
    th_json_member_text(walk->json, th_record_field_name(field), text);
}

static void fail(th_record_walk *walk)
{
    th_json_fail(walk->json, th_annotation_failure(walk->page));
}

/* ---- the record and its page ---- */

static void write_schema(th_record_walk *walk, const th_record_field *field)
{
    write_text_member(walk, field, field->limits);
}

static bool open_source(th_record_walk *walk)
{
    const th_position *position = &walk->annotated->record->position;
    walk->objects[TH_IN_MESSAGE] = position->topic.data ? position : NULL;
    return true;
}

static bool open_http(th_record_walk *walk)
{
    const th_annotated *annotated = walk->annotated;
    return annotated->http.status || annotated->http.content_type.data ||
           annotated->charset.name || annotated->charset.from ||
           annotated->http.encoding.data;
}

static bool open_page_type(th_record_walk *walk)
{
    return walk->page->learned != NULL;
}

static bool open_languages(th_record_walk *walk, const th_languages *languages)
{
    walk->objects[TH_IN_LANGUAGES] = languages;
    return languages && languages->count;
}

/* The first language is the language of the whole text. */
static bool open_detected(th_record_walk *walk)
{
    return open_languages(walk, walk->page->languages);
}

static bool open_crawl(th_record_walk *walk)
{
    return open_languages(walk, walk->page->crawl_languages);
}

static bool open_other_language(th_record_walk *walk)
{
    const th_languages *languages = walk->objects[TH_IN_LANGUAGES];
    if (walk->element + 1 >= languages->count)
        return false;
    walk->objects[TH_IN_OTHER_LANGUAGE] = &languages->of[walk->element + 1];
    return true;
}

static void write_agrees(th_record_walk *walk, const th_record_field *field)
{
    const th_agreement agreement = walk->page->crawl_agreement;
    if (agreement == TH_NOT_COMPARED)
        return;
    th_json_key(walk->json, th_record_field_name(field));
    th_json_bool(walk->json, agreement == TH_SAME_LANGUAGE);
}

static bool open_second_language(th_record_walk *walk)
{
    const th_second_language *second = walk->page->second_language;
    if (!second)
        return false;
    walk->computed.probability = second->score < 1 ? second->score : 1;
    (void)snprintf(walk->model, sizeof walk->model, "%016" PRIx64, second->model);
    walk->computed.model = walk->model;
    return true;
}

static bool open_language_share(th_record_walk *walk)
{
    if (walk->element >= walk->page->language_share_count)
        return false;
    walk->objects[TH_IN_LANGUAGE_SHARE] = &walk->page->language_shares[walk->element];
    return true;
}

/* Finds the paragraphs in the text, if it is plain text without other lines before. */
static void find_places(th_record_walk *walk)
{
    th_page *const page = walk->page;
    const size_t size = page->paragraph_count * sizeof *walk->places;
    if (walk->parts.has_no_text || !th_formatted_text_is_printed(walk->opt))
        return;
    walk->places = th_arena_alloc(page->arena, size);
    if (walk->places)
        memset(walk->places, 0xFF, size); /* a paragraph may be omitted */
    if (!walk->places ||
        !th_page_print_thread(page, page->paragraph_label_of, walk->places, NULL).data)
        fail(walk);
}

static bool open_paragraph_language(th_record_walk *walk)
{
    const th_page *const page = walk->page;
    if (walk->element >= page->paragraph_language_count)
        return false;
    const th_paragraph_language *const found = &page->paragraph_languages[walk->element];
    if (!walk->element)
        find_places(walk);
    walk->objects[TH_IN_PARAGRAPH_LANGUAGE] = found;
    walk->objects[TH_IN_TEXT_SPAN] = NULL;
    const uint32_t start = walk->places ? walk->places[found->paragraph].chars : TH_NONE;
    if (start == TH_NONE)
        return true;
    walk->span.start = start;
    walk->span.end = start + page->paragraphs[found->paragraph].char_len;
    walk->objects[TH_IN_TEXT_SPAN] = &walk->span;
    return true;
}

/* Writes the text in each format. The first one is `text`, the others are named after
 * their format. */
static void write_text(th_record_walk *walk, const th_record_field *field)
{
    static const char *const keys[] = { "text_plain", "text_markdown", "text_html" };
    const char *format;
    for (unsigned i = 0;
         !walk->parts.has_no_text && (format = th_text_format_at(walk->opt, i)); i++) {
        const th_view text =
            th_formatted_text(walk->page, walk->opt, walk->annotated->record->url, i);
        unsigned number = 0;
        while (th_text_formats[number] != format)
            number++;
        if (!text.data) {
            fail(walk);
            return;
        }
        if (!i && number)
            write_text_member(walk, field, format);
        th_json_member(walk->json, i ? keys[number] : "text", text);
    }
}

/* Writes the text by each further strictness: text_strict, text_wide. */
static void write_other_texts(th_record_walk *walk, const th_record_field *field)
{
    const th_learned *learned = walk->page->learned;
    (void)field;
    for (unsigned i = 0; !walk->parts.has_no_text && learned && i < learned->other_count;
         i++) {
        const th_view text =
            th_formatted_text_by(walk->page, walk->opt, walk->annotated->record->url,
                                 learned->others[i].label_of);
        char name[32];
        if (!text.data) {
            fail(walk);
            return;
        }
        (void)snprintf(name, sizeof name, "text_%s", learned->others[i].strictness);
        th_json_member(walk->json, name, text);
    }
}

/* The function of another field writes it. */
static void write_nothing(th_record_walk *walk, const th_record_field *field)
{
    (void)walk;
    (void)field;
}

/* Writes "learned", followed by the options that differ from the classifier's
 * defaults. */
static void write_classifier(th_record_walk *walk, const th_record_field *field)
{
    th_options defaults;
    const th_options *opt = walk->opt;
    th_options_init(&defaults);
    const th_classifier *classifier = th_classifier_find(opt->classifier);
    const bool is_learned = classifier && classifier->judge;
    const bool is_strict = is_learned && opt->strictness &&
                           strcmp(opt->strictness, defaults.strictness) != 0;
    char model[32] = "", without[160] = "";
    if (is_learned && opt->content_model)
        (void)snprintf(model, sizeof model, " model=%016" PRIx64,
                       opt->content_model->checksum);
    for (unsigned step = 0; is_learned && th_content_step_names[step]; step++) {
        const size_t len = strlen(without);
        if (opt->content_left_out & 1u << step)
            (void)snprintf(without + len, sizeof without - len, "%s%s",
                           len ? "," : " without=", th_content_step_names[step]);
    }
    char text[320]; /* a name, sixteen digits, a score, eight names */
    (void)snprintf(text, sizeof text, "%s%s%s%.40s%s%s", opt->classifier, model,
                   is_strict ? " strictness=" : "", is_strict ? opt->strictness : "",
                   is_learned && opt->comments ? " comments" : "", without);
    write_text_member(walk, field, text);
}

/* Writes "bf-rulebased", followed by the options that differ from the defaults:
 * " theta_max=0.5". */
static void write_segmenter(th_record_walk *walk, const th_record_field *field)
{
    th_options defaults;
    const th_options *opt = walk->opt;
    th_options_init(&defaults);
    const th_segmenter *segmenter = th_segmenter_of(opt);
    char theta[TH_DECIMAL_MAX] = "", theta_default[TH_DECIMAL_MAX] = "";
    if (opt->theta_max >= 0)
        th_decimal(opt->theta_max, THETA_PLACES, theta);
    if (segmenter && segmenter->theta_max >= 0)
        th_decimal(segmenter->theta_max, THETA_PLACES, theta_default);
    const bool has_theta = *theta && strcmp(theta, theta_default) != 0;
    const bool has_profile = strcmp(opt->profile, defaults.profile) != 0;
    char width[16] = "";
    if (opt->w_max != defaults.w_max)
        (void)snprintf(width, sizeof width, "%u", opt->w_max);
    char model[32] = "";
    if (opt->segment_model)
        (void)snprintf(model, sizeof model, " model=%016" PRIx64,
                       opt->segment_model->checksum);
    char text[256]; /* names from our tables, three numbers: never longer */
    (void)snprintf(text, sizeof text, "%s%s%s%s%s%s%s%s", opt->segmenter, model,
                   has_theta ? " theta_max=" : "", has_theta ? theta : "",
                   has_profile ? " profile=" : "", has_profile ? opt->profile : "",
                   *width ? " w_max=" : "", width);
    write_text_member(walk, field, text);
}

static bool open_counts(th_record_walk *walk)
{
    const th_page *page = walk->page;
    walk->computed.tokens = page->tokens_before[page->block_count];
    walk->computed.linked_tokens = page->linked_before[page->block_count];
    return true;
}

static bool open_signals(th_record_walk *walk)
{
    return walk->page->signals != NULL;
}

/* ---- signatures ---- */

static bool open_digest(th_record_walk *walk)
{
    return walk->page->has_text_digest;
}

static void write_digest(th_record_walk *walk, const th_record_field *field)
{
    th_json_key(walk->json, th_record_field_name(field));
    th_json_hex_words(walk->json, walk->page->text_digest, 2,
                      sizeof *walk->page->text_digest);
}

/* Returns the preset's words, which contain the parameters that a reader needs to decide
 * whether two signatures can be compared. */
static bool open_minhash(th_record_walk *walk)
{
    const th_page *page = walk->page;
    bool has_signature = false;
    for (unsigned i = 0; i < TH_SIGN_COUNT; i++)
        has_signature |= page->signatures[i].slots != NULL;
    if (!page->minhash || !has_signature)
        return false;
    th_minhash_print(page->minhash, walk->words);
    walk->computed.text = (th_view){ walk->words, strlen(walk->words) };
    return true;
}

static void write_signature(th_record_walk *walk, const th_record_field *field)
{
    const char *name = th_record_field_name(field);
    unsigned i = 0;
    while (strcmp(th_sign_name(i), name) != 0)
        i++;
    const th_signature *signature = &walk->page->signatures[i];
    if (!signature->slots)
        return;
    th_json_key(walk->json, name);
    th_json_hex_words(walk->json, signature->slots, signature->slot_count,
                      walk->page->minhash->slot_bits / 8);
}

static void write_name(th_json *json, const char *name)
{
    th_json_string(json, (th_view){ name, strlen(name) });
}

/* Writes the names of the texts that are shorter than a shingle. */
static void write_short(th_record_walk *walk, const th_record_field *field)
{
    bool is_open = false;
    for (unsigned i = 0; i < TH_SIGN_COUNT; i++) {
        if (!walk->page->signatures[i].is_short)
            continue;
        if (!is_open) {
            th_json_key(walk->json, th_record_field_name(field));
            th_json_open_array(walk->json);
        }
        is_open = true;
        write_name(walk->json, th_sign_name(i));
    }
    if (is_open)
        th_json_close_array(walk->json);
}

static void write_bands(th_record_walk *walk, const th_record_field *field)
{
    th_page *page = walk->page;
    const th_signature *signature =
        walk->opt->bands && page->minhash ? th_sketch_first(page, walk->opt) : NULL;
    if (!signature)
        return;
    uint8_t *keys =
        th_arena_alloc(page->arena, (size_t)page->minhash->bands * TH_BAND_KEY_LEN);
    if (!keys) {
        fail(walk);
        return;
    }
    const uint32_t count = th_minhash_bands(page->minhash, signature, keys);
    if (!count)
        return;
    th_json_key(walk->json, th_record_field_name(field));
    th_json_open_array(walk->json);
    for (uint32_t i = 0; i < count; i++)
        th_json_hex(walk->json, keys + (size_t)i * TH_BAND_KEY_LEN, TH_BAND_KEY_LEN);
    th_json_close_array(walk->json);
}

/* Notes where the member near_duplicate belongs: it is known later. */
static bool open_near_duplicate(th_record_walk *walk)
{
    if (walk->objects[TH_IN_NEAR_DUPLICATE])
        return true;
    if (walk->parts.has_hole && walk->annotated->near_duplicate_at)
        *walk->annotated->near_duplicate_at = th_json_len(walk->json);
    return false;
}

/* ---- parts ---- */

static const char *label_name(uint8_t label)
{
    return label == TH_CONTENT ? "content" : "boilerplate";
}

/* Returns the label of a paragraph and of its blocks. Text by readers is "comment",
 * whether or not the options count it as content. */
static const char *paragraph_label(const th_page *page, uint32_t paragraph, uint8_t label)
{
    const bool is_comment = page->learned && page->learned->is_comment[paragraph];
    return is_comment ? "comment" : label_name(label);
}

/* Computes the values that a paragraph shares with its blocks. */
static void compute_paragraph(th_record_walk *walk, uint32_t paragraph, uint8_t label)
{
    const th_page *page = walk->page;
    th_record_computed *computed = &walk->computed;
    computed->label = paragraph_label(page, paragraph, label);
    if (page->learned)
        computed->score = page->learned->score_of[paragraph];
    if (page->language_of)
        computed->language = page->language_of[paragraph];
    if (!page->paragraph_recurs)
        return;
    computed->pages = page->paragraph_pages[paragraph];
    computed->recurs = page->paragraph_recurs[paragraph];
}

static bool open_segment(th_record_walk *walk)
{
    const th_page *page = walk->page;
    th_record_computed *computed = &walk->computed;
    const uint32_t number = walk->element;
    if (number >= page->segment_count)
        return false;
    const th_segment *segment = &page->segments[number];
    walk->objects[TH_IN_SEGMENT] = segment;
    computed->segment = number;
    computed->label = label_name(segment->label);
    computed->position = th_position_name(segment->position);
    computed->inner = th_position_name(segment->inner);
    computed->pages = page->segment_pages ? page->segment_pages[number] : 0;
    computed->recurs = computed->pages && page->segment_recurs[number];
    return true;
}

static void write_fingerprint(th_record_walk *walk, const th_record_field *field)
{
    uint8_t fingerprint[TH_FINGERPRINT_LEN];
    if (th_template_fingerprint(walk->page, walk->element, walk->page->arena,
                                fingerprint) != TH_OK) {
        fail(walk);
        return;
    }
    th_json_key(walk->json, th_record_field_name(field));
    th_json_hex(walk->json, fingerprint, sizeof fingerprint);
}

static bool open_block(th_record_walk *walk)
{
    const th_page *page = walk->page;
    th_record_computed *computed = &walk->computed;
    const uint32_t number = walk->element;
    if (number >= page->block_count)
        return false;
    const th_block *block = &page->blocks[number];
    walk->objects[TH_IN_BLOCK] = block;
    computed->end = (uint64_t)block->char_start + block->char_len;
    computed->byte_end = (uint64_t)block->text_start + block->text_len;
    computed->segment = page->segment_of[number];
    computed->density = th_page_density(page, number, number + 1);
    computed->path = th_node_path(page, block->node, walk->path);
    compute_paragraph(walk, block->paragraph, page->label_of[number]);
    return true;
}

/* Sets the box of a paragraph's cell, and of its item in a list. */
static void open_boxes(th_record_walk *walk, const th_paragraph *paragraph)
{
    const th_box *boxes = walk->page->boxes;
    const th_box *box = paragraph->box != TH_NONE ? &boxes[paragraph->box] : NULL;
    const th_box *item = box && box->item != TH_NONE ? &boxes[box->item] : NULL;
    const bool is_ordered =
        item && item->parent != TH_NONE && boxes[item->parent].kind == TH_BOX_ORDERED;
    walk->objects[TH_IN_CELL] = box && box->kind == TH_BOX_CELL ? box : NULL;
    walk->objects[TH_IN_ITEM] = item;
    walk->objects[TH_IN_ORDERED_ITEM] = is_ordered ? item : NULL;
}

static bool open_paragraph(th_record_walk *walk)
{
    const th_page *page = walk->page;
    th_record_computed *computed = &walk->computed;
    const uint32_t number = walk->element;
    if (number >= page->paragraph_count)
        return false;
    const th_paragraph *paragraph = &page->paragraphs[number];
    walk->objects[TH_IN_PARAGRAPH] = paragraph;
    open_boxes(walk, paragraph);
    computed->kind = th_paragraph_kind_name(paragraph->kind);
    computed->end = (uint64_t)paragraph->char_start + paragraph->char_len;
    computed->byte_end = (uint64_t)paragraph->text_start + paragraph->text_len;
    compute_paragraph(walk, number, page->paragraph_label_of[number]);
    return true;
}

static bool open_link(th_record_walk *walk)
{
    const th_page *page = walk->page;
    if (walk->element >= page->link_count)
        return false;
    const th_link *link = &page->links[walk->element];
    walk->objects[TH_IN_LINK] = link;
    walk->computed.anchor =
        (th_view){ link->anchor_len ? page->text.data + link->anchor_start : NULL,
                   link->anchor_len };
    walk->computed.label = NULL;
    if (link->block != TH_NONE)
        walk->computed.label = paragraph_label(page, page->blocks[link->block].paragraph,
                                               page->label_of[link->block]);
    return true;
}

/* A comment with nothing in the text. Without marks of a program it must be labeled so. */
static bool is_comment(const th_page *page, uint32_t post)
{
    const th_thread *thread = page->thread;
    const th_post *row = &thread->posts[post];
    if (!row->is_comment || (!row->author.len && !row->published.len))
        return false;
    for (uint32_t i = row->first_paragraph; i < row->end_paragraph; i++)
        if (thread->post_of[i] == post && thread->part_of[i] == TH_POST_TEXT &&
            (page->paragraph_label_of[i] == TH_CONTENT ||
             (!thread->is_known && !(page->learned && page->learned->is_comment[i]))))
            return false;
    return true;
}

static bool is_post(const th_page *page, uint32_t post)
{
    return !page->thread->posts[post].is_comment;
}

/* Opens the next wanted post. The element is the number of the post. */
static bool open_wanted(th_record_walk *walk,
                        bool (*is_wanted)(const th_page *page, uint32_t post))
{
    const th_thread *thread = walk->page->thread;
    while (walk->element < thread->count && !is_wanted(walk->page, walk->element))
        walk->element++;
    if (walk->element >= thread->count)
        return false;
    walk->objects[TH_IN_POST] = &thread->posts[walk->element];
    walk->computed.text = th_page_print_post(walk->page, walk->element);
    if (!walk->computed.text.data)
        fail(walk);
    return walk->computed.text.data != NULL;
}

static bool open_comment(th_record_walk *walk)
{
    return walk->page->thread && !walk->opt->comments && open_wanted(walk, is_comment);
}

static bool open_post(th_record_walk *walk)
{
    return walk->page->thread && open_wanted(walk, is_post);
}

static bool open_right(th_record_walk *walk)
{
    if (walk->element >= walk->page->right_count)
        return false;
    walk->objects[TH_IN_RIGHT] = &walk->page->rights[walk->element];
    return true;
}

static bool open_redacted(th_record_walk *walk)
{
    static const th_record_object objects[TH_REDACT_COUNT] = {
        [TH_REDACT_BIT_EMAIL] = TH_IN_REDACT_EMAIL,
        [TH_REDACT_BIT_IP] = TH_IN_REDACT_IP,
        [TH_REDACT_BIT_PHONE] = TH_IN_REDACT_PHONE,
    };
    for (unsigned i = 0; i < TH_REDACT_COUNT; i++)
        walk->objects[objects[i]] = walk->opt->redact >> i & 1 ? walk->page : NULL;
    return walk->opt->redact != 0;
}

static bool open_structured(th_record_walk *walk)
{
    walk->objects[TH_IN_STRUCTURED] = walk->page->structured;
    return walk->page->structured != NULL;
}

static bool open_statement(th_record_walk *walk, th_structured_list list)
{
    const th_structured *structured = walk->page->structured;
    if (walk->element >= structured->counts[list])
        return false;
    walk->objects[TH_IN_STATEMENT] = &structured->rows[list][walk->element];
    return true;
}

static bool open_microdata(th_record_walk *walk)
{
    return open_statement(walk, TH_STRUCTURED_MICRODATA);
}

static bool open_rdfa(th_record_walk *walk)
{
    return open_statement(walk, TH_STRUCTURED_RDFA);
}

static bool open_opengraph(th_record_walk *walk)
{
    return open_statement(walk, TH_STRUCTURED_OPENGRAPH);
}

static bool open_twitter(th_record_walk *walk)
{
    return open_statement(walk, TH_STRUCTURED_TWITTER);
}

static bool open_feed(th_record_walk *walk)
{
    return open_statement(walk, TH_STRUCTURED_FEEDS);
}

static bool open_alternate(th_record_walk *walk)
{
    return open_statement(walk, TH_STRUCTURED_ALTERNATES);
}

/* Writes the values of a list. */
static void write_values(th_record_walk *walk, const th_record_field *field,
                         th_structured_list list)
{
    const th_structured *structured = walk->page->structured;
    if (!structured->counts[list])
        return;
    th_json_key(walk->json, th_record_field_name(field));
    th_json_open_array(walk->json);
    for (uint32_t i = 0; i < structured->counts[list]; i++)
        th_json_string(walk->json, structured->rows[list][i].value);
    th_json_close_array(walk->json);
}

static void write_json_ld(th_record_walk *walk, const th_record_field *field)
{
    write_values(walk, field, TH_STRUCTURED_JSON_LD);
}

static void write_tags(th_record_walk *walk, const th_record_field *field)
{
    write_values(walk, field, TH_STRUCTURED_TAGS);
}

static void write_flags(th_record_walk *walk, const th_record_field *field)
{
    const uint32_t flags = walk->annotated->record->flags | walk->page->flags;
    th_json_key(walk->json, th_record_field_name(field));
    th_json_open_array(walk->json);
    for (unsigned bit = 0; bit < TH_FLAG_COUNT; bit++)
        if (flags >> bit & 1)
            write_name(walk->json, th_flag_name(bit));
    th_json_close_array(walk->json);
}

/* ---- the table ---- */

/* clang-format off */
#define TOP(name) .path = name
#define IN(group, name) .path = group "." name, .name_at = sizeof group, .depth = 1
#define IN_2(group, name) .path = group "." name, .name_at = sizeof group, .depth = 2
#define ONE(type) .kind = TH_PARQUET_##type
#define LIST(type) .kind = TH_PARQUET_##type, .is_list = true
#define TYPE_OF(member) _Generic((member),                                               \
    th_view: TH_MEMBER_VIEW, const char *: TH_MEMBER_TEXT, uint8_t: TH_MEMBER_U8,        \
    uint16_t: TH_MEMBER_U16, uint32_t: TH_MEMBER_U32, int32_t: TH_MEMBER_I32,            \
    uint64_t: TH_MEMBER_U64, int64_t: TH_MEMBER_I64, double: TH_MEMBER_DOUBLE)
#define FROM(in, member)                                                                 \
    .object = TH_IN_##in, .offset = offsetof(th_type_##in, member),                      \
    .type = TYPE_OF(((th_type_##in *)0)->member)
#define FROM_LIST(in, member)                                                            \
    .object = TH_IN_##in, .offset = offsetof(th_type_##in, member),                      \
    .type = TH_MEMBER_DOUBLES,                                                           \
    .count = sizeof ((th_type_##in *)0)->member / sizeof(double)
#define IF(in, member) .if_at = 1 + offsetof(th_type_##in, member)
#define OPEN(function) .open = function
#define WRITE(function) .write = function
#define PLACES(most) .places = most
#define LIMITS(text) .limits = text
#define LABEL(text) .label = text
#define EMIT(bits) .emit = bits
#define OPTION(member) .option_at = offsetof(th_options, member), .option_size = sizeof ((th_options *)0)->member
#define REQUEST(text) .request = text
#define DOC(text) .meaning = text
#define ABSENT(text) .absent = text
#define EXAMPLE(json) .example = json

#define TYPEDEF(name, type) typedef type th_type_##name;
TH_RECORD_OBJECT_LIST(TYPEDEF)
#undef TYPEDEF

const th_record_field th_record_fields[] = {
    { TOP("schema"), ONE(TEXT), .presence = TH_ALWAYS, WRITE(write_schema), LIMITS("thresher/1"),
      DOC("`\"thresher/1\"`"), ABSENT("never"), EXAMPLE("\"thresher/1\"") },
    { TOP("id"), ONE(TEXT), FROM(RECORD, id), .shown = TH_IN_REPORT,
      DOC("WARC-Record-ID, unchanged, with its `<>`; joins with the archive, its index, and `id` of datatrove"), ABSENT("the record has none"), EXAMPLE("\"<urn:uuid:00000000-0000-4000-8000-000000000001>\"") },
    { TOP("url"), ONE(TEXT), FROM(RECORD, url), .shown = TH_SHOWN, LABEL("url"),
      DOC("WARC-Target-URI, without the `<>` of some writers"), ABSENT("the record has none"), EXAMPLE("\"http://a.example/page\"") },
    { TOP("date"), ONE(TEXT), FROM(RECORD, date), .shown = TH_SHOWN, LABEL("fetched"),
      DOC("WARC-Date, unchanged: time of the capture"), ABSENT("the record has none"), EXAMPLE("\"2024-05-06T07:08:09Z\"") },
    { TOP("source"), ONE(GROUP), .presence = TH_ALWAYS, OPEN(open_source), .shown = TH_IN_REPORT,
      DOC("location of the record"), ABSENT("never") },
    { IN("source", "file"), ONE(TEXT), FROM(RECORD, position.file), .shown = TH_IN_REPORT,
      DOC("archive, as named on the command line"), ABSENT("the record came by Kafka, also by a pointer into an archive"), EXAMPLE("\"a.warc.gz\"") },
    { IN("source", "topic"), ONE(TEXT), FROM(RECORD, position.topic),
      DOC("topic and partition of the message"), ABSENT("the record is from a file"), EXAMPLE("\"pages\"") },
    { IN("source", "partition"), ONE(INT), FROM(MESSAGE, partition),
      EXAMPLE("3") },
    { IN("source", "offset"), ONE(INT), .presence = TH_ALWAYS, FROM(RECORD, position.offset), .shown = TH_IN_REPORT,
      DOC("offset in the file of the record, or of its gzip member or zstd frame; for a message, the offset in its partition"), ABSENT("never"), EXAMPLE("12") },
    { IN("source", "key"), ONE(TEXT), FROM(RECORD, position.key),
      DOC("key of the message; bytes that are not UTF-8 as `\\xNN`"), ABSENT("the message has no key, or the record is from a file"), EXAMPLE("\"a key\"") },
    { IN("source", "length"), ONE(INT), .presence = TH_IF_NOT_ZERO, FROM(RECORD, position.length), .shown = TH_IN_REPORT,
      DOC("compressed bytes in the file"), ABSENT("unknown: records that share a member, and all records from Kafka"), EXAMPLE("345") },
    { IN("source", "skip"), ONE(INT), .presence = TH_IF_NOT_ZERO, FROM(RECORD, position.skip), .shown = TH_IN_REPORT,
      DOC("decompressed bytes between the start of the member at `offset` and the record; for later pages of one Kafka message, from its start"), ABSENT("0"), EXAMPLE("6") },
    { IN("source", "type"), ONE(TEXT), FROM(RECORD, type), .shown = TH_IN_REPORT,
      DOC("WARC-Type"), ABSENT("the record has none, such as HTML in a message"), EXAMPLE("\"response\"") },
    { IN("source", "ip"), ONE(TEXT), FROM(RECORD, ip), .shown = TH_IN_REPORT,
      DOC("WARC-IP-Address"), ABSENT("the record has none"), EXAMPLE("\"192.0.2.1\"") },
    { IN("source", "truncated"), ONE(TEXT), FROM(RECORD, truncated), .shown = TH_IN_REPORT,
      DOC("WARC-Truncated: reason why the crawler cut the record (`length`, `time`, ...)"), ABSENT("the record was not cut"), EXAMPLE("\"disconnect\"") },
    { IN("source", "payload_digest"), ONE(TEXT), FROM(RECORD, payload_digest), .shown = TH_IN_REPORT,
      DOC("WARC-Payload-Digest, unchanged"), ABSENT("the record has none"), EXAMPLE("\"sha1:AAAA\"") },
    { TOP("http"), ONE(GROUP), OPEN(open_http), .shown = TH_IN_REPORT,
      DOC("HTTP header, and the result of decoding"), ABSENT("nothing is known") },
    { IN("http", "status"), ONE(INT), .presence = TH_IF_NOT_ZERO, FROM(ANNOTATED, http.status), .shown = TH_IN_REPORT,
      DOC("status code"), ABSENT("there is no readable header"), EXAMPLE("200") },
    { IN("http", "content_type"), ONE(TEXT), FROM(ANNOTATED, http.content_type), .shown = TH_IN_REPORT,
      DOC("Content-Type, unchanged"), ABSENT("the header is missing"), EXAMPLE("\"text/html; charset=x\"") },
    { IN("http", "charset"), ONE(TEXT), FROM(ANNOTATED, charset.name), .shown = TH_SHOWN,
      DOC("encoding of the page, by its [WHATWG](https://encoding.spec.whatwg.org/) name"), EXAMPLE("\"windows-1252\"") },
    { IN("http", "charset_from"), ONE(TEXT), FROM(ANNOTATED, charset.from), LIMITS("bom http meta utf-8 detected default"), .shown = TH_SHOWN,
      DOC("source of the encoding: `bom`, `http`, `meta`, `utf-8` (the page is valid UTF-8), `detected`, `default`"), EXAMPLE("\"detected\"") },
    { IN("http", "encoding"), ONE(TEXT), FROM(ANNOTATED, http.encoding), .shown = TH_IN_REPORT,
      DOC("Content-Encoding, unchanged; the page was decoded"), ABSENT("the header is missing"), EXAMPLE("\"x-gzip\"") },
    { TOP("rendered"), ONE(TEXT), FROM(ANNOTATED, http.rendered), LIMITS("dom text"),
      DOC("rendered copy that the page is read from (`--rendered`)"), ABSENT("it is read from its own record"), EXAMPLE("\"dom\"") },
    { TOP("title"), ONE(TEXT), FROM(PAGE, metadata.title), .shown = TH_SHOWN,
      DOC("headline without the name of the site ([facts.md](facts.md)); its source: `json-ld`, `h1`, `meta`, `title`"), ABSENT("the page has none"), EXAMPLE("\"Of Greetings\"") },
    { TOP("title_from"), ONE(TEXT), FROM(PAGE, metadata.title_from), LIMITS("json-ld h1 meta title"),
      EXAMPLE("\"h1\"") },
    { TOP("page_title"), ONE(TEXT), FROM(PAGE, metadata.page_title),
      DOC("content of `TITLE`, unchanged"), ABSENT("the page has none"), EXAMPLE("\"Of Greetings | The Site\"") },
    { TOP("author"), ONE(TEXT), FROM(PAGE, metadata.author), .shown = TH_SHOWN, LABEL("author"),
      DOC("names, joined by `; `; their source: `json-ld`, `meta`, `microdata` (also RDFa), `rel-author`, `byline` (a class), `text`, `post` (the first of a thread)"), ABSENT("no reliable source names an author"), EXAMPLE("\"Anna Author\"") },
    { TOP("author_from"), ONE(TEXT), FROM(PAGE, metadata.author_from), LIMITS("json-ld meta microdata rel-author byline text post"),
      EXAMPLE("\"byline\"") },
    { TOP("published"), ONE(TEXT), FROM(PAGE, metadata.published), .shown = TH_SHOWN, LABEL("published"),
      DOC("date of publication in ISO 8601, with a zone if the page is unambiguous; its source: `json-ld`, `meta`, `microdata` (also TIME with `pubdate`), `time`, `byline`, `url`, `text`, `post`"), ABSENT("no reliable source, or the page is not an article"), EXAMPLE("\"2024-01-02\"") },
    { TOP("published_from"), ONE(TEXT), FROM(PAGE, metadata.published_from), LIMITS("json-ld meta microdata time byline url text post"),
      EXAMPLE("\"time\"") },
    { TOP("modified"), ONE(TEXT), FROM(PAGE, metadata.modified), .shown = TH_SHOWN, LABEL("modified"),
      DOC("date of the last change, in the same form; `json-ld`, `meta`"), ABSENT("the page does not state it"), EXAMPLE("\"2024-01-03T04:05:06Z\"") },
    { TOP("modified_from"), ONE(TEXT), FROM(PAGE, metadata.modified_from), LIMITS("json-ld meta"),
      EXAMPLE("\"meta\"") },
    { TOP("description"), ONE(TEXT), FROM(PAGE, metadata.description), .shown = TH_SHOWN, LABEL("description"),
      DOC("statements of the page (elements, meta, OpenGraph, JSON-LD). `canonical_url` is absolute. `language` is a BCP 47 tag as stated; `language_detected` is detected"), ABSENT("the page does not state it"), EXAMPLE("\"Described at length\"") },
    { TOP("canonical_url"), ONE(TEXT), FROM(PAGE, metadata.canonical_url), .shown = TH_SHOWN, LABEL("canonical"),
      EXAMPLE("\"http://canonical.example/\"") },
    { TOP("language"), ONE(TEXT), FROM(PAGE, metadata.language), LIMITS("^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$"), .shown = TH_SHOWN, LABEL("language"),
      EXAMPLE("\"de-AT\"") },
    { TOP("site_name"), ONE(TEXT), FROM(PAGE, metadata.site_name), .shown = TH_SHOWN, LABEL("site"),
      EXAMPLE("\"The Site\"") },
    { TOP("page_type"), ONE(GROUP), OPEN(open_page_type), .shown = TH_SHOWN,
      DOC("kind of page, by the learned classifier:"), ABSENT("the classifier is a rule") },
    { IN("page_type", "name"), ONE(TEXT), .presence = TH_ALWAYS, FROM(LEARNED, page_type), LIMITS("article collection documentation forum listing product service"), .shown = TH_SHOWN,
      DOC("`article`, `collection`, `documentation`, `forum`, `listing`, `product` or `service`"), EXAMPLE("\"article\"") },
    { IN("page_type", "score"), ONE(REAL), .presence = TH_ALWAYS, FROM(LEARNED, page_type_score), PLACES(4), LIMITS("0..1"), .shown = TH_SHOWN,
      DOC("probability of the type, 0 to 1, at most 4 decimals"), EXAMPLE("0.9155") },
    { TOP("quality"), ONE(REAL), FROM(LEARNED, quality), PLACES(4), LIMITS("0..1"), .shown = TH_SHOWN,
      DOC("expected words F1 of `text`, 0 to 1, at most 4 decimals. The mean over many pages is close to the measured value; the value of one page is a guess"), ABSENT("the classifier is a rule"), EXAMPLE("0.9003") },
    { TOP("language_detected"), ONE(GROUP), OPEN(open_detected), .shown = TH_IN_REPORT,
      DOC("language of the content, by CLD2 or the user's model ([facts.md](facts.md#language))"), ABSENT("`language-detector = none`, a build without CLD2, or too little text") },
    { IN("language_detected", "name"), ONE(TEXT), .presence = TH_ALWAYS, FROM(LANGUAGES, of[0].tag), .shown = TH_SHOWN,
      DOC("main language: BCP 47 tag (`de`, `zh-Hant`), ISO 639-3 code"), EXAMPLE("\"gsw\"") },
    { IN("language_detected", "iso"), ONE(TEXT), .presence = TH_IF_NOT_ZERO, FROM(LANGUAGES, of[0].iso), LIMITS("^[a-z]{3}$"),
      EXAMPLE("\"gsw-iso\"") },
    { IN("language_detected", "share"), ONE(REAL), FROM(LANGUAGES, of[0].percent), IF(LANGUAGES, has_shares), PLACES(2), LIMITS("0..1"),
      DOC("share of the letters, 0 to 1, 2 decimals"), ABSENT("`language-detector = fasttext`"), EXAMPLE("0.76") },
    { IN("language_detected", "score"), ONE(INT), FROM(LANGUAGES, of[0].score), IF(LANGUAGES, has_shares),
      DOC("score of CLD2 per 1024 bytes, about 1000 for plain text. It is not a probability"), ABSENT("`language-detector = fasttext`"), EXAMPLE("566") },
    { IN("language_detected", "bytes"), ONE(INT), .presence = TH_ALWAYS, FROM(LANGUAGES, bytes),
      DOC("bytes of letters examined"), EXAMPLE("321") },
    { IN("language_detected", "sure"), ONE(BOOL), .presence = TH_ALWAYS, FROM(LANGUAGES, is_sure),
      DOC("true if the language is much more likely than any other (a model gives at least .5)"), EXAMPLE("true") },
    { IN("language_detected", "others"), LIST(GROUP), OPEN(open_other_language),
      DOC("up to two more languages:"), ABSENT("there are no others") },
    { IN_2("language_detected.others", "name"), ONE(TEXT), .presence = TH_ALWAYS, FROM(OTHER_LANGUAGE, tag), .shown = TH_IN_TERMINAL,
      DOC("as for the main language"), EXAMPLE("\"kha\"") },
    { IN_2("language_detected.others", "iso"), ONE(TEXT), .presence = TH_IF_NOT_ZERO, FROM(OTHER_LANGUAGE, iso), LIMITS("^[a-z]{3}$"),
      EXAMPLE("\"kha-iso\"") },
    { IN_2("language_detected.others", "share"), ONE(REAL), .presence = TH_ALWAYS, FROM(OTHER_LANGUAGE, percent), PLACES(2), LIMITS("0..1"),
      EXAMPLE("0.24") },
    { IN_2("language_detected.others", "score"), ONE(INT), .presence = TH_ALWAYS, FROM(OTHER_LANGUAGE, score),
      EXAMPLE("1198") },
    { TOP("language_second"), ONE(GROUP), OPEN(open_second_language), .shown = TH_IN_REPORT,
      DOC("language by the user's fastText model ([facts.md](facts.md#a-second-opinion))"), ABSENT("`language-fasttext` is not set, or the model knows no word of the text") },
    { IN("language_second", "name"), ONE(TEXT), .presence = TH_ALWAYS, FROM(SECOND_LANGUAGE, name), .shown = TH_SHOWN,
      DOC("label without `__label__`; ISO 639-3 code, if the label contains it; ISO 15924 code of its script, or of most letters"), EXAMPLE("\"bar_Latn\"") },
    { IN("language_second", "iso"), ONE(TEXT), .presence = TH_IF_NOT_ZERO, FROM(SECOND_LANGUAGE, iso), LIMITS("^[a-z]{3}$"),
      EXAMPLE("\"bar-iso\"") },
    { IN("language_second", "script"), ONE(TEXT), .presence = TH_IF_NOT_ZERO, FROM(SECOND_LANGUAGE, script), LIMITS("^[A-Z][a-z]{3}$"), OPTION(fasttext),
      EXAMPLE("\"Cyrl\"") },
    { IN("language_second", "score"), ONE(REAL), .presence = TH_ALWAYS, FROM(COMPUTED, probability), PLACES(4), LIMITS("0..1"),
      DOC("probability, 0 to 1, 4 decimals"), EXAMPLE("0.8125") },
    { IN("language_second", "model"), ONE(TEXT), .presence = TH_ALWAYS, FROM(COMPUTED, model), LIMITS("^[0-9a-f]{16}$"),
      DOC("XXH3-64 of the model file, 16 hexadecimal digits"), EXAMPLE("\"000000000000004d\"") },
    { TOP("languages"), LIST(GROUP), OPEN(open_language_share), EMIT(TH_EMIT_LANGUAGES),
      DOC("mix of the content by paragraph, the largest share first:"), ABSENT("no content, or `language-detector = none`") },
    { IN("languages", "label"), ONE(TEXT), .presence = TH_ALWAYS, FROM(LANGUAGE_SHARE, label), EMIT(TH_EMIT_LANGUAGES),
      DOC("label as in `paragraph_languages` (`und`: not sure, `mul`: after the first 63); share of the code points, 4 decimals. The sum is 1"), EXAMPLE("\"vec_Hebr\"") },
    { IN("languages", "share"), ONE(REAL), .presence = TH_ALWAYS, FROM(LANGUAGE_SHARE, share), PLACES(4), LIMITS("0..1"), EMIT(TH_EMIT_LANGUAGES),
      EXAMPLE("0.6543") },
    { TOP("language_crawl"), ONE(GROUP), OPEN(open_crawl),
      DOC("language of the whole page by the crawler, from the following metadata record ([facts.md](facts.md#what-the-crawl-says))"), ABSENT("there is no valid `languages-cld2`") },
    { IN("language_crawl", "name"), ONE(TEXT), .presence = TH_ALWAYS, FROM(LANGUAGES, of[0].tag),
      DOC("`code`, `code-iso-639-3`, `text-covered`, `score`, `text-bytes`, `reliable` of the first language"), EXAMPLE("\"lb\"") },
    { IN("language_crawl", "iso"), ONE(TEXT), .presence = TH_IF_NOT_ZERO, FROM(LANGUAGES, of[0].iso), LIMITS("^[a-z]{3}$"),
      EXAMPLE("\"ltz\"") },
    { IN("language_crawl", "share"), ONE(REAL), .presence = TH_ALWAYS, FROM(LANGUAGES, of[0].percent), PLACES(2), LIMITS("0..1"),
      EXAMPLE("0.61") },
    { IN("language_crawl", "score"), ONE(INT), .presence = TH_ALWAYS, FROM(LANGUAGES, of[0].score),
      EXAMPLE("543") },
    { IN("language_crawl", "bytes"), ONE(INT), .presence = TH_ALWAYS, FROM(LANGUAGES, bytes),
      EXAMPLE("432") },
    { IN("language_crawl", "sure"), ONE(BOOL), .presence = TH_ALWAYS, FROM(LANGUAGES, is_sure),
      EXAMPLE("true") },
    { IN("language_crawl", "agrees"), ONE(BOOL), WRITE(write_agrees),
      DOC("true if it equals the first language of `language_detected`"), ABSENT("one of the two is not sure"), EXAMPLE("false") },
    { IN("language_crawl", "others"), LIST(GROUP), OPEN(open_other_language),
      DOC("up to two more languages"), ABSENT("there are no others") },
    { IN_2("language_crawl.others", "name"), ONE(TEXT), .presence = TH_ALWAYS, FROM(OTHER_LANGUAGE, tag),
      EXAMPLE("\"nl\"") },
    { IN_2("language_crawl.others", "iso"), ONE(TEXT), .presence = TH_IF_NOT_ZERO, FROM(OTHER_LANGUAGE, iso), LIMITS("^[a-z]{3}$"),
      EXAMPLE("\"nld\"") },
    { IN_2("language_crawl.others", "share"), ONE(REAL), .presence = TH_ALWAYS, FROM(OTHER_LANGUAGE, percent), PLACES(2), LIMITS("0..1"),
      EXAMPLE("0.33") },
    { IN_2("language_crawl.others", "score"), ONE(INT), .presence = TH_ALWAYS, FROM(OTHER_LANGUAGE, score),
      EXAMPLE("1021") },
    { TOP("text_format"), ONE(TEXT), WRITE(write_text), LIMITS("markdown html"),
      DOC("format of `text`: `markdown` or `html`, from the option `text-format` ([text.md](text.md#markdown-and-html))"), ABSENT("plain text"), EXAMPLE("\"markdown\"") },
    { TOP("text"), ONE(TEXT), WRITE(write_nothing),
      DOC("main content: content paragraphs in order, printed by the rules of [text.md](text.md)"), ABSENT("never; `\"\"` without content"), EXAMPLE("\"**Paul Poster**, 2023-12-31\\n\\n# Grüße, Köln\\n\\nThe \\\"key\\\" is 𝄞, a\\\\b.\"") },
    { TOP("text_plain"), ONE(TEXT), WRITE(write_nothing),
      DOC("the same in further formats, if `text-format` names several: `plain,markdown`"), ABSENT("one format"), EXAMPLE("\"Paul Poster, 2023-12-31\\nGrüße, Köln\\nThe \\\"key\\\" is 𝄞, a\\\\b.\"") },
    { TOP("text_markdown"), ONE(TEXT), WRITE(write_nothing),
      EXAMPLE("\"**Paul Poster**, 2023-12-31\\n\\n# Grüße, Köln\\n\\nThe \\\"key\\\" is 𝄞, a\\\\b.\"") },
    { TOP("text_html"), ONE(TEXT), WRITE(write_nothing),
      EXAMPLE("\"<h1>Grüße, Köln</h1>\\n<p>The &quot;key&quot; is 𝄞, a\\\\b.</p>\\n\"") },
    { TOP("text_strict"), ONE(TEXT), WRITE(write_other_texts),
      DOC("the same by other strictnesses, if `strictness` names several: `strict,balanced,wide`"), ABSENT("one strictness"), EXAMPLE("\"**Paul Poster**, 2023-12-31\\n\\n# Grüße, Köln\"") },
    { TOP("text_wide"), ONE(TEXT), WRITE(write_nothing),
      EXAMPLE("\"**Paul Poster**, 2023-12-31\\n\\n# Grüße, Köln\\n\\nThe \\\"key\\\" is 𝄞, a\\\\b.\"") },
    { TOP("comments"), LIST(GROUP), OPEN(open_comment),
      DOC("comments of readers on the page, in its order, in the form of `posts`. `text` does not contain them"), ABSENT("the page has none, or the option `comments` puts them into `text`") },
    { IN("comments", "author"), ONE(TEXT), FROM(POST, author),
      DOC("the same as the members of [`posts`](#on-request)"), ABSENT("the same"), EXAMPLE("\"Paul Poster\"") },
    { IN("comments", "published"), ONE(TEXT), FROM(POST, published),
      EXAMPLE("\"2023-12-31\"") },
    { IN("comments", "votes"), ONE(INT), FROM(POST, votes), IF(POST, has_votes), LIMITS(".."),
      EXAMPLE("-3") },
    { IN("comments", "accepted"), ONE(BOOL), .presence = TH_IF_NOT_ZERO, FROM(POST, is_accepted), LIMITS("true"),
      EXAMPLE("true") },
    { IN("comments", "quote_of"), ONE(TEXT), FROM(POST, quote_of),
      EXAMPLE("\"Quentin\"") },
    { IN("comments", "depth"), ONE(INT), .presence = TH_IF_NOT_ZERO, FROM(POST, depth), LIMITS("1.."),
      EXAMPLE("2") },
    { IN("comments", "text"), ONE(TEXT), .presence = TH_ALWAYS, FROM(COMPUTED, text),
      EXAMPLE("\"© 2024\"") },
    { TOP("segmenter"), ONE(TEXT), .presence = TH_ALWAYS, WRITE(write_segmenter), .shown = TH_IN_TERMINAL,
      DOC("method, then parameters that differ from its defaults, in this order: `bf-plain theta_max=0.5 profile=2008 w_max=100`; a `segmenter-model` by its checksum: `gcuts model=359bcae1d0190972`"), ABSENT("never"), EXAMPLE("\"bf-rulebased\"") },
    { TOP("classifier"), ONE(TEXT), .presence = TH_ALWAYS, WRITE(write_classifier), .shown = TH_IN_TERMINAL,
      DOC("method, then options of `learned` that differ from the defaults: `learned model=359bcae1d0190972 strictness=wide comments without=like,cut`"), ABSENT("never"), EXAMPLE("\"num-words\"") },
    { TOP("counts"), ONE(GROUP), .presence = TH_ALWAYS, OPEN(open_counts), .shown = TH_IN_REPORT,
      DOC("sizes of the page:"), ABSENT("never") },
    { IN("counts", "blocks"), ONE(INT), .presence = TH_ALWAYS, FROM(PAGE, block_count), .shown = TH_SHOWN,
      DOC("blocks of text between tags; segments"), ABSENT("never"), EXAMPLE("4") },
    { IN("counts", "segments"), ONE(INT), .presence = TH_ALWAYS, FROM(PAGE, segment_count), .shown = TH_IN_TERMINAL,
      EXAMPLE("3") },
    { IN("counts", "tokens"), ONE(INT), .presence = TH_ALWAYS, FROM(COMPUTED, tokens), .shown = TH_SHOWN,
      DOC("words"), ABSENT("never"), EXAMPLE("10") },
    { IN("counts", "linked_tokens"), ONE(INT), .presence = TH_ALWAYS, FROM(COMPUTED, linked_tokens), .shown = TH_SHOWN,
      DOC("words in links; words in content blocks"), ABSENT("never"), EXAMPLE("2") },
    { IN("counts", "content_tokens"), ONE(INT), .presence = TH_ALWAYS, FROM(PAGE, content_tokens), .shown = TH_IN_TERMINAL,
      EXAMPLE("7") },
    { TOP("main_segment"), ONE(INT), .presence = TH_IF_NOT_NONE, FROM(PAGE, main_segment), .shown = TH_IN_TERMINAL,
      DOC("number of the segment that `minhash.main` signs ([methods.md](methods.md#main-segment))"), ABSENT("there is none"), EXAMPLE("1") },
    { TOP("quality_signals"), ONE(GROUP), OPEN(open_signals), EMIT(TH_EMIT_SIGNALS),
      DOC("statistics that Gopher, C4 and FineWeb filter by ([facts.md](facts.md#quality-signals)); absent if the content has no word") },
    { IN("quality_signals", "words"), ONE(INT), .presence = TH_ALWAYS, FROM(SIGNALS, words), EMIT(TH_EMIT_SIGNALS),
      DOC("number of words; plain words are not punctuation"), EXAMPLE("10") },
    { IN("quality_signals", "plain_words"), ONE(INT), .presence = TH_ALWAYS, FROM(SIGNALS, plain_words), EMIT(TH_EMIT_SIGNALS),
      EXAMPLE("9") },
    { IN("quality_signals", "mean_word_length"), ONE(REAL), .presence = TH_ALWAYS, FROM(SIGNALS, mean_word_length), PLACES(6), LIMITS("0.."), EMIT(TH_EMIT_SIGNALS),
      DOC("characters per plain word"), EXAMPLE("4.5") },
    { IN("quality_signals", "hashes"), ONE(REAL), .presence = TH_ALWAYS, FROM(SIGNALS, hashes), PLACES(6), LIMITS("0.."), EMIT(TH_EMIT_SIGNALS),
      DOC("`#`; `...` and `…`: per word"), EXAMPLE("0") },
    { IN("quality_signals", "ellipses"), ONE(REAL), .presence = TH_ALWAYS, FROM(SIGNALS, ellipses), PLACES(6), LIMITS("0.."), EMIT(TH_EMIT_SIGNALS),
      EXAMPLE("0") },
    { IN("quality_signals", "lines"), ONE(INT), .presence = TH_ALWAYS, FROM(SIGNALS, lines), EMIT(TH_EMIT_SIGNALS),
      DOC("number of lines"), EXAMPLE("3") },
    { IN("quality_signals", "bullet_lines"), ONE(REAL), .presence = TH_ALWAYS, FROM(SIGNALS, bullet_lines), PLACES(6), LIMITS("0..1"), EMIT(TH_EMIT_SIGNALS),
      DOC("share of the lines that start with `•` or `-`; that end with an ellipsis"), EXAMPLE("0") },
    { IN("quality_signals", "ellipsis_lines"), ONE(REAL), .presence = TH_ALWAYS, FROM(SIGNALS, ellipsis_lines), PLACES(6), LIMITS("0..1"), EMIT(TH_EMIT_SIGNALS),
      EXAMPLE("0") },
    { IN("quality_signals", "alphabetic_words"), ONE(REAL), .presence = TH_ALWAYS, FROM(SIGNALS, alphabetic_words), PLACES(6), LIMITS("0..1"), EMIT(TH_EMIT_SIGNALS),
      DOC("share of the words with a letter"), EXAMPLE("0") },
    { IN("quality_signals", "stop_words"), ONE(INT), FROM(SIGNALS, stop_words), IF(SIGNALS, has_stop_words), LIMITS("0..8"), EMIT(TH_EMIT_SIGNALS),
      DOC("number of eight stop words of the detected language (English if unsure) that occur; absent if there is no list"), EXAMPLE("2") },
    { IN("quality_signals", "duplicate_paragraphs"), ONE(REAL), .presence = TH_ALWAYS, FROM(SIGNALS, duplicate_paragraphs), PLACES(6), LIMITS("0..1"), EMIT(TH_EMIT_SIGNALS),
      DOC("share of the paragraphs that occurred before"), EXAMPLE("0") },
    { IN("quality_signals", "duplicate_paragraph_chars"), ONE(REAL), .presence = TH_ALWAYS, FROM(SIGNALS, duplicate_paragraph_chars), PLACES(6), LIMITS("0..1"), EMIT(TH_EMIT_SIGNALS),
      DOC("their share of the characters"), EXAMPLE("0") },
    { IN("quality_signals", "duplicate_lines"), ONE(REAL), .presence = TH_ALWAYS, FROM(SIGNALS, duplicate_lines), PLACES(6), LIMITS("0..1"), EMIT(TH_EMIT_SIGNALS),
      DOC("share of the lines that occurred before"), EXAMPLE("0") },
    { IN("quality_signals", "duplicate_line_chars"), ONE(REAL), .presence = TH_ALWAYS, FROM(SIGNALS, duplicate_line_chars), PLACES(6), LIMITS("0..1"), EMIT(TH_EMIT_SIGNALS),
      DOC("their share of the characters"), EXAMPLE("0") },
    { IN("quality_signals", "top_ngrams"), LIST(REAL), .presence = TH_ALWAYS, FROM_LIST(SIGNALS, top_ngrams), PLACES(6), LIMITS("0.."), EMIT(TH_EMIT_SIGNALS),
      DOC("for 2, 3 and 4 words: share of the characters in the most frequent n-gram; can exceed 1"), EXAMPLE("0.5") },
    { IN("quality_signals", "duplicate_ngrams"), LIST(REAL), .presence = TH_ALWAYS, FROM_LIST(SIGNALS, duplicate_ngrams), PLACES(6), LIMITS("0.."), EMIT(TH_EMIT_SIGNALS),
      DOC("for 5 to 10 words: share of the characters in n-grams that occurred before"), EXAMPLE("0") },
    { IN("quality_signals", "terminal_lines"), ONE(REAL), .presence = TH_ALWAYS, FROM(SIGNALS, terminal_lines), PLACES(6), LIMITS("0..1"), EMIT(TH_EMIT_SIGNALS),
      DOC("share of the lines that end like a sentence; with at most 30 characters"), EXAMPLE("0") },
    { IN("quality_signals", "short_lines"), ONE(REAL), .presence = TH_ALWAYS, FROM(SIGNALS, short_lines), PLACES(6), LIMITS("0..1"), EMIT(TH_EMIT_SIGNALS),
      EXAMPLE("0") },
    { IN("quality_signals", "duplicate_chars"), ONE(REAL), .presence = TH_ALWAYS, FROM(SIGNALS, duplicate_chars), PLACES(6), LIMITS("0..1"), EMIT(TH_EMIT_SIGNALS),
      DOC("share of the characters in lines that occurred before, as FineWeb counts"), EXAMPLE("0") },
    { IN("quality_signals", "newlines"), ONE(REAL), .presence = TH_ALWAYS, FROM(SIGNALS, newlines), PLACES(6), LIMITS("0.."), EMIT(TH_EMIT_SIGNALS),
      DOC("line ends per word"), EXAMPLE("0") },
    { IN("quality_signals", "c4_lines"), ONE(REAL), .presence = TH_ALWAYS, FROM(SIGNALS, c4_lines), PLACES(6), LIMITS("0..1"), EMIT(TH_EMIT_SIGNALS),
      DOC("share of the lines that C4 keeps"), EXAMPLE("0") },
    { IN("quality_signals", "lorem_ipsum"), ONE(BOOL), .presence = TH_ALWAYS, FROM(SIGNALS, has_lorem_ipsum), EMIT(TH_EMIT_SIGNALS),
      DOC("true if a line contains a pattern for which C4 drops the text"), EXAMPLE("false") },
    { IN("quality_signals", "curly_bracket"), ONE(BOOL), .presence = TH_ALWAYS, FROM(SIGNALS, has_curly_bracket), EMIT(TH_EMIT_SIGNALS),
      EXAMPLE("true") },
    { TOP("site_pages"), ONE(INT), FROM(SITE_PAGE, site_pages), LIMITS("1.."), .shown = TH_SHOWN,
      DOC("known distinct pages of the site, including this page ([sites.md](sites.md))"), ABSENT("there is no site memory (`sites`, `two-pass`, `sites.path`)"), EXAMPLE("54321") },
    { TOP("template_known"), ONE(BOOL), FROM(SITE_PAGE, knows_template), .shown = TH_SHOWN,
      DOC("true if the template of the page is known; if false, `minhash.distinct` is a guess"), ABSENT("there is no site memory"), EXAMPLE("true") },
    { TOP("recurrent_tokens"), ONE(INT), FROM(SITE, recurrent_tokens), .shown = TH_SHOWN,
      DOC("words in paragraphs that recur on the site"), ABSENT("there is no site memory"), EXAMPLE("10") },
    { TOP("digest"), ONE(GROUP), OPEN(open_digest),
      DOC("XXH3-128 of the normalized content, 32 hexadecimal digits; equal words have equal digests"), ABSENT("the content has no word") },
    { IN("digest", "text"), ONE(TEXT), .presence = TH_ALWAYS, WRITE(write_digest), LIMITS("^[0-9a-f]{32}$"), .shown = TH_IN_TERMINAL,
      EXAMPLE("\"00112233445566770000000000000000\"") },
    { TOP("minhash"), ONE(GROUP), OPEN(open_minhash), .shown = TH_IN_REPORT,
      DOC("signatures for near-duplicates"), ABSENT("`minhash = none`, or no signed text has a word") },
    { IN("minhash", "preset"), ONE(TEXT), .presence = TH_ALWAYS, FROM(COMPUTED, text), .shown = TH_SHOWN,
      DOC("value of the option `minhash`: `modern`, `datasketch2:k=256`"), EXAMPLE("\"modern\"") },
    { IN("minhash", "scheme"), ONE(TEXT), .presence = TH_ALWAYS, FROM(MINHASH, scheme),
      DOC("formula and hash of a shingle, `affine32-xxh3_64`. Signatures are comparable if scheme, seed, w, k and tokenizer are equal, for any preset"), EXAMPLE("\"affine32-xxh3_64\"") },
    { IN("minhash", "seed"), ONE(UINT), .presence = TH_ALWAYS, FROM(MINHASH, seed),
      DOC("seed of the permutations; 0 for `paper`"), EXAMPLE("1") },
    { IN("minhash", "w"), ONE(INT), .presence = TH_ALWAYS, FROM(MINHASH, shingle), .shown = TH_IN_REPORT,
      DOC("tokens per shingle; slots per signature (the maximum for `paper`)"), EXAMPLE("5") },
    { IN("minhash", "k"), ONE(INT), .presence = TH_ALWAYS, FROM(MINHASH, slots), .shown = TH_IN_REPORT,
      EXAMPLE("128") },
    { IN("minhash", "bits"), ONE(INT), .presence = TH_ALWAYS, FROM(MINHASH, slot_bits), LIMITS("32 64"),
      DOC("width of a slot, 32 or 64"), EXAMPLE("32") },
    { IN("minhash", "tokenizer"), ONE(INT), .presence = TH_ALWAYS, FROM(MINHASH, tokenizer),
      DOC("version of the tokenizer rules"), EXAMPLE("1") },
    { IN("minhash", "main"), ONE(TEXT), WRITE(write_signature), LIMITS("^[0-9a-f]+$"),
      DOC("slots of the main segment, of all content, of the whole page, each a big-endian hexadecimal number with 8 or 16 digits"), ABSENT("`sign` does not name it, or the text has no word"), EXAMPLE("\"0000000100000002000000030000...\"") },
    { IN("minhash", "content"), ONE(TEXT), WRITE(write_signature), LIMITS("^[0-9a-f]+$"),
      EXAMPLE("\"0000000100000002000000030000...\"") },
    { IN("minhash", "page"), ONE(TEXT), WRITE(write_signature), LIMITS("^[0-9a-f]+$"),
      EXAMPLE("\"0000000100000002000000030000...\"") },
    { IN("minhash", "distinct"), ONE(TEXT), WRITE(write_signature), LIMITS("^[0-9a-f]+$"),
      DOC("slots of the text that does not recur on the site; of content and main segment if `template_known` is false ([sites.md](sites.md#what-is-signed))"), ABSENT("there is no site memory, `sites-rule = off`, or the text has no word"), EXAMPLE("\"0000000100000002000000030000...\"") },
    { IN("minhash", "short"), LIST(TEXT), WRITE(write_short), LIMITS("main content page distinct"),
      DOC("names of signatures of texts with fewer than w tokens. Compare these texts by digest"), ABSENT("no text is short"), EXAMPLE("\"content\"") },
    { TOP("bands"), LIST(TEXT), WRITE(write_bands), LIMITS("^[0-9a-f]{18}$"), REQUEST("--bands"),
      DOC("band keys, 18 hexadecimal digits each: number of the band, then XXH3-64 of its rows ([near-duplicates.md](near-duplicates.md#band-keys)). They belong to the first text that `sign` names, in the order distinct, main, content, page; absent if its signature is absent or short"), EXAMPLE("\"0094b441c4327de21a\"") },
    { TOP("near_duplicate"), ONE(GROUP), OPEN(open_near_duplicate), REQUEST("--index.path DIR"),
      DOC("earlier page that is a near-duplicate; absent if there is none. It has the most equal slots among the pages of the newest segment with a match; ties go to the older page") },
    { IN("near_duplicate", "of"), ONE(TEXT), .presence = TH_ALWAYS, FROM(NEAR_DUPLICATE, of),
      DOC("id and URL of that page; the URL is absent if the page has none"), EXAMPLE("\"<urn:uuid:1>\"") },
    { IN("near_duplicate", "url"), ONE(TEXT), FROM(NEAR_DUPLICATE, url),
      EXAMPLE("\"http://b.example/\"") },
    { IN("near_duplicate", "jaccard"), ONE(REAL), .presence = TH_ALWAYS, FROM(NEAR_DUPLICATE, jaccard), PLACES(4), LIMITS("0..1"),
      DOC("estimated Jaccard similarity, at most 4 decimals; 1 for short pages, which are compared by digest"), EXAMPLE("0.8125") },
    { IN("near_duplicate", "cluster"), ONE(TEXT), .presence = TH_ALWAYS, FROM(NEAR_DUPLICATE, of),
      DOC("id of the cluster, which is the id of its representative (`of`)"), EXAMPLE("\"<urn:uuid:1>\"") },
    { TOP("full_text"), ONE(TEXT), FROM(PAGE, text), EMIT(TH_EMIT_FULL_TEXT),
      DOC("all text of the page, printed by the same rules"), EXAMPLE("\"Home News\\nGrüße, Köln\\nThe \\\"key\\\" is 𝄞, a\\\\b.\\n© 2024\"") },
    { TOP("segments"), LIST(GROUP), .presence = TH_ALWAYS, OPEN(open_segment), .shown = TH_IN_REPORT, EMIT(TH_EMIT_SEGMENTS),
      DOC("for each segment, in order of appearance:") },
    { IN("segments", "number"), ONE(INT), .presence = TH_ALWAYS, FROM(COMPUTED, segment), EMIT(TH_EMIT_SEGMENTS),
      DOC("0, 1, 2, ..."), EXAMPLE("0") },
    { IN("segments", "tokens"), ONE(INT), .presence = TH_ALWAYS, FROM(SEGMENT, tokens), EMIT(TH_EMIT_SEGMENTS),
      DOC("words; words in links"), EXAMPLE("2") },
    { IN("segments", "linked"), ONE(INT), .presence = TH_ALWAYS, FROM(SEGMENT, linked_tokens), EMIT(TH_EMIT_SEGMENTS),
      EXAMPLE("2") },
    { IN("segments", "density"), ONE(REAL), .presence = TH_ALWAYS, FROM(SEGMENT, density), PLACES(4), EMIT(TH_EMIT_SEGMENTS),
      DOC("words per line when wrapped at `w_max` columns, at most 4 decimals"), EXAMPLE("2") },
    { IN("segments", "link_density"), ONE(REAL), .presence = TH_ALWAYS, FROM(SEGMENT, link_density), PLACES(4), EMIT(TH_EMIT_SEGMENTS),
      DOC("linked / tokens, 0 without tokens, at most 4 decimals"), EXAMPLE("1") },
    { IN("segments", "label"), ONE(TEXT), .presence = TH_ALWAYS, FROM(COMPUTED, label), LIMITS("content boilerplate"), EMIT(TH_EMIT_SEGMENTS),
      DOC("`content` if most of its words are in content blocks, else `boilerplate`"), EXAMPLE("\"boilerplate\"") },
    { IN("segments", "position"), ONE(TEXT), FROM(COMPUTED, position), LIMITS("^[a-z]+$"), EMIT(TH_EMIT_SEGMENTS),
      DOC("with `segmenter = boundary-graph`: `top`, `middle` or `bottom` among the parts of the page; `left`, `middle` or `right` if the parts are cells of a row ([methods.md](methods.md#segmenters))"), EXAMPLE("\"middle\"") },
    { IN("segments", "inner"), ONE(TEXT), FROM(COMPUTED, inner), LIMITS("^[a-z]+$"), EMIT(TH_EMIT_SEGMENTS),
      DOC("the same within the part of the page with the most words; absent in other parts, or if the part is not one element"), EXAMPLE("\"top\"") },
    { IN("segments", "fingerprint"), ONE(TEXT), .presence = TH_ALWAYS, WRITE(write_fingerprint), LIMITS("^[0-9a-f]{40}$"), EMIT(TH_EMIT_SEGMENTS),
      DOC("template fingerprint, SHA-1, 40 hexadecimal digits: equal for segments that differ only in dates, numbers, URLs, case and punctuation"), EXAMPLE("\"76c481cb43a12be6385b69cea2fbcdd554ee516b\"") },
    { IN("segments", "pages"), ONE(INT), .presence = TH_IF_NOT_ZERO, FROM(COMPUTED, pages), LIMITS("1.."), EMIT(TH_EMIT_SEGMENTS),
      DOC("with `sites.segments`: number of the site's pages with this fingerprint ([sites.md](sites.md#segments)); absent without words"), EXAMPLE("1") },
    { IN("segments", "recurs"), ONE(BOOL), .presence = TH_IF_NOT_ZERO, FROM(COMPUTED, recurs), LIMITS("true"), EMIT(TH_EMIT_SEGMENTS),
      DOC("`true` if the segment recurs on the site"), EXAMPLE("true") },
    { TOP("blocks"), LIST(GROUP), .presence = TH_ALWAYS, OPEN(open_block), EMIT(TH_EMIT_BLOCKS),
      DOC("for each block of text between tags, in order:") },
    { IN("blocks", "start"), ONE(INT), .presence = TH_ALWAYS, FROM(BLOCK, char_start), EMIT(TH_EMIT_BLOCKS),
      DOC("location in `full_text`, in code points (Python's string index)"), EXAMPLE("0") },
    { IN("blocks", "end"), ONE(INT), .presence = TH_ALWAYS, FROM(COMPUTED, end), EMIT(TH_EMIT_BLOCKS),
      EXAMPLE("9") },
    { IN("blocks", "byte_start"), ONE(INT), .presence = TH_ALWAYS, FROM(BLOCK, text_start), EMIT(TH_EMIT_BLOCKS),
      DOC("the same in bytes of UTF-8"), EXAMPLE("0") },
    { IN("blocks", "byte_end"), ONE(INT), .presence = TH_ALWAYS, FROM(COMPUTED, byte_end), EMIT(TH_EMIT_BLOCKS),
      EXAMPLE("9") },
    { IN("blocks", "segment"), ONE(INT), .presence = TH_ALWAYS, FROM(COMPUTED, segment), EMIT(TH_EMIT_BLOCKS),
      DOC("number of its segment"), EXAMPLE("0") },
    { IN("blocks", "paragraph"), ONE(INT), .presence = TH_ALWAYS, FROM(BLOCK, paragraph), EMIT(TH_EMIT_BLOCKS),
      DOC("number of its paragraph"), EXAMPLE("0") },
    { IN("blocks", "label"), ONE(TEXT), .presence = TH_ALWAYS, FROM(COMPUTED, label), LIMITS("content boilerplate comment"), EMIT(TH_EMIT_BLOCKS),
      DOC("`content`, `boilerplate`, or `comment` for readers' comments, also if `comments` makes them content"), EXAMPLE("\"boilerplate\"") },
    { IN("blocks", "score"), ONE(REAL), FROM(SCORED, score), PLACES(4), LIMITS("0..1"), EMIT(TH_EMIT_BLOCKS),
      DOC("score of its paragraph"), EXAMPLE("0") },
    { IN("blocks", "tokens"), ONE(INT), .presence = TH_ALWAYS, FROM(BLOCK, tokens), EMIT(TH_EMIT_BLOCKS),
      DOC("as for segments"), EXAMPLE("2") },
    { IN("blocks", "linked"), ONE(INT), .presence = TH_ALWAYS, FROM(BLOCK, linked_tokens), EMIT(TH_EMIT_BLOCKS),
      EXAMPLE("2") },
    { IN("blocks", "density"), ONE(REAL), .presence = TH_ALWAYS, FROM(COMPUTED, density), PLACES(4), EMIT(TH_EMIT_BLOCKS),
      EXAMPLE("2") },
    { IN("blocks", "path"), ONE(TEXT), .presence = TH_ALWAYS, FROM(COMPUTED, path), EMIT(TH_EMIT_BLOCKS),
      DOC("enclosing elements from the root: `html/body/div/p`. `*` is an element unknown to HTML. Deeper paths show the innermost 32 elements after `**/`"), EXAMPLE("\"html/body/nav/a\"") },
    { IN("blocks", "language"), ONE(TEXT), FROM(COMPUTED, language), EMIT(TH_EMIT_BLOCKS | TH_EMIT_LANGUAGES),
      DOC("language of its paragraph (with `languages` in `emit`)"), EXAMPLE("\"de\"") },
    { IN("blocks", "pages"), ONE(INT), FROM(SITE, pages), EMIT(TH_EMIT_BLOCKS),
      DOC("values of its paragraph"), EXAMPLE("1") },
    { IN("blocks", "recurs"), ONE(BOOL), .presence = TH_IF_NOT_ZERO, FROM(SITE, recurs), LIMITS("true"), EMIT(TH_EMIT_BLOCKS),
      EXAMPLE("true") },
    { TOP("paragraphs"), LIST(GROUP), .presence = TH_ALWAYS, OPEN(open_paragraph), EMIT(TH_EMIT_PARAGRAPHS),
      DOC("for each paragraph, in order; `blocks[].paragraph` refers to it:") },
    { IN("paragraphs", "kind"), ONE(TEXT), .presence = TH_ALWAYS, FROM(COMPUTED, kind), LIMITS("paragraph heading item cell pre quote caption term definition control"), EMIT(TH_EMIT_PARAGRAPHS),
      DOC("kind ([text.md](text.md))"), EXAMPLE("\"item\"") },
    { IN("paragraphs", "level"), ONE(INT), .presence = TH_IF_NOT_ZERO, FROM(PARAGRAPH, level), LIMITS("1..6"), EMIT(TH_EMIT_PARAGRAPHS),
      DOC("of a heading: 1 to 6"), EXAMPLE("1") },
    { IN("paragraphs", "row"), ONE(INT), FROM(CELL, number), EMIT(TH_EMIT_PARAGRAPHS),
      DOC("of a cell: location in the table's grid, from 0"), EXAMPLE("2") },
    { IN("paragraphs", "column"), ONE(INT), FROM(CELL, column), EMIT(TH_EMIT_PARAGRAPHS),
      EXAMPLE("5") },
    { IN("paragraphs", "depth"), ONE(INT), FROM(ITEM, depth), EMIT(TH_EMIT_PARAGRAPHS),
      DOC("of an item: enclosing lists; number in an ordered list"), EXAMPLE("1") },
    { IN("paragraphs", "number"), ONE(INT), FROM(ORDERED_ITEM, number), EMIT(TH_EMIT_PARAGRAPHS),
      EXAMPLE("7") },
    { IN("paragraphs", "start"), ONE(INT), .presence = TH_ALWAYS, FROM(PARAGRAPH, char_start), EMIT(TH_EMIT_PARAGRAPHS),
      DOC("location in `full_text`, without mark and indentation"), EXAMPLE("0") },
    { IN("paragraphs", "end"), ONE(INT), .presence = TH_ALWAYS, FROM(COMPUTED, end), EMIT(TH_EMIT_PARAGRAPHS),
      EXAMPLE("9") },
    { IN("paragraphs", "byte_start"), ONE(INT), .presence = TH_ALWAYS, FROM(PARAGRAPH, text_start), EMIT(TH_EMIT_PARAGRAPHS),
      EXAMPLE("0") },
    { IN("paragraphs", "byte_end"), ONE(INT), .presence = TH_ALWAYS, FROM(COMPUTED, byte_end), EMIT(TH_EMIT_PARAGRAPHS),
      EXAMPLE("9") },
    { IN("paragraphs", "hidden"), ONE(BOOL), .presence = TH_IF_NOT_ZERO, FROM(PARAGRAPH, is_hidden), LIMITS("true"), EMIT(TH_EMIT_PARAGRAPHS),
      DOC("`true` for text that the page hides until a reader opens it. Pages that are read for a rule do not contain it"), EXAMPLE("true") },
    { IN("paragraphs", "label"), ONE(TEXT), .presence = TH_ALWAYS, FROM(COMPUTED, label), LIMITS("content boilerplate comment"), EMIT(TH_EMIT_PARAGRAPHS),
      DOC("`content` or `boilerplate`, as most of its words; `comment` as above"), EXAMPLE("\"boilerplate\"") },
    { IN("paragraphs", "score"), ONE(REAL), FROM(SCORED, score), PLACES(4), LIMITS("0..1"), EMIT(TH_EMIT_PARAGRAPHS),
      DOC("probability of content by the learned classifier, 0 to 1, at most 4 decimals. Use it to be stricter or wider than the label"), EXAMPLE("0") },
    { IN("paragraphs", "language"), ONE(TEXT), FROM(COMPUTED, language), EMIT(TH_EMIT_PARAGRAPHS | TH_EMIT_LANGUAGES),
      DOC("tag of its language, detected in the paragraph only; absent if not sure, usually under ten words (with `languages` in `emit`)"), EXAMPLE("\"de\"") },
    { IN("paragraphs", "pages"), ONE(INT), FROM(SITE, pages), EMIT(TH_EMIT_PARAGRAPHS),
      DOC("number of `site_pages` with this paragraph, including this page; 0 without words (with a site memory)"), EXAMPLE("1") },
    { IN("paragraphs", "recurs"), ONE(BOOL), .presence = TH_IF_NOT_ZERO, FROM(SITE, recurs), LIMITS("true"), EMIT(TH_EMIT_PARAGRAPHS),
      DOC("`true` if the paragraph recurs; else absent"), EXAMPLE("true") },
    { TOP("paragraph_languages"), LIST(GROUP), .presence = TH_ALWAYS, OPEN(open_paragraph_language), EMIT(TH_EMIT_PARAGRAPH_LANGUAGES),
      DOC("for each paragraph of the content, in order:") },
    { IN("paragraph_languages", "paragraph"), ONE(INT), .presence = TH_ALWAYS, FROM(PARAGRAPH_LANGUAGE, paragraph), EMIT(TH_EMIT_PARAGRAPH_LANGUAGES),
      DOC("index into `paragraphs`"), EXAMPLE("1") },
    { IN("paragraph_languages", "start"), ONE(INT), FROM(TEXT_SPAN, start), EMIT(TH_EMIT_PARAGRAPH_LANGUAGES),
      DOC("location in the plain text, in code points; absent if there is none, or with a headline or front matter"), EXAMPLE("24") },
    { IN("paragraph_languages", "end"), ONE(INT), FROM(TEXT_SPAN, end), EMIT(TH_EMIT_PARAGRAPH_LANGUAGES),
      EXAMPLE("35") },
    { IN("paragraph_languages", "label"), ONE(TEXT), .presence = TH_ALWAYS, FROM(PARAGRAPH_LANGUAGE, label), EMIT(TH_EMIT_PARAGRAPH_LANGUAGES),
      DOC("ISO 639-3 and ISO 15924: `deu_Latn`, as GlotLID and OpenLID; `und`: nothing detected"), EXAMPLE("\"fur_Hebr\"") },
    { IN("paragraph_languages", "sure"), ONE(BOOL), .presence = TH_ALWAYS, FROM(PARAGRAPH_LANGUAGE, is_sure), EMIT(TH_EMIT_PARAGRAPH_LANGUAGES),
      DOC("as in `language_detected`; probability by a model"), EXAMPLE("true") },
    { IN("paragraph_languages", "score"), ONE(REAL), FROM(PARAGRAPH_LANGUAGE, score), IF(PARAGRAPH_LANGUAGE, has_score), PLACES(4), LIMITS("0..1"), EMIT(TH_EMIT_PARAGRAPH_LANGUAGES),
      EXAMPLE("0.4321") },
    { TOP("links"), LIST(GROUP), .presence = TH_ALWAYS, OPEN(open_link), EMIT(TH_EMIT_LINKS),
      DOC("for each link, in order:") },
    { IN("links", "url"), ONE(TEXT), .presence = TH_ALWAYS, FROM(LINK, url), EMIT(TH_EMIT_LINKS),
      DOC("absolute URL, resolved against the page's base"), EXAMPLE("\"http://a.example/\"") },
    { IN("links", "anchor"), ONE(TEXT), FROM(COMPUTED, anchor), EMIT(TH_EMIT_LINKS),
      DOC("text as in `full_text`, with newlines between paragraphs; absent if it is empty"), EXAMPLE("\"Home\"") },
    { IN("links", "block"), ONE(INT), .presence = TH_IF_NOT_NONE, FROM(LINK, block), EMIT(TH_EMIT_LINKS),
      DOC("number and label of the block in which the text starts; absent if the link has no text"), EXAMPLE("0") },
    { IN("links", "label"), ONE(TEXT), FROM(COMPUTED, label), LIMITS("content boilerplate comment"), EMIT(TH_EMIT_LINKS),
      EXAMPLE("\"boilerplate\"") },
    { IN("links", "internal"), ONE(BOOL), .presence = TH_ALWAYS, FROM(LINK, is_internal), EMIT(TH_EMIT_LINKS),
      DOC("true if the target is on the host of the page"), EXAMPLE("true") },
    { IN("links", "rel"), ONE(TEXT), FROM(LINK, rel), EMIT(TH_EMIT_LINKS),
      DOC("attribute, unchanged"), EXAMPLE("\"me\"") },
    { TOP("posts"), LIST(GROUP), OPEN(open_post), EMIT(TH_EMIT_POSTS),
      DOC("for each post of a thread ([text.md](text.md#threads-and-comments)), in order:") },
    { IN("posts", "author"), ONE(TEXT), FROM(POST, author), EMIT(TH_EMIT_POSTS),
      DOC("name on the page; absent without a name"), EXAMPLE("\"Paul Poster\"") },
    { IN("posts", "published"), ONE(TEXT), FROM(POST, published), EMIT(TH_EMIT_POSTS),
      DOC("ISO 8601, with the precision of the page (`2019-03-12T09:15` has no zone); absent for relative dates (\"2 days ago\")"), EXAMPLE("\"2023-12-31\"") },
    { IN("posts", "votes"), ONE(INT), FROM(POST, votes), IF(POST, has_votes), LIMITS(".."), EMIT(TH_EMIT_POSTS),
      DOC("number of votes on the page, may be negative"), EXAMPLE("-3") },
    { IN("posts", "accepted"), ONE(BOOL), .presence = TH_IF_NOT_ZERO, FROM(POST, is_accepted), LIMITS("true"), EMIT(TH_EMIT_POSTS),
      DOC("`true` for the accepted answer, else absent"), EXAMPLE("true") },
    { IN("posts", "quote_of"), ONE(TEXT), FROM(POST, quote_of), EMIT(TH_EMIT_POSTS),
      DOC("author of the first quoted post"), EXAMPLE("\"Quentin\"") },
    { IN("posts", "depth"), ONE(INT), .presence = TH_IF_NOT_ZERO, FROM(POST, depth), LIMITS("1.."), EMIT(TH_EMIT_POSTS),
      DOC("number of nested posts that it answers; absent if it answers the thread"), EXAMPLE("2") },
    { IN("posts", "text"), ONE(TEXT), .presence = TH_ALWAYS, FROM(COMPUTED, text), EMIT(TH_EMIT_POSTS),
      DOC("plain text without signature, profile and buttons, for any labels; `\"\"` for a post without words"), EXAMPLE("\"Grüße, Köln\"") },
    { TOP("rights"), LIST(GROUP), .presence = TH_ALWAYS, OPEN(open_right), EMIT(TH_EMIT_RIGHTS),
      DOC("for each statement about rights ([usage.md](usage.md#rights)), header first, as found and without interpretation:") },
    { IN("rights", "signal"), ONE(TEXT), .presence = TH_ALWAYS, FROM(RIGHT, signal), LIMITS("robots tdm-reservation tdm-policy content-usage content-signal license rsl robots.txt"), EMIT(TH_EMIT_RIGHTS),
      DOC("`robots` (robots meta, X-Robots-Tag), `tdm-reservation`, `tdm-policy`, `content-usage` (AIPREF), `content-signal`, `license`, `rsl`, or `robots.txt` (the rule that decides about the URL)"), EXAMPLE("\"robots\"") },
    { IN("rights", "from"), ONE(TEXT), .presence = TH_ALWAYS, FROM(RIGHT, from), LIMITS("http meta link a microdata rdfa json-ld robots.txt tdmrep.json"), EMIT(TH_EMIT_RIGHTS),
      DOC("source: `http` (header), `meta`, `link`, `a`, `microdata`, `rdfa`, `json-ld`, `robots.txt`, `tdmrep.json`"), EXAMPLE("\"microdata\"") },
    { IN("rights", "agent"), ONE(TEXT), FROM(RIGHT, agent), EMIT(TH_EMIT_RIGHTS),
      DOC("name of the robot that it is for, in lower case, or absent if it is for every robot"), EXAMPLE("\"examplebot\"") },
    { IN("rights", "value"), ONE(TEXT), .presence = TH_ALWAYS, FROM(RIGHT, value), EMIT(TH_EMIT_RIGHTS),
      DOC("value, at most 1 KiB; URLs of the page are absolute"), EXAMPLE("\"noindex, noai\"") },
    { IN("rights", "of"), ONE(TEXT), FROM(RIGHT, of), EMIT(TH_EMIT_RIGHTS),
      DOC("JSON-LD: `@type` of the object with the license; absent without a type"), EXAMPLE("\"ImageObject\"") },
    { TOP("redacted"), ONE(GROUP), OPEN(open_redacted), OPTION(redact), REQUEST("--redact KINDS"),
      DOC("replaced matches:") },
    { IN("redacted", "email"), ONE(INT), FROM(REDACT_EMAIL, redacted[TH_REDACT_BIT_EMAIL]), OPTION(redact),
      DOC("e-mail addresses"), EXAMPLE("1") },
    { IN("redacted", "ip"), ONE(INT), FROM(REDACT_IP, redacted[TH_REDACT_BIT_IP]), OPTION(redact),
      DOC("public IP addresses"), EXAMPLE("0") },
    { IN("redacted", "phone"), ONE(INT), FROM(REDACT_PHONE, redacted[TH_REDACT_BIT_PHONE]), OPTION(redact),
      DOC("telephone numbers"), EXAMPLE("2") },
    { TOP("structured"), ONE(GROUP), OPEN(open_structured), EMIT(TH_EMIT_STRUCTURED),
      DOC("structured data, as found ([measurements](measurements/structured.md)):") },
    { IN("structured", "json_ld"), LIST(TEXT), WRITE(write_json_ld), EMIT(TH_EMIT_STRUCTURED),
      DOC("JSON of each SCRIPT"), EXAMPLE("\"{\\\"@type\\\":\\\"Thing\\\"}\"") },
    { IN("structured", "microdata"), LIST(GROUP), OPEN(open_microdata), EMIT(TH_EMIT_STRUCTURED),
      DOC("statements") },
    { IN_2("structured.microdata", "item"), ONE(TEXT), FROM(STATEMENT, item), EMIT(TH_EMIT_STRUCTURED),
      EXAMPLE("\"_:0\"") },
    { IN_2("structured.microdata", "property"), ONE(TEXT), FROM(STATEMENT, property), EMIT(TH_EMIT_STRUCTURED),
      EXAMPLE("\"name\"") },
    { IN_2("structured.microdata", "value"), ONE(TEXT), FROM(STATEMENT, value), EMIT(TH_EMIT_STRUCTURED),
      EXAMPLE("\"A thing\"") },
    { IN_2("structured.microdata", "ref"), ONE(TEXT), FROM(STATEMENT, ref), EMIT(TH_EMIT_STRUCTURED),
      EXAMPLE("\"_:1\"") },
    { IN("structured", "rdfa"), LIST(GROUP), OPEN(open_rdfa), EMIT(TH_EMIT_STRUCTURED) },
    { IN_2("structured.rdfa", "item"), ONE(TEXT), FROM(STATEMENT, item), EMIT(TH_EMIT_STRUCTURED),
      EXAMPLE("\"http://rdfa.example/it\"") },
    { IN_2("structured.rdfa", "property"), ONE(TEXT), FROM(STATEMENT, property), EMIT(TH_EMIT_STRUCTURED),
      EXAMPLE("\"http://schema.org/name\"") },
    { IN_2("structured.rdfa", "value"), ONE(TEXT), FROM(STATEMENT, value), EMIT(TH_EMIT_STRUCTURED),
      EXAMPLE("\"A person\"") },
    { IN_2("structured.rdfa", "ref"), ONE(TEXT), FROM(STATEMENT, ref), EMIT(TH_EMIT_STRUCTURED),
      EXAMPLE("\"_:2\"") },
    { IN("structured", "opengraph"), LIST(GROUP), OPEN(open_opengraph), EMIT(TH_EMIT_STRUCTURED),
      DOC("META and LINK") },
    { IN_2("structured.opengraph", "property"), ONE(TEXT), FROM(STATEMENT, property), EMIT(TH_EMIT_STRUCTURED),
      EXAMPLE("\"og:title\"") },
    { IN_2("structured.opengraph", "value"), ONE(TEXT), FROM(STATEMENT, value), EMIT(TH_EMIT_STRUCTURED),
      EXAMPLE("\"An open graph\"") },
    { IN("structured", "twitter"), LIST(GROUP), OPEN(open_twitter), EMIT(TH_EMIT_STRUCTURED) },
    { IN_2("structured.twitter", "property"), ONE(TEXT), FROM(STATEMENT, property), EMIT(TH_EMIT_STRUCTURED),
      EXAMPLE("\"twitter:card\"") },
    { IN_2("structured.twitter", "value"), ONE(TEXT), FROM(STATEMENT, value), EMIT(TH_EMIT_STRUCTURED),
      EXAMPLE("\"summary\"") },
    { IN("structured", "feeds"), LIST(GROUP), OPEN(open_feed), EMIT(TH_EMIT_STRUCTURED) },
    { IN_2("structured.feeds", "url"), ONE(TEXT), FROM(STATEMENT, ref), EMIT(TH_EMIT_STRUCTURED),
      EXAMPLE("\"http://a.example/feed\"") },
    { IN_2("structured.feeds", "type"), ONE(TEXT), FROM(STATEMENT, property), EMIT(TH_EMIT_STRUCTURED),
      EXAMPLE("\"application/rss+xml\"") },
    { IN_2("structured.feeds", "title"), ONE(TEXT), FROM(STATEMENT, value), EMIT(TH_EMIT_STRUCTURED),
      EXAMPLE("\"A feed\"") },
    { IN("structured", "alternates"), LIST(GROUP), OPEN(open_alternate), EMIT(TH_EMIT_STRUCTURED) },
    { IN_2("structured.alternates", "language"), ONE(TEXT), FROM(STATEMENT, property), EMIT(TH_EMIT_STRUCTURED),
      EXAMPLE("\"pt-BR\"") },
    { IN_2("structured.alternates", "url"), ONE(TEXT), FROM(STATEMENT, ref), EMIT(TH_EMIT_STRUCTURED),
      EXAMPLE("\"http://a.example/de\"") },
    { IN("structured", "tags"), LIST(TEXT), WRITE(write_tags), EMIT(TH_EMIT_STRUCTURED),
      DOC("of META, else of JSON-LD"), EXAMPLE("\"greetings\"") },
    { IN("structured", "section"), ONE(TEXT), FROM(STRUCTURED, section), EMIT(TH_EMIT_STRUCTURED),
      EXAMPLE("\"Culture\"") },
    { IN("structured", "image"), ONE(TEXT), FROM(STRUCTURED, image), EMIT(TH_EMIT_STRUCTURED),
      EXAMPLE("\"http://a.example/image\"") },
    { TOP("html"), ONE(TEXT), FROM(ANNOTATED, html), EMIT(TH_EMIT_HTML),
      DOC("the page as parsed, in UTF-8"), EXAMPLE("\"<p>a page of nothing else\"") },
    { TOP("flags"), LIST(TEXT), .presence = TH_ALWAYS, WRITE(write_flags), LIMITS("^[a-z_]+$"), .shown = TH_SHOWN,
      DOC("events during processing, see below"), ABSENT("never; `[]` without events"), EXAMPLE("\"warc_damaged\"") },
};
/* clang-format on */
const uint32_t th_record_field_count = sizeof th_record_fields / sizeof *th_record_fields;

/* Returns whether the options do not exclude a field by its option_at. */
static bool is_field_on(const th_record_field *field, const th_options *opt)
{
    const char *const option = (const char *)opt + field->option_at;
    bool is_set = !field->option_at;
    for (unsigned i = 0; i < field->option_size; i++)
        is_set |= option[i] != 0;
    return is_set;
}

uint32_t th_record_columns(const th_options *page,
                           th_parquet_field fields[TH_RECORD_FIELDS])
{
    uint32_t count = 0;
    _Static_assert(sizeof th_record_fields / sizeof *th_record_fields <= TH_RECORD_FIELDS,
                   "there is room");
    for (uint32_t i = 0; i < th_record_field_count; i++) {
        const th_record_field *field = &th_record_fields[i];
        if ((field->emit & page->emit) == field->emit && is_field_on(field, page))
            fields[count++] =
                (th_parquet_field){ field->depth, th_record_field_name(field),
                                    field->kind, field->is_list };
    }
    return count;
}
