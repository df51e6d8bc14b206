/*
 * HTML to tokens, by the HTML Living Standard, 13.2.5: start tags, end tags, text,
 * comments, doctypes, with newlines normalised and references resolved.
 *
 * The tokenizer knows no tree. It asks its sink for the results of tree construction: how
 * the content of an element is read, whether the current node is foreign. Pages may
 * arrive in pieces. Any split gives the same tokens, text calls joined.
 *
 * No limit loses text. Beyond its limits a tag loses attributes and is marked. A comment,
 * a doctype, or the name of a tag is cut.
 */
#ifndef TH_HTML_TOKENIZER_H
#define TH_HTML_TOKENIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parse/html/attribute.h"
#include "thresher/status.h"
#include "thresher/tag.h"

/** How content is read. */
typedef enum th_html_content {
    TH_HTML_DATA,        /* tags and references */
    TH_HTML_RCDATA,      /* references; ends at the end tag: TITLE, TEXTAREA */
    TH_HTML_RAWTEXT,     /* neither; ends at the end tag: STYLE, XMP, IFRAME, ... */
    TH_HTML_SCRIPT_DATA, /* as RAWTEXT, with the escapes that SCRIPT has */
    TH_HTML_PLAINTEXT,   /* text to the end of the page */
    TH_HTML_CDATA,       /* inside "<![CDATA[": only to begin with */
} th_html_content;

/** A start or end tag; all borrowed for the call. */
typedef struct th_html_tag {
    th_view name;              /* ASCII letters in lower case, NUL as U+FFFD */
    th_tag tag;                /* its number, or TH_TAG_OTHER */
    const th_attribute *attrs; /* in order, without duplicates; none for an end tag */
    size_t attr_count;
    uint64_t attr_bits; /* th_attribute_bits of them */
    bool is_self_closing;
    bool is_cut; /* over a limit: attributes are missing, or the name is cut */
} th_html_tag;

/** A doctype; all borrowed for the call. Absent parts have a data pointer of NULL. */
typedef struct th_html_doctype {
    th_view name; /* ASCII letters in lower case */
    th_view public_id;
    th_view system_id;
    bool force_quirks;
} th_html_doctype;

/** The receiver of the tokens, in document order. comment and doctype may be NULL. */
typedef struct th_html_sink {
    /**
     * @return how the following content is read, by the standard's tree construction. For
     *         values other than TH_HTML_DATA this tag's name is also the name of the end
     *         tag due.
     */
    th_html_content (*start_tag)(void *context, const th_html_tag *tag);
    void (*end_tag)(void *context, const th_html_tag *tag);
    /** Characters; len > 0. A NUL comes in a separate call (only in TH_HTML_DATA and
     * CDATA sections, elsewhere it is already U+FFFD). At most 64 KiB, cut anywhere, in a
     * code point as well. */
    void (*text)(void *context, const char *bytes, size_t len);
    void (*comment)(void *context, th_view data);
    void (*doctype)(void *context, const th_html_doctype *doctype);
    /** Whether the adjusted current node is outside the HTML namespace. Called only at
     * "<![CDATA[". */
    bool (*is_foreign)(void *context);
} th_html_sink;

/** The width of searches; all give the same tokens. */
typedef enum th_html_search {
    TH_HTML_SEARCH_BEST,     /* the widest that this machine has */
    TH_HTML_SEARCH_PORTABLE, /* 8 bytes at a time, plain C */
    TH_HTML_SEARCH_16,       /* SSE2 or NEON; portable if the machine has neither */
    TH_HTML_SEARCH_32,       /* AVX2; 16 if the machine has no AVX2 */
} th_html_search;

typedef struct th_html_limits {
    uint32_t max_attributes; /* of a tag, 1..65535 */
    /* Bytes of a tag's name and of all names and values of its attributes. It also limits
     * a comment or doctype. 16 or more. */
    uint32_t max_tag;
    th_html_search search; /* for tests; 0: best */
} th_html_limits;

typedef struct th_html_tokenizer th_html_tokenizer;

/** One per parser, reused for every page. @return NULL without memory */
th_html_tokenizer *th_html_tokenizer_new(const th_html_limits *limits);
void th_html_tokenizer_free(th_html_tokenizer *tokenizer);

/**
 * Starts a page and discards the previous one.
 * @param sink            borrowed until the next begin, as are context and status
 * @param status          if it is not TH_OK after a tag or a text, the tokenizer stops and
 *                        drops the rest; NULL never stops it
 * @param content         how the first bytes are read. TH_HTML_DATA for a whole page.
 * @param last_start_tag  lower-case name of the end tag that ends `content`; {NULL, 0}
 *                        for none. Copied.
 */
void th_html_tokenizer_begin(th_html_tokenizer *tokenizer, const th_html_sink *sink,
                             void *context, const th_status *status,
                             th_html_content content, th_view last_start_tag);

/**
 * Reads the next piece of the page.
 * @param bytes  UTF-8 (any other bytes are passed on unchanged); borrowed for the call.
 *               The caller has removed a byte order mark.
 * @return TH_OK, or TH_NOMEM, from then on for the rest of the page. Stopping is not an
 *         error.
 * Cost: O(len), regardless of the bytes and the pieces. Allocates only for tokens longer
 * than any before, up to the limits. Tokens that are complete in the piece are not
 * copied.
 */
th_status th_html_tokenizer_feed(th_html_tokenizer *tokenizer, const char *bytes,
                                 size_t len);

/** Ends the page, by the standard's rules for the end of the file. @return as feed
 * does */
th_status th_html_tokenizer_finish(th_html_tokenizer *tokenizer);

#endif
