/*
 * The columns of a table: a tree of groups, lists and values, given as a list of fields
 * with their depth, and the numbers that Parquet's levels need.
 */
#ifndef TH_PARQUET_SCHEMA_H
#define TH_PARQUET_SCHEMA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "thresher/status.h"

typedef enum th_parquet_kind {
    TH_PARQUET_GROUP, /* its members follow, one deeper */
    TH_PARQUET_TEXT,  /* UTF-8 */
    TH_PARQUET_INT,   /* 64 bits, signed */
    TH_PARQUET_UINT,  /* 64 bits, unsigned */
    TH_PARQUET_INT32,
    TH_PARQUET_INT16, /* stored in 32 bits */
    TH_PARQUET_REAL,  /* double */
    TH_PARQUET_BOOL,
    TH_PARQUET_TIME, /* milliseconds since 1970, UTC */
} th_parquet_kind;

/** A field; a table's fields are in the order of their columns. Every field is optional:
 * a missing value is null. */
typedef struct th_parquet_field {
    uint8_t depth; /* 0 for a column, 1 for a member of the previous group, ... */
    const char *name;
    th_parquet_kind kind;
    bool is_list; /* of things of that kind, none of them null */
} th_parquet_field;

/* A field with its place in the tree. */
typedef struct th_parquet_node {
    const char *name; /* borrowed */
    size_t name_len;
    th_parquet_kind kind;
    bool is_list;
    uint32_t first_child, child_count; /* children are next to each other in `nodes` */
    uint32_t first_leaf, leaf_count;   /* columns below it, or itself */
    uint8_t present; /* definition level at which it exists, even if empty */
    uint8_t element; /* at which an element of the list is; else `present` */
    uint8_t rep;     /* repetition level of its elements */
    uint32_t parent; /* TH_PARQUET_ROOT: none */
} th_parquet_node;

enum {
    TH_PARQUET_ROOT = 0,      /* the node of a row */
    TH_PARQUET_CHILDREN = 64, /* most members of a group */
    TH_PARQUET_DEPTH = 8      /* most groups in one another */
};

typedef struct th_parquet_schema {
    th_parquet_node *nodes; /* owned; the first is the row */
    uint32_t node_count;
    uint32_t *leaves; /* owned: the node of each column */
    uint32_t leaf_count;
} th_parquet_schema;

/**
 * Makes the tree.
 * @param fields  names are borrowed
 * @return TH_OK; TH_NOMEM; TH_USAGE: no table can be made of these fields
 */
th_status th_parquet_schema_init(th_parquet_schema *schema,
                                 const th_parquet_field *fields, uint32_t count);
void th_parquet_schema_done(th_parquet_schema *schema);

/** Parquet's physical type of a value. */
int32_t th_parquet_physical(th_parquet_kind kind);

struct th_thrift;

/** Writes the list of SchemaElement as a field of the footer. */
void th_parquet_schema_write(const th_parquet_schema *schema, struct th_thrift *thrift,
                             int16_t id);

/** Writes a column's path as a field of its metadata: the name of each group, list and
 * value in its path. */
void th_parquet_path_write(const th_parquet_schema *schema, uint32_t leaf,
                           struct th_thrift *thrift, int16_t id);

#endif
