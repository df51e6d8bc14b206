/* JSON-LD in a page: reads its schema.org objects about the page. Streaming, no tree. */
#ifndef TH_JSON_LD_H
#define TH_JSON_LD_H

#include <stdbool.h>

#include "thresher/arena.h"
#include "thresher/view.h"

/* Kinds of object, by @type, best first. */
typedef enum th_json_ld_kind {
    TH_LD_ARTICLE, /* *Article, *Posting, Report, Recipe, HowTo, CreativeWork ... */
    TH_LD_PAGE,    /* *Page */
    TH_LD_SITE,    /* WebSite */
    TH_LD_OTHER,
} th_json_ld_kind;

/** The fields of one object. Absent views have no data. Tidy: see th_tidy_text. */
typedef struct th_json_ld {
    th_json_ld_kind kind;
    bool is_news;        /* a NewsArticle */
    bool is_product;     /* something for sale: TH_LD_OTHER, without any other field */
    th_view headline;    /* at most 1 KiB */
    th_view name;        /* at most 512 bytes, as all below except the description */
    th_view description; /* at most 4 KiB */
    th_view author;      /* names of author, else of creator, joined by "; " */
    th_view published;   /* datePublished, else dateCreated, as stated */
    th_view modified;    /* dateModified, as stated */
    th_view language;    /* inLanguage, as stated */
    th_view publisher;   /* its name */
} th_json_ld;

/** Receives a complete object. @param object  borrowed for the call */
typedef void (*th_json_ld_emit)(void *context, const th_json_ld *object);

/** Memory for a copy of the text, kept from block to block of a page. Start with { 0 }. */
typedef struct th_json_ld_memory {
    char *data; /* in the arena */
    size_t size;
} th_json_ld_memory;

/**
 * Copies the text of one SCRIPT without wrappers, and with spaces instead of control
 * characters. Strings may be decoded in the copy, in place.
 * @param len  out: bytes of the copy, at most 1 MiB
 * @return NULL if the text does not start an object or array, or without memory
 */
char *th_json_ld_copy(th_view text, th_arena *arena, th_json_ld_memory *memory,
                      size_t *len);

/**
 * Reads the text of one SCRIPT and emits the objects about the page, in order of their
 * ends: the root, or the elements of a root array, of @graph, and of mainEntity. An
 * author who is named by @id only is looked up among the objects of the same text.
 * Objects nested deeper (comments, related articles, breadcrumbs) are not about the page
 * and are skipped. Comment and CDATA wrappers and control characters in strings are
 * tolerated. A text that breaks the grammar, or nests deeper than 32, ends there. Only
 * complete objects count.
 * @param text    UTF-8; only the first MiB is read
 * @param arena   receives a copy of the text, reused through `memory`
 * Without memory nothing is emitted. O(length).
 */
void th_json_ld_read(th_view text, th_arena *arena, th_json_ld_memory *memory,
                     th_json_ld_emit emit, void *context);

#endif
