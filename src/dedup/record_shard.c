/* A shard is untrusted: lengths are checked against the files, bytes against their
 * sums. */
#include "dedup/record_shard.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "base/file_name.h"
#include "base/file_sink.h"
#include "base/whole_file.h"

#define MAGIC "thresher dedup shard 1\n"
#define ORDER_MARK UINT64_C(0x0102030405060708)
#define ABSENT UINT32_MAX

enum {
    PLACES_HELD = 8192,
    READ_AHEAD = 256 << 10,
    NEAR = 64 << 10, /* gap between two records that is still read through */
    RECORD_MOST = 1 << 30
};

/* Before a record. */
struct record_head {
    uint64_t sum; /* XXH3-64 of all bytes that follow */
    uint32_t number, row_len;
    uint32_t lens[3]; /* of id, URL and date; ABSENT if missing */
    uint32_t zero;
};

uint32_t th_part_of(uint64_t key, uint32_t parts)
{
    return (uint32_t)((key >> 32) * parts >> 32);
}

uint64_t th_item_key(const th_item *item)
{
    return (uint64_t)item->high << 32 | item->low;
}

char *th_shard_path(const char *folder, const char *name)
{
    char *path = NULL;
    const char *slash = th_file_name_ends(folder, "/") ? "" : "/";
    return asprintf(&path, "%s%s%s", folder, slash, name) < 0 ? NULL : path;
}

/* ---- the head ---- */

static bool has_end(const char *text, size_t capacity)
{
    return memchr(text, '\0', capacity) != NULL;
}

static bool is_good_head(const th_shard_head *head)
{
    return head->parts >= 1 && head->parts <= TH_PARTS_MAX &&
           head->records < UINT32_MAX && head->compared <= TH_COMPARE_OWN &&
           head->text_count >= 1 && head->text_count <= 2 &&
           has_end(head->words.preset, sizeof head->words.preset) &&
           has_end(head->words.scheme, sizeof head->words.scheme) &&
           has_end(head->params, sizeof head->params) &&
           has_end(head->source, sizeof head->source);
}

static th_status take_tables(th_record_shard *shard, const char *bytes, const char *path,
                             th_error *err)
{
    const size_t parts = shard->head.parts, len = parts * sizeof(uint64_t);
    shard->ends = malloc(len);
    shard->sums = malloc(len);
    if (!shard->ends || !shard->sums)
        return th_fail(err, TH_NOMEM, "out of memory to read '%s'", path);
    memcpy(shard->ends, bytes, len);
    memcpy(shard->sums, bytes + len, len);
    for (size_t i = 0; i < parts; i++)
        if (shard->ends[i] < (i ? shard->ends[i - 1] : 0))
            return th_fail(err, TH_DAMAGED, "'%s' is damaged: ranges overlap", path);
    if (shard->ends[parts - 1] != shard->head.keys)
        return th_fail(err, TH_DAMAGED, "'%s' is damaged: inconsistent counts", path);
    return TH_OK;
}

static th_status take_head(th_record_shard *shard, th_view bytes, const char *path,
                           th_error *err)
{
    uint64_t sum;
    if (bytes.len < sizeof shard->head + sizeof sum)
        return th_fail(err, TH_DAMAGED, "'%s' is truncated at byte %zu", path, bytes.len);
    memcpy(&shard->head, bytes.data, sizeof shard->head);
    if (memcmp(shard->head.magic, MAGIC, sizeof MAGIC) != 0)
        return th_fail(err, TH_DAMAGED, "'%s' is not a shard of thresher dedup", path);
    if (shard->head.order_mark != ORDER_MARK)
        return th_fail(err, TH_DAMAGED,
                       "'%s' was written on a machine with another byte order", path);
    memcpy(&sum, bytes.data + bytes.len - sizeof sum, sizeof sum);
    shard->fingerprint = XXH3_64bits(bytes.data, bytes.len - sizeof sum);
    if (sum != shard->fingerprint || !is_good_head(&shard->head) ||
        bytes.len !=
            sizeof shard->head + 2 * shard->head.parts * sizeof(uint64_t) + sizeof sum)
        return th_fail(err, TH_DAMAGED, "'%s' is damaged: wrong checksum", path);
    return take_tables(shard, bytes.data + sizeof shard->head, path, err);
}

th_status th_record_shard_load(const char *folder, th_record_shard *out, th_error *err)
{
    th_buffer bytes = { 0 };
    char *path = th_shard_path(folder, "shard");
    const size_t max =
        sizeof out->head + (2 * (size_t)TH_PARTS_MAX + 1) * sizeof(uint64_t);
    *out = (th_record_shard){ .folder = strdup(folder) };
    th_status status = path && out->folder
                           ? th_whole_file_read(path, "", max, TH_DAMAGED, &bytes, err)
                           : th_fail(err, TH_NOMEM, "out of memory");
    if (status == TH_OK)
        status = take_head(out, th_buffer_view(&bytes), path, err);
    if (status != TH_OK)
        th_record_shard_done(out);
    th_buffer_done(&bytes);
    free(path);
    return status;
}

th_status th_record_shard_save(th_record_shard *shard, th_error *err)
{
    th_buffer bytes = { 0 };
    char *path = th_shard_path(shard->folder, "shard");
    const size_t len = shard->head.parts * sizeof(uint64_t);
    memcpy(shard->head.magic, MAGIC, sizeof MAGIC);
    shard->head.order_mark = ORDER_MARK;
    th_buffer_append(&bytes, (const char *)&shard->head, sizeof shard->head);
    th_buffer_append(&bytes, (const char *)shard->ends, len);
    th_buffer_append(&bytes, (const char *)shard->sums, len);
    if (!bytes.has_failed)
        shard->fingerprint = XXH3_64bits(bytes.data, bytes.len);
    th_buffer_append(&bytes, (const char *)&shard->fingerprint,
                     sizeof shard->fingerprint);
    const th_status status = path && !bytes.has_failed
                                 ? th_file_replace(path, th_buffer_view(&bytes), err)
                                 : th_fail(err, TH_NOMEM, "out of memory for a shard");
    th_buffer_done(&bytes);
    free(path);
    return status;
}

void th_record_shard_done(th_record_shard *shard)
{
    free(shard->folder);
    free(shard->ends);
    free(shard->sums);
    *shard = (th_record_shard){ .folder = NULL };
}

th_status th_record_shard_agree(const th_record_shard *shard, th_signature_params *params,
                                th_error *err)
{
    char place[sizeof shard->head.source + 300];
    th_record_line first = { .words = shard->head.words };
    if (!shard->head.is_signed)
        return TH_OK;
    memcpy(first.params, shard->head.params, sizeof first.params);
    if (shard->head.text_count == 2 && params->compared == TH_COMPARE_OWN)
        first.signatures[TH_SIGN_DISTINCT] = TH_VIEW("there is one");
    (void)snprintf(place, sizeof place, "%.250s: %s", shard->folder, shard->head.source);
    return th_signature_agree(params, &first, place, err);
}

/* ---- records ---- */

void th_shard_record_append(const th_shard_record *record, uint32_t number,
                            th_buffer *out)
{
    struct record_head head = { .number = number, .row_len = (uint32_t)record->row.len };
    const size_t start = out->len;
    for (int i = 0; i < 3; i++)
        head.lens[i] = record->parts[i].data ? (uint32_t)record->parts[i].len : ABSENT;
    th_buffer_append(out, (const char *)&head, sizeof head);
    th_buffer_append_view(out, record->row);
    for (int i = 0; i < 3; i++)
        th_buffer_append_view(out, record->parts[i]);
    if (out->has_failed)
        return;
    head.sum = XXH3_64bits(out->data + start + sizeof head.sum,
                           out->len - start - sizeof head.sum);
    memcpy(out->data + start, &head.sum, sizeof head.sum);
}

static th_status open_file(const th_record_shard *shard, const char *name, uint64_t len,
                           int *fd, th_error *err)
{
    struct stat info;
    char *path = th_shard_path(shard->folder, name);
    if (!path)
        return th_fail(err, TH_NOMEM, "out of memory");
    th_status status = TH_OK;
    *fd = open(path, O_RDONLY | O_CLOEXEC);
    if (*fd < 0 || fstat(*fd, &info) != 0)
        status = th_fail(err, errno == ENOENT ? TH_DAMAGED : TH_IO,
                         "cannot open '%s': %s", path, strerror(errno));
    else if ((uint64_t)info.st_size != len)
        status =
            th_fail(err, TH_DAMAGED, "'%s' is damaged: %lld bytes, expected %" PRIu64,
                    path, (long long)info.st_size, len);
    free(path);
    return status;
}

th_status th_shard_reader_open(th_shard_reader *reader, const th_record_shard *shard,
                               th_error *err)
{
    *reader = (th_shard_reader){ .shard = shard, .records = -1, .places = -1 };
    th_status status = open_file(shard, "shard.records", shard->head.record_bytes,
                                 &reader->records, err);
    if (status == TH_OK)
        status =
            open_file(shard, "shard.places", (shard->head.records + 1) * sizeof(uint64_t),
                      &reader->places, err);
    if (status == TH_OK &&
        !(reader->held_places = malloc(PLACES_HELD * sizeof *reader->held_places)))
        status = th_fail(err, TH_NOMEM, "out of memory to read '%s'", shard->folder);
    if (status != TH_OK)
        th_shard_reader_close(reader);
    return status;
}

void th_shard_reader_close(th_shard_reader *reader)
{
    if (!reader->shard)
        return;
    if (reader->records >= 0)
        (void)close(reader->records);
    if (reader->places >= 0)
        (void)close(reader->places);
    free(reader->held_places);
    th_buffer_done(&reader->bytes);
    *reader = (th_shard_reader){ .shard = NULL };
}

static th_status read_at(const th_shard_reader *reader, const char *name, int fd,
                         uint64_t at, void *bytes, size_t len, th_error *err)
{
    size_t got = 0;
    while (got < len) {
        const ssize_t count =
            pread(fd, (char *)bytes + got, len - got, (off_t)(at + got));
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return th_fail(err, TH_IO, "cannot read '%s/%s' at byte %" PRIu64 ": %s",
                           reader->shard->folder, name, at + got,
                           count < 0 ? strerror(errno)
                                     : "it was truncated during the run");
        got += (size_t)count;
    }
    return TH_OK;
}

static th_status read_places(th_shard_reader *reader, uint32_t number, uint64_t out[2],
                             th_error *err)
{
    const uint64_t all = reader->shard->head.records + 1;
    if (number < reader->place_at ||
        (uint64_t)number + 1 >= reader->place_at + reader->place_count) {
        const uint64_t left = all - number;
        reader->place_at = number;
        reader->place_count = left < PLACES_HELD ? (size_t)left : PLACES_HELD;
        const th_status status = read_at(
            reader, "shard.places", reader->places, number * sizeof *reader->held_places,
            reader->held_places, reader->place_count * sizeof *reader->held_places, err);
        if (status != TH_OK) {
            reader->place_count = 0;
            return status;
        }
    }
    memcpy(out, &reader->held_places[number - reader->place_at], 2 * sizeof *out);
    return TH_OK;
}

/* Reads the bytes of a record into the buffer. If records are read in order, it also
 * reads the bytes after them. */
static th_status read_record(th_shard_reader *reader, uint64_t at, size_t len,
                             th_error *err)
{
    const uint64_t end = reader->shard->head.record_bytes;
    if (at >= reader->bytes_at && at + len <= reader->bytes_at + reader->bytes.len)
        return TH_OK;
    const bool is_near = at >= reader->next_at && at - reader->next_at < NEAR;
    size_t wanted = is_near && len < READ_AHEAD ? READ_AHEAD : len;
    if (wanted > end - at)
        wanted = (size_t)(end - at);
    th_buffer_reset(&reader->bytes);
    if (!th_buffer_reserve(&reader->bytes, wanted))
        return th_fail(err, TH_NOMEM, "out of memory for a record");
    const th_status status = read_at(reader, "shard.records", reader->records, at,
                                     reader->bytes.data, wanted, err);
    reader->bytes_at = at;
    reader->bytes.len = status == TH_OK ? wanted : 0;
    return status;
}

static bool take_record(th_view bytes, uint32_t number, th_shard_record *out)
{
    struct record_head head;
    memcpy(&head, bytes.data, sizeof head);
    if (head.sum !=
        XXH3_64bits(bytes.data + sizeof head.sum, bytes.len - sizeof head.sum))
        return false;
    uint64_t end = sizeof head + (uint64_t)head.row_len;
    if (head.number != number || end > bytes.len)
        return false;
    out->row = (th_view){ bytes.data + sizeof head, head.row_len };
    for (int i = 0; i < 3; i++) {
        const uint32_t len = head.lens[i] == ABSENT ? 0 : head.lens[i];
        if (len > bytes.len - end)
            return false;
        out->parts[i] = head.lens[i] == ABSENT ? (th_view){ NULL, 0 }
                                               : (th_view){ bytes.data + end, len };
        end += len;
    }
    return end == bytes.len && out->parts[0].data;
}

th_status th_shard_reader_get(th_shard_reader *reader, uint32_t number,
                              th_shard_record *out, th_error *err)
{
    uint64_t places[2];
    th_status status = read_places(reader, number, places, err);
    if (status != TH_OK)
        return status;
    const bool is_there = places[0] < places[1] &&
                          places[1] <= reader->shard->head.record_bytes &&
                          places[1] - places[0] >= sizeof(struct record_head) &&
                          places[1] - places[0] <= RECORD_MOST;
    if (!is_there)
        return th_fail(err, TH_DAMAGED, "'%s/shard.places' is damaged: record %u",
                       reader->shard->folder, number);
    const size_t len = (size_t)(places[1] - places[0]);
    status = read_record(reader, places[0], len, err);
    if (status != TH_OK)
        return status;
    reader->next_at = places[1];
    const char *bytes = reader->bytes.data + (places[0] - reader->bytes_at);
    if (!take_record((th_view){ bytes, len }, number, out))
        return th_fail(err, TH_DAMAGED,
                       "'%s/shard.records' is damaged at byte %" PRIu64 ": record %u",
                       reader->shard->folder, places[0], number);
    return TH_OK;
}
