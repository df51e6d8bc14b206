/*
 * A small annotated page made by hand, for the tests of src/write: four blocks in three
 * segments, two of the blocks content, with characters of one to four bytes.
 */
#ifndef SAMPLE_PAGE_H
#define SAMPLE_PAGE_H

#include "page/record.h"
#include "thresher/options.h"

/** The page and all that it points to. */
typedef struct sample_page {
    th_options opt; /* defaults, but minhash = "none" */
    th_record record;
    th_page page;
    th_annotated annotated; /* emitted; its page and record are the two above */
    th_block blocks[4];
    uint32_t tokens_before[5], linked_before[5], lines_before[5];
    th_node nodes[7];
    th_link links[2];
    uint32_t segment_of[4];
    th_segment segments[3];
    uint8_t label_of[4];
    uint8_t paragraph_label_of[4];
    uint32_t paragraph_pages[4];
    uint8_t paragraph_recurs[4];
    uint32_t segment_pages[3];
    uint8_t segment_recurs[3];
    th_paragraph paragraphs[4];
    th_box boxes[5];
    uint16_t score_of[4];
    uint8_t is_comment[4], strict_label_of[4], wide_label_of[4];
    th_post posts[2];
    th_right rights[1];
    th_statement statements[TH_STRUCTURED_LISTS][2];
    th_structured structured;
    uint32_t post_of[4];
    uint8_t part_of[4];
    th_thread thread;
    th_learned learned; /* of the page once it is filled */
} sample_page;

/** Fills the sample; no metadata, no signature, no flag. */
void sample_page_init(sample_page *sample);

/** Makes the sample say all that a record can: every field but near_duplicate. */
void sample_page_fill(sample_page *sample);

/** Data of a learned classifier: scores. The last paragraph is a comment, and the one
 * before is hidden. */
void sample_page_learn(sample_page *sample);

/** Gives back the page's arena. */
void sample_page_done(sample_page *sample);

/**
 * Every string of the record and the page that comes from outside, by number.
 * @return NULL after the last
 */
th_view *sample_page_string(sample_page *sample, unsigned number);

#endif
