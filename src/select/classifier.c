/*
 * The select stage. It finds the classifier that the options name, which returns the
 * reason for each atomic block. It labels the block by that reason, and derives every
 * segment's label and the page's main segment from the blocks' labels. It runs between
 * segment, whose column it reads, and sketch, which signs the content.
 */
#include "thresher/classifier.h"

#include <assert.h>
#include <string.h>

#include "page/options_size.h"
#include "select/classifiers.h"
#include "select/main_segment.h"
#include "select/neighbours.h"
#include "select/paragraph_labels.h"

#define ROW(name) &(name),
const th_classifier *const th_classifiers[] = { TH_CLASSIFIERS(ROW) NULL };
#undef ROW

const th_classifier *th_classifier_find(const char *name)
{
    for (const th_classifier *const *at = th_classifiers; *at; at++) {
        if (strcmp((*at)->name, name) == 0)
            return *at;
    }
    return NULL;
}

const th_reason *th_reason_of(const th_classifier *classifier, uint8_t number)
{
    static const th_reason recurs = {
        TH_BOILERPLATE, "recurs: other pages of the site contain the same paragraph"
    };
    return number == TH_REASON_RECURS ? &recurs : &classifier->reasons[number];
}

/* Marks the blocks of paragraphs that recur on the site. They are boilerplate. */
static void mark_recurrent(const th_page *page, const uint8_t *recurs, uint8_t *reason_of)
{
    for (uint32_t i = 0; recurs && i < page->block_count; i++)
        if (recurs[page->blocks[i].paragraph])
            reason_of[i] = TH_REASON_RECURS;
}

/* Labels segments as content if more than half of their tokens are. A segment without
 * tokens is not. */
static void label_segments(th_page *page)
{
    page->content_tokens = 0;
    for (uint32_t i = 0; i < page->segment_count; i++)
        page->segments[i].content_tokens = 0;
    for (uint32_t i = 0; i < page->block_count; i++) {
        if (page->label_of[i] != TH_CONTENT)
            continue;
        page->segments[page->segment_of[i]].content_tokens += page->blocks[i].tokens;
        page->content_tokens += page->blocks[i].tokens;
    }
    for (uint32_t i = 0; i < page->segment_count; i++) {
        th_segment *segment = &page->segments[i];
        const uint32_t rest = segment->tokens - segment->content_tokens;
        segment->label = segment->content_tokens > rest ? TH_CONTENT : TH_BOILERPLATE;
    }
}

/* Labels hidden text as boilerplate, because rules do not know hidden text. */
static void leave_hidden_out(th_page *page)
{
    for (uint32_t i = 0; i < page->paragraph_count; i++) {
        const th_paragraph *paragraph = &page->paragraphs[i];
        if (paragraph->is_hidden)
            memset(page->label_of + paragraph->first_block, TH_BOILERPLATE,
                   paragraph->end_block - paragraph->first_block);
    }
}

/* Labels blocks by a rule, and derives the labels of paragraphs. */
static th_status label_blocks(th_page *page, const th_options *opt,
                              const th_classifier *classifier)
{
    const uint8_t *recurs = th_labelled_recurrent(page, opt);
    th_status status = classifier->decide(page, opt, page->arena, page->reason_of);
    if (status != TH_OK)
        return status;
    mark_recurrent(page, recurs, page->reason_of);
    for (uint32_t i = 0; i < page->block_count; i++)
        page->label_of[i] = th_reason_of(classifier, page->reason_of[i])->label;
    leave_hidden_out(page);
    label_segments(page);
    return th_paragraph_labels(page, recurs);
}

/* Labels paragraphs by a model; blocks get the label of their paragraph. */
static th_status label_paragraphs(th_page *page, const th_options *opt,
                                  const th_classifier *classifier)
{
    uint8_t *reason_of = th_arena_calloc(page->arena, page->paragraph_count, 1);
    uint8_t *labels = th_arena_alloc(page->arena, page->paragraph_count);
    if (!reason_of || !labels)
        return TH_NOMEM;
    const uint8_t *recurs = th_labelled_recurrent(page, opt);
    const th_status status = classifier->judge(page, opt, reason_of);
    if (status != TH_OK)
        return status;
    for (uint32_t i = 0; i < page->paragraph_count; i++) {
        const th_paragraph *paragraph = &page->paragraphs[i];
        if (recurs && recurs[i])
            reason_of[i] = TH_REASON_RECURS;
        labels[i] = th_reason_of(classifier, reason_of[i])->label;
        for (uint32_t k = paragraph->first_block; k < paragraph->end_block; k++) {
            page->reason_of[k] = reason_of[i];
            page->label_of[k] = labels[i];
        }
    }
    page->paragraph_label_of = labels;
    label_segments(page);
    return TH_OK;
}

th_status th_select_page(th_page *page, const th_options *opt)
{
    th_options scratch;
    opt = th_options_complete(opt, &scratch);
    if (!opt)
        return TH_USAGE;
    /* Plain text has no boilerplate, and nothing that a classifier knows. */
    const th_classifier *classifier = page->flags & TH_FLAG_PLAIN_TEXT
                                          ? &th_keep_all
                                          : th_classifier_find(opt->classifier);
    assert(classifier);
    uint8_t *reason_of = th_arena_calloc(page->arena, page->block_count, 1);
    uint8_t *label_of = th_arena_calloc(page->arena, page->block_count, 1);
    if (!reason_of || !label_of)
        return TH_NOMEM;
    page->reason_of = reason_of;
    page->label_of = label_of;
    page->learned = NULL;
    page->flags &= ~(uint32_t)TH_FLAG_CONTENT_UNSURE;
    const th_status status = classifier->judge ? label_paragraphs(page, opt, classifier)
                                               : label_blocks(page, opt, classifier);
    if (status != TH_OK)
        return status;
    return th_main_segment_find(page, opt, &page->main_segment);
}
