/*
 * The fields of the record `thresher/1`: one table, in the order in which they are written.
 *
 * A row states name, type, condition, value, limits and meaning of a field. The table
 * drives the JSON of a record, the columns of Parquet, the head of `inspect`, the JSON
 * Schemas in docs/schema, the tables of docs/record.md, and the sample page of the tests.
 * A new field is one row. If no object of the page has the value as a member, it also
 * needs a function in record_fields.c, which computes the value.
 */
#ifndef TH_RECORD_FIELD_H
#define TH_RECORD_FIELD_H

#include "base/json.h"
#include "page/node_path.h"
#include "page/page_text.h"
#include "page/record.h"
#include "parquet/parquet_schema.h"
#include "thresher/minhash.h"
#include "thresher/options.h"
#include "write/annotation.h"

struct th_record_walk;
struct th_record_field;

/* Objects whose members are values: X(NAME, type). Without its object a field is absent. */
/* clang-format off */
#define TH_RECORD_OBJECT_LIST(X)                                                         \
    X(RECORD, th_record)                                                                 \
    X(MESSAGE, th_position)        /* of a Kafka message */                              \
    X(ANNOTATED, th_annotated)                                                           \
    X(PAGE, th_page)                                                                     \
    X(LEARNED, th_learned)                                                               \
    X(LANGUAGES, th_languages)     /* detected, or by the crawler */                     \
    X(OTHER_LANGUAGE, th_language)                                                       \
    X(SECOND_LANGUAGE, th_second_language)                                               \
    X(LANGUAGE_SHARE, th_language_share)                                                 \
    X(PARAGRAPH_LANGUAGE, th_paragraph_language)                                         \
    X(TEXT_SPAN, th_record_span)   /* if `text` is plain and has the paragraph */        \
    X(SIGNALS, th_quality_signals)                                                       \
    X(MINHASH, th_minhash_preset)                                                        \
    X(NEAR_DUPLICATE, th_near_duplicate)                                                 \
    X(SEGMENT, th_segment)                                                               \
    X(BLOCK, th_block)                                                                   \
    X(PARAGRAPH, th_paragraph)                                                           \
    X(CELL, th_box)                                                                      \
    X(ITEM, th_box)                                                                      \
    X(ORDERED_ITEM, th_box)                                                              \
    X(LINK, th_link)                                                                     \
    X(POST, th_post)                                                                     \
    X(RIGHT, th_right)                                                                   \
    X(REDACT_EMAIL, th_page) /* if the kind is requested */                              \
    X(REDACT_IP, th_page)                                                                \
    X(REDACT_PHONE, th_page)                                                             \
    X(STRUCTURED, th_structured)                                                         \
    X(STATEMENT, th_statement)                                                           \
    X(COMPUTED, th_record_computed) /* by the function that opens the group */           \
    X(SCORED, th_record_computed)   /* with a learned classifier */                      \
    X(SITE, th_record_computed)     /* with a site memory */                             \
    X(SITE_PAGE, th_page)           /* with a site memory */
/* clang-format on */
typedef enum th_record_object {
    TH_IN_NOTHING,
#define TH_RECORD_OBJECT_ENUM(name, type) TH_IN_##name,
    TH_RECORD_OBJECT_LIST(TH_RECORD_OBJECT_ENUM)
#undef TH_RECORD_OBJECT_ENUM
        TH_RECORD_OBJECTS
} th_record_object;

/* C types of members. */
typedef enum th_member_type {
    TH_MEMBER_VIEW, /* absent without data */
    TH_MEMBER_TEXT, /* absent if NULL */
    TH_MEMBER_U8,   /* as a real number: percent */
    TH_MEMBER_U16,  /* as a real number: a probability in 1/65535 */
    TH_MEMBER_U32,
    TH_MEMBER_I32, /* less than 0 is written as 0 */
    TH_MEMBER_U64,
    TH_MEMBER_I64,
    TH_MEMBER_DOUBLE,
    TH_MEMBER_DOUBLES /* `count` of them: a list */
} th_member_type;

/* Conditions of a field, in addition to those of its group and its object. */
typedef enum th_record_presence {
    TH_IF_KNOWN,
    TH_ALWAYS,      /* every group has it */
    TH_IF_NOT_ZERO, /* absent for 0, false and "" */
    TH_IF_NOT_NONE  /* absent for TH_NONE */
} th_record_presence;

/* Where `inspect` shows a field. With --json it shows all. */
enum {
    TH_NOT_SHOWN = 0,         /* nowhere, or not by its name */
    TH_IN_TERMINAL = 1u << 0, /* in the head of the text */
    TH_IN_REPORT = 1u << 1,   /* by report.js, from the record */
    TH_SHOWN = TH_IN_TERMINAL | TH_IN_REPORT
};

typedef struct th_record_field {
    const char *path; /* "source.file": a member has the name of its group before a dot */
    uint8_t name_at;  /* where its last name begins */
    uint8_t depth;    /* groups that contain it */
    th_parquet_kind kind; /* TH_PARQUET_GROUP: its members follow */
    bool is_list;
    th_record_presence presence;

    /* Its value: a member of an object, or written by a function. */
    th_record_object object;
    th_member_type type;
    uint16_t offset; /* in the object */
    uint16_t if_at;  /* 1 + offset of a uint8_t that is 0 if it is absent; 0: no such */
    uint8_t places;  /* most decimals of a real number */
    uint8_t count;
    /* Of a group: sets walk->objects to its element `walk->element`, or to the only one.
     * Returns false if there is none. An empty list is written if presence is TH_ALWAYS. */
    bool (*open)(struct th_record_walk *walk);
    /* Writes its key and its value, or nothing. */
    void (*write)(struct th_record_walk *walk, const struct th_record_field *field);

    uint8_t shown;      /* by `inspect` */
    const char *label;  /* in the terminal's head: a text with this name. NULL: none, or
                          * inspection_text.c has a function for it */
    uint16_t option_at; /* offset of a member of th_options; if it is 0 or NULL, the field
                          * is absent. 0: no such option */
    uint8_t option_size; /* bytes of the member */
    uint32_t emit;       /* parts of `emit` that must be selected; 0: none */
    const char *request; /* the options that request a field of the top level; NULL: it
                          * needs none, or `emit` */
    /* Limits in the JSON Schema: "^pattern$", "minimum..maximum" (the maximum may be
     * missing), or the permitted words. NULL: none; an integer is at least 0. */
    const char *limits;
    const char *meaning; /* in docs/record.md. NULL: as the previous field, in its row */
    const char *absent;  /* reasons for its absence */
    const char *example; /* its value in the tests' sample page, as JSON */
} th_record_field;

enum { TH_RECORD_FIELDS = 288 }; /* maximum number of fields */

extern const th_record_field th_record_fields[];
extern const uint32_t th_record_field_count;

/* Values that are not members of a page's objects. */
typedef struct th_record_computed {
    uint32_t tokens, linked_tokens, recurrent_tokens, segment, pages;
    uint64_t end, byte_end; /* of a block or paragraph */
    const char *label, *kind, *language, *position, *inner, *model;
    uint16_t score;
    uint8_t recurs;
    double density, probability;
    th_view path, anchor, text;
} th_record_computed;

/* Location in the record's text, in code points. */
typedef struct th_record_span {
    uint32_t start, end;
} th_record_span;

/** A record that is being written. */
typedef struct th_record_walk {
    th_json *json;
    const th_options *opt;
    const th_annotated *annotated;
    th_page *page; /* NULL for a refused record */
    th_annotation_parts parts;
    const void *objects[TH_RECORD_OBJECTS];
    uint32_t element; /* of the list that is being written, from 0 */
    th_record_computed computed;
    th_text_place *places; /* of the paragraphs in the text; NULL if it is not plain */
    th_record_span span;
    char path[TH_NODE_PATH_ROOM];
    char words[TH_MINHASH_NAME_MAX];
    char model[2 * sizeof(uint64_t) + 1];
} th_record_walk;

/** Returns the last name of a field's path. */
static inline const char *th_record_field_name(const th_record_field *field)
{
    return field->path + field->name_at;
}

/** Returns the text of a field that is a TH_MEMBER_VIEW of an emitted record or its page.
 * Absent if the field is. */
th_view th_record_field_text(const th_record_field *field, const th_annotated *annotated);

/**
 * Lists the columns of records with these options.
 * @param fields  out
 * @return how many
 */
uint32_t th_record_columns(const th_options *page,
                           th_parquet_field fields[TH_RECORD_FIELDS]);

#endif
