/*
 * Options for processing a page: limits and methods. One struct, which th_options_init
 * fills with defaults. th_options_check checks it once. Then it is const.
 *
 * New members are added at the end of the struct. Its first member is the size that the
 * caller was compiled with. So a program works with a newer library without
 * recompilation, and new members have their defaults.
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
struct th_robots_file;

/** Parts of a record that are emitted on request, and the texts that are signed. */
enum {
    TH_EMIT_FULL_TEXT = 1u << 0,
    TH_EMIT_SEGMENTS = 1u << 1,
    TH_EMIT_BLOCKS = 1u << 2,
    TH_EMIT_LINKS = 1u << 3,
    TH_EMIT_HTML = 1u << 4,
    TH_EMIT_PARAGRAPHS = 1u << 5,
    TH_EMIT_LANGUAGES = 1u << 6,   /* of each emitted paragraph and block, and shares */
    TH_EMIT_SIGNALS = 1u << 7,     /* th_quality_signals */
    TH_EMIT_POSTS = 1u << 8,       /* of a thread, with author and date */
    TH_EMIT_RIGHTS = 1u << 9,      /* th_page.rights */
    TH_EMIT_STRUCTURED = 1u << 10, /* th_page.structured */
    TH_EMIT_PARAGRAPH_LANGUAGES = 1u << 11, /* th_page.paragraph_languages */
};

/** Kinds of personal data that are replaced in a page's texts. */
enum {
    TH_REDACT_BIT_EMAIL, /* e-mail addresses */
    TH_REDACT_BIT_IP,    /* public IPv4 and IPv6 addresses */
    TH_REDACT_BIT_PHONE, /* telephone numbers */
    TH_REDACT_COUNT
};
enum {
    TH_REDACT_EMAIL = 1u << TH_REDACT_BIT_EMAIL,
    TH_REDACT_IP = 1u << TH_REDACT_BIT_IP,
    TH_REDACT_PHONE = 1u << TH_REDACT_BIT_PHONE,
};

/** Names of these kinds, "email", indexed by bit number; ends with NULL. */
extern TH_API const char *const th_redact_names[];

/** Parts of a page that are kept only on request, because few methods read them. */
enum {
    TH_READS_CLASSES = 1u << 0, /* words of class, id, role and itemprop */
    TH_READS_HIDDEN = 1u << 1,  /* hidden text, in paragraphs marked is_hidden */
    TH_READS_HINTS = 1u << 2,   /* th_page.hints */
    /* Positions of segments, if the segmenter supports them. TH_EMIT_SEGMENTS implies
     * this. */
    TH_READS_POSITIONS = 1u << 3,
    TH_READS_RIGHTS = 1u << 4, /* th_page.rights. TH_EMIT_RIGHTS implies this. */
    TH_READS_STRUCTURED =
        1u << 5, /* th_page.structured. TH_EMIT_STRUCTURED implies it. */
};

/** Names of these parts, "full_text", indexed by bit number; ends with NULL. */
extern TH_API const char *const th_emit_names[];

/** Effects of paragraphs that recur on their site: "off", "signatures", "labels"; ends
 * with NULL. */
extern TH_API const char *const th_sites_rules[];

/** "auto" (CLD2 if it is built in), "cld2", "fasttext" (th_options.fasttext), "none"; ends
 * with NULL. */
extern TH_API const char *const th_language_detectors[];

/** "plain", "markdown" and "html"; ends with NULL. */
extern TH_API const char *const th_text_formats[];

struct th_options;

/** Returns the name of format number `i` in the list text_format, from 0, or NULL if the
 * list is shorter. Static storage. */
TH_API const char *th_text_format_at(const struct th_options *options, unsigned i);

/** Values of text_title; ends with NULL. */
extern TH_API const char *const th_text_titles[];

typedef struct th_options {
    size_t size; /* size of this struct for the caller; th_options_init sets it */

    /* limits; beyond one the record is cut and flagged, or rejected with its status */
    uint64_t max_record;     /* maximum bytes read from a WARC block */
    uint64_t max_body;       /* bytes of a decoded HTTP body */
    uint32_t max_head;       /* bytes of an HTTP head */
    uint32_t max_codings;    /* stacked content codings */
    uint32_t max_depth;      /* nested elements that are kept as nodes */
    uint32_t max_nodes;      /* elements kept as nodes */
    uint32_t max_blocks;     /* atomic blocks */
    uint32_t max_links;      /* links */
    uint32_t max_attributes; /* attributes of a tag */
    uint32_t max_tag;        /* bytes of a tag */
    uint32_t page_ms;        /* CPU milliseconds for a page; 0 = no limit */

    /* text model and methods */
    uint32_t w_max;         /* columns of a wrapped line [K11 §4.2.1] */
    const char *segmenter;  /* a name in th_segmenters; borrowed */
    const char *profile;    /* gap tags: "2008" or "html5"; borrowed */
    double theta_max;       /* fuse below this slope delta; negative = the method's own */
    const char *classifier; /* a name in th_classifiers; borrowed */
    /* How to choose the main segment. "largest": most tokens among the segments with
     * fewer linked than plain tokens [KN08 §5.3]. "weighed", the default (and NULL): most
     * plain tokens, less if the segment's density is under 10, half if most of it is in
     * FOOTER, NAV or ASIDE. Ties go to the earlier segment. Borrowed. */
    const char *main_segment;

    /* sketch */
    const char *minhash; /* words for th_minhash_parse, or "none"; borrowed */
    uint32_t sign;       /* 1u << TH_SIGN_MAIN | ... */
    uint8_t bands;       /* emit band keys */

    uint32_t emit; /* TH_EMIT_... */

    /* Parameters of the learned segmenters with the same features, instead of the shipped
     * parameters. NULL means the shipped ones. They must fit `segmenter`. Borrowed, and
     * read while pages are processed. */
    const struct th_segment_model *segment_model;

    /* Format of a record's text: one of th_text_formats, or several, separated by commas.
     * The second and third get separate fields. Borrowed. */
    const char *text_format;
    uint8_t text_links;  /* emit links with their URLs, if the format has links */
    uint8_t text_images; /* pictures with their URLs, likewise */

    /* One of th_sites_rules, for pages with paragraph_recurs. "signatures": recurring
     * paragraphs are omitted from the text that is signed as distinct. "labels": they are
     * also labelled boilerplate, regardless of the classifier. Borrowed. */
    const char *sites_rule;
    /* Filter of the program's pipeline; th_parse_html and the stages do not read it. NULL
     * if no page is filtered. Borrowed. */
    const struct th_page_filter *filter;
    uint8_t weak_facts; /* also use unreliable sources for authors and dates */
    uint32_t reads;     /* TH_READS_..., in addition to the classifier's */

    /* Model of a learned classifier instead of the shipped one; NULL means the shipped
     * one. Borrowed, and read while pages are processed. */
    const struct th_content_model *content_model;
    /* Content threshold of a learned classifier: "balanced" (and NULL), "strict", "wide",
     * several of these with commas for several texts of a record, or the minimum score of
     * content, ".5". Borrowed. */
    const char *strictness;
    uint8_t comments; /* label readers' comments as content */
    /* Decision steps to skip, to measure their effect: bits of th_content_step_names. */
    uint32_t content_left_out;

    /* How the program's pipeline detects the content's languages: one of
     * th_language_detectors. The stages of the library do not read it. Borrowed. */
    const char *language_detector;
    uint32_t language_bytes; /* maximum bytes of content used to detect languages */
    /* A model that detects languages too, or alone if language_detector is "fasttext". For
     * the pipeline. NULL if not used. Borrowed. */
    const struct th_fasttext *fasttext;

    /* Methods that `segmenter` may name; ends with a NULL pointer. NULL means
     * th_segmenters. Borrowed. */
    const struct th_segmenter *const *segmenters;
    /* Whether the page's headline is the first line of a record's text, even if it is not
     * content: one of th_text_titles. "auto", and NULL: in Markdown and HTML only.
     * Borrowed. */
    const char *text_title;
    uint8_t text_front_matter; /* start plain and Markdown text with metadata as YAML */
    /* Name of the user's robot, for the filter of rights and for `robots`. It may be NULL
     * or "". Borrowed. */
    const char *agent;
    /* Rules of robots.txt and tdmrep.json of hosts, for the program's pipeline. NULL if not
     * used. Borrowed. */
    const struct th_robots_file *robots;
    /* Personal data to replace in the texts, for the program's pipeline: TH_REDACT_...; the
     * stages of the library do not read it. */
    uint32_t redact;
    /* Records of plain text (text/plain, Markdown) are pages, too; for the program's
     * pipeline. */
    uint8_t text_plain;
} th_options;

/** Like th_options_init, for a caller compiled with `size` bytes of the struct. */
TH_API void th_options_init_sized(th_options *options, size_t size);

/** Sets every option to its default, as documented. */
static inline void th_options_init(th_options *options)
{
    th_options_init_sized(options, sizeof *options);
}

/**
 * Checks ranges and names. Functions that take options require it.
 * @return TH_OK, or TH_USAGE with the option's name in err. Also TH_USAGE if
 *         th_options_init has not initialised the options, or if they are of a newer
 *         library than this one
 */
TH_API th_status th_options_check(const th_options *options, th_error *err);

#ifdef __cplusplus
}
#endif

#endif
