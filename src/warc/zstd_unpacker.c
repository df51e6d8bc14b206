/*
 * Zstandard frames to unpacked bytes.  [RFC 8878 §3.1]
 *
 * In parallel to the decoder, a walk over the block headers finds the end of the frame
 * without decoding it. So a frame that cannot be decoded (because of damage, or a
 * missing dictionary) is left where it ends. Only when the walk itself fails is the next
 * frame searched for.
 */
#include "zstd_unpacker.h"

#include "byte_order.h"
#include "resync.h"
#include "warc/warc_record.h"

/* For ZSTD_getFrameHeader, which every build exports. */
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>

#include <stdlib.h>
#include <string.h>

enum {
    MAGIC = 4,
    SKIPPABLE_HEADER = 8,
    FRAME_HEADER_MAX = 18,
    BLOCK_HEADER = 3,
    BLOCK_MAX = 128 * 1024,
    CHECKSUM = 4,
    PROBE_IN = FRAME_HEADER_MAX + BLOCK_HEADER + BLOCK_MAX, /* a whole first block */
    PROBES_MAX = 8, /* in one part of a step: each may decode a block */
};

static const uint32_t frame_magic = 0xfd2fb528;
static const uint32_t skippable_magic = 0x184d2a50; /* to ..5f */
static const uint32_t dict_frame_magic = 0x184d2a5d;
static const uint32_t dict_magic = 0xec30a437;

/* State of the walk in a frame. */
enum walk {
    WALK_BETWEEN,
    WALK_DICTIONARY,
    WALK_SKIPPABLE,
    WALK_HEADER,
    WALK_BLOCK,
    WALK_CHECKSUM,
    WALK_OVER, /* all parts of the frame are done */
};

/* Kinds of a search for the next frame. */
enum search { SEARCH_NONE, SEARCH_GARBAGE, SEARCH_BROKEN, SEARCH_TRUNCATED };

struct zstd_unpacker {
    struct zstd_limits limits;
    ZSTD_DCtx *context;
    ZSTD_DDict *dict;
    uint32_t dict_id;
    uint64_t dict_offset;

    uint64_t frame; /* offset of the present frame */
    enum walk walk;
    uint64_t left; /* bytes of the present part that are not walked over yet */
    bool has_checksum;
    bool is_last;                   /* the present block is the frame's last */
    bool is_dead;                   /* the frame is walked over, not decoded */
    bool is_flushing;               /* the decoder has output that did not fit */
    char *content;                  /* of a dictionary frame that is being read, */
    size_t content_len, content_at; /* so far */
    enum search search;
    uint64_t garbage; /* where it begins, or where the file ends within a frame */
    struct resync_budget budget;
};

static bool is_skippable(uint32_t magic)
{
    return (magic & 0xfffffff0) == skippable_magic;
}

bool zstd_unpacker_is_magic(warc_view bytes)
{
    return bytes.len >= MAGIC &&
           (warc_le32(bytes.data) == frame_magic || is_skippable(warc_le32(bytes.data)));
}

/* Activates a dictionary. */
static warc_status set_dictionary(struct zstd_unpacker *zstd, warc_view bytes,
                                  uint64_t offset)
{
    ZSTD_DDict *dict = ZSTD_createDDict(bytes.data, bytes.len);
    if (!dict)
        return WARC_BAD_ARGUMENT;
    ZSTD_freeDDict(zstd->dict);
    zstd->dict = dict;
    zstd->dict_id = ZSTD_getDictID_fromDDict(dict);
    zstd->dict_offset = offset;
    return WARC_OK;
}

warc_status zstd_unpacker_new(const struct zstd_limits *limits, warc_view dictionary,
                              struct zstd_unpacker **out)
{
    warc_status status = WARC_NOMEM;
    struct zstd_unpacker *zstd = calloc(1, sizeof *zstd);
    if (!zstd)
        return WARC_NOMEM;
    zstd->limits = *limits;
    zstd->dict_offset = WARC_NO_OFFSET;
    zstd->context = ZSTD_createDCtx();
    if (!zstd->context)
        goto done;
    ZSTD_DCtx_setParameter(zstd->context, ZSTD_d_windowLogMax, limits->max_window_log);
    status = WARC_OK;
    if (dictionary.len > 0)
        status = set_dictionary(zstd, dictionary, WARC_NO_OFFSET);
    if (status != WARC_OK)
        goto done;
    *out = zstd;
    zstd = NULL;
done:
    zstd_unpacker_free(zstd);
    return status;
}

void zstd_unpacker_free(struct zstd_unpacker *zstd)
{
    if (zstd) {
        ZSTD_freeDCtx(zstd->context);
        ZSTD_freeDDict(zstd->dict);
        free(zstd->content);
    }
    free(zstd);
}

void zstd_unpacker_reset(struct zstd_unpacker *zstd)
{
    zstd->walk = WALK_BETWEEN;
    zstd->search = SEARCH_NONE;
    zstd->is_flushing = false;
    free(zstd->content);
    zstd->content = NULL;
}

uint64_t zstd_unpacker_dict_offset(const struct zstd_unpacker *zstd)
{
    return zstd->dict_offset;
}

static void mark_diag(struct decompressed_window *out, uint64_t offset,
                      warc_diag_code code, const char *detail, uint64_t number)
{
    decompressed_window_mark(out, (struct mark){ .kind = MARK_DIAG,
                                                 .offset = offset,
                                                 .code = code,
                                                 .detail = detail,
                                                 .number = number });
}

/* ---- the dictionary frame ---- */

/* Unpacks a dictionary that is itself a frame. *unpacked is owned by the caller. */
static warc_status unpack_dictionary(const struct zstd_unpacker *zstd, warc_view packed,
                                     char **decompressed, size_t *len)
{
    const unsigned long long declared = ZSTD_getFrameContentSize(packed.data, packed.len);
    if (declared == ZSTD_CONTENTSIZE_ERROR)
        return WARC_BAD_ARGUMENT;
    const bool is_known = declared != ZSTD_CONTENTSIZE_UNKNOWN;
    if (is_known && declared > zstd->limits.max_dictionary)
        return WARC_BAD_ARGUMENT;
    const size_t capacity = is_known ? (size_t)declared : zstd->limits.max_dictionary;
    char *data = malloc(capacity > 0 ? capacity : 1);
    ZSTD_DCtx *context = ZSTD_createDCtx();
    warc_status status = data && context ? WARC_OK : WARC_NOMEM;
    if (status == WARC_OK) {
        *len = ZSTD_decompressDCtx(context, data, capacity, packed.data, packed.len);
        if (ZSTD_isError(*len))
            status = WARC_BAD_ARGUMENT;
    }
    ZSTD_freeDCtx(context);
    if (status == WARC_OK)
        *decompressed = data;
    else
        free(data);
    return status;
}

/* Takes the content of a dictionary frame: a dictionary, or one frame that contains
 * it. */
static warc_status take_dictionary(struct zstd_unpacker *zstd, warc_view bytes,
                                   uint64_t offset)
{
    if (warc_le32(bytes.data) == dict_magic)
        return set_dictionary(zstd, bytes, offset);
    char *decompressed = NULL;
    size_t len = 0;
    warc_status status = unpack_dictionary(zstd, bytes, &decompressed, &len);
    if (status == WARC_OK)
        status = len >= MAGIC && warc_le32(decompressed) == dict_magic
                     ? set_dictionary(zstd, (warc_view){ decompressed, len }, offset)
                     : WARC_BAD_ARGUMENT;
    free(decompressed);
    return status;
}

/* Reads the content of a dictionary frame out of the window. Returns WARC_END if the
 * file has less, or WARC_PAUSED before it is complete. */
static warc_status read_content(struct zstd_unpacker *zstd, struct input_window *in)
{
    while (zstd->content_at < zstd->content_len) {
        const warc_status status = input_window_need(in, 1);
        if (status != WARC_OK)
            return status;
        const size_t lacking = zstd->content_len - zstd->content_at;
        size_t ready = input_window_len(in);
        if (ready == 0)
            return WARC_END;
        if (ready > lacking)
            ready = lacking;
        memcpy(zstd->content + zstd->content_at, input_window_data(in), ready);
        input_window_skip(in, ready);
        zstd->content_at += ready;
    }
    return WARC_OK;
}

/* Returns whether `in` is at a dictionary frame. Other frames with its magic are
 * skipped.
 */
static bool is_dictionary_frame(const struct input_window *in)
{
    const char *data = input_window_data(in);
    if (input_window_len(in) < SKIPPABLE_HEADER + MAGIC ||
        warc_le32(data) != dict_frame_magic)
        return false;
    const uint32_t content = warc_le32(data + SKIPPABLE_HEADER);
    return warc_le32(data + MAGIC) >= MAGIC &&
           (content == dict_magic || content == frame_magic);
}

/* Reads a complete dictionary frame, and moves `in` after it. Reports its errors to
 * `out`, unless `out` is NULL. */
static warc_status read_dictionary(struct zstd_unpacker *zstd, struct input_window *in,
                                   struct decompressed_window *out)
{
    warc_status status = read_content(zstd, in);
    if (status == WARC_PAUSED)
        return status;
    const warc_view content = { zstd->content, zstd->content_len };
    if (status == WARC_OK)
        status = take_dictionary(zstd, content, zstd->frame);
    if (status == WARC_END || status == WARC_BAD_ARGUMENT) {
        if (out)
            mark_diag(out, zstd->frame, WARC_DIAG_DICT_BAD,
                      status == WARC_END ? "the file ends inside the frame"
                                         : "no dictionary",
                      0);
        status = WARC_OK;
    }
    free(zstd->content);
    zstd->content = NULL;
    zstd->walk = WALK_BETWEEN;
    return status;
}

/* Begins to read the dictionary frame at the position of `in`. */
static warc_status begin_dictionary(struct zstd_unpacker *zstd, struct input_window *in,
                                    struct decompressed_window *out)
{
    const uint64_t offset = input_window_offset(in);
    const uint32_t len = warc_le32(input_window_data(in) + MAGIC);
    if (len > zstd->limits.max_dictionary) {
        if (out)
            mark_diag(out, offset, WARC_DIAG_DICT_BAD, "%llu bytes exceed the limit",
                      len);
        zstd->walk = WALK_SKIPPABLE;
        zstd->left = (uint64_t)SKIPPABLE_HEADER + len;
        return WARC_OK;
    }
    zstd->content = malloc(len);
    if (!zstd->content)
        return WARC_NOMEM;
    zstd->content_len = len;
    zstd->content_at = 0;
    zstd->frame = offset;
    zstd->walk = WALK_DICTIONARY;
    input_window_skip(in, SKIPPABLE_HEADER);
    return read_dictionary(zstd, in, out);
}

warc_status zstd_unpacker_load(struct zstd_unpacker *zstd, struct input_window *in)
{
    if (zstd->walk == WALK_DICTIONARY)
        return read_dictionary(zstd, in, NULL);
    const warc_status status = input_window_need(in, SKIPPABLE_HEADER + MAGIC);
    if (status != WARC_OK || !is_dictionary_frame(in))
        return status;
    return begin_dictionary(zstd, in, NULL);
}

/* ---- frames ---- */

/* Reads a frame header. Returns false if there is no header. */
static bool read_frame_header(warc_view bytes, ZSTD_frameHeader *header)
{
    return bytes.len >= MAGIC && warc_le32(bytes.data) == frame_magic &&
           ZSTD_getFrameHeader(header, bytes.data, bytes.len) == 0 &&
           header->frameType == ZSTD_frame;
}

static bool has_dictionary(const struct zstd_unpacker *zstd,
                           const ZSTD_frameHeader *header)
{
    return header->dictID == 0 || (zstd->dict && zstd->dict_id == header->dictID);
}

/* Prepares the decoder for a frame. Returns false if the dictionary is missing, or if the
 * window exceeds the limit. */
static bool ready_decoder(struct zstd_unpacker *zstd, const ZSTD_frameHeader *header)
{
    ZSTD_DCtx_reset(zstd->context, ZSTD_reset_session_only);
    ZSTD_DCtx_refDDict(zstd->context, zstd->dict);
    return has_dictionary(zstd, header) &&
           header->windowSize <= (uint64_t)1 << zstd->limits.max_window_log;
}

bool zstd_unpacker_probe(struct zstd_unpacker *zstd, warc_view bytes)
{
    ZSTD_frameHeader header;
    if (!read_frame_header(bytes, &header) || !ready_decoder(zstd, &header))
        return false;
    char text[RESYNC_PROBE_OUT];
    ZSTD_outBuffer out = { text, sizeof text, 0 };
    ZSTD_inBuffer in = { bytes.data, bytes.len, 0 };
    size_t before;
    do {
        before = in.pos;
        if (ZSTD_isError(ZSTD_decompressStream(zstd->context, &out, &in)))
            return false;
    } while (out.pos < out.size && in.pos < in.size && in.pos > before);
    return resync_is_record_start((warc_view){ text, out.pos }, true);
}

/* Goes forward to the next frame that begins a record, or to the end. Returns
 * WARC_PAUSED before that. */
static warc_status find_frame(struct zstd_unpacker *zstd, struct input_window *in)
{
    const warc_status status = input_window_want(in, PROBE_IN);
    if (status != WARC_OK)
        return status;
    const char *data = input_window_data(in);
    const size_t len = input_window_len(in);
    if (len == 0)
        return in->has_failed ? WARC_IO : WARC_OK;
    size_t limit = len < PROBE_IN ? len : len - PROBE_IN + 1;
    unsigned probes = 0;
    for (size_t i = 0; i < limit; i++) {
        const char *next = memchr(data + i, '\x28', limit - i);
        if (!next)
            break;
        i = (size_t)(next - data);
        const warc_view rest = { next, len - i < PROBE_IN ? len - i : PROBE_IN };
        if (!zstd_unpacker_is_magic(rest))
            continue;
        if (zstd_unpacker_probe(zstd, rest)) {
            input_window_skip(in, i);
            return WARC_OK;
        }
        if (++probes == PROBES_MAX)
            limit = i + 1;
    }
    input_window_skip(in, limit);
    return WARC_PAUSED;
}

static void end_frame(struct zstd_unpacker *zstd, const struct input_window *in,
                      struct decompressed_window *out)
{
    decompressed_window_mark(
        out, (struct mark){ .kind = MARK_END, .offset = input_window_offset(in) });
    zstd->walk = WALK_BETWEEN;
}

/* Ends a frame whose end is not known, at the next frame or at the end of the file. */
static void end_broken(struct zstd_unpacker *zstd, const struct input_window *in,
                       struct decompressed_window *out)
{
    const bool is_last = input_window_len(in) == 0;
    if (zstd->search == SEARCH_TRUNCATED)
        mark_diag(out, zstd->frame,
                  is_last ? WARC_DIAG_MEMBER_TRUNCATED : WARC_DIAG_MEMBER_DAMAGED,
                  is_last ? "the file ends inside the member, at %llu"
                          : "a block runs to the end of the file, at %llu",
                  zstd->garbage);
    end_frame(zstd, in, out);
}

/* Continues a search. */
static warc_status search_on(struct zstd_unpacker *zstd, struct input_window *in,
                             struct decompressed_window *out)
{
    const warc_status status = find_frame(zstd, in);
    if (status != WARC_OK)
        return status;
    if (zstd->search == SEARCH_GARBAGE)
        mark_diag(out, zstd->garbage, WARC_DIAG_MEMBER_GARBAGE,
                  "%llu bytes outside of zstd frames",
                  input_window_offset(in) - zstd->garbage);
    else
        end_broken(zstd, in, out);
    zstd->search = SEARCH_NONE;
    return WARC_OK;
}

static warc_status skip_garbage(struct zstd_unpacker *zstd, struct input_window *in,
                                struct decompressed_window *out)
{
    zstd->garbage = input_window_offset(in);
    zstd->search = SEARCH_GARBAGE;
    return search_on(zstd, in, out);
}

/* Gives up decoding a frame. The rest of it is only walked over. */
static void kill_frame(struct zstd_unpacker *zstd, struct decompressed_window *out,
                       warc_diag_code code, const char *why, uint64_t number)
{
    mark_diag(out, zstd->frame, code, why, number);
    zstd->is_dead = true;
    zstd->is_flushing = false;
}

/* Gives up the walk as well: the next frame must be searched for. */
static warc_status leave_broken(struct zstd_unpacker *zstd, struct input_window *in,
                                struct decompressed_window *out)
{
    if (!zstd->is_dead)
        kill_frame(zstd, out, WARC_DIAG_MEMBER_DAMAGED, "bad block header at %llu",
                   input_window_offset(in));
    resync_rewind(&zstd->budget, in, zstd->frame + MAGIC);
    zstd->search = SEARCH_BROKEN;
    return search_on(zstd, in, out);
}

/* The file ends within the frame. If the frame was cut in a block, then the block seems
 * to contain the next frames: searches for them. */
static warc_status leave_truncated(struct zstd_unpacker *zstd, struct input_window *in,
                                   struct decompressed_window *out)
{
    if (zstd->is_dead)
        return leave_broken(zstd, in, out);
    zstd->garbage = input_window_offset(in);
    zstd->search = SEARCH_TRUNCATED;
    resync_rewind(&zstd->budget, in, zstd->frame + MAGIC);
    return search_on(zstd, in, out);
}

/* Whether a frame that cannot be decoded is noise before a frame that begins a record:
 * that frame's magic number is where the header would be. */
static bool is_before_frame(struct zstd_unpacker *zstd, const struct input_window *in)
{
    const warc_view bytes = { input_window_data(in), input_window_len(in) };
    for (size_t i = 1; i <= FRAME_HEADER_MAX && i < bytes.len; i++) {
        const size_t len = bytes.len - i;
        const warc_view rest = { bytes.data + i, len < PROBE_IN ? len : PROBE_IN };
        if (zstd_unpacker_is_magic(rest) && zstd_unpacker_probe(zstd, rest))
            return true;
    }
    return false;
}

static warc_status begin_data_frame(struct zstd_unpacker *zstd, struct input_window *in,
                                    struct decompressed_window *out)
{
    const warc_view bytes = { input_window_data(in), input_window_len(in) };
    ZSTD_frameHeader header;
    if (!read_frame_header(bytes, &header)) {
        if (bytes.len >= FRAME_HEADER_MAX)
            return skip_garbage(zstd, in, out);
        /* The end of the file cuts the header. */
        header = (ZSTD_frameHeader){ .headerSize = FRAME_HEADER_MAX };
    }
    const bool is_ready = ready_decoder(zstd, &header);
    if (!is_ready) {
        const warc_status status = input_window_want(in, FRAME_HEADER_MAX + PROBE_IN);
        if (status != WARC_OK)
            return status;
        if (is_before_frame(zstd, in))
            return skip_garbage(zstd, in, out);
    }
    zstd->frame = input_window_offset(in);
    zstd->walk = WALK_HEADER;
    zstd->left = header.headerSize;
    zstd->has_checksum = header.checksumFlag != 0;
    zstd->is_last = zstd->is_dead = zstd->is_flushing = false;
    decompressed_window_mark(out, (struct mark){ .kind = MARK_START,
                                                 .offset = zstd->frame,
                                                 .dict_offset = zstd->dict_offset });
    if (!has_dictionary(zstd, &header))
        kill_frame(zstd, out, WARC_DIAG_DICT_MISSING, "dictionary %llu", header.dictID);
    else if (!is_ready)
        kill_frame(zstd, out, WARC_DIAG_MEMBER_DAMAGED,
                   "a window of %llu bytes exceeds the limit", header.windowSize);
    return WARC_OK;
}

static warc_status begin_frame(struct zstd_unpacker *zstd, struct input_window *in,
                               struct decompressed_window *out)
{
    const warc_status status = input_window_need(in, FRAME_HEADER_MAX);
    if (status != WARC_OK)
        return status;
    const char *data = input_window_data(in);
    const size_t len = input_window_len(in);
    if (len == 0)
        return WARC_END;
    if (is_dictionary_frame(in))
        return begin_dictionary(zstd, in, out);
    if (len >= SKIPPABLE_HEADER && is_skippable(warc_le32(data))) {
        zstd->frame = input_window_offset(in);
        zstd->walk = WALK_SKIPPABLE;
        zstd->left = SKIPPABLE_HEADER + (uint64_t)warc_le32(data + MAGIC);
        return WARC_OK;
    }
    if (len >= MAGIC && warc_le32(data) == frame_magic)
        return begin_data_frame(zstd, in, out);
    return skip_garbage(zstd, in, out);
}

static warc_status skip_extension(struct zstd_unpacker *zstd, struct input_window *in,
                                  struct decompressed_window *out)
{
    const warc_status status = input_window_need(in, 1);
    if (status != WARC_OK)
        return status;
    size_t ready = input_window_len(in);
    if (ready == 0) {
        mark_diag(out, zstd->frame, WARC_DIAG_MEMBER_TRUNCATED,
                  "the file ends inside an extension frame, at %llu",
                  input_window_offset(in));
        zstd->walk = WALK_BETWEEN;
        return WARC_OK;
    }
    if (ready > zstd->left)
        ready = (size_t)zstd->left;
    input_window_skip(in, ready);
    zstd->left -= ready;
    if (zstd->left == 0)
        zstd->walk = WALK_BETWEEN;
    return WARC_OK;
}

/* Finds the next part of the frame after a complete part. Returns false if the block
 * header is invalid, or cut off. */
static bool next_part(struct zstd_unpacker *zstd, const struct input_window *in)
{
    if (zstd->walk == WALK_CHECKSUM || (zstd->is_last && !zstd->has_checksum)) {
        zstd->walk = WALK_OVER;
        return true;
    }
    if (zstd->is_last) {
        zstd->walk = WALK_CHECKSUM;
        zstd->left = CHECKSUM;
        return true;
    }
    if (input_window_len(in) < BLOCK_HEADER)
        return false;
    const unsigned char *b = (const unsigned char *)input_window_data(in);
    const uint32_t header = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16;
    const uint32_t type = header >> 1 & 3;
    const uint32_t size = header >> 3;
    if (type == 3 || size > BLOCK_MAX)
        return false;
    zstd->walk = WALK_BLOCK;
    zstd->is_last = header & 1;
    zstd->left = BLOCK_HEADER + (type == 1 ? 1 : size); /* type 1: one byte, repeated */
    return true;
}

/* Decodes what the window has of the present part. */
static warc_status decode_some(struct zstd_unpacker *zstd, struct input_window *in,
                               struct decompressed_window *out, size_t *used)
{
    size_t capacity;
    const warc_status status = decompressed_window_capacity(out, &capacity);
    if (status != WARC_OK)
        return status;
    ZSTD_outBuffer to = { decompressed_window_tail(out), capacity, 0 };
    ZSTD_inBuffer from = { input_window_data(in), *used, 0 };
    const size_t result = ZSTD_decompressStream(zstd->context, &to, &from);
    decompressed_window_append(out, to.pos);
    if (ZSTD_isError(result)) {
        if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation)
            return WARC_NOMEM;
        kill_frame(zstd, out, WARC_DIAG_MEMBER_DAMAGED,
                   ZSTD_getErrorCode(result) == ZSTD_error_checksum_wrong
                       ? "checksum wrong"
                       : "block cannot be decoded",
                   0);
        return WARC_OK;
    }
    zstd->is_flushing = to.pos == to.size;
    *used = from.pos;
    return WARC_OK;
}

/* Leaves a frame after the walk. A frame that could not be decoded must be followed by
 * another frame. Otherwise its block headers were also damaged, and it does not end
 * here. */
static warc_status leave_frame(struct zstd_unpacker *zstd, struct input_window *in,
                               struct decompressed_window *out)
{
    const warc_status status = input_window_want(in, MAGIC);
    if (status != WARC_OK)
        return status;
    const warc_view next = { input_window_data(in), input_window_len(in) };
    if (zstd->is_dead && next.len > 0 && !zstd_unpacker_is_magic(next))
        return leave_broken(zstd, in, out);
    end_frame(zstd, in, out);
    return WARC_OK;
}

static warc_status walk_frame(struct zstd_unpacker *zstd, struct input_window *in,
                              struct decompressed_window *out)
{
    warc_status status = input_window_want(in, BLOCK_HEADER);
    if (status != WARC_OK)
        return status;
    if (zstd->left == 0 && !zstd->is_flushing) {
        const bool is_cut = input_window_len(in) < BLOCK_HEADER;
        if (!next_part(zstd, in))
            return is_cut && in->has_failed ? WARC_IO
                   : is_cut                 ? leave_truncated(zstd, in, out)
                                            : leave_broken(zstd, in, out);
        if (zstd->walk == WALK_OVER)
            return leave_frame(zstd, in, out);
    }
    size_t used = input_window_len(in);
    if (used > zstd->left)
        used = (size_t)zstd->left;
    if (used == 0 && !zstd->is_flushing)
        return in->has_failed ? WARC_IO : leave_truncated(zstd, in, out);
    if (!zstd->is_dead) {
        status = decode_some(zstd, in, out, &used);
        if (status != WARC_OK)
            return status;
    }
    input_window_skip(in, used);
    zstd->left -= used;
    return WARC_OK;
}

warc_status zstd_unpacker_step(struct zstd_unpacker *zstd, struct input_window *in,
                               struct decompressed_window *out)
{
    if (zstd->search != SEARCH_NONE)
        return search_on(zstd, in, out);
    switch (zstd->walk) {
    case WALK_BETWEEN:
        return begin_frame(zstd, in, out);
    case WALK_DICTIONARY:
        return read_dictionary(zstd, in, out);
    case WALK_OVER:
        return leave_frame(zstd, in, out);
    case WALK_SKIPPABLE:
        return skip_extension(zstd, in, out);
    default:
        return walk_frame(zstd, in, out);
    }
}
