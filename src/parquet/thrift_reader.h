/*
 * Reads Thrift's compact protocol: structs field by field. Every length is compared with
 * the bytes that are left. [Apache Thrift, Thrift compact protocol encoding]
 */
#ifndef TH_THRIFT_READER_H
#define TH_THRIFT_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "parquet/thrift.h"
#include "thresher/view.h"

/** Bytes that are being read. On the stack. */
typedef struct th_thrift_reader {
    const unsigned char *at, *end; /* borrowed */
    bool has_failed;               /* the bytes are not Thrift; all results are 0 */
} th_thrift_reader;

/** A field that was read: its value follows, except that of a boolean. */
typedef struct th_thrift_field {
    int32_t id;
    uint8_t type; /* th_thrift_type, or a type that only th_thrift_skip knows */
} th_thrift_field;

void th_thrift_read_begin(th_thrift_reader *reader, th_view bytes);

/** Reads the next field of a struct. The caller zeroes `field` at the start of a struct.
 * Returns false at the struct's end, or on an error. */
bool th_thrift_read_field(th_thrift_reader *reader, th_thrift_field *field);

/** Reads an integer of 16 to 64 bits. */
int64_t th_thrift_read_int(th_thrift_reader *reader);

/** Reads bytes, borrowed from the input. */
th_view th_thrift_read_binary(th_thrift_reader *reader);

/** Reads the head of a list. Returns its length, at most the bytes that are left. */
uint32_t th_thrift_read_list(th_thrift_reader *reader, uint8_t *type);

/** Skips a value of any type, with at most 16 containers in one another. */
void th_thrift_skip(th_thrift_reader *reader, uint8_t type);

/** Reads a number in seven bits a byte. */
uint64_t th_thrift_read_varint(th_thrift_reader *reader);

#endif
