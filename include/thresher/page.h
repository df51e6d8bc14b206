/*
 * A page: a table with one row for each atomic block, a table of the paragraphs that the
 * blocks form, and the arena that owns all of it.
 *
 * Pages pass through the pipeline. Parsing fills the tables. Each later stage adds its
 * own column and changes no other: segment_of (segment), label_of (select), signatures
 * (sketch). Methods classify blocks; people read paragraphs. A block ends at every tag
 * except A. A paragraph ends where a browser starts a new line. Sources: [KN08 §3], [K11
 * §4.2.1].
 */
#ifndef THRESHER_PAGE_H
#define THRESHER_PAGE_H

#include <stdint.h>

#include "thresher/arena.h"
#include "thresher/options.h"
#include "thresher/status.h"
#include "thresher/tag.h"
#include "thresher/view.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TH_NONE UINT32_MAX /* no block, no node, no segment */

/* One tag of a gap: its number, with this bit set for an end tag. */
#define TH_GAP_END 0x8000u

/**
 * An atomic block: the text between two gaps. [KN08 §3] Text offsets are into
 * th_page.text. Whitespace is collapsed to one space, except in paragraphs that keep it
 * (PRE).
 */
typedef struct th_block {
    uint32_t text_start;       /* bytes */
    uint32_t text_len;         /* bytes, at least 1 */
    uint32_t char_start;       /* code points */
    uint32_t char_len;         /* code points */
    uint32_t tokens;           /* words: maximal runs that hold a letter or digit */
    uint32_t linked_tokens;    /* of these, tokens that start in an A */
    uint32_t lines;            /* when the block is wrapped at w_max, at least 1 */
    uint32_t last_line_tokens; /* tokens that start on its last line */
    uint32_t gap_start; /* tags of the gap before it: th_page.gap_tags[gap_start..] */
    uint32_t gap_len;
    uint32_t node;      /* enclosing element: index into th_page.nodes */
    uint32_t paragraph; /* its paragraph: index into th_page.paragraphs */
} th_block;

/* Kinds of paragraphs; the names are in th_paragraph_kind_name. */
/* clang-format off */
#define TH_PARAGRAPH_KIND_LIST(X)                                                        \
    X(PLAIN,      "paragraph")                                                           \
    X(HEADING,    "heading")     /* in H1 to H6 */                                       \
    X(ITEM,       "item")        /* of a list */                                         \
    X(CELL,       "cell")        /* of a table */                                        \
    X(PRE,        "pre")         /* PRE and its like */                                  \
    X(QUOTE,      "quote")       /* in BLOCKQUOTE */                                     \
    X(CAPTION,    "caption")     /* of a table, a figure, a group of controls */         \
    X(TERM,       "term")        /* DT */                                                \
    X(DEFINITION, "definition")  /* DD */                                                \
    X(CONTROL,    "control")     /* nothing but the words on buttons */
/* clang-format on */
enum {
#define TH_PARAGRAPH_ENUM(name, text) TH_PARAGRAPH_##name,
    TH_PARAGRAPH_KIND_LIST(TH_PARAGRAPH_ENUM)
#undef TH_PARAGRAPH_ENUM
        TH_PARAGRAPH_KIND_COUNT
};

/** Returns the name of a kind of paragraphs, "heading". */
TH_API const char *th_paragraph_kind_name(unsigned kind);

/**
 * A paragraph: the text between two boundaries of block-level elements, table cells, list
 * items, or a BR followed by another BR. A single BR is a line end in the paragraph. Its
 * text is a slice of th_page.text, without the list mark and indentation, which come
 * before it. [HTML Living Standard 15.3]
 */
typedef struct th_paragraph {
    uint32_t first_block; /* its blocks: [first_block, end_block), at least one */
    uint32_t end_block;
    uint32_t text_start; /* bytes */
    uint32_t text_len;
    uint32_t char_start; /* code points */
    uint32_t char_len;
    uint32_t node;         /* the nearest block-level element: index into th_page.nodes */
    uint32_t box;          /* its innermost box: index into th_page.boxes, or TH_NONE */
    uint8_t kind;          /* TH_PARAGRAPH_... */
    uint8_t level;         /* of a heading: 1 to 6, else 0 */
    uint8_t is_apart;      /* shown with a gap before it */
    uint8_t is_space_kept; /* whitespace is kept */
    uint8_t is_hidden;     /* its element is not shown (th_options.reads) */
} th_paragraph;

/* Kinds of boxes, which group paragraphs. */
enum {
    TH_BOX_LIST,    /* UL and similar lists */
    TH_BOX_ORDERED, /* OL */
    TH_BOX_ITEM,
    TH_BOX_TABLE,
    TH_BOX_ROW,
    TH_BOX_CELL,
    TH_BOX_QUOTE,
};

/* Layout rows: a cell has several paragraphs, items or lines, or a table, code, a heading
 * or a quote. */
enum { TH_LAYOUT_OF_TEXTS = 1, TH_LAYOUT };

/** A list, a table, a part of one, or a quote; in document order, parents first. */
typedef struct th_box {
    uint32_t parent;      /* index, or TH_NONE */
    uint32_t node;        /* its element */
    uint32_t item;        /* the nearest list item, itself included, or TH_NONE */
    uint32_t row;         /* the nearest table row, itself included, or TH_NONE */
    uint32_t count;       /* its items, rows or cells; in a cell: line ends */
    uint32_t texts;       /* row: cells with text; cell: its paragraphs */
    int32_t number;       /* its number in a list, or its row, from 0 */
    uint16_t ordinal;     /* cell: its index among the row's cells, from 0 */
    uint16_t column;      /* cell: from 0; row: the next free one */
    uint16_t column_span; /* cell: columns that it spans, at least 1 */
    uint16_t row_span;    /* cell: rows that it spans, at least 1; 65535: to the end */
    uint8_t kind;         /* TH_BOX_... */
    uint8_t depth;        /* nested lists, including itself; at most 255 */
    uint8_t is_layout;    /* row: a cell has more than a short text; TH_LAYOUT... */
    uint8_t is_relative; /* while a page is built: the number is set when its list ends */
} th_box;

/* Text styles; they can be combined. */
enum {
    TH_STYLE_STRONG = 1u << 0,
    TH_STYLE_EMPHASIS = 1u << 1,
    TH_STYLE_STRUCK = 1u << 2,
    TH_STYLE_CODE = 1u << 3,
    TH_STYLE_RAISED = 1u << 4,  /* SUP; an exponent's text begins with "^" */
    TH_STYLE_LOWERED = 1u << 5, /* SUB */
};

/**
 * Text of a paragraph, from `start` to the paragraph's next run or its end. Before its
 * first run a paragraph has no style and no link. In the order of the text.
 */
typedef struct th_style_run {
    uint32_t paragraph;
    uint32_t start; /* bytes in th_page.text */
    uint32_t link;  /* index into th_page.links, or TH_NONE */
    uint8_t style;  /* TH_STYLE_... */
} th_style_run;

enum { TH_INSET_MATH, TH_INSET_MATH_DISPLAY, TH_INSET_IMAGE };

/** A picture or a formula. The TeX of a formula is the page's text between dollar
 * signs. */
typedef struct th_inset {
    th_view words; /* TeX; a picture's ALT, may be empty */
    th_view url;   /* picture: absolute; absent if it is not usable */
    /* The paragraph that contains it or follows it, or paragraph_count after the last. */
    uint32_t paragraph;
    uint32_t start;    /* bytes in th_page.text */
    uint32_t len;      /* bytes of text that it represents; 0: between two characters */
    uint8_t kind;      /* TH_INSET_... */
    uint8_t is_alone;  /* it precedes its paragraph */
    uint8_t is_spaced; /* whitespace precedes it */
    uint8_t is_inside; /* it is also in the paragraph's item or quote */
} th_inset;

/** A footnote link: either the mark of a footnote, which shows the number of an ordered
 * list's item, or the link from that item back to the mark. In the order of links. */
typedef struct th_note_link {
    uint32_t link; /* index into th_page.links */
    uint32_t item; /* index into th_page.boxes */
    uint8_t is_back;
} th_note_link;

/** A panel of a set of tabs, and the label that selects it. In the order of panels. */
typedef struct th_tab {
    uint32_t label;  /* its element: index into th_page.nodes */
    uint32_t link;   /* the element is this link: index into th_page.links, or TH_NONE */
    uint32_t panel;  /* index into th_page.nodes */
    uint32_t set;    /* its set: dense from 0 */
    uint32_t number; /* in its set, from 1 */
} th_tab;

enum { TH_ALIGN_LEFT = 1, TH_ALIGN_CENTER, TH_ALIGN_RIGHT };

/** The alignment of a table's cell, if its attributes set one. In the order of boxes. */
typedef struct th_cell_alignment {
    uint32_t box; /* index into th_page.boxes */
    uint8_t side; /* TH_ALIGN_... */
} th_cell_alignment;

/** The programming language that a PRE paragraph names: "python". */
typedef struct th_code_language {
    uint32_t paragraph;
    th_view name;
} th_code_language;

/** An element of the page, in document order; nodes[0] is the root (html). */
typedef struct th_node {
    uint32_t parent;      /* index, TH_NONE for the root */
    uint32_t first_block; /* the element's blocks: [first_block, end_block) */
    uint32_t end_block;
    th_tag tag;
    uint16_t depth; /* 0 for the root; at most th_options.max_depth */
} th_node;

/* The attribute that contains a word: the low bits of the word's number. */
enum { TH_WORD_IN_CLASS, TH_WORD_IN_ID, TH_WORD_IN_ROLE, TH_WORD_IN_ITEMPROP };

/* Maximum words that are kept of an element, and of its class alone. */
enum { TH_CLASS_WORDS_MAX = 32, TH_CLASS_ATTRIBUTE_WORDS = 24 };

/**
 * The words in an element's class, id, role and itemprop, "related" and "posts" of
 * "relatedPosts". They are split at spaces, symbols and before capitals, and converted to
 * lower case without trailing digits. Elements with equal attributes share a set.
 */
typedef struct th_class_set {
    uint32_t first; /* its words: th_page.class_words[first..] */
    uint32_t count; /* at most TH_CLASS_WORDS_MAX */
    /* Hash of the words in class only, without words that distinguish siblings (words
     * with digits, "first", "odd", "active"). 0 if no word is left. */
    uint32_t likeness;
    uint64_t bits; /* th_word_bit (page/class_word.h) of each word, and possibly others */
} th_class_set;

/* Topics of a page according to the @type of its JSON-LD, anywhere in the page;
 * combined. */
/* clang-format off */
#define TH_LD_TYPE_LIST(X)                                                               \
    X(ARTICLE,  "article")   /* *Article, *Posting, Report, Review */                    \
    X(PRODUCT,  "product")   /* Product, Offer, AggregateOffer */                        \
    X(FORUM,    "forum")     /* DiscussionForumPosting, QAPage, Question, Comment */     \
    X(LIST,     "list")      /* ItemList, CollectionPage, SearchResultsPage */           \
    X(TECH,     "tech")      /* TechArticle, APIReference, SoftwareSourceCode */         \
    X(BUSINESS, "business")  /* *Business, Service, Store, Restaurant, Hotel */          \
    X(EVENT,    "event")     /* *Event, JobPosting, Course */                            \
    X(MEDIA,    "media")     /* VideoObject, PodcastEpisode, Movie, Book */              \
    X(FAQ,      "faq")       /* FAQPage */                                               \
    X(HOME,     "home")      /* WebSite */                                               \
    X(RECIPE,   "recipe")    /* Recipe */
/* clang-format on */
enum {
#define TH_LD_TYPE_BIT(name, text) TH_LD_TYPE_BIT_##name,
    TH_LD_TYPE_LIST(TH_LD_TYPE_BIT)
#undef TH_LD_TYPE_BIT
        TH_LD_TYPE_COUNT
};

/** Statements of a page about its type. Absent views are {NULL, 0}; values are
 * unchanged. */
typedef struct th_page_hints {
    th_view url;       /* of the document */
    th_view og_title;  /* of META, like the next two */
    th_view og_type;   /* "article" */
    th_view generator; /* "WordPress 6.4" */
    th_view body;  /* JSON-LD: the longest articleBody or reviewBody, with line ends */
    th_view about; /* JSON-LD: the longest description of a Product or the like */
    uint32_t ld_types; /* 1u << TH_LD_TYPE_BIT_... */
    /* JSON-LD: the longest list of recipeIngredient, as strings in quotes with commas */
    th_view ingredients;
    uint8_t has_recipe_item; /* microdata has a Recipe */
} th_page_hints;

/* Values of an element's attributes that give the author or date of its text. */
enum {
    TH_VALUE_TIME,    /* TIME's datetime, a title with a year, or seconds since 1970 */
    TH_VALUE_NAME,    /* the author */
    TH_VALUE_QUOTED,  /* of a quote: the quoted author */
    TH_VALUE_VOTES,   /* a number, may be negative */
    TH_VALUE_TYPE,    /* a schema.org type of posts, "Comment" */
    TH_VALUE_CONTENT, /* content of an element with an itemprop */
    TH_VALUE_INDENT,  /* nesting level of a comment */
};

/** A value of an element's attributes, at most 200 bytes; in the order of the nodes. */
typedef struct th_node_value {
    th_view value;
    uint32_t node; /* index into th_page.nodes */
    uint8_t kind;  /* TH_VALUE_... */
} th_node_value;

/** A link: an A or AREA with an href. */
typedef struct th_link {
    th_view url;           /* absolute, resolved against the base */
    th_view rel;           /* unchanged; absent if there is none */
    uint32_t anchor_start; /* bytes in th_page.text; the anchor may span blocks */
    uint32_t anchor_len;   /* 0 if it has no text */
    uint32_t block;        /* block in which the anchor's text starts, or TH_NONE */
    uint8_t is_internal;   /* same host as the page */
} th_link;

/**
 * Metadata that the page states. Absent views are {NULL, 0}. A field ..._from names the
 * source of a value: "json-ld", "meta", "microdata", "title", "h1", "rel-author",
 * "byline", "time", "url", "text", "post" (the first of a thread).
 */
typedef struct th_metadata {
    th_view title; /* the headline, without the site's name */
    th_view title_from;
    th_view page_title; /* TITLE, unchanged */
    th_view author;     /* names, joined by "; " */
    th_view author_from;
    th_view published; /* normalised to ISO 8601 if that is safe, with its zone */
    th_view published_from;
    th_view modified; /* in the same form */
    th_view modified_from;
    th_view description;
    th_view canonical_url; /* absolute */
    th_view language; /* BCP 47 tag as stated: html lang, og:locale, content-language */
    th_view site_name;
} th_metadata;

/**
 * A statement about rights: how robots, text mining or training may use the page, or its
 * license. As found; thresher does not interpret it.
 */
typedef struct th_right {
    const char *signal; /* "robots", "tdm-reservation", "tdm-policy", "content-usage",
                         * "content-signal", "license", "rsl", "robots.txt" */
    const char *from;   /* "http", "meta", "link", "a", "microdata", "rdfa", "json-ld",
                         * "robots.txt", "tdmrep.json" */
    th_view agent;      /* lower-case name of its robot, or absent if it is for all */
    th_view value;      /* at most TH_RIGHT_VALUE_MAX bytes; a URL is absolute */
    th_view of;         /* JSON-LD: @type of the object that it is about; may be absent */
} th_right;

enum {
    TH_RIGHTS_MAX = 64, /* statements that are kept of a page */
    TH_RIGHT_VALUE_MAX = 1024
};

/** A statement of structured data. Members that its list does not have are absent. */
typedef struct th_statement {
    th_view item;     /* subject: "_:0" for an item without a name, else its URL */
    th_view property; /* as in the page; RDFa: an IRI */
    th_view value;    /* text, one line, at most TH_STATEMENT_VALUE_MAX bytes */
    th_view ref;      /* an item, or an absolute URL */
} th_statement;

/** Lists of structured data, each in the order of the page. */
typedef enum th_structured_list {
    TH_STRUCTURED_JSON_LD,    /* value: compact JSON, the whole SCRIPT */
    TH_STRUCTURED_MICRODATA,  /* item, property, value or ref */
    TH_STRUCTURED_RDFA,       /* item, property, value or ref */
    TH_STRUCTURED_OPENGRAPH,  /* property, value */
    TH_STRUCTURED_TWITTER,    /* property, value */
    TH_STRUCTURED_FEEDS,      /* ref, property: media type, value: title */
    TH_STRUCTURED_ALTERNATES, /* ref, property: hreflang */
    TH_STRUCTURED_TAGS,       /* value */
    TH_STRUCTURED_LISTS
} th_structured_list;

/** Structured data of a page, as found and without interpretation. */
typedef struct th_structured {
    th_statement *rows[TH_STRUCTURED_LISTS];
    uint32_t counts[TH_STRUCTURED_LISTS];
    th_view section; /* of the site, such as "Politics"; may be absent */
    th_view image;   /* main image: absolute URL; may be absent */
} th_structured;

enum {
    TH_STATEMENTS_MAX = 4096,             /* statements that are kept of a page */
    TH_STATEMENT_VALUE_MAX = 64 * 1024,   /* except JSON-LD */
    TH_STATEMENT_BYTES_MAX = 1024 * 1024, /* of all statements of a page */
};

/* Events during the processing of a page; the names are in th_flag_name. */
/* clang-format off */
#define TH_FLAG_LIST(X)                                                                  \
    X(RECORD_TRUNCATED,   "record_truncated")    /* block cut at max_record */           \
    X(BODY_TRUNCATED,     "body_truncated")      /* decoded body cut at max_body */      \
    X(WARC_TRUNCATED,     "warc_truncated")      /* WARC-Truncated says so */            \
    X(WARC_DAMAGED,       "warc_damaged")        /* the reader met damage in the record */\
    X(SEGMENTED,          "segmented")           /* WARC-Segment-Number: a part only */  \
    X(DIGEST_MISMATCH,    "digest_mismatch")                                             \
    X(MALFORMED_HEAD,     "malformed_head")      /* HTTP head repaired */               \
    X(NOT_CHUNKED,        "not_chunked")         /* claims chunked, is not */            \
    X(CHUNKED_DAMAGED,    "chunked_damaged")                                             \
    X(CODING_NOT_APPLIED, "coding_not_applied")  /* claims a coding, is plain */         \
    X(CODING_UNKNOWN,     "coding_unknown")                                              \
    X(CODING_DAMAGED,     "coding_damaged")      /* what could be decoded was kept */    \
    X(TYPE_SNIFFED,       "type_sniffed")        /* media type is not the header's */    \
    X(CHARSET_GUESSED,    "charset_guessed")                                             \
    X(CHARSET_ERRORS,     "charset_errors")      /* bytes replaced by U+FFFD */          \
    X(NUL_REMOVED,        "nul_removed")                                                 \
    X(ATTRIBUTES_CUT,     "attributes_cut")      /* over max_attributes or max_tag */    \
    X(DEPTH_CUT,          "depth_cut")           /* over max_depth: flat from there */   \
    X(NODES_CUT,          "nodes_cut")           /* over max_nodes: flat from there */   \
    X(BLOCKS_CUT,         "blocks_cut")          /* over max_blocks: text joins the last */\
    X(LINKS_CUT,          "links_cut")           /* over max_links */                    \
    X(TITLE_UNCLOSED,     "title_unclosed")      /* TITLE without end: ended at a tag */ \
    X(HIDDEN_TEXT,        "hidden_text")         /* there is text in hidden elements */  \
    X(STREAMED_TEXT,      "streamed_text")       /* hidden text was put in its place */  \
    X(PARSER_STOPPED,     "parser_stopped")      /* the HTML parser gave up early */     \
    X(TEXT_CUT,           "text_cut")            /* record larger than the sink takes */ \
    X(CONTENT_UNSURE,     "content_unsure")      /* nearly nothing scored as content */  \
    X(UNSUCCESSFUL,       "unsuccessful")        /* HTTP status is not 2xx */            \
    X(RIGHTS_CUT,         "rights_cut")          /* statements about rights over a limit */ \
    X(PLAIN_TEXT,         "plain_text")          /* not HTML: all of it is content */          \
    X(STRUCTURED_CUT,     "structured_cut")      /* structured data over a limit, or bad */
/* clang-format on */

enum {
#define TH_FLAG_BIT(name, text) TH_FLAG_BIT_##name,
    TH_FLAG_LIST(TH_FLAG_BIT)
#undef TH_FLAG_BIT
        TH_FLAG_COUNT
};
enum {
#define TH_FLAG_ENUM(name, text) TH_FLAG_##name = 1u << TH_FLAG_BIT_##name,
    TH_FLAG_LIST(TH_FLAG_ENUM)
#undef TH_FLAG_ENUM
};

/** Returns the name of flag number `bit` (0 .. TH_FLAG_COUNT - 1), "charset_guessed". */
TH_API const char *th_flag_name(unsigned bit);

/** Returns whether an HTTP status stands for a page: 2xx, or 0 without a status. Text of
 * error pages and redirects ("The document has moved") is compared with no other. */
static inline bool th_http_is_page(int status)
{
    return status == 0 || (status >= 200 && status <= 299);
}

enum { TH_BOILERPLATE = 0, TH_CONTENT = 1 };

/** A segment: the blocks that have its number, contiguous or not. */
typedef struct th_segment {
    uint32_t first_block; /* the first block with its number */
    uint32_t block_count;
    uint32_t tokens;
    uint32_t linked_tokens;
    uint32_t content_tokens; /* tokens in its content blocks */
    double density;          /* [K11 Eq. 4.6] over its lines in document order */
    double link_density;     /* linked_tokens / tokens, 0 without tokens */
    uint8_t label;           /* TH_CONTENT if more than half of its tokens are content */
    /* TH_POSITION_...: its position among the page's parts, and within the largest part;
     * TH_POSITION_NONE if the segmenter has no positions or none were requested. [B14
     * Alg. 3] */
    uint8_t position, inner;
} th_segment;

enum {
    TH_POSITION_NONE,
    TH_POSITION_MIDDLE,
    TH_POSITION_TOP,
    TH_POSITION_BOTTOM,
    TH_POSITION_LEFT, /* of parts that are cells of one row */
    TH_POSITION_RIGHT
};

/** Returns the name of a position, "top"; NULL for TH_POSITION_NONE. */
TH_API const char *th_position_name(unsigned position);

/** A MinHash signature; th_page.minhash describes the slots. */
typedef struct th_signature {
    const uint64_t *slots; /* NULL: absent, because the text has no token */
    uint32_t slot_count;
    uint32_t shingle_count; /* windows hashed, repeats included */
    uint8_t is_short;       /* fewer tokens than a window: one shingle of all tokens */
} th_signature;

/**
 * The texts of a page that can be signed: the main segment, all content, the whole page,
 * and the distinct text. The distinct text is the page without the paragraphs that recur
 * on its site. If the site's template is unknown, it is the main segment. A template is
 * unknown if fewer than three pages of the site are known, or if hardly a link of the
 * page recurs.
 */
enum { TH_SIGN_MAIN, TH_SIGN_CONTENT, TH_SIGN_PAGE, TH_SIGN_DISTINCT, TH_SIGN_COUNT };

/** Returns the name of such a text, "main", or NULL for TH_SIGN_COUNT and above. */
TH_API const char *th_sign_name(unsigned text);

/** Results of a learned classifier in addition to labels. Probabilities and fractions are
 * in units of 1/65535. */
enum { TH_STRICTNESS_OTHERS = 2 };

/** Labels by a further strictness of the option. */
typedef struct th_strictness_labels {
    const char *strictness; /* "wide"; static storage */
    uint8_t *label_of;      /* of each paragraph */
} th_strictness_labels;

typedef struct th_learned {
    uint16_t *score_of;    /* of each paragraph: probability that it is content */
    uint8_t *is_comment;   /* of each paragraph: 1 if readers wrote it */
    const char *page_type; /* "article": the most probable one; static storage */
    uint16_t page_type_score;
    uint16_t cut; /* paragraphs with at least this score are content, with exceptions */
    uint16_t quality;       /* expected F1 of the labels */
    uint16_t missed_weight; /* cost of a missed word, if a false one costs 100 */
    uint16_t other_count;
    uint8_t is_comment_thread; /* 1 if text that looks like comments is the content;
                                * the search for posts reads it */
    th_strictness_labels others[TH_STRICTNESS_OTHERS];
} th_learned;

/* The part of a paragraph in its post. */
enum {
    TH_POST_NO_PART, /* it is not in a post */
    TH_POST_TEXT,
    TH_POST_LINE,  /* gives the author and date, and little else */
    TH_POST_OTHER, /* a profile, a signature, buttons */
};

/** One person's text in a thread: a post, an answer, a comment. Absent views are {NULL,
 * 0}. */
typedef struct th_post {
    uint32_t node;            /* its element: index into th_page.nodes */
    uint32_t text_node;       /* the first element of its text, or the same */
    uint32_t first_paragraph; /* its own are in [first_paragraph, end_paragraph) */
    uint32_t end_paragraph;
    th_view author;
    th_view published; /* ISO 8601, as far as the page states it */
    th_view quote_of;  /* author of the first post that it quotes */
    int64_t votes;
    uint16_t
        depth; /* number of nested posts that it answers; 0 if it answers the thread */
    uint8_t has_votes;
    uint8_t is_accepted; /* the answer that the asker has accepted */
    uint8_t is_comment;  /* a comment on a page that has its own text */
} th_post;

/** States of the search for posts of known programs. */
enum { TH_KNOWN_THREAD_UNASKED, TH_KNOWN_THREAD_NO_SIGN, TH_KNOWN_THREAD_SEARCHED };

/** The posts of a page, in document order. */
typedef struct th_thread {
    const char *found_by; /* "xenforo", "schema", "general"; static storage */
    th_post *posts;
    uint32_t count;
    uint32_t *post_of; /* of each paragraph: index into posts, or TH_NONE */
    uint8_t *part_of;  /* of each paragraph: TH_POST_... */
    uint8_t is_forum;  /* the posts are the page's topic, not comments on it */
    uint8_t is_known;  /* found by the markup of a known program or of schema.org */
} th_thread;

/** One of a text's languages. */
typedef struct th_language {
    const char *tag; /* BCP 47: "de", "zh-Hant"; static storage */
    const char *iso; /* ISO 639-3: "deu"; "" if there is none; static storage */
    uint32_t score;  /* from CLD2: per 1024 bytes; plain text has about 1000 */
    uint8_t percent; /* of the text's letters, 1 to 100 */
} th_language;

enum { TH_LANGUAGES_MAX = 3 };

/** The languages of a text, the most used one first. */
typedef struct th_languages {
    th_language of[TH_LANGUAGES_MAX];
    uint32_t count;     /* 0 if none was found */
    uint32_t bytes;     /* letters examined */
    uint8_t is_sure;    /* the first is much more probable than any other */
    uint8_t has_shares; /* the detector gives score and percent; a model does not */
} th_languages;

/** Whether two detectors agree on a text's first language. */
typedef enum th_agreement {
    TH_NOT_COMPARED, /* one of them is not sure, or absent */
    TH_SAME_LANGUAGE,
    TH_OTHER_LANGUAGE
} th_agreement;

/** The label that a user's own model gives a text. */
typedef struct th_second_language {
    const char *name; /* its label, "de", "deu_Latn"; lives as long as the model */
    const char *iso;  /* ISO 639-3: "deu"; "" if the label has none; same lifetime */
    double score;     /* probability, 0 to 1 */
    uint64_t model;   /* XXH3-64 of the model's file */
    /* ISO 15924: "Latn"; "" if the label has none. As long as the model, or static. */
    const char *script;
    const char *tag; /* BCP 47: "de", "zh-Hant"; "" if the label has no language */
} th_second_language;

/** The language of a paragraph of the content. */
typedef struct th_paragraph_language {
    uint32_t paragraph;
    uint8_t is_sure;
    uint8_t has_score; /* whether the detector gives a probability */
    /* ISO 639-3 and ISO 15924, "deu_Latn"; "und" if nothing was detected; the label of a
     * model if it is not a language. Lives as long as page and model. */
    const char *label;
    double score; /* probability, 0 to 1 */
} th_paragraph_language;

enum { TH_LANGUAGE_SHARES_MAX = 64 };

/** Share of a language in the content. */
typedef struct th_language_share {
    const char *label; /* of th_paragraph_language, or "mul" after the maximum */
    double share;      /* of the code points: a multiple of 1/10000 */
} th_language_share;

enum {
    TH_TOP_NGRAM_FIRST = 2, /* words */
    TH_TOP_NGRAMS = 3,
    TH_DUPLICATE_NGRAM_FIRST = 5,
    TH_DUPLICATE_NGRAMS = 6
};

/** Quality signals of a text, computed from its plain words, lines and characters (code
 * points). Fractions are 0 to 1 unless stated otherwise. */
typedef struct th_quality_signals {
    /* Gopher: [RAE21 A1.1] */
    uint32_t words;          /* including separate punctuation marks */
    uint32_t plain_words;    /* without separate punctuation marks */
    double mean_word_length; /* characters of a plain word */
    double hashes;           /* '#' for each word; may be over 1 */
    double ellipses;         /* "..." and '…' for each word; may be over 1 */
    uint32_t lines;
    double bullet_lines;     /* of the lines: lines that begin with a bullet or '-' */
    double ellipsis_lines;   /* lines that end with an ellipsis */
    double alphabetic_words; /* of the words: words with a letter */
    uint32_t stop_words;     /* of eight in its language: the number that occur */
    uint8_t has_stop_words;  /* whether its language has a list */
    double duplicate_paragraphs, duplicate_paragraph_chars; /* repeating earlier ones */
    double duplicate_lines, duplicate_line_chars;
    /* Of 2, 3 and 4 words: fraction of the characters in the most frequent one; may be over
     * 1. */
    double top_ngrams[TH_TOP_NGRAMS];
    /* Of 5 to 10 words: fraction of the characters in repeated ones. */
    double duplicate_ngrams[TH_DUPLICATE_NGRAMS];
    /* FineWeb */
    double terminal_lines;  /* lines that end like a sentence */
    double short_lines;     /* of at most 30 characters */
    double duplicate_chars; /* in lines that occurred before */
    double newlines;        /* for each word; may be over 1 */
    /* C4 */
    double c4_lines;                            /* lines that C4 keeps */
    uint8_t has_lorem_ipsum, has_curly_bracket; /* in a kept line: drops the text */
} th_quality_signals;

/**
 * A page: one section of columns for each stage. A stage writes only its section, and
 * reads the sections of earlier stages. Arrays belong to the arena. NULL: the stage has
 * not run, or found nothing.
 */
typedef struct th_page {
    th_arena *arena; /* owns everything below */
    uint32_t flags;  /* TH_FLAG_...; parse begins them, any stage adds one */

    /* ---- parse: document. Written by th_parse_html. Read by every later stage. */
    th_view html;        /* the document in UTF-8, as it was parsed */
    th_view text;        /* UTF-8: all paragraphs as readable text (page_text.h) */
    uint32_t text_chars; /* code points in text */
    th_block *blocks;
    uint32_t block_count;
    /* Prefix sums, block_count + 1 entries: the sum over blocks [0, i). */
    uint32_t *tokens_before;
    uint32_t *linked_before;
    uint32_t *lines_before;
    uint16_t *gap_tags; /* read by segment and inspect */
    uint32_t gap_tag_count;
    th_paragraph *paragraphs;
    uint32_t paragraph_count;
    th_box *boxes;
    uint32_t box_count;
    th_node *nodes;
    uint32_t node_count;
    th_link *links;
    uint32_t link_count;
    th_metadata metadata;

    /* ---- parse: contents of paragraphs. Read by write. Empty if the options'
     * text_format is "plain". Each is in the order of the paragraphs. */
    th_style_run *runs;
    uint32_t run_count;
    th_inset *insets;
    uint32_t inset_count;
    th_code_language *code_languages;
    uint32_t code_language_count;
    th_note_link *note_links;
    uint32_t note_link_count;
    th_cell_alignment *alignments;
    uint32_t alignment_count;
    uint8_t has_tex; /* a script renders TeX that is in the page's text */

    /* ---- parse: attributes. Read by the learned classifier and the search for posts
     * (src/content). NULL unless th_options.reads or the classifier requests them. */
    /* node_count entries: indices into class_sets. The first set is empty. */
    uint32_t *class_set_of;
    th_class_set *class_sets;
    uint32_t class_set_count;
    uint32_t *class_words; /* numbers of words: page/class_word.h */
    th_page_hints *hints;
    th_node_value *node_values;
    uint32_t node_value_count;
    uint32_t *link_nodes; /* of each link: its element, or TH_NONE */

    /* ---- segment. Written by th_segment_page. Read by site, select, sketch, write, inspect.
     * select adds content_tokens and label to the segments. */
    uint32_t *segment_of; /* block_count entries, dense from 0; NULL before it runs */
    th_segment *segments;
    uint32_t segment_count;

    /* ---- site: paragraphs. Written by th_site_recall, before select. Read by select,
     * sketch, write, inspect. NULL and 0 if no counts of sites are used. One entry for
     * each paragraph. */
    uint32_t site_pages;        /* distinct pages of the site, including this one */
    th_view *paragraph_words;   /* normalised as for shingles */
    uint64_t *paragraph_hashes; /* of the words; 0 if the paragraph has none */
    uint32_t *paragraph_pages;  /* number of these pages that have the paragraph */
    uint8_t *paragraph_recurs;  /* whether that is often enough to be boilerplate */
    uint8_t knows_template; /* whether the site's data identifies the page's template */

    /* ---- site: segments. Read by write. NULL if segments are not counted. */
    uint64_t *segment_hashes; /* of fingerprint and position; 0: no token */
    uint32_t *segment_pages;  /* number of the site's pages with its fingerprint */
    uint8_t *segment_recurs;  /* whether that is often enough to be the site's template */

    /* ---- content: posts. Written by th_thread_known, which a classifier may call before
     * it decides, and by th_thread_page, after select. Read by content and write. */
    th_thread *known_thread; /* by marks of known programs and of schema.org; NULL: none,
                              * or not searched */
    uint8_t known_state;     /* TH_KNOWN_THREAD_...: the search is not repeated */
    th_thread *thread;       /* posts and comments; NULL if not searched for, or none */

    /* ---- select. Written by th_select_page. Read by content, language, signals, sketch,
     * the filters, write, inspect. */
    uint8_t *reason_of;          /* block_count entries: into the classifier's reasons */
    uint8_t *label_of;           /* block_count entries: TH_CONTENT or TH_BOILERPLATE */
    uint8_t *paragraph_label_of; /* paragraph_count entries: label of most tokens */
    th_learned *learned;         /* NULL if the classifier has only rules */
    uint32_t main_segment; /* the segment that opt->main_segment chose, or TH_NONE */
    uint32_t content_tokens;

    /* ---- language. Read by signals, the filters, write, inspect. */
    const th_languages *languages; /* of the content; NULL if they were not detected */
    const char **language_of;      /* tag of each paragraph; NULL if it is not sure */
    const th_second_language *second_language; /* NULL if not used or without a result */
    /* The crawler's languages of the whole page; NULL if absent. Tags live as long as the
     * page. Also written by ingest. */
    const th_languages *crawl_languages;
    th_agreement crawl_agreement; /* of crawl languages with `languages` */

    /* ---- signals. Read by write. NULL if not requested, or without a word. */
    const th_quality_signals *signals;

    /* ---- sketch. Written by th_sketch_page. Read by index, traffic, write, inspect. */
    const struct th_minhash_preset
        *minhash; /* of the signatures; NULL if there are none */
    th_signature signatures[TH_SIGN_COUNT];
    uint64_t text_digest[2]; /* XXH3-128 of the normalised content: high, low */
    uint8_t has_text_digest;

    /* ---- rights. Written by parse, the pipeline adds statements of the HTTP header and
     * of robots.txt. Read by the filters and write. In this order: header, robots.txt,
     * page. NULL unless TH_READS_RIGHTS. */
    th_right *rights;
    uint32_t right_count;

    /* ---- redact. Written by the pipeline after content, which also changes all texts of
     * the sections above except html. Read by write. */
    uint32_t redacted[TH_REDACT_COUNT]; /* replaced matches, by bit number of
                                         * TH_REDACT_... */

    /* ---- structured data. Written by parse, read by write. NULL unless
     * TH_READS_STRUCTURED. */
    const th_structured *structured;

    /* ---- language of paragraphs. Written by language, read by write. NULL unless
     * TH_EMIT_PARAGRAPH_LANGUAGES or TH_EMIT_LANGUAGES. */
    th_paragraph_language
        *paragraph_languages; /* one for each paragraph of the content */
    uint32_t paragraph_language_count;
    /* With TH_EMIT_LANGUAGES: shares of the sure languages, and of "und" for the rest, the
     * largest first. Their sum is 1. */
    th_language_share *language_shares;
    uint32_t language_share_count;

    /* ---- parse: tabs. Read by write. Empty if the options' text_format is "plain". */
    th_tab *tabs;
    uint32_t tab_count;
} th_page;

/**
 * Returns the text density of the adjacent blocks [first, end): tokens outside the last
 * line / (lines - 1), or tokens if there is only one line. [K11 Eq. 4.6]
 * @return tokens per line, 0 for an empty range. O(1).
 */
TH_API double th_page_density(const th_page *page, uint32_t first, uint32_t end);

/** Returns linked tokens / tokens of the adjacent blocks [first, end), 0 without tokens.
 * O(1). */
TH_API double th_page_link_density(const th_page *page, uint32_t first, uint32_t end);

/** Returns the text of TITLE, or the headline if the page has no TITLE. Absent if it has
 * neither. */
TH_API th_view th_page_title(const th_page *page);

/** Returns a block's text: a slice of the page's. */
TH_API th_view th_block_text(const th_page *page, uint32_t block);

/** Returns a paragraph's text: a slice of the page's. Lines end with '\n'. */
TH_API th_view th_paragraph_text(const th_page *page, uint32_t paragraph);

#ifdef __cplusplus
}
#endif

#endif
