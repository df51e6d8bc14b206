/*
 * Reads a descriptor or an object and runs the decoder that its first bytes select. The decoders are
 * also used for HTTP's content codings. They take consecutive members and frames.
 */
#include "dedup/decompressed_input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/stoppable_read.h"
#include "parse/http/decoder.h"

enum { PACKED_LEN = 128 * 1024, PEEK_LEN = TH_DECOMPRESSED_PEEK };

struct th_decompressed_input {
    const char *path;
    const atomic_int *stop;
    int fd;
    warc_input object; /* with .read: read instead of the descriptor */
    const th_remote_object *remote_object;
    const th_decoder *decoder; /* NULL if plain */
    void *decoder_state;
    uint64_t read_bytes;
    size_t at, len; /* of packed: the bytes not taken yet */
    bool is_at_end; /* the descriptor has reached the end */
    bool is_over;   /* of the decoder: whether it has finished */
    th_error fate;  /* returned after all bytes: TH_END unless there was damage */
    size_t peeked_at, peeked_len;
    char peeked[PEEK_LEN]; /* decompressed, not taken yet */
    char packed[PACKED_LEN];
};

static void free_decoder(th_decompressed_input *input)
{
    if (input->decoder_state)
        input->decoder->destroy(input->decoder_state);
    input->decoder_state = NULL;
    input->decoder = NULL;
}

void th_decompressed_free(th_decompressed_input *input)
{
    if (!input)
        return;
    if (input->fd > STDERR_FILENO)
        (void)close(input->fd);
    if (input->object.close)
        input->object.close(input->object.context);
    free_decoder(input);
    free(input);
}

static th_status read_file(th_decompressed_input *input, size_t *count, th_error *err)
{
    const th_status status =
        th_stoppable_read(input->fd, input->packed + input->len,
                          sizeof input->packed - input->len, count, input->stop);
    return status == TH_OK || status == TH_INTERRUPTED
               ? status
               : th_fail(err, TH_IO, "cannot read '%s': %s", input->path,
                         strerror(errno));
}

static th_status read_object(th_decompressed_input *input, size_t *count, th_error *err)
{
    th_status status = TH_OK;
    const warc_status read =
        input->object.read(input->object.context, input->packed + input->len,
                           sizeof input->packed - input->len, count);
    if (read == WARC_PAUSED)
        return TH_INTERRUPTED;
    if (read != WARC_OK)
        status = th_remote_object_failure(input->remote_object, err);
    return status == TH_OK || status == TH_NOMEM ? status : TH_IO;
}

/* Reads once after the packed bytes in the buffer. Reading no bytes is the end. */
static th_status read_some(th_decompressed_input *input, th_error *err)
{
    size_t count = 0;
    const th_status status = input->object.read ? read_object(input, &count, err)
                                                : read_file(input, &count, err);
    if (status == TH_INTERRUPTED)
        return th_fail(err, status, "interrupted");
    if (status != TH_OK)
        return status;
    input->len += count;
    input->read_bytes += count;
    input->is_at_end = count == 0;
    return TH_OK;
}

/* Reads more packed bytes if none are pending. */
static th_status fill(th_decompressed_input *input, th_error *err)
{
    if (input->at < input->len || input->is_at_end)
        return TH_OK;
    input->at = input->len = 0;
    return read_some(input, err);
}

/* Reads the start of the file, as much as the buffer holds, in any number of pieces. */
static th_status fill_start(th_decompressed_input *input, th_error *err)
{
    th_status status = TH_OK;
    while (status == TH_OK && input->len < sizeof input->packed && !input->is_at_end)
        status = read_some(input, err);
    return status;
}

static bool starts_with(const th_decompressed_input *input, const char *mark, size_t len)
{
    return input->len >= len && memcmp(input->packed, mark, len) == 0;
}

static th_status detect(th_decompressed_input *input, th_error *err)
{
    const th_status status = fill_start(input, err);
    if (status != TH_OK)
        return status;
    if (starts_with(input, "\x1F\x8B", 2))
        input->decoder = &th_gzip_decoder;
    else if (starts_with(input, "\x28\xB5\x2F\xFD", 4))
        input->decoder = &th_zstd_decoder;
    if (!input->decoder)
        return TH_OK;
    input->decoder_state = input->decoder->create();
    if (!input->decoder_state || !input->decoder->reset(input->decoder_state, 0))
        return th_fail(err, TH_NOMEM, "out of memory to decompress '%s'", input->path);
    return TH_OK;
}

static th_status open_bytes(th_decompressed_input *input, th_remote *remote,
                            th_error *err)
{
    th_remote_object *object = NULL;
    input->fd = -1;
    if (remote && th_remote_is_name(input->path)) {
        const th_status status =
            th_remote_open(remote, input->path, &input->object, &object, err);
        input->remote_object = object;
        return status;
    }
    input->fd =
        strcmp(input->path, "-") == 0 ? STDIN_FILENO : th_stoppable_open(input->path);
    return input->fd >= 0 ? TH_OK
                          : th_fail(err, TH_IO, "cannot open '%s': %s", input->path,
                                    strerror(errno));
}

th_status th_decompressed_open(const char *path, th_remote *remote,
                               const atomic_int *stop, th_decompressed_input **out,
                               th_error *err)
{
    th_decompressed_input *input = malloc(sizeof *input);
    if (!input)
        return th_fail(err, TH_NOMEM, "out of memory to read '%s'", path);
    memset(input, 0, offsetof(th_decompressed_input, packed));
    input->path = path;
    input->stop = stop;
    input->fate.status = TH_END;
    th_status status = open_bytes(input, remote, err);
    if (status == TH_OK)
        status = detect(input, err);
    if (status != TH_OK)
        th_decompressed_free(input);
    else
        *out = input;
    return status;
}

static void end_in_damage(th_decompressed_input *input, bool is_cut)
{
    const uint64_t at = input->read_bytes - (input->len - input->at);
    input->is_over = true;
    (void)th_fail(&input->fate, TH_BAD_CODING,
                  is_cut ? "%s is truncated: the file ends at byte %" PRIu64
                         : "%s is damaged near byte %" PRIu64 " of the file",
                  input->decoder->name, at);
}

/* Runs one step of the decoder. It may take bytes and give none. */
static th_status unpack(th_decompressed_input *input, char *bytes, size_t capacity,
                        size_t *got, th_error *err)
{
    const size_t waiting = input->len - input->at;
    th_decode_span span = { input->packed + input->at, waiting, bytes, capacity };
    const th_decode_result result = input->decoder->step(input->decoder_state, &span);
    input->at = input->len - span.in_len;
    *got = capacity - span.out_len;
    if (result == TH_DECODE_NOMEM)
        return th_fail(err, TH_NOMEM, "out of memory to decompress '%s'", input->path);
    const bool is_stuck = span.in_len == waiting && *got == 0 && waiting > 0;
    const bool is_cut = input->is_at_end && waiting == 0 && *got == 0 &&
                        !input->decoder->is_complete(input->decoder_state);
    const bool has_junk = result == TH_DECODE_END && span.in_len > 0;
    if (result == TH_DECODE_DAMAGED || is_stuck || is_cut || has_junk)
        end_in_damage(input, is_cut);
    else if (result == TH_DECODE_END || (input->is_at_end && waiting == 0 && *got == 0))
        input->is_over = true;
    return TH_OK;
}

static th_status read_packed(th_decompressed_input *input, char *bytes, size_t capacity,
                             size_t *got, th_error *err)
{
    while (!*got && !input->is_over) {
        th_status status = fill(input, err);
        if (status == TH_OK)
            status = unpack(input, bytes, capacity, got, err);
        if (status != TH_OK)
            return status;
    }
    if (*got)
        return TH_OK;
    return input->fate.status == TH_END
               ? TH_END
               : th_fail(err, input->fate.status, "%s", input->fate.text);
}

static th_status read_plain(th_decompressed_input *input, char *bytes, size_t capacity,
                            size_t *got, th_error *err)
{
    const th_status status = fill(input, err);
    if (status != TH_OK)
        return status;
    const size_t waiting = input->len - input->at;
    *got = waiting < capacity ? waiting : capacity;
    memcpy(bytes, input->packed + input->at, *got);
    input->at += *got;
    return *got ? TH_OK : TH_END;
}

th_status th_decompressed_read(th_decompressed_input *input, char *bytes, size_t capacity,
                               size_t *got, th_error *err)
{
    const size_t peeked = input->peeked_len - input->peeked_at;
    if (th_is_stopped(input->stop))
        return th_fail(err, TH_INTERRUPTED, "interrupted");
    *got = peeked < capacity ? peeked : capacity;
    if (*got) {
        memcpy(bytes, input->peeked + input->peeked_at, *got);
        input->peeked_at += *got;
        return TH_OK;
    }
    return input->decoder ? read_packed(input, bytes, capacity, got, err)
                          : read_plain(input, bytes, capacity, got, err);
}

size_t th_decompressed_peek(th_decompressed_input *input, char *bytes, size_t len)
{
    /* An error here occurs again when the bytes are read. */
    while (input->peeked_len < PEEK_LEN && input->at < input->len && !input->is_over) {
        size_t got = 0;
        char *const tail = input->peeked + input->peeked_len;
        const size_t capacity = PEEK_LEN - input->peeked_len;
        const th_status status = input->decoder
                                     ? unpack(input, tail, capacity, &got, NULL)
                                     : read_plain(input, tail, capacity, &got, NULL);
        if (status != TH_OK)
            break;
        input->peeked_len += got;
    }
    const size_t count = input->peeked_len < len ? input->peeked_len : len;
    memcpy(bytes, input->peeked, count);
    return count;
}

void th_decompressed_read_raw(th_decompressed_input *input)
{
    free_decoder(input);
    input->at = input->peeked_len = 0;
    input->is_over = false;
    input->fate.status = TH_END;
}

uint64_t th_decompressed_report(const th_decompressed_input *input)
{
    return input->read_bytes;
}
