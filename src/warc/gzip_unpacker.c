/*
 * gzip members to unpacked bytes.  [RFC 1952]
 *
 * The header is read here and not by the inflater, so that ISA-L and zlib judge alike.
 * What follows a damaged member is found by its magic and by a probe: the first bytes
 * that it inflates to must begin a record. A gzip stream that lies verbatim in a stored
 * block of the damaged member (an archived .warc.gz) is passed over: it would give
 * phantom records.
 */
#include "gzip_unpacker.h"

#include "byte_order.h"
#include "inflater.h"

#include <stdlib.h>
#include <string.h>

enum {
    HEADER_MIN = 10,
    TRAILER = 8,
    PROBE_IN = 4096, /* compressed bytes that a probe looks at */
    FLAG_HCRC = 2,
    FLAG_EXTRA = 4,
    FLAG_NAME = 8,
    FLAG_COMMENT = 16,
    FLAGS_RESERVED = 0xe0,
};

struct gzip_unpacker {
    struct inflater *inflater;
    bool is_inside; /* of a member's deflate stream */
    bool is_arc;
    uint64_t member; /* offset of the present member */
    uint32_t size;   /* bytes it gave, modulo 2^32 as in its trailer */
    struct resync_budget budget;
};

enum header { HEADER_OK, HEADER_BAD, HEADER_CUT };

warc_status gzip_unpacker_new(struct gzip_unpacker **out)
{
    struct gzip_unpacker *gzip = calloc(1, sizeof *gzip);
    if (!gzip || inflater_new(&gzip->inflater) != WARC_OK) {
        free(gzip);
        return WARC_NOMEM;
    }
    *out = gzip;
    return WARC_OK;
}

void gzip_unpacker_free(struct gzip_unpacker *gzip)
{
    if (gzip)
        inflater_free(gzip->inflater);
    free(gzip);
}

void gzip_unpacker_reset(struct gzip_unpacker *gzip)
{
    gzip->is_inside = false;
}

void gzip_unpacker_set_arc(struct gzip_unpacker *gzip, bool is_arc)
{
    gzip->is_arc = is_arc;
}

static unsigned byte_at(warc_view bytes, size_t i)
{
    return (unsigned char)bytes.data[i];
}

/* Steps *at over a NUL-terminated text. */
static bool skip_text(warc_view bytes, size_t *at)
{
    const char *nul =
        *at < bytes.len ? memchr(bytes.data + *at, 0, bytes.len - *at) : NULL;
    if (!nul)
        return false;
    *at = (size_t)(nul - bytes.data) + 1;
    return true;
}

static bool is_magic(warc_view bytes)
{
    static const char magic[] = { '\x1f', '\x8b', 8 };
    return memcmp(bytes.data, magic,
                  bytes.len < sizeof magic ? bytes.len : sizeof magic) == 0;
}

/* Length of a member's header; its extra fields and texts are skipped unread. */
static enum header read_header(warc_view bytes, size_t *len)
{
    if (!is_magic(bytes))
        return HEADER_BAD;
    if (bytes.len < HEADER_MIN)
        return HEADER_CUT;
    const unsigned flags = byte_at(bytes, 3);
    if (flags & FLAGS_RESERVED)
        return HEADER_BAD;
    size_t at = HEADER_MIN;
    if (flags & FLAG_EXTRA) {
        if (bytes.len < at + 2)
            return HEADER_CUT;
        at += 2 + (byte_at(bytes, at) | byte_at(bytes, at + 1) << 8);
    }
    if (flags & FLAG_NAME && !skip_text(bytes, &at))
        return HEADER_CUT;
    if (flags & FLAG_COMMENT && !skip_text(bytes, &at))
        return HEADER_CUT;
    if (flags & FLAG_HCRC)
        at += 2;
    *len = at;
    return at < bytes.len ? HEADER_OK : HEADER_CUT;
}

bool gzip_unpacker_probe(struct gzip_unpacker *gzip, warc_view bytes)
{
    size_t header;
    if (read_header(bytes, &header) != HEADER_OK)
        return false;
    char out[RESYNC_PROBE_OUT];
    struct inflate_span span = { bytes.data + header, bytes.len - header, out,
                                 sizeof out };
    inflater_reset(gzip->inflater);
    if (inflater_run(gzip->inflater, &span) == INFLATE_DAMAGED)
        return false;
    const warc_view text = { out, sizeof out - span.out_len };
    return resync_is_record_start(text, gzip->is_arc);
}

/* What a search has learnt on its way. */
struct search {
    uint64_t until;        /* look at no place from here on */
    uint64_t stored_until; /* a stored block of the damaged member may reach to here */
    bool in_member;        /* looks at the bytes of a damaged member */
    bool only_nul;         /* all bytes passed were NUL */
    bool found;
};

/* A stored block is LEN and its complement on a byte border, behind bits that are 0. */
static void note_stored_block(struct search *search, const char *data, size_t i,
                              size_t len, uint64_t offset)
{
    if (i == 0 || i + 4 > len || (unsigned char)data[i - 1] >= 0x40)
        return;
    const uint32_t word = warc_le32(data + i);
    const uint32_t stored = word & 0xffff;
    if ((stored ^ word >> 16) != 0xffff || stored < HEADER_MIN + TRAILER)
        return;
    const uint64_t end = offset + i + 4 + stored;
    if (end > search->stored_until)
        search->stored_until = end;
}

static bool is_candidate(struct gzip_unpacker *gzip, const struct search *search,
                         warc_view bytes, uint64_t offset)
{
    if (offset < search->stored_until || bytes.len < HEADER_MIN || !is_magic(bytes))
        return false;
    if (bytes.len > PROBE_IN)
        bytes.len = PROBE_IN;
    return gzip_unpacker_probe(gzip, bytes);
}

/* Goes forward to the next member that begins a record, or to `until`, or to the end. */
static warc_status find_member(struct gzip_unpacker *gzip, struct input_window *in,
                               struct search *search)
{
    for (;;) {
        const warc_status status = input_window_need(in, PROBE_IN);
        if (status != WARC_OK)
            return status;
        const char *data = input_window_data(in);
        const size_t len = input_window_len(in);
        const uint64_t offset = input_window_offset(in);
        if (len == 0 || offset >= search->until)
            return WARC_OK;
        size_t limit = len < PROBE_IN ? len : len - PROBE_IN + 1;
        if (limit > search->until - offset)
            limit = (size_t)(search->until - offset);
        for (size_t i = 0; i < limit; i++) {
            if (search->in_member)
                note_stored_block(search, data, i, len, offset);
            const warc_view rest = { data + i, len - i };
            if (data[i] == '\x1f' && is_candidate(gzip, search, rest, offset + i)) {
                input_window_skip(in, i);
                search->found = true;
                return WARC_OK;
            }
            search->only_nul = search->only_nul && data[i] == 0;
        }
        input_window_skip(in, limit);
    }
}

/* Passes over bytes that begin no member. */
static warc_status skip_garbage(struct gzip_unpacker *gzip, struct input_window *in,
                                struct unpacked_window *out)
{
    const uint64_t begin = input_window_offset(in);
    struct search search = { .until = UINT64_MAX, .only_nul = true };
    const warc_status status = find_member(gzip, in, &search);
    if (status != WARC_OK)
        return status;
    const bool is_padding = search.only_nul && !search.found;
    const struct mark mark = {
        .kind = MARK_DIAG,
        .offset = begin,
        .code = is_padding ? WARC_DIAG_MEMBER_PADDING : WARC_DIAG_MEMBER_GARBAGE,
        .detail = "%llu bytes that are no gzip member",
        .number = input_window_offset(in) - begin,
    };
    unpacked_window_mark(out, mark);
    return WARC_OK;
}

/* Finds what follows a damaged member that seems to end here: a member that it swallowed,
 * the member that begins right here, or the next one. */
static warc_status find_next(struct gzip_unpacker *gzip, struct input_window *in,
                             bool is_complete, struct search *search)
{
    const uint64_t here = input_window_offset(in);
    resync_rewind(&gzip->budget, in, gzip->member + 1);
    *search = (struct search){ .until = here, .in_member = true };
    warc_status status = find_member(gzip, in, search);
    if (status != WARC_OK || search->found)
        return status;
    status = input_window_need(in, HEADER_MIN);
    if (status != WARC_OK)
        return status;
    const warc_view next = { input_window_data(in), input_window_len(in) };
    if (is_complete && is_magic(next)) /* also at the end of the file */
        return WARC_OK;
    search->until = UINT64_MAX;
    return find_member(gzip, in, search);
}

/* Ends a damaged member and finds the next one. is_complete: it has an end, which is
 * here. */
static warc_status leave_damaged(struct gzip_unpacker *gzip, struct input_window *in,
                                 struct unpacked_window *out, bool is_complete,
                                 const char *why)
{
    const uint64_t broken = input_window_offset(in);
    const bool at_end = input_window_len(in) == 0 && in->at_end;
    struct search search;
    const warc_status status = find_next(gzip, in, is_complete, &search);
    if (status != WARC_OK)
        return status;
    const bool is_cut = at_end && !search.found && !is_complete;
    unpacked_window_mark(
        out, (struct mark){ .kind = MARK_DIAG,
                            .offset = gzip->member,
                            .code = is_cut ? WARC_DIAG_MEMBER_TRUNCATED
                                           : WARC_DIAG_MEMBER_DAMAGED,
                            .detail = is_cut ? "the file ends within it, at %llu" : why,
                            .number = broken });
    unpacked_window_mark(
        out, (struct mark){ .kind = MARK_END, .offset = input_window_offset(in) });
    gzip->is_inside = false;
    return WARC_OK;
}

static warc_status begin_member(struct gzip_unpacker *gzip, struct input_window *in,
                                struct unpacked_window *out)
{
    warc_status status = input_window_need(in, HEADER_MIN + 1);
    if (status != WARC_OK)
        return status;
    if (input_window_len(in) == 0)
        return WARC_END;
    size_t header = 0;
    warc_view bytes = { input_window_data(in), input_window_len(in) };
    enum header kind = read_header(bytes, &header);
    if (kind == HEADER_CUT) { /* by the end of the window, or of the file? */
        status = input_window_need(in, INPUT_WINDOW_AHEAD);
        if (status != WARC_OK)
            return status;
        bytes = (warc_view){ input_window_data(in), input_window_len(in) };
        kind = read_header(bytes, &header);
    }
    if (kind == HEADER_BAD || (kind == HEADER_CUT && !in->at_end))
        return skip_garbage(gzip, in, out);
    gzip->member = input_window_offset(in);
    gzip->size = 0;
    gzip->is_inside = true;
    inflater_reset(gzip->inflater);
    unpacked_window_mark(out, (struct mark){ .kind = MARK_START,
                                             .offset = gzip->member,
                                             .dict_offset = UINT64_MAX });
    input_window_skip(in, kind == HEADER_OK ? header : bytes.len);
    return WARC_OK;
}

static warc_status end_member(struct gzip_unpacker *gzip, struct input_window *in,
                              struct unpacked_window *out)
{
    const warc_status status = input_window_need(in, TRAILER);
    if (status != WARC_OK)
        return status;
    if (input_window_len(in) < TRAILER) {
        input_window_skip(in, input_window_len(in));
        return leave_damaged(gzip, in, out, false, "its trailer is cut, at %llu");
    }
    const char *trailer = input_window_data(in);
    const bool is_good = warc_le32(trailer) == inflater_crc(gzip->inflater) &&
                         warc_le32(trailer + 4) == gzip->size;
    input_window_skip(in, TRAILER);
    if (!is_good)
        return leave_damaged(gzip, in, out, true, "checksum or size wrong, at %llu");
    unpacked_window_mark(
        out, (struct mark){ .kind = MARK_END, .offset = input_window_offset(in) });
    gzip->is_inside = false;
    return WARC_OK;
}

static warc_status inflate_some(struct gzip_unpacker *gzip, struct input_window *in,
                                struct unpacked_window *out)
{
    size_t room;
    warc_status status = unpacked_window_room(out, &room);
    if (status == WARC_OK)
        status = input_window_need(in, 1);
    if (status != WARC_OK)
        return status;
    const char *const data = input_window_data(in);
    const size_t len = input_window_len(in);
    struct inflate_span span = { data, len, unpacked_window_tail(out), room };
    const enum inflate_result result = inflater_run(gzip->inflater, &span);
    const size_t made = room - span.out_len;
    unpacked_window_append(out, made);
    gzip->size += (uint32_t)made;
    /* The end of the stream may lie before `data`, in bytes read ahead. */
    in->begin = (size_t)(span.in - in->data);
    if (result == INFLATE_END)
        return end_member(gzip, in, out);
    if (result == INFLATE_DAMAGED)
        return leave_damaged(gzip, in, out, false, "not a deflate stream, seen at %llu");
    if (made == 0 && span.in == data) /* nothing left to read, or no way on */
        return leave_damaged(gzip, in, out, false,
                             "runs past the end of the file at %llu");
    return WARC_OK;
}

warc_status gzip_unpacker_step(struct gzip_unpacker *gzip, struct input_window *in,
                               struct unpacked_window *out)
{
    return gzip->is_inside ? inflate_some(gzip, in, out) : begin_member(gzip, in, out);
}
