/* Runs of at least eight equal numbers, and packed groups of eight between them. */
#include "parquet/run_lengths.h"

#include "parquet/thrift.h"
#include "parquet/thrift_reader.h"

enum {
    GROUP = TH_RUN_MIN,
    MOST_GROUPS = 63, /* of a packed run, whose header then is one byte */
    MAX_BYTES = 4     /* of a number */
};

unsigned th_bit_width(uint32_t max)
{
    unsigned width = 0;
    for (; max; max >>= 1)
        width++;
    return width;
}

void th_run_lengths_begin(th_run_lengths *lengths, unsigned width, th_buffer *out)
{
    *lengths = (th_run_lengths){ .out = out, .width = width };
}

static void end_packed_run(th_run_lengths *lengths)
{
    if (lengths->groups && !lengths->out->has_failed)
        lengths->out->data[lengths->header_at] = (char)(lengths->groups << 1 | 1);
    lengths->groups = 0;
}

static void write_run(th_run_lengths *lengths)
{
    end_packed_run(lengths);
    th_varint(lengths->out, lengths->run << 1);
    for (unsigned bits = 0; bits < lengths->width; bits += 8)
        th_buffer_append_char(lengths->out, (char)(lengths->last >> bits));
    lengths->run = 0;
    lengths->waiting_count = 0;
}

static void pack_group(th_run_lengths *lengths)
{
    if (lengths->groups == MOST_GROUPS)
        end_packed_run(lengths);
    if (!lengths->groups) {
        lengths->header_at = lengths->out->len;
        th_buffer_append_char(lengths->out, 0);
    }
    lengths->groups++;
    char bytes[GROUP * MAX_BYTES];
    size_t len = 0;
    uint64_t bits = 0;
    unsigned held = 0;
    for (unsigned i = 0; i < GROUP; i++) {
        bits |= (uint64_t)lengths->waiting[i] << held;
        for (held += lengths->width; held >= 8; held -= 8, bits >>= 8)
            bytes[len++] = (char)bits;
    }
    th_buffer_append(lengths->out, bytes, len);
    lengths->waiting_count = 0;
    lengths->run = 0;
}

void th_run_lengths_change(th_run_lengths *lengths, uint32_t value)
{
    if (value == lengths->last && lengths->run) {
        lengths->run++;
    } else {
        if (lengths->run >= GROUP)
            write_run(lengths);
        lengths->run = 1;
        lengths->last = value;
    }
    lengths->waiting[lengths->waiting_count++] = value;
    if (lengths->waiting_count < GROUP)
        return;
    if (lengths->run < GROUP)
        pack_group(lengths);
}

void th_run_lengths_end(th_run_lengths *lengths)
{
    if (lengths->run >= GROUP) {
        write_run(lengths);
    } else if (lengths->waiting_count) {
        while (lengths->waiting_count < GROUP)
            lengths->waiting[lengths->waiting_count++] = 0;
        pack_group(lengths);
    }
    end_packed_run(lengths);
}

/* ---- reading ---- */

bool th_run_reader_begin(th_run_reader *reader, unsigned width, th_view bytes)
{
    const unsigned char *start = (const unsigned char *)bytes.data;
    *reader = (th_run_reader){ .at = start, .end = start + bytes.len, .width = width };
    return width <= 32;
}

static bool read_run(th_run_reader *reader)
{
    th_thrift_reader head = { .at = reader->at, .end = reader->end };
    const uint64_t header = th_thrift_read_varint(&head);
    const size_t bytes = (reader->width + 7) / 8;
    if (head.has_failed)
        return false;
    reader->at = head.at;
    if (header & 1) {
        if ((header >> 1) > UINT32_MAX)
            return false;
        reader->packed = (header >> 1) * GROUP;
        reader->bits = reader->held = 0;
        return true;
    }
    if (bytes > (size_t)(reader->end - reader->at))
        return false;
    reader->run = header >> 1;
    reader->value = 0;
    for (size_t i = 0; i < bytes; i++)
        reader->value |= (uint32_t)*reader->at++ << 8 * i;
    return true;
}

static bool unpack_number(th_run_reader *reader, uint32_t *value)
{
    while (reader->held < reader->width) {
        if (reader->at == reader->end)
            return false;
        reader->bits |= (uint64_t)*reader->at++ << reader->held;
        reader->held += 8;
    }
    *value = (uint32_t)(reader->bits & ((UINT64_C(1) << reader->width) - 1));
    reader->bits >>= reader->width;
    reader->held -= reader->width;
    reader->packed--;
    return true;
}

bool th_run_reader_next(th_run_reader *reader, uint32_t *value)
{
    while (!reader->run && !reader->packed)
        if (!read_run(reader))
            return false;
    if (reader->packed)
        return unpack_number(reader, value);
    reader->run--;
    *value = reader->value;
    return true;
}
