/* Thrift's compact protocol, read. See the header. */
#include "parquet/thrift_reader.h"

enum { DEPTH_MAX = 16, SET = 10, MAP = 11, DOUBLE = 7, I16 = 4 };

void th_thrift_read_begin(th_thrift_reader *reader, th_view bytes)
{
    const unsigned char *start = (const unsigned char *)bytes.data;
    *reader = (th_thrift_reader){ .at = start, .end = start + bytes.len };
}

static size_t left(const th_thrift_reader *reader)
{
    return reader->has_failed ? 0 : (size_t)(reader->end - reader->at);
}

static uint8_t read_byte(th_thrift_reader *reader)
{
    if (left(reader))
        return *reader->at++;
    reader->has_failed = true;
    return 0;
}

uint64_t th_thrift_read_varint(th_thrift_reader *reader)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const uint8_t byte = read_byte(reader);
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            return reader->has_failed ? 0 : value;
    }
    reader->has_failed = true;
    return 0;
}

int64_t th_thrift_read_int(th_thrift_reader *reader)
{
    const uint64_t value = th_thrift_read_varint(reader);
    return (int64_t)(value >> 1 ^ (value & 1 ? UINT64_MAX : 0));
}

bool th_thrift_read_field(th_thrift_reader *reader, th_thrift_field *field)
{
    const uint8_t head = read_byte(reader);
    if (reader->has_failed || !head)
        return false;
    const int64_t id = head >> 4 ? field->id + (head >> 4) : th_thrift_read_int(reader);
    field->type = head & 0xF;
    if (id < INT16_MIN || id > INT16_MAX)
        reader->has_failed = true;
    field->id = (int32_t)id;
    return !reader->has_failed;
}

th_view th_thrift_read_binary(th_thrift_reader *reader)
{
    const uint64_t len = th_thrift_read_varint(reader);
    if (len > left(reader)) {
        reader->has_failed = true;
        return (th_view){ NULL, 0 };
    }
    const th_view bytes = { (const char *)reader->at, (size_t)len };
    reader->at += len;
    return bytes;
}

uint32_t th_thrift_read_list(th_thrift_reader *reader, uint8_t *type)
{
    const uint8_t head = read_byte(reader);
    const uint64_t count = head >> 4 == 15 ? th_thrift_read_varint(reader) : head >> 4;
    *type = head & 0xF;
    if (count > left(reader) || count > UINT32_MAX) {
        reader->has_failed = true;
        return 0;
    }
    return (uint32_t)count;
}

static void skip(th_thrift_reader *reader, uint8_t type, unsigned depth);

static void skip_struct(th_thrift_reader *reader, unsigned depth)
{
    th_thrift_field field = { 0 };
    while (th_thrift_read_field(reader, &field))
        if (field.type != TH_THRIFT_TRUE && field.type != TH_THRIFT_FALSE)
            skip(reader, field.type, depth);
}

static void skip_list(th_thrift_reader *reader, unsigned depth)
{
    uint8_t type;
    const uint32_t count = th_thrift_read_list(reader, &type);
    for (uint32_t i = 0; i < count && !reader->has_failed; i++)
        skip(reader, type, depth);
}

static void skip_map(th_thrift_reader *reader, unsigned depth)
{
    const uint64_t count = th_thrift_read_varint(reader);
    const uint8_t types = count ? read_byte(reader) : 0;
    if (count > left(reader))
        reader->has_failed = true;
    for (uint64_t i = 0; i < count && !reader->has_failed; i++) {
        skip(reader, types >> 4, depth);
        skip(reader, types & 0xF, depth);
    }
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by DEPTH_MAX
static void skip(th_thrift_reader *reader, uint8_t type, unsigned depth)
{
    if (depth == DEPTH_MAX)
        reader->has_failed = true;
    else if (type == TH_THRIFT_TRUE || type == TH_THRIFT_FALSE || type == TH_THRIFT_BYTE)
        (void)read_byte(reader);
    else if (type == I16 || type == TH_THRIFT_I32 || type == TH_THRIFT_I64)
        (void)th_thrift_read_varint(reader);
    else if (type == DOUBLE)
        for (int i = 0; i < 8; i++)
            (void)read_byte(reader);
    else if (type == TH_THRIFT_BINARY)
        (void)th_thrift_read_binary(reader);
    else if (type == TH_THRIFT_STRUCT)
        skip_struct(reader, depth + 1);
    else if (type == TH_THRIFT_LIST || type == SET)
        skip_list(reader, depth + 1);
    else if (type == MAP)
        skip_map(reader, depth + 1);
    else
        reader->has_failed = true;
}

void th_thrift_skip(th_thrift_reader *reader, uint8_t type)
{
    /* A boolean field has its value in its type. */
    if (type != TH_THRIFT_TRUE && type != TH_THRIFT_FALSE)
        skip(reader, type, 0);
}
