/*
 * gzip members to unpacked bytes.  [RFC 1952]
 *
 * The header is read here and not by the inflater, so ISA-L and zlib judge alike. The
 * member after a damaged one is found by its magic and by a probe: the first bytes that
 * it inflates to must begin a record. A gzip stream inside a stored block of the damaged
 * member (an archived .warc.gz) is skipped, because it would give phantom records. But a
 * member that was cut within a stored block seems to contain the next members. So the
 * stream counts if its members, one after the other, run over the end of the block.
 *
 * A member that is all in the input window, and neither large nor damaged, is inflated at
 * once (member_inflater.h): nearly every page. All others go through the inflater in
 * pieces. Both ways give the same bytes and marks.
 */
#include "gzip_unpacker.h"

#include "byte_order.h"
#include "inflater.h"
#include "member_inflater.h"

#include <stdlib.h>
#include <string.h>

enum {
    HEADER_MIN = 10,
    TRAILER = 8,
    PROBE_IN = 4096,     /* compressed bytes that a probe looks at */
    PROBES_MAX = 64,     /* in one part of a step: each costs some microseconds */
    CHAIN_OUT = 4 << 20, /* unpacked bytes of members that are followed */
    WHOLE_ROOM = DECOMPRESSED_WINDOW_ROOM, /* of the first attempt at a whole member */
    WHOLE_MAX = 1 << 20,                   /* unpacked bytes of a whole member */
    WHOLE_WAITING_MAX = 4096,              /* bytes that may be moved for a member */
    FLAG_HCRC = 2,
    FLAG_EXTRA = 4,
    FLAG_NAME = 8,
    FLAG_COMMENT = 16,
    FLAGS_RESERVED = 0xe0,
};

/* Kinds of a search for the next member. */
enum search_kind {
    SEARCH_NONE,    /* no search */
    SEARCH_GARBAGE, /* bytes between two members that begin no member */
    /* The three steps of a search after a damaged member, for the next member: */
    SEARCH_WITHIN, /* within the bytes that the damaged one seemed to have */
    SEARCH_BEHIND, /* right after it */
    SEARCH_BEYOND, /* anywhere after it */
};

/* State of a search. */
struct search {
    enum search_kind kind;
    uint64_t until;        /* end of the search, exclusive */
    size_t at;             /* bytes of the present stretch that were searched */
    uint64_t stored_until; /* a stored block of the damaged member may reach to here */
    bool is_checking;      /* a member in a stored block is next, and is to be checked */
    bool in_member;        /* looks at the bytes of a damaged member */
    bool only_nul;         /* all bytes passed were NUL */
    bool found;

    uint64_t begin;   /* start of the garbage, or place of the damage */
    bool at_end;      /* it broke at the end of the file */
    bool is_complete; /* it has an end, which is where it broke */
    const char *why;  /* it is damaged */
};

struct gzip_unpacker {
    struct inflater *inflater;
    struct member_inflater *whole;
    bool is_inside; /* the next byte is of a member's deflate stream */
    bool is_behind; /* the next byte is of a member's trailer */
    bool is_arc;
    uint64_t member; /* offset of the present member */
    uint32_t size;   /* bytes it gave, modulo 2^32 as in its trailer */
    struct search search;
    struct resync_budget budget;
    uint64_t followed; /* unpacked bytes of all members that were followed */
};

enum header { HEADER_OK, HEADER_BAD, HEADER_CUT };

warc_status gzip_unpacker_new(struct gzip_unpacker **out)
{
    struct gzip_unpacker *gzip = calloc(1, sizeof *gzip);
    if (!gzip || inflater_new(&gzip->inflater) != WARC_OK ||
        member_inflater_new(&gzip->whole) != WARC_OK) {
        gzip_unpacker_free(gzip);
        return WARC_NOMEM;
    }
    *out = gzip;
    return WARC_OK;
}

void gzip_unpacker_free(struct gzip_unpacker *gzip)
{
    if (gzip) {
        inflater_free(gzip->inflater);
        member_inflater_free(gzip->whole);
    }
    free(gzip);
}

void gzip_unpacker_reset(struct gzip_unpacker *gzip)
{
    gzip->is_inside = gzip->is_behind = false;
    gzip->search.kind = SEARCH_NONE;
}

void gzip_unpacker_set_arc(struct gzip_unpacker *gzip, bool is_arc)
{
    gzip->is_arc = is_arc;
}

static unsigned byte_at(warc_view bytes, size_t i)
{
    return (unsigned char)bytes.data[i];
}

/* Moves *at after a NUL-terminated text. */
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

/* Returns whether an empty stored block begins with LEN at `i`, as a flush writes it. */
static bool is_empty_block(const char *data, size_t i, size_t len)
{
    return i + 4 <= len && warc_le32(data + i) == 0xffff0000;
}

/* Notes a stored block: LEN and its complement on a byte border, after bits that are 0,
 * and not within the header of an empty block. */
static void note_stored_block(struct search *search, const char *data, size_t i,
                              size_t len, uint64_t offset)
{
    if (i == 0 || i + 4 > len || (unsigned char)data[i - 1] >= 0x40)
        return;
    const uint32_t word = warc_le32(data + i);
    const uint32_t stored = word & 0xffff;
    if ((stored ^ word >> 16) != 0xffff || stored < HEADER_MIN + TRAILER)
        return;
    if (is_empty_block(data, i - 1, len) || (i > 1 && is_empty_block(data, i - 2, len)))
        return;
    const uint64_t end = offset + i + 4 + stored;
    if (end > search->stored_until)
        search->stored_until = end;
}

static bool is_candidate(struct gzip_unpacker *gzip, warc_view bytes, unsigned *probes)
{
    if (bytes.len < HEADER_MIN || !is_magic(bytes))
        return false;
    if (bytes.len > PROBE_IN)
        bytes.len = PROBE_IN;
    ++*probes;
    return gzip_unpacker_probe(gzip, bytes);
}

/* Inflates the member at the beginning of `bytes`, up to `limit` unpacked bytes. Returns
 * its length, 0 if it is damaged or large, or SIZE_MAX if `bytes` end within it. */
static size_t follow_member(struct gzip_unpacker *gzip, warc_view bytes, size_t limit)
{
    size_t header;
    const enum header kind = read_header(bytes, &header);
    if (kind != HEADER_OK)
        return kind == HEADER_CUT ? SIZE_MAX : 0;
    inflater_reset(gzip->inflater);
    struct inflate_span span = { .in = bytes.data + header,
                                 .in_len = bytes.len - header };
    uint32_t size = 0;
    enum inflate_result result;
    size_t left;
    do {
        char out[PROBE_IN];
        left = span.in_len;
        span.out = out;
        span.out_len = sizeof out;
        result = inflater_run(gzip->inflater, &span);
        size += (uint32_t)(sizeof out - span.out_len);
    } while (result == INFLATE_BEHIND ||
             (result == INFLATE_MORE && size <= limit &&
              (span.in_len < left || span.out_len < PROBE_IN)));
    gzip->followed += size;
    if (result != INFLATE_END)
        return result == INFLATE_MORE && size <= limit ? SIZE_MAX : 0;
    if (span.in_len < TRAILER)
        return SIZE_MAX;
    const bool is_good = warc_le32(span.in) == inflater_crc(gzip->inflater) &&
                         warc_le32(span.in + 4) == size;
    return is_good ? bytes.len - span.in_len + TRAILER : 0;
}

/* Returns whether the members here run over the end of the stored block, which therefore
 * does not contain them. Needs INPUT_WINDOW_AHEAD bytes, or all to the end of the file.
 * */
static bool runs_over_block(struct gzip_unpacker *gzip, const struct input_window *in)
{
    const uint64_t offset = input_window_offset(in);
    const size_t inside = (size_t)(gzip->search.stored_until - offset); /* < 64 KiB */
    const bool is_short = input_window_len(in) < INPUT_WINDOW_AHEAD;
    /* No more than that, so the answer does not depend on how the input was read. */
    const size_t len = is_short ? input_window_len(in) : (size_t)INPUT_WINDOW_AHEAD;
    const uint64_t before = gzip->followed;
    if (before > 8 * offset + RESYNC_REWIND_FREE) /* keeps all searches linear */
        return false;
    size_t at = 0;
    while (at <= inside && at < len && gzip->followed - before < CHAIN_OUT) {
        const warc_view rest = { input_window_data(in) + at, len - at };
        const size_t member = follow_member(gzip, rest, CHAIN_OUT);
        if (member == 0)
            return false;
        if (member == SIZE_MAX) /* a large member, or the last one of the file, cut */
            return len > inside;
        at += member;
    }
    return at > inside || (at == len && is_short && in->at_end);
}

/*
 * Goes forward to the next member that begins a record, or to `until`, or to the end. A
 * stretch of the window is searched in parts. The places of a stored block's length must
 * not depend on where a part ends.
 */
static warc_status find_member(struct gzip_unpacker *gzip, struct input_window *in)
{
    struct search *search = &gzip->search;
    const warc_status status =
        search->at ? WARC_OK
                   : input_window_want(
                         in, search->is_checking ? (size_t)INPUT_WINDOW_AHEAD : PROBE_IN);
    if (status != WARC_OK)
        return status;
    const char *data = input_window_data(in);
    const size_t len = input_window_len(in);
    const uint64_t offset = input_window_offset(in);
    if (len == 0 || offset >= search->until)
        return len == 0 && in->has_failed ? WARC_IO : WARC_OK;
    size_t limit = len < PROBE_IN ? len : len - PROBE_IN + 1;
    if (limit > search->until - offset)
        limit = (size_t)(search->until - offset);
    unsigned probes = 0;
    if (search->is_checking) {
        search->is_checking = false;
        search->found = runs_over_block(gzip, in);
        search->at = search->found ? 0 : 1;
        search->only_nul = false;
        return search->found ? WARC_OK : WARC_PAUSED;
    }
    for (size_t i = search->at; i < limit; i++) {
        if (search->in_member)
            note_stored_block(search, data, i, len, offset);
        const warc_view rest = { data + i, len - i };
        if (data[i] == '\x1f' && is_candidate(gzip, rest, &probes)) {
            input_window_skip(in, i);
            search->at = 0;
            search->is_checking = offset + i < search->stored_until;
            search->found = !search->is_checking;
            return search->found ? WARC_OK : WARC_PAUSED;
        }
        search->only_nul = search->only_nul && data[i] == 0;
        search->at = i + 1;
        if (probes == PROBES_MAX && i + 1 < limit)
            return WARC_PAUSED;
    }
    search->at = 0;
    input_window_skip(in, limit);
    return WARC_PAUSED;
}

/* Reports the bytes that begin no member. */
static void end_garbage(struct gzip_unpacker *gzip, const struct input_window *in,
                        struct decompressed_window *out)
{
    const struct search *search = &gzip->search;
    const bool is_padding = search->only_nul && !search->found;
    const struct mark mark = {
        .kind = MARK_DIAG,
        .offset = search->begin,
        .code = is_padding ? WARC_DIAG_MEMBER_PADDING : WARC_DIAG_MEMBER_GARBAGE,
        .detail = "%llu bytes outside of gzip members",
        .number = input_window_offset(in) - search->begin,
    };
    decompressed_window_mark(out, mark);
}

/* Ends a damaged member, after the next member or the end of the file is found. */
static void end_damaged(struct gzip_unpacker *gzip, const struct input_window *in,
                        struct decompressed_window *out)
{
    const struct search *search = &gzip->search;
    const bool is_cut = search->at_end && !search->found && !search->is_complete;
    decompressed_window_mark(
        out,
        (struct mark){
            .kind = MARK_DIAG,
            .offset = gzip->member,
            .code = is_cut ? WARC_DIAG_MEMBER_TRUNCATED : WARC_DIAG_MEMBER_DAMAGED,
            .detail = is_cut ? "the file ends inside the member, at %llu" : search->why,
            .number = search->begin });
    decompressed_window_mark(
        out, (struct mark){ .kind = MARK_END, .offset = input_window_offset(in) });
    gzip->is_inside = gzip->is_behind = false;
}

/* Checks whether a member begins right after a damaged member that seems to be
 * complete. */
static warc_status look_behind(struct gzip_unpacker *gzip, struct input_window *in)
{
    const warc_status status = input_window_want(in, HEADER_MIN);
    if (status != WARC_OK)
        return status;
    const warc_view next = { input_window_data(in), input_window_len(in) };
    if (gzip->search.is_complete && is_magic(next)) /* also at the end of the file */
        return WARC_OK;
    gzip->search.kind = SEARCH_BEYOND;
    gzip->search.until = UINT64_MAX;
    return WARC_PAUSED;
}

/* Continues a search: a member within a damaged one, the member that begins right here,
 * or the next one. */
static warc_status search_on(struct gzip_unpacker *gzip, struct input_window *in,
                             struct decompressed_window *out)
{
    struct search *search = &gzip->search;
    const warc_status status =
        search->kind == SEARCH_BEHIND ? look_behind(gzip, in) : find_member(gzip, in);
    if (status != WARC_OK)
        return status;
    if (search->kind == SEARCH_WITHIN && !search->found) {
        search->kind = SEARCH_BEHIND;
        return WARC_PAUSED;
    }
    if (search->kind == SEARCH_GARBAGE)
        end_garbage(gzip, in, out);
    else
        end_damaged(gzip, in, out);
    search->kind = SEARCH_NONE;
    return WARC_OK;
}

/* Skips bytes that begin no member. */
static warc_status skip_garbage(struct gzip_unpacker *gzip, struct input_window *in,
                                struct decompressed_window *out)
{
    gzip->search = (struct search){ .kind = SEARCH_GARBAGE,
                                    .until = UINT64_MAX,
                                    .only_nul = true,
                                    .begin = input_window_offset(in) };
    return search_on(gzip, in, out);
}

/* Leaves a damaged member for the next one. is_complete: the member ends here. */
static warc_status leave_damaged(struct gzip_unpacker *gzip, struct input_window *in,
                                 struct decompressed_window *out, bool is_complete,
                                 const char *why)
{
    const uint64_t here = input_window_offset(in);
    gzip->search = (struct search){ .kind = SEARCH_WITHIN,
                                    .until = here,
                                    .in_member = true,
                                    .begin = here,
                                    .at_end = input_window_len(in) == 0 && in->at_end,
                                    .is_complete = is_complete,
                                    .why = why };
    resync_rewind(&gzip->budget, in, gzip->member + 1);
    return search_on(gzip, in, out);
}

/*
 * Unpacks the member at the window's beginning if that can be done at once.
 * @param header  bytes of its header
 * @param is_done  out: whether it was done; if not, nothing has changed
 */
static warc_status unpack_whole(struct gzip_unpacker *gzip, struct input_window *in,
                                struct decompressed_window *out, size_t header,
                                bool *is_done)
{
    *is_done = false;
    if (decompressed_window_len(out) > WHOLE_WAITING_MAX ||
        !member_inflater_is_worth(gzip->whole))
        return WARC_OK;
    enum member_result result = MEMBER_NO_ROOM;
    struct member_span span;
    for (size_t capacity = WHOLE_ROOM; result == MEMBER_NO_ROOM && capacity <= WHOLE_MAX;
         capacity = capacity < WHOLE_MAX ? WHOLE_MAX : WHOLE_MAX + 1) {
        span = (struct member_span){ .in = input_window_data(in) + header,
                                     .in_len = input_window_len(in) - header };
        const warc_status status =
            decompressed_window_room_for(out, capacity, &span.capacity);
        if (status != WARC_OK)
            return status;
        span.out = decompressed_window_tail(out);
        result = member_inflater_run(gzip->whole, &span);
    }
    if (result != MEMBER_OK)
        return WARC_OK;
    decompressed_window_mark(out, (struct mark){ .kind = MARK_START,
                                                 .offset = input_window_offset(in),
                                                 .dict_offset = UINT64_MAX });
    input_window_skip(in, header + span.used);
    decompressed_window_append(out, span.made);
    decompressed_window_mark(
        out, (struct mark){ .kind = MARK_END, .offset = input_window_offset(in) });
    *is_done = true;
    return WARC_OK;
}

static warc_status begin_member(struct gzip_unpacker *gzip, struct input_window *in,
                                struct decompressed_window *out)
{
    /* More than a header, so most members are then completely in the window. */
    warc_status status = input_window_want(in, INPUT_WINDOW_AHEAD / 2);
    if (status != WARC_OK)
        return status;
    if (in->has_failed && input_window_len(in) < HEADER_MIN + 1)
        return WARC_IO;
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
    bool is_done = false;
    if (kind == HEADER_OK)
        status = unpack_whole(gzip, in, out, header, &is_done);
    if (status != WARC_OK || is_done)
        return status;
    gzip->member = input_window_offset(in);
    gzip->size = 0;
    gzip->is_inside = true;
    gzip->is_behind = false;
    inflater_reset(gzip->inflater);
    decompressed_window_mark(out, (struct mark){ .kind = MARK_START,
                                                 .offset = gzip->member,
                                                 .dict_offset = UINT64_MAX });
    input_window_skip(in, kind == HEADER_OK ? header : bytes.len);
    return WARC_OK;
}

static warc_status end_member(struct gzip_unpacker *gzip, struct input_window *in,
                              struct decompressed_window *out)
{
    const warc_status status = input_window_need(in, TRAILER);
    if (status != WARC_OK)
        return status;
    if (input_window_len(in) < TRAILER) {
        input_window_skip(in, input_window_len(in));
        return leave_damaged(gzip, in, out, false, "truncated trailer, at %llu");
    }
    const char *trailer = input_window_data(in);
    const bool is_good = warc_le32(trailer) == inflater_crc(gzip->inflater) &&
                         warc_le32(trailer + 4) == gzip->size;
    input_window_skip(in, TRAILER);
    if (!is_good)
        return leave_damaged(gzip, in, out, true, "wrong checksum or size, at %llu");
    decompressed_window_mark(
        out, (struct mark){ .kind = MARK_END, .offset = input_window_offset(in) });
    gzip->is_inside = gzip->is_behind = false;
    return WARC_OK;
}

static warc_status inflate_some(struct gzip_unpacker *gzip, struct input_window *in,
                                struct decompressed_window *out)
{
    size_t capacity;
    warc_status status = decompressed_window_capacity(out, &capacity);
    if (status == WARC_OK)
        status = input_window_need(in, 1);
    if (status != WARC_OK)
        return status;
    const char *const data = input_window_data(in);
    const size_t len = input_window_len(in);
    struct inflate_span span = { data, len, decompressed_window_tail(out), capacity };
    const enum inflate_result result = inflater_run(gzip->inflater, &span);
    if (result == INFLATE_BEHIND)
        return WARC_PAUSED;
    const size_t made = capacity - span.out_len;
    decompressed_window_append(out, made);
    gzip->size += (uint32_t)made;
    /* The end of the stream may be before `data`, in bytes read ahead. */
    in->begin = (size_t)(span.in - in->data);
    gzip->is_behind = result == INFLATE_END;
    if (gzip->is_behind)
        return end_member(gzip, in, out);
    if (result == INFLATE_DAMAGED)
        return leave_damaged(gzip, in, out, false,
                             "not a deflate stream, detected at %llu");
    if (made == 0 && span.in == data) /* no input left to read, or no progress */
        return leave_damaged(gzip, in, out, false,
                             "the member continues past the end of the file at %llu");
    return WARC_OK;
}

warc_status gzip_unpacker_step(struct gzip_unpacker *gzip, struct input_window *in,
                               struct decompressed_window *out)
{
    if (gzip->search.kind != SEARCH_NONE)
        return search_on(gzip, in, out);
    if (gzip->is_behind)
        return end_member(gzip, in, out);
    return gzip->is_inside ? inflate_some(gzip, in, out) : begin_member(gzip, in, out);
}
