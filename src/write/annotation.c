/*
 * An annotated page as the JSON object `thresher/1`, field by field in the order of
 * docs/record.md. Unknown values are left out, never null.
 */
#include "write/annotation.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "content/content_decision.h"
#include "content/content_model.h"
#include "page/band_schema.h"
#include "page/node_path.h"
#include "page/page_text.h"
#include "segment/segment_model.h"
#include "thresher/classifier.h"
#include "thresher/minhash.h"
#include "thresher/segmenter.h"
#include "write/formatted_text.h"
#include "write/record_parts.h"

enum {
    DENSITY_PLACES = 4, /* of densities: finer than the effect of w_max */
    SCORE_PLACES = 4,   /* of probabilities, which have a resolution of 1/65535 */
    SIGNAL_PLACES = 6,  /* of signals, which others compare with their thresholds */
    THETA_PLACES = 6,   /* of parameters, which must be read back unchanged */
};

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

static void write_score(th_json *json, const char *key, uint16_t score)
{
    th_json_member_decimal(json, key, score / (double)UINT16_MAX, SCORE_PLACES);
}

void th_annotation_source(th_json *json, const th_record *record)
{
    const th_position *position = &record->position;
    th_json_key(json, "source");
    th_json_open_object(json);
    th_json_member(json, "file", position->file);
    th_json_member(json, "topic", position->topic);
    if (position->topic.data)
        th_json_member_uint(json, "partition", (uint64_t)position->partition);
    th_json_member_uint(json, "offset", position->offset);
    th_json_member(json, "key", position->key);
    if (position->length)
        th_json_member_uint(json, "length", position->length);
    if (position->skip)
        th_json_member_uint(json, "skip", position->skip);
    th_json_member(json, "type", record->type);
    th_json_member(json, "ip", record->ip);
    th_json_member(json, "truncated", record->truncated);
    th_json_member(json, "payload_digest", record->payload_digest);
    th_json_close_object(json);
}

th_status th_annotation_failure(const th_page *page)
{
    return th_arena_is_full(page->arena) ? TH_TOO_LARGE : TH_NOMEM;
}

static void write_http(th_json *json, const th_annotated *annotated)
{
    const th_http_facts *http = &annotated->http;
    const th_encoding *charset = &annotated->charset;
    if (!http->status && !http->content_type.data && !charset->name && !charset->from &&
        !http->encoding.data)
        return;
    th_json_key(json, "http");
    th_json_open_object(json);
    if (http->status > 0)
        th_json_member_uint(json, "status", (uint64_t)http->status);
    th_json_member(json, "content_type", http->content_type);
    th_json_member_text(json, "charset", charset->name);
    th_json_member_text(json, "charset_from", charset->from);
    th_json_member(json, "encoding", http->encoding);
    th_json_close_object(json);
}

static void write_metadata(th_json *json, const th_metadata *metadata)
{
#define MEMBER(name, shown) th_json_member(json, #name, metadata->name);
    TH_RECORD_METADATA(MEMBER)
#undef MEMBER
}

/* Writes "learned", followed by the options that differ from the classifier's
 * defaults. */
static void write_classifier(th_json *json, const th_options *opt,
                             const th_options *defaults)
{
    const th_classifier *classifier = th_classifier_find(opt->classifier);
    const bool is_learned = classifier && classifier->judge;
    const bool is_strict = is_learned && opt->strictness &&
                           strcmp(opt->strictness, defaults->strictness) != 0;
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
    th_json_member_text(json, "classifier", text);
}

/* Writes "bf-rulebased", followed by the options that differ from the defaults:
 * " theta_max=0.5". */
static void write_methods(th_json *json, const th_options *opt)
{
    th_options defaults;
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
    th_json_member_text(json, "segmenter", text);
    write_classifier(json, opt, &defaults);
}

/* Writes the learned classifier's results for the page. */
static void write_learned(th_json *json, const th_learned *learned)
{
    if (!learned)
        return;
    th_json_key(json, "page_type");
    th_json_open_object(json);
    th_json_member_text(json, "name", learned->page_type);
    write_score(json, "score", learned->page_type_score);
    th_json_close_object(json);
    write_score(json, "quality", learned->quality);
}

/* Writes the first language, the language of the whole, followed by the others. */
static void write_languages(th_json *json, const char *key, const th_languages *languages,
                            th_agreement agreement)
{
    if (!languages || !languages->count)
        return;
    th_json_key(json, key);
    th_json_open_object(json);
    for (uint32_t i = 0; i < languages->count; i++) {
        const th_language *language = &languages->of[i];
        if (i == 1) {
            th_json_key(json, "others");
            th_json_open_array(json);
        }
        if (i > 0)
            th_json_open_object(json);
        th_json_member_text(json, "name", language->tag);
        if (*language->iso)
            th_json_member_text(json, "iso", language->iso);
        th_json_member_decimal(json, "share", language->percent / 100.0, 2);
        th_json_member_uint(json, "score", language->score);
        if (i == 0) {
            th_json_member_uint(json, "bytes", languages->bytes);
            th_json_key(json, "sure");
            th_json_bool(json, languages->is_sure);
            if (agreement != TH_NOT_COMPARED) {
                th_json_key(json, "agrees");
                th_json_bool(json, agreement == TH_SAME_LANGUAGE);
            }
        }
        if (i > 0)
            th_json_close_object(json);
    }
    if (languages->count > 1)
        th_json_close_array(json);
    th_json_close_object(json);
}

static void write_second_language(th_json *json, const th_second_language *second)
{
    char model[2 * sizeof(uint64_t) + 1];
    if (!second)
        return;
    (void)snprintf(model, sizeof model, "%016" PRIx64, second->model);
    th_json_key(json, "language_second");
    th_json_open_object(json);
    th_json_member_text(json, "name", second->name);
    if (*second->iso)
        th_json_member_text(json, "iso", second->iso);
    th_json_member_decimal(json, "score", second->score < 1 ? second->score : 1, 4);
    th_json_member_text(json, "model", model);
    th_json_close_object(json);
}

/* Writes the language of a paragraph and of its blocks. */
static void write_language_of(th_json *json, const th_page *page, uint32_t paragraph)
{
    if (page->language_of)
        th_json_member_text(json, "language", page->language_of[paragraph]);
}

static void write_shares(th_json *json, const char *key, const double *shares,
                         size_t count)
{
    th_json_key(json, key);
    th_json_open_array(json);
    for (size_t i = 0; i < count; i++)
        th_json_decimal(json, shares[i], SIGNAL_PLACES);
    th_json_close_array(json);
}

static void write_signals(th_json *json, const th_quality_signals *signals)
{
    if (!signals)
        return;
    th_json_key(json, "quality_signals");
    th_json_open_object(json);
#define COUNT(name) th_json_member_uint(json, #name, signals->name);
#define SHARE(name) th_json_member_decimal(json, #name, signals->name, SIGNAL_PLACES);
    COUNT(words)
    COUNT(plain_words)
    SHARE(mean_word_length)
    SHARE(hashes)
    SHARE(ellipses)
    COUNT(lines)
    SHARE(bullet_lines)
    SHARE(ellipsis_lines)
    SHARE(alphabetic_words)
    if (signals->has_stop_words)
        COUNT(stop_words)
    SHARE(duplicate_paragraphs)
    SHARE(duplicate_paragraph_chars)
    SHARE(duplicate_lines)
    SHARE(duplicate_line_chars)
    write_shares(json, "top_ngrams", signals->top_ngrams, TH_TOP_NGRAMS);
    write_shares(json, "duplicate_ngrams", signals->duplicate_ngrams,
                 TH_DUPLICATE_NGRAMS);
    SHARE(terminal_lines)
    SHARE(short_lines)
    SHARE(duplicate_chars)
    SHARE(newlines)
    SHARE(c4_lines)
#undef COUNT
#undef SHARE
    th_json_key(json, "lorem_ipsum");
    th_json_bool(json, signals->has_lorem_ipsum);
    th_json_key(json, "curly_bracket");
    th_json_bool(json, signals->has_curly_bracket);
    th_json_close_object(json);
}

static void write_counts(th_json *json, const th_page *page)
{
    th_json_key(json, "counts");
    th_json_open_object(json);
    th_json_member_uint(json, "blocks", page->block_count);
    th_json_member_uint(json, "segments", page->segment_count);
    th_json_member_uint(json, "tokens", page->tokens_before[page->block_count]);
    th_json_member_uint(json, "linked_tokens", page->linked_before[page->block_count]);
    th_json_member_uint(json, "content_tokens", page->content_tokens);
    th_json_close_object(json);
    if (page->main_segment != TH_NONE)
        th_json_member_uint(json, "main_segment", page->main_segment);
}

static void write_knows_template(th_json *json, const th_page *page)
{
    if (!page->paragraph_recurs)
        return;
    th_json_key(json, "template_known");
    th_json_bool(json, page->knows_template);
}

/* Writes the facts about the page's site, if the site memory was queried. */
static void write_site(th_json *json, const th_page *page)
{
    uint32_t recurrent = 0;
    if (!page->paragraph_recurs)
        return;
    for (uint32_t i = 0; i < page->block_count; i++)
        if (page->paragraph_recurs[page->blocks[i].paragraph])
            recurrent += page->blocks[i].tokens;
    th_json_member_uint(json, "site_pages", page->site_pages);
    write_knows_template(json, page);
    th_json_member_uint(json, "recurrent_tokens", recurrent);
}

/* Writes the number of pages of the site that contain the paragraph. */
static void write_paragraph_site(th_json *json, const th_page *page, uint32_t paragraph)
{
    if (!page->paragraph_recurs)
        return;
    th_json_member_uint(json, "pages", page->paragraph_pages[paragraph]);
    if (!page->paragraph_recurs[paragraph])
        return;
    th_json_key(json, "recurs");
    th_json_bool(json, true);
}

static void write_bands(th_json *json, const th_options *opt, const th_page *page)
{
    const th_signature *signature = th_sketch_first(page, opt);
    if (!signature)
        return;
    const th_minhash_preset *preset = page->minhash;
    uint8_t *keys = th_arena_alloc(page->arena, (size_t)preset->bands * TH_BAND_KEY_LEN);
    if (!keys) {
        th_json_fail(json, th_annotation_failure(page));
        return;
    }
    const uint32_t count = th_minhash_bands(preset, signature, keys);
    if (!count)
        return;
    th_json_key(json, "bands");
    th_json_open_array(json);
    for (uint32_t i = 0; i < count; i++)
        th_json_hex(json, keys + (size_t)i * TH_BAND_KEY_LEN, TH_BAND_KEY_LEN);
    th_json_close_array(json);
}

static void write_digest(th_json *json, const th_page *page)
{
    th_json_key(json, "digest");
    th_json_open_object(json);
    th_json_key(json, "text");
    th_json_hex_words(json, page->text_digest, 2, sizeof *page->text_digest);
    th_json_close_object(json);
}

/* Names of the texts that are shorter than a shingle. */
static void write_short(th_json *json, const th_page *page)
{
    bool is_open = false;
    for (unsigned i = 0; i < TH_SIGN_COUNT; i++) {
        if (!page->signatures[i].is_short)
            continue;
        if (!is_open) {
            th_json_key(json, "short");
            th_json_open_array(json);
        }
        is_open = true;
        const char *name = th_sign_name(i);
        th_json_string(json, (th_view){ name, strlen(name) });
    }
    if (is_open)
        th_json_close_array(json);
}

/* The parameters that a reader needs to decide whether two signatures compare, then the
 * signatures. */
static void write_minhash(th_json *json, const th_page *page)
{
    const th_minhash_preset *preset = page->minhash;
    char words[TH_MINHASH_NAME_MAX];
    th_minhash_print(preset, words);
    th_json_key(json, "minhash");
    th_json_open_object(json);
    th_json_member_text(json, "preset", words);
    th_json_member_text(json, "scheme", preset->scheme);
    th_json_member_uint(json, "seed", preset->seed);
    th_json_member_uint(json, "w", preset->shingle);
    th_json_member_uint(json, "k", preset->slots);
    th_json_member_uint(json, "bits", preset->slot_bits);
    th_json_member_uint(json, "tokenizer", preset->tokenizer);
    for (unsigned i = 0; i < TH_SIGN_COUNT; i++) {
        if (!page->signatures[i].slots)
            continue;
        th_json_key(json, th_sign_name(i));
        th_json_hex_words(json, page->signatures[i].slots, page->signatures[i].slot_count,
                          preset->slot_bits / 8);
    }
    write_short(json, page);
    th_json_close_object(json);
}

static bool has_signature(const th_page *page)
{
    bool has = false;
    for (unsigned i = 0; i < TH_SIGN_COUNT; i++)
        has |= page->signatures[i].slots != NULL;
    return page->minhash && has;
}

static void write_sketch(th_json *json, const th_options *opt, const th_page *page)
{
    if (page->has_text_digest)
        write_digest(json, page);
    if (!has_signature(page))
        return;
    write_minhash(json, page);
    if (opt->bands)
        write_bands(json, opt, page);
}

static void write_segment_site(th_json *json, const th_page *page, uint32_t segment)
{
    if (!page->segment_pages || !page->segment_pages[segment])
        return;
    th_json_member_uint(json, "pages", page->segment_pages[segment]);
    if (!page->segment_recurs[segment])
        return;
    th_json_key(json, "recurs");
    th_json_bool(json, true);
}

static void write_segments(th_json *json, const th_page *page)
{
    th_json_key(json, "segments");
    th_json_open_array(json);
    for (uint32_t i = 0; i < page->segment_count; i++) {
        const th_segment *segment = &page->segments[i];
        uint8_t fingerprint[TH_FINGERPRINT_LEN];
        if (th_template_fingerprint(page, i, page->arena, fingerprint) != TH_OK) {
            th_json_fail(json, th_annotation_failure(page));
            break;
        }
        th_json_open_object(json);
        th_json_member_uint(json, "number", i);
        th_json_member_uint(json, "tokens", segment->tokens);
        th_json_member_uint(json, "linked", segment->linked_tokens);
        th_json_member_decimal(json, "density", segment->density, DENSITY_PLACES);
        th_json_member_decimal(json, "link_density", segment->link_density,
                               DENSITY_PLACES);
        th_json_member_text(json, "label", label_name(segment->label));
        th_json_member_text(json, "position", th_position_name(segment->position));
        th_json_member_text(json, "inner", th_position_name(segment->inner));
        th_json_key(json, "fingerprint");
        th_json_hex(json, fingerprint, sizeof fingerprint);
        write_segment_site(json, page, i);
        th_json_close_object(json);
    }
    th_json_close_array(json);
}

static void write_block(th_json *json, const th_page *page, uint32_t number)
{
    const th_block *block = &page->blocks[number];
    char path[TH_NODE_PATH_ROOM];
    th_json_open_object(json);
    th_json_member_uint(json, "start", block->char_start);
    th_json_member_uint(json, "end", (uint64_t)block->char_start + block->char_len);
    th_json_member_uint(json, "byte_start", block->text_start);
    th_json_member_uint(json, "byte_end", (uint64_t)block->text_start + block->text_len);
    th_json_member_uint(json, "segment", page->segment_of[number]);
    th_json_member_uint(json, "paragraph", block->paragraph);
    th_json_member_text(json, "label",
                        paragraph_label(page, block->paragraph, page->label_of[number]));
    if (page->learned)
        write_score(json, "score", page->learned->score_of[block->paragraph]);
    th_json_member_uint(json, "tokens", block->tokens);
    th_json_member_uint(json, "linked", block->linked_tokens);
    th_json_member_decimal(json, "density", th_page_density(page, number, number + 1),
                           DENSITY_PLACES);
    th_json_member(json, "path", th_node_path(page, block->node, path));
    write_language_of(json, page, block->paragraph);
    write_paragraph_site(json, page, block->paragraph);
    th_json_close_object(json);
}

static void write_blocks(th_json *json, const th_page *page)
{
    th_json_key(json, "blocks");
    th_json_open_array(json);
    for (uint32_t i = 0; i < page->block_count; i++)
        write_block(json, page, i);
    th_json_close_array(json);
}

/* Writes the position of a paragraph in a list or table. */
static void write_place(th_json *json, const th_page *page, const th_paragraph *paragraph)
{
    if (paragraph->box == TH_NONE)
        return;
    const th_box *box = &page->boxes[paragraph->box];
    if (box->kind == TH_BOX_CELL) {
        th_json_member_uint(json, "row", (uint64_t)box->number);
        th_json_member_uint(json, "column", box->column);
    }
    if (box->item == TH_NONE)
        return;
    const th_box *item = &page->boxes[box->item];
    th_json_member_uint(json, "depth", item->depth);
    if (item->parent == TH_NONE || page->boxes[item->parent].kind != TH_BOX_ORDERED)
        return;
    th_json_member_decimal(json, "number", item->number, 0);
}

static void write_paragraph(th_json *json, const th_page *page, uint32_t number)
{
    const th_paragraph *paragraph = &page->paragraphs[number];
    const uint64_t chars = paragraph->char_start, bytes = paragraph->text_start;
    th_json_open_object(json);
    th_json_member_text(json, "kind", th_paragraph_kind_name(paragraph->kind));
    if (paragraph->level)
        th_json_member_uint(json, "level", paragraph->level);
    write_place(json, page, paragraph);
    th_json_member_uint(json, "start", chars);
    th_json_member_uint(json, "end", chars + paragraph->char_len);
    th_json_member_uint(json, "byte_start", bytes);
    th_json_member_uint(json, "byte_end", bytes + paragraph->text_len);
    if (paragraph->is_hidden) {
        th_json_key(json, "hidden");
        th_json_bool(json, true);
    }
    th_json_member_text(json, "label",
                        paragraph_label(page, number, page->paragraph_label_of[number]));
    if (page->learned)
        write_score(json, "score", page->learned->score_of[number]);
    write_language_of(json, page, number);
    write_paragraph_site(json, page, number);
    th_json_close_object(json);
}

static void write_paragraphs(th_json *json, const th_page *page)
{
    th_json_key(json, "paragraphs");
    th_json_open_array(json);
    for (uint32_t i = 0; i < page->paragraph_count; i++)
        write_paragraph(json, page, i);
    th_json_close_array(json);
}

static void write_link(th_json *json, const th_page *page, const th_link *link)
{
    th_json_open_object(json);
    th_json_member(json, "url", link->url);
    if (link->anchor_len)
        th_json_member(
            json, "anchor",
            (th_view){ page->text.data + link->anchor_start, link->anchor_len });
    if (link->block != TH_NONE) {
        th_json_member_uint(json, "block", link->block);
        const uint32_t paragraph = page->blocks[link->block].paragraph;
        th_json_member_text(
            json, "label", paragraph_label(page, paragraph, page->label_of[link->block]));
    }
    th_json_key(json, "internal");
    th_json_bool(json, link->is_internal);
    th_json_member(json, "rel", link->rel);
    th_json_close_object(json);
}

static void write_links(th_json *json, const th_page *page)
{
    th_json_key(json, "links");
    th_json_open_array(json);
    for (uint32_t i = 0; i < page->link_count; i++)
        write_link(json, page, &page->links[i]);
    th_json_close_array(json);
}

static void write_posts(th_json *json, const char *key, const th_page *page,
                        bool (*is_wanted)(const th_page *page, uint32_t post))
{
    const th_thread *thread = page->thread;
    bool is_open = false;
    for (uint32_t i = 0; i < thread->count; i++) {
        const th_post *post = &thread->posts[i];
        if (!is_wanted(page, i))
            continue;
        if (!is_open) {
            th_json_key(json, key);
            th_json_open_array(json);
        }
        is_open = true;
        const th_view text = th_page_print_post(page, i);
        if (!text.data) {
            th_json_fail(json, th_annotation_failure(page));
            break;
        }
        th_json_open_object(json);
        th_json_member(json, "author", post->author);
        th_json_member(json, "published", post->published);
        if (post->has_votes) {
            th_json_key(json, "votes");
            th_json_signed_decimal(json, (double)post->votes, 0);
        }
        if (post->is_accepted) {
            th_json_key(json, "accepted");
            th_json_bool(json, true);
        }
        th_json_member(json, "quote_of", post->quote_of);
        if (post->depth)
            th_json_member_uint(json, "depth", post->depth);
        th_json_member(json, "text", text);
        th_json_close_object(json);
    }
    if (is_open)
        th_json_close_array(json);
}

static bool is_post(const th_page *page, uint32_t post)
{
    return !page->thread->posts[post].is_comment;
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

static void write_parts(th_json *json, const th_annotated *annotated, uint32_t emit)
{
    const th_page *page = annotated->page;
    if (emit & TH_EMIT_FULL_TEXT)
        th_json_member(json, "full_text", page->text);
    if (emit & TH_EMIT_SEGMENTS)
        write_segments(json, page);
    if (emit & TH_EMIT_BLOCKS)
        write_blocks(json, page);
    if (emit & TH_EMIT_PARAGRAPHS)
        write_paragraphs(json, page);
    if (emit & TH_EMIT_LINKS)
        write_links(json, page);
    if ((emit & TH_EMIT_POSTS) && page->thread)
        write_posts(json, "posts", page, is_post);
    if (emit & TH_EMIT_HTML)
        th_json_member(json, "html", annotated->html);
}

static void write_flags(th_json *json, uint32_t flags)
{
    th_json_key(json, "flags");
    th_json_open_array(json);
    for (unsigned bit = 0; bit < TH_FLAG_COUNT; bit++) {
        if (!(flags & 1u << bit))
            continue;
        const char *name = th_flag_name(bit);
        th_json_string(json, (th_view){ name, strlen(name) });
    }
    th_json_close_array(json);
}

/* The text in each format. The first member is "text", the others are named after their
 * format. */
static void write_text(th_json *json, const th_options *opt, th_page *page, th_view url)
{
    static const char *const keys[] = { "text_plain", "text_markdown", "text_html" };
    const char *format;
    for (unsigned i = 0; (format = th_text_format_at(opt, i)); i++) {
        const th_view text = th_formatted_text(page, opt, url, i);
        unsigned number = 0;
        while (th_text_formats[number] != format)
            number++;
        if (!text.data) {
            th_json_fail(json, th_annotation_failure(page));
            return;
        }
        if (!i && number)
            th_json_member_text(json, "text_format", format);
        th_json_member(json, i ? keys[number] : "text", text);
    }
}

th_status th_annotation_signed(const th_annotated *annotated, th_buffer *out)
{
    const th_record *record = annotated->record;
    th_page *page = annotated->page;
    th_buffer id = { 0 };
    th_json json;
    th_record_id_write(record, &id);
    th_json_begin(&json, out);
    th_json_open_object(&json);
    th_json_member_text(&json, "schema", TH_BAND_SCHEMA);
    th_json_member(&json, "id", th_buffer_view(&id));
    th_json_member(&json, "url", record->url);
    th_json_member(&json, "date", record->date);
    write_knows_template(&json, page);
    if (page->has_text_digest)
        write_digest(&json, page);
    if (has_signature(page))
        write_minhash(&json, page);
    th_json_close_object(&json);
    if (id.has_failed)
        th_json_fail(&json, TH_NOMEM);
    th_buffer_done(&id);
    return th_json_end(&json);
}

th_status th_annotation_write(const th_options *opt, const th_annotated *annotated,
                              th_annotation_parts parts, th_buffer *out)
{
    const th_record *record = annotated->record;
    th_page *page = annotated->page;
    th_json json;
    th_json_begin_as(&json, out, parts.is_packed);
    th_json_open_object(&json);
    th_json_member_text(&json, "schema", "thresher/1");
    th_json_member(&json, "id", record->id);
    th_json_member(&json, "url", record->url);
    th_json_member(&json, "date", record->date);
    th_annotation_source(&json, record);
    write_http(&json, annotated);
    write_metadata(&json, &page->metadata);
    write_learned(&json, page->learned);
    write_languages(&json, "language_detected", page->languages, TH_NOT_COMPARED);
    write_second_language(&json, page->second_language);
    write_languages(&json, "language_crawl", page->crawl_languages,
                    page->crawl_agreement);
    if (!parts.has_no_text)
        write_text(&json, opt, page, record->url);
    if (page->thread && !opt->comments)
        write_posts(&json, "comments", page, is_comment);
    write_methods(&json, opt);
    write_counts(&json, page);
    write_signals(&json, page->signals);
    write_site(&json, page);
    write_sketch(&json, opt, page);
    if (parts.has_hole && annotated->near_duplicate_at)
        *annotated->near_duplicate_at = th_json_len(&json);
    write_parts(&json, annotated, parts.emit);
    write_flags(&json, record->flags | page->flags);
    th_json_close_object(&json);
    return th_json_end(&json);
}
