/*
 * What can be chosen for a page on its way: limits and methods. One struct, filled with
 * defaults by th_options_init, checked once by th_options_check, then const.
 *
 * The struct grows at its end. Its first member says how much of it the caller was
 * compiled with, so that a program need not be compiled again when the library has new
 * members: they have their defaults for it.
 */
#ifndef THRESHER_OPTIONS_H
#define THRESHER_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "thresher/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct th_page_filter;
struct th_segment_model;
struct th_content_model;
struct th_fasttext;

/** Parts of a record that are emitted on request, and the signatures made. */
enum {
    TH_EMIT_FULL_TEXT = 1u << 0,
    TH_EMIT_SEGMENTS = 1u << 1,
    TH_EMIT_BLOCKS = 1u << 2,
    TH_EMIT_LINKS = 1u << 3,
    TH_EMIT_HTML = 1u << 4,
    TH_EMIT_PARAGRAPHS = 1u << 5,
    TH_EMIT_LANGUAGES = 1u << 6, /* of each paragraph and block that is emitted */
    TH_EMIT_SIGNALS = 1u << 7,   /* th_quality_signals */
    TH_EMIT_POSTS = 1u << 8,     /* of a thread, with author and date */
};

/** What of a page is kept only on request, because few methods read it. */
enum {
    TH_READS_CLASSES = 1u << 0, /* words of class, id, role and itemprop */
    TH_READS_HIDDEN = 1u << 1,  /* hidden text, in paragraphs that are marked */
    TH_READS_HINTS = 1u << 2,   /* th_page.hints */
    /* Positions of segments, where the segmenter tells them; so does TH_EMIT_SEGMENTS. */
    TH_READS_POSITIONS = 1u << 3,
};

/** Names of these parts, "full_text", by the number of their bit; ends with NULL. */
extern TH_API const char *const th_emit_names[];

/** What is made of paragraphs that recur on their site: "off", "signatures", "labels";
 * ends with NULL. */
extern TH_API const char *const th_sites_rules[];

/** "auto" (CLD2 where it is built in), "cld2", "none"; ends with NULL. */
extern TH_API const char *const th_language_detectors[];

/** "plain", "markdown" and "html"; ends with NULL. */
extern TH_API const char *const th_text_formats[];

struct th_options;

/** Name of format number `i` in the list text_format, from 0. NULL if the list is shorter. Static
 * storage. */
TH_API const char *th_text_format_at(const struct th_options *options, unsigned i);

/** Values of text_title, NULL at the end. */
extern TH_API const char *const th_text_titles[];

typedef struct th_options {
    size_t size; /* bytes of this struct for the caller; set by th_options_init */

    /* limits; beyond one the record is cut and flagged, or refused by name */
    uint64_t max_record;     /* bytes of a WARC block that are looked at */
    uint64_t max_body;       /* bytes of a decoded HTTP body */
    uint32_t max_head;       /* bytes of an HTTP head */
    uint32_t max_codings;    /* stacked content codings */
    uint32_t max_depth;      /* nested elements that are kept as nodes */
    uint32_t max_nodes;      /* elements kept as nodes */
    uint32_t max_blocks;     /* atomic blocks */
    uint32_t max_links;      /* links */
    uint32_t max_attributes; /* attributes of a tag */
    uint32_t max_tag;        /* bytes of a tag */
    uint32_t page_ms;        /* CPU time of a page, milliseconds; 0 = no limit */

    /* text model and methods */
    uint32_t w_max;         /* columns of a wrapped line [K11 §4.2.1] */
    const char *parser;     /* one of th_parser_names; borrowed */
    const char *segmenter;  /* a name in th_segmenters; borrowed */
    const char *profile;    /* gap tags: "2008" or "html5"; borrowed */
    double theta_max;       /* fuse below this slope delta; negative = the method's own */
    const char *classifier; /* a name in th_classifiers; borrowed */
    /* Which segment is the main one. "largest": most tokens among those with fewer linked
     * than plain ones [KN08 §5.3]. "weighed", the default (and NULL): most plain tokens,
     * less where the segment's density is under 10, half where most of it stands in
     * FOOTER, NAV or ASIDE. Ties go to the earlier one. Borrowed. */
    const char *main_segment;

    /* sketch */
    const char *minhash; /* words for th_minhash_parse, or "none"; borrowed */
    uint32_t sign;       /* 1u << TH_SIGN_MAIN | ... */
    uint8_t bands;       /* emit band keys */

    uint32_t emit; /* TH_EMIT_... */

    /* Parameters of the learned segmenters whose features it fits, in place of those that
     * ship; NULL: those. Must fit `segmenter`. Borrowed, and read while pages are
     * made. */
    const struct th_segment_model *segment_model;

    /* Format of a record's text: one of th_text_formats, or several, separated by commas.
     * The second and third get separate fields. Borrowed. */
    const char *text_format;
    uint8_t text_links;  /* links with their URLs, where the format has links */
    uint8_t text_images; /* the same of pictures */

    /* One of th_sites_rules, for pages whose paragraph_recurs is filled. "signatures":
     * such paragraphs are left out of the text that is signed as distinct. "labels": they
     * are boilerplate, too, whatever the classifier says. Borrowed. */
    const char *sites_rule;
    /* What the program's pipeline leaves out; th_parse_html and the stages do not look at
     * it. NULL: nothing. Borrowed. */
    const struct th_page_filter *filter;
    uint8_t weak_facts; /* authors and dates also from sources that are often wrong */
    uint32_t reads;     /* TH_READS_..., beside what the classifier reads */

    /* Of a learned classifier, in place of the one that ships; NULL: that one. Borrowed,
     * and read while pages are made. */
    const struct th_content_model *content_model;
    /* Of a learned classifier, what follows too. "balanced" (and NULL), "strict", "wide",
     * or the least score of content, ".5". Borrowed. */
    const char *strictness;
    uint8_t comments; /* what readers wrote is content too */
    /* Steps of its decision that are left out, to measure what they do: bits of
     * th_content_step_names. */
    uint32_t content_left_out;

    /* How the program's pipeline finds the content's languages: one of
     * th_language_detectors; the stages of the library do not look at it. Borrowed. */
    const char *language_detector;
    uint32_t language_bytes; /* of the content that are looked at for its languages */
    /* A second opinion, for the pipeline too; NULL: none. Borrowed. */
    const struct th_fasttext *fasttext;

    /* Methods that `segmenter` may name: ends with a NULL pointer. NULL: th_segmenters.
     * Borrowed. */
    const struct th_segmenter *const *segmenters;
    /* Whether the page's headline is the first line of a record's text, also where it is
     * not content: one of th_text_titles. "auto", and NULL: in Markdown and HTML only.
     * Borrowed. */
    const char *text_title;
    uint8_t text_front_matter; /* plain and Markdown text begins with metadata as YAML */
} th_options;

/** th_options_init for a caller that knows `size` bytes of the struct. */
TH_API void th_options_init_sized(th_options *options, size_t size);

/** Every default, as the documentation states them. */
static inline void th_options_init(th_options *options)
{
    th_options_init_sized(options, sizeof *options);
}

/**
 * Checks ranges and that every name is known. What takes options below relies on it.
 * @return TH_OK, or TH_USAGE with the option's name in err; also for options that
 *         th_options_init has not seen, or of a newer library than this one
 */
TH_API th_status th_options_check(const th_options *options, th_error *err);

#ifdef __cplusplus
}
#endif

#endif
