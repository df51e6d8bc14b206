/* A page of an extraction corpus: one line of pages.jsonl.gz. */
#ifndef TH_CORPUS_PAGE_H
#define TH_CORPUS_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "page/record.h"
#include "thresher/status.h"
#include "thresher/view.h"

enum {
    TH_SNIPPETS_MAX = 256,     /* snippets of each kind; more are ignored */
    TH_REQUIRED_MAX = 1024,    /* required lines of a page; more are an error */
    TH_REQUIRED_KINDS_MAX = 8, /* kinds of required lines; more are an error */
};

/** Properties by which a report groups pages. */
enum th_corpus_group { TH_BY_PAGE_TYPE, TH_BY_LANGUAGE, TH_BY_GENERATOR, TH_GROUPINGS };

/** A line that a reader needs: an ingredient of a recipe. */
typedef struct th_required_line {
    th_view text;
    uint32_t kind; /* index into required_kinds */
} th_required_line;

/** Fields that are absent or null have no data. Views live in the page's own buffer. */
typedef struct th_corpus_page {
    th_view id;
    th_view url;
    th_view encoding; /* the actual encoding of the bytes: label of the HTTP header */
    th_view html;     /* as it was served */
    th_view gold;     /* main content; absent: the page counts for snippets only */
    th_view groups[TH_GROUPINGS];     /* "article", "en", "Hugo"; absent if unknown */
    th_view with[TH_SNIPPETS_MAX];    /* must be in the content */
    th_view without[TH_SNIPPETS_MAX]; /* must not */
    uint32_t with_count, without_count;
    th_view required_kinds[TH_REQUIRED_KINDS_MAX]; /* "ingredients" */
    th_required_line required[TH_REQUIRED_MAX];
    uint32_t required_kind_count, required_count;
    th_buffer strings; /* owns the texts */
} th_corpus_page;

/** Frees what the page owns; a zeroed page is empty. */
void th_corpus_page_done(th_corpus_page *page);

/**
 * Reads a line: a JSON object with id, html_b64 (or html: text, which is then read as
 * UTF-8) and, where known, url, encoding, gold_text, page_type, lang, generator, with,
 * without, required. Other members are ignored.
 * @param page  its buffer is used again
 * @return TH_OK; TH_BAD_WARC if it is not such an object, with the reason in err;
 *         TH_NOMEM.
 * Linear in the line.
 */
th_status th_corpus_page_read(th_corpus_page *page, th_view line, th_error *err);

/* Bytes of a media type with a charset of at most 60. */
enum { TH_CORPUS_TYPE_MAX = 128 };

/**
 * The record that a server would have given: the head states the true encoding.
 * @param type  the record's media type, which it borrows, as it does the page's texts
 */
th_record th_corpus_page_record(const th_corpus_page *page,
                                char type[TH_CORPUS_TYPE_MAX]);

#endif
