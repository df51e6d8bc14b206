/*
 * The shared state of the tokenizer's parts:
 * - The scanner (html_scan.h) reads text, and tags that are complete in the piece.
 * - The machine (html_machine.c, html_doctype.c) reads everything else, byte by byte.
 * - Both build their tokens with html_token.h.
 * - html_tokenizer.c begins, feeds and ends.
 */
#ifndef TH_HTML_TOKENIZER_STATE_H
#define TH_HTML_TOKENIZER_STATE_H

#include <string.h>

#include "base/ascii.h"
#include "base/html_reference.h"
#include "parse/html/html_attributes.h"
#include "parse/html/html_script.h"
#include "parse/html/html_tokenizer.h"

/* The standard's states, except the states of text, which are in html_scan.h. */
typedef enum th_html_state {
    TH_IN_CONTENT, /* the scanner's; in all others the machine continues */
    TH_TAG_OPEN,
    TH_END_TAG_OPEN,
    TH_RAW_END_TAG, /* "<", "</" or "</nam" of the end tag due, in scratch */
    TH_TAG_NAME,
    TH_BEFORE_NAME,
    TH_NAME,
    TH_AFTER_NAME,
    TH_BEFORE_VALUE,
    TH_VALUE_DOUBLE,
    TH_VALUE_SINGLE,
    TH_VALUE_BARE,
    TH_AFTER_VALUE,
    TH_SELF_CLOSING,
    TH_REFERENCE,
    TH_REFERENCE_NAME,
    TH_REFERENCE_NUMBER,
    TH_REFERENCE_HEX_START,
    TH_REFERENCE_HEX,
    TH_REFERENCE_DECIMAL,
    TH_DECLARATION, /* after "<!"; a possible start is held in scratch */
    TH_BOGUS_COMMENT,
    TH_COMMENT_START,
    TH_COMMENT_START_DASH,
    TH_COMMENT,
    TH_COMMENT_END_DASH,
    TH_COMMENT_END,
    TH_COMMENT_END_BANG,
    TH_DOCTYPE, /* from here: html_doctype.c */
    TH_BEFORE_DOCTYPE_NAME,
    TH_DOCTYPE_NAME,
    TH_AFTER_DOCTYPE_NAME,
    TH_DOCTYPE_KEYWORD,
    TH_AFTER_KEYWORD,
    TH_BEFORE_ID,
    TH_ID_DOUBLE,
    TH_ID_SINGLE,
    TH_AFTER_ID,
    TH_BETWEEN_IDS,
    TH_BOGUS_DOCTYPE,
} th_html_state;

enum {
    TH_TEXT_MAX = 64 << 10, /* bytes of one text event */
    TH_HELD_MAX = TH_REFERENCE_NAME_MAX + 4,
};

/* A part of the scratch. */
typedef struct th_span {
    size_t start, len;
} th_span;

/* The doctype that is being read. */
typedef struct th_doctype_parts {
    th_span part[3]; /* name, public and system identifier */
    bool has_part[3];
    bool force_quirks;
    uint8_t now;             /* part that is being read */
    uint8_t keyword_letters; /* of PUBLIC or SYSTEM */
} th_doctype_parts;

typedef const char *th_html_scan(th_html_tokenizer *tok, const char *at, const char *end);

struct th_html_tokenizer {
    const th_html_sink *sink;
    void *context;
    const th_status *status; /* not TH_OK: stop */
    th_html_scan *scan;
    size_t max_tag;

    th_html_state state;
    th_html_content content;
    bool is_stopped; /* the status is not TH_OK, or memory ran out */
    bool has_failed;
    bool has_cr;      /* the piece ended with CR: a LF that follows belongs to it */
    uint8_t brackets; /* in a CDATA section: "]" or "]]" that are held back */
    th_script script;

    /* The tag that is being read. Its bytes are in scratch. */
    th_attribute_list attributes;
    size_t tag_len; /* bytes kept */
    bool is_end_tag;
    bool is_self_closing;
    bool is_cut;
    size_t name_len;        /* the tag's name is the beginning of scratch */
    th_span attribute_name; /* in scratch */
    th_html_tag bare_tag;   /* without attributes: only its name and number change */
    th_doctype_parts doctype;

    /* The reference that is being read. */
    th_html_state value_state; /* its context; TH_IN_CONTENT: text */
    th_reference_walk walk;
    uint32_t code;
    char held[TH_HELD_MAX]; /* its source, while it may turn out to be text */
    uint8_t held_len;

    /* Bytes of the token that cannot be read in place from the input. Kept from page
     * to page. */
    char *scratch;
    size_t scratch_len;
    size_t scratch_size;
    size_t part;  /* start of the part of scratch that is being read */
    bool is_over; /* that part is longer than max_tag and was cut */

    char *end_name;      /* of the end tag that ends the content */
    size_t end_name_len; /* 0: no end tag ends it */
    size_t end_name_size;
};

/* Checks after a tag or a text whether to stop. */
static inline void th_html_check(th_html_tokenizer *tok)
{
    if (__builtin_expect(*tok->status != TH_OK, 0))
        tok->is_stopped = true;
}

/* ---- html_machine.c ---- */

/**
 * Continues in any state except TH_IN_CONTENT, until that state or the end of the piece.
 * @return the position after the last byte that was taken
 */
const char *th_html_machine(th_html_tokenizer *tok, const char *at, const char *end);

/** Ends the page, in any state except TH_IN_CONTENT. */
void th_html_machine_finish(th_html_tokenizer *tok);

/** Returns the position after a CR, and after the LF that may follow it. */
static inline const char *th_html_behind_cr(th_html_tokenizer *tok, const char *at,
                                            const char *end)
{
    if (++at == end)
        tok->has_cr = true;
    else if (*at == '\n')
        at++;
    return at;
}

/* ---- html_doctype.c ---- */

/** Continues after "<!DOCTYPE". */
void th_html_doctype_begin(th_html_tokenizer *tok);

/** Processes one byte, in the states from TH_DOCTYPE. @return whether it was taken */
bool th_html_doctype_step(th_html_tokenizer *tok, char c);

/** Ends the page in one of these states. */
void th_html_doctype_finish(th_html_tokenizer *tok);

/* ---- the scanner, once for each width of html_scan.h ---- */
th_html_scan th_html_scan_portable;
th_html_scan th_html_scan_16;
th_html_scan th_html_scan_32;

#endif
