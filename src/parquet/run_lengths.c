/* Runs of at least eight equal numbers, and packed groups of eight between them. */
#include "parquet/run_lengths.h"

#include "parquet/thrift.h"

enum {
    GROUP = 8,
    MOST_GROUPS = 63, /* of a packed run, whose header then is one byte */
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
    uint64_t bits = 0;
    unsigned held = 0;
    for (unsigned i = 0; i < GROUP; i++) {
        bits |= (uint64_t)lengths->waiting[i] << held;
        for (held += lengths->width; held >= 8; held -= 8, bits >>= 8)
            th_buffer_append_char(lengths->out, (char)bits);
    }
    lengths->waiting_count = 0;
    lengths->run = 0;
}

void th_run_lengths_put(th_run_lengths *lengths, uint32_t value)
{
    if (value == lengths->last && lengths->run) {
        if (++lengths->run > GROUP)
            return; /* the eight that wait begin the run */
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
