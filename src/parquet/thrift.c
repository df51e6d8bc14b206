/* Thrift's compact protocol. See the header. */
#include "parquet/thrift.h"

#include <assert.h>

void th_varint(th_buffer *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        th_buffer_append_char(out, (char)(value | 0x80));
    th_buffer_append_char(out, (char)value);
}

static uint64_t zigzag(int64_t value)
{
    return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

void th_thrift_begin(th_thrift *thrift, th_buffer *out)
{
    *thrift = (th_thrift){ .out = out };
}

void th_thrift_end(th_thrift *thrift)
{
    th_buffer_append_char(thrift->out, 0);
    if (thrift->depth)
        thrift->depth--;
}

static void open_struct(th_thrift *thrift)
{
    assert(thrift->depth + 1 < TH_THRIFT_DEPTH);
    thrift->last[++thrift->depth] = 0;
}

static void field(th_thrift *thrift, int16_t id, th_thrift_type type)
{
    const int step = id - thrift->last[thrift->depth];
    thrift->last[thrift->depth] = id;
    assert(step > 0);
    if (step < 16) {
        th_buffer_append_char(thrift->out, (char)(step << 4 | (int)type));
        return;
    }
    th_buffer_append_char(thrift->out, (char)type);
    th_varint(thrift->out, zigzag(id));
}

void th_thrift_i32(th_thrift *thrift, int16_t id, int32_t value)
{
    field(thrift, id, TH_THRIFT_I32);
    th_varint(thrift->out, zigzag(value));
}

void th_thrift_i64(th_thrift *thrift, int16_t id, int64_t value)
{
    field(thrift, id, TH_THRIFT_I64);
    th_varint(thrift->out, zigzag(value));
}

void th_thrift_byte(th_thrift *thrift, int16_t id, int8_t value)
{
    field(thrift, id, TH_THRIFT_BYTE);
    th_buffer_append_char(thrift->out, (char)value);
}

void th_thrift_bool(th_thrift *thrift, int16_t id, bool value)
{
    field(thrift, id, value ? TH_THRIFT_TRUE : TH_THRIFT_FALSE);
}

void th_thrift_binary(th_thrift *thrift, int16_t id, th_view bytes)
{
    field(thrift, id, TH_THRIFT_BINARY);
    th_thrift_element_binary(thrift, bytes);
}

void th_thrift_struct(th_thrift *thrift, int16_t id)
{
    field(thrift, id, TH_THRIFT_STRUCT);
    open_struct(thrift);
}

void th_thrift_empty(th_thrift *thrift, int16_t id)
{
    th_thrift_struct(thrift, id);
    th_thrift_end(thrift);
}

void th_thrift_list(th_thrift *thrift, int16_t id, th_thrift_type type, uint32_t count)
{
    field(thrift, id, TH_THRIFT_LIST);
    th_buffer_append_char(thrift->out,
                          (char)((count < 15 ? count : 15) << 4 | (uint32_t)type));
    if (count >= 15)
        th_varint(thrift->out, count);
}

void th_thrift_element_i32(th_thrift *thrift, int32_t value)
{
    th_varint(thrift->out, zigzag(value));
}

void th_thrift_element_binary(th_thrift *thrift, th_view bytes)
{
    th_varint(thrift->out, bytes.len);
    th_buffer_append_view(thrift->out, bytes);
}

void th_thrift_element_struct(th_thrift *thrift)
{
    open_struct(thrift);
}
