/*
 * A sink that records the tokens of a tokenizer, for tests. Two runs are equal if their
 * records are equal.
 *
 *   <p class="x" id="">  </p>  {text}  (--comment--)  (!name,public,system)
 *
 * Consecutive text calls are joined. "/>" is a self-closing tag, "!>" a truncated tag,
 * "?)" a doctype that forces quirks, "~" an absent part of a doctype.
 */
#ifndef TH_TOKEN_RECORD_H
#define TH_TOKEN_RECORD_H

#include "base/buffer.h"
#include "parse/html/html_tokenizer.h"

typedef struct th_token_record {
    th_buffer out;
    th_html_content (*content_of)(const th_html_tag *tag); /* NULL: always data */
    bool is_sorted;                                        /* attributes by name */
    bool is_foreign; /* the answer to that question */
    bool is_in_text;
    size_t stop_after; /* tags; 0: never */
    size_t tags;
    th_status status;    /* stops the tokenizer */
    size_t longest_text; /* of one call */
} th_token_record;

/** Empties the record and closes nothing. */
void th_token_record_reset(th_token_record *record);

/** Closes an open text. */
void th_token_record_close(th_token_record *record);

/** With and without comments and doctypes. The context is a th_token_record. */
extern const th_html_sink th_token_record_sink;
extern const th_html_sink th_token_record_text_sink;

/** How the content of an HTML element is read: the standard's list. */
th_html_content th_token_record_html_content(const th_html_tag *tag);

/** A whole page in pieces of `piece` bytes, each an exact heap copy; 0: in one. Stops the
 * test without memory. */
void th_token_record_run(th_token_record *record, th_html_tokenizer *tokenizer,
                         const th_html_sink *sink, th_html_content content,
                         th_view last_start_tag, th_view page, size_t first,
                         size_t piece);

#endif
