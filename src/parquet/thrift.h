/*
 * Thrift's compact protocol, as far as Parquet's headers and footer need it: structs
 * written field by field, in the order of their numbers. [Apache Thrift, Thrift compact
 * protocol encoding]
 */
#ifndef TH_THRIFT_H
#define TH_THRIFT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

/* Structs in one another; Parquet's footer has six. */
enum { TH_THRIFT_DEPTH = 8 };

typedef enum th_thrift_type {
    TH_THRIFT_TRUE = 1,
    TH_THRIFT_FALSE = 2,
    TH_THRIFT_BYTE = 3,
    TH_THRIFT_I32 = 5,
    TH_THRIFT_I64 = 6,
    TH_THRIFT_BINARY = 8,
    TH_THRIFT_LIST = 9,
    TH_THRIFT_STRUCT = 12,
} th_thrift_type;

/** A struct being written. On the stack; errors are the buffer's. */
typedef struct th_thrift {
    th_buffer *out;                /* borrowed */
    int16_t last[TH_THRIFT_DEPTH]; /* number of the last field of each open struct */
    uint32_t depth;
} th_thrift;

/** Starts the outermost struct after the present content of the buffer. */
void th_thrift_begin(th_thrift *thrift, th_buffer *out);

/** Ends the innermost struct. */
void th_thrift_end(th_thrift *thrift);

/* Writes a field. `id` must be above the id of the previous field. */
void th_thrift_i32(th_thrift *thrift, int16_t id, int32_t value);
void th_thrift_i64(th_thrift *thrift, int16_t id, int64_t value);
void th_thrift_byte(th_thrift *thrift, int16_t id, int8_t value);
void th_thrift_bool(th_thrift *thrift, int16_t id, bool value);
void th_thrift_binary(th_thrift *thrift, int16_t id, th_view bytes);

/** A field that is a struct; its fields follow, then th_thrift_end. */
void th_thrift_struct(th_thrift *thrift, int16_t id);

/** A field that is a struct without fields. */
void th_thrift_empty(th_thrift *thrift, int16_t id);

/** A field that is a list; exactly `count` elements follow. */
void th_thrift_list(th_thrift *thrift, int16_t id, th_thrift_type type, uint32_t count);

/* Elements of a list. A struct is ended by th_thrift_end. */
void th_thrift_element_i32(th_thrift *thrift, int32_t value);
void th_thrift_element_binary(th_thrift *thrift, th_view bytes);
void th_thrift_element_struct(th_thrift *thrift);

/** Appends a number in seven bits a byte, the lowest first. */
void th_varint(th_buffer *out, uint64_t value);

#endif
