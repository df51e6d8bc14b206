/*
 * A page read by several methods in one run: segment, select and sketch again for each
 * pair, over the rows that parse made once.
 *
 * A page is a flat struct whose columns are pointers, so a reading is a shallow copy of
 * it with its own columns. They are in an arena of the readings, because the readings of
 * a page of 250,000 blocks, read 56 times, exceed the limit of a page's arena.
 */
#include "inspect/reading.h"

#include <string.h>

enum { ARENA_LIMIT = 1 << 30 };

static bool is_listed(const char *names, const char *name)
{
    const size_t len = strlen(name);
    for (const char *at = names; *at;) {
        const size_t here = strcspn(at, ",");
        if (here == len && memcmp(at, name, len) == 0)
            return true;
        at += here + (at[here] == ',');
    }
    return false;
}

static bool is_method(const th_segmenter *const *segmenters, const char *name, size_t len)
{
    char copy[64];
    if (len >= sizeof copy)
        return false;
    memcpy(copy, name, len);
    copy[len] = '\0';
    return th_segmenter_find(segmenters, copy) || th_classifier_find(copy) ||
           strcmp(copy, "all") == 0 || strcmp(copy, "none") == 0 || len == 0;
}

th_status th_readings_check(const char *names, const th_segmenter *const *segmenters,
                            th_error *err)
{
    for (const char *at = names; *at;) {
        const size_t len = strcspn(at, ",");
        if (!is_method(segmenters, at, len))
            return th_fail(err, TH_USAGE,
                           "compare: '%.*s' is not a segmenter or a classifier",
                           (int)(len > 100 ? 100 : len), at);
        at += len + (at[len] == ',');
    }
    return TH_OK;
}

static bool is_wanted(const char *names, const char *name, const char *own)
{
    return strcmp(name, own) == 0 || is_listed(names, name) || is_listed(names, "all");
}

/* Fills the lists of methods. */
static th_status choose(th_readings *readings, const th_options *opt, const char *names)
{
    const th_segmenter *const *methods =
        opt->segmenters ? opt->segmenters : th_segmenters;
    uint32_t segmenters = 0, classifiers = 0;
    while (methods[segmenters])
        segmenters++;
    while (th_classifiers[classifiers])
        classifiers++;
    readings->segmenters = th_arena_calloc(readings->arena, segmenters, sizeof(void *));
    readings->classifiers = th_arena_calloc(readings->arena, classifiers, sizeof(void *));
    if (!readings->segmenters || !readings->classifiers)
        return TH_NOMEM;
    for (uint32_t i = 0; i < segmenters; i++)
        if (is_wanted(names, methods[i]->name, opt->segmenter))
            readings->segmenters[readings->segmenter_count++] = methods[i];
    for (uint32_t i = 0; i < classifiers; i++)
        if (is_wanted(names, th_classifiers[i]->name, opt->classifier))
            readings->classifiers[readings->classifier_count++] = th_classifiers[i];
    readings->count = readings->segmenter_count * readings->classifier_count;
    readings->rows =
        th_arena_calloc(readings->arena, readings->count, sizeof *readings->rows);
    return readings->rows ? TH_OK : TH_NOMEM;
}

/* Whether two readings keep the same blocks, and the same ones as main segment. Then
 * their signatures are of the same texts. */
static bool has_same_texts(const th_page *a, const th_page *b)
{
    if (memcmp(a->label_of, b->label_of, a->block_count) != 0)
        return false;
    for (uint32_t i = 0; i < a->block_count; i++)
        if ((a->segment_of[i] == a->main_segment) !=
            (b->segment_of[i] == b->main_segment))
            return false;
    return true;
}

/* Copies the signatures of an earlier reading of the same texts. Many pairs of methods
 * agree, and signatures are most of the work. @return whether there is one */
static bool share_signatures(const th_readings *readings, uint32_t row)
{
    th_page *page = &readings->rows[row].page;
    for (uint32_t i = 0; i < row; i++) {
        const th_page *other = &readings->rows[i].page;
        if (!has_same_texts(page, other))
            continue;
        memcpy(page->signatures, other->signatures, sizeof page->signatures);
        memcpy(page->text_digest, other->text_digest, sizeof page->text_digest);
        page->has_text_digest = other->has_text_digest;
        page->minhash = other->minhash;
        return true;
    }
    return false;
}

/* Computes the signatures of a reading's texts. Normalising them takes memory of the
 * texts' size, so it is done in an arena that is emptied for each reading, and the result
 * is copied. */
static th_status sign(th_page *page, const th_options *opt,
                      const th_minhash_signer *signer, th_arena *scratch)
{
    th_arena *const own = page->arena;
    th_arena_reset(scratch);
    page->arena = scratch;
    const th_status status = th_sketch_page(page, opt, signer);
    page->arena = own;
    for (unsigned i = 0; status == TH_OK && i < TH_SIGN_COUNT; i++) {
        th_signature *signature = &page->signatures[i];
        if (!signature->slots)
            continue;
        const size_t size = signature->slot_count * sizeof *signature->slots;
        uint64_t *slots = th_arena_alloc(own, size);
        if (!slots)
            return TH_NOMEM;
        memcpy(slots, signature->slots, size);
        signature->slots = slots;
    }
    return status;
}

/* Labels a page whose segments become the row's. The labels of segments differ between
 * readings, so each has a copy of the segments' table. */
static th_status select_content(th_readings *readings, uint32_t row,
                                const th_page *segmented, const th_options *opt,
                                th_arena *scratch)
{
    th_page *page = &readings->rows[row].page;
    *page = *segmented;
    page->segments =
        th_arena_calloc(page->arena, page->segment_count, sizeof *page->segments);
    if (!page->segments)
        return TH_NOMEM;
    memcpy(page->segments, segmented->segments,
           page->segment_count * sizeof *page->segments);
    th_status status = th_select_page(page, opt);
    if (status == TH_OK && !share_signatures(readings, row))
        status = sign(page, opt, readings->signer, scratch);
    return status;
}

/* Makes all readings of one segmenter. */
static th_status read_segments(th_readings *readings, uint32_t segmenter,
                               const th_page *page, th_options opt, th_arena *scratch)
{
    th_page segmented = *page;
    segmented.arena = readings->arena;
    memset(segmented.signatures, 0, sizeof segmented.signatures);
    segmented.has_text_digest = 0;
    segmented.minhash = NULL;
    const char *const own_segmenter = opt.segmenter;
    const char *const own_classifier = opt.classifier;
    opt.segmenter = readings->segmenters[segmenter]->name;
    const bool is_own = strcmp(opt.segmenter, own_segmenter) == 0;
    th_status status = th_segment_page(&segmented, &opt);
    for (uint32_t i = 0; i < readings->classifier_count && status == TH_OK; i++) {
        const uint32_t row = segmenter * readings->classifier_count + i;
        opt.classifier = readings->classifiers[i]->name;
        readings->rows[row].segmenter = segmenter;
        readings->rows[row].classifier = i;
        if (is_own && strcmp(opt.classifier, own_classifier) == 0)
            readings->chosen = row;
        status = select_content(readings, row, &segmented, &opt, scratch);
    }
    return status;
}

/* @return TH_OK, also if the options select no signatures */
static th_status make_signer(th_readings *readings, const th_options *opt, th_error *err)
{
    th_minhash_preset preset;
    const th_status status = th_minhash_parse(opt->minhash, &preset, err);
    if (status == TH_NOT_WANTED)
        return TH_OK;
    return status == TH_OK ? th_minhash_signer_new(&preset, &readings->signer, err)
                           : status;
}

th_status th_readings_make(const th_page *page, const th_options *opt, const char *names,
                           th_readings *out, th_error *err)
{
    *out = (th_readings){ .arena = th_arena_new(ARENA_LIMIT) };
    if (!out->arena)
        return th_fail(err, TH_NOMEM, "cannot allocate the readings");
    th_status status = th_readings_check(names, opt->segmenters, err);
    if (status == TH_OK)
        status = make_signer(out, opt, err);
    if (status != TH_OK)
        return status;
    th_arena *scratch = th_arena_new(ARENA_LIMIT);
    status = scratch ? choose(out, opt, names) : TH_NOMEM;
    for (uint32_t i = 0; i < out->segmenter_count && status == TH_OK; i++)
        status = read_segments(out, i, page, *opt, scratch);
    th_arena_free(scratch);
    if (status == TH_NOMEM && th_arena_is_full(out->arena))
        return th_fail(err, TH_TOO_LARGE,
                       "page has too many blocks (%u) to compare %u readings",
                       page->block_count, out->count);
    return status == TH_OK ? status : th_fail(err, status, "cannot read the page again");
}

void th_readings_done(th_readings *readings)
{
    th_minhash_signer_free(readings->signer);
    th_arena_free(readings->arena);
    *readings = (th_readings){ .arena = NULL };
}
