/* See the header. */
#include "dedup/seekable_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>
#include <zstd.h>

#include "base/order.h"
#include "dedup/key_sort.h"
#include "dedup/record_line.h"

#define INDEX_FRAME UINT32_C(0x184D2A5D)
#define TABLE_FRAME UINT32_C(0x184D2A5E)
#define TABLE_END UINT32_C(0x8F92EAB1)
static const char index_name[8] = { 't', 'h', 'r', 'g', 'i', 'd', 's', '1' };

enum {
    HEAD = 8,             /* magic and size of a skippable frame */
    INDEX_HEAD = 8 + 8,   /* name and count */
    ITEM = 8 + 4,         /* hash and frame */
    FOOTER = 4 + 1 + 4,   /* of the table */
    FRAMES_MAX = 1 << 27, /* of the format */
    SORT_MEMORY = 64 << 20,
    PIECE = 1 << 20,
    HAS_SUMS = 0x80, /* a bit of the table's descriptor: entries have a checksum */
};

static void append(th_buffer *out, uint64_t number, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        th_buffer_append_char(out, (char)(number >> 8 * i));
}

static uint64_t number_at(const char *at, unsigned bytes)
{
    uint64_t number = 0;
    for (unsigned i = 0; i < bytes; i++)
        number |= (uint64_t)(unsigned char)at[i] << 8 * i;
    return number;
}

/* Takes the next line off the text. Returns false at its end. */
static bool take_line(th_view *text, th_view *line)
{
    if (!text->len)
        return false;
    const char *end = memchr(text->data, '\n', text->len);
    const size_t len = end ? (size_t)(end - text->data) : text->len;
    const size_t taken = len + (end != NULL);
    *line = (th_view){ text->data, len };
    *text = (th_view){ text->data + taken, text->len - taken };
    return true;
}

/* ---- writing ---- */

/* A file whose end is being made. */
struct ending {
    th_view bytes;   /* complete frames, mapped */
    th_buffer table; /* entries */
    th_buffer text;  /* of a frame */
    uint32_t frames;
    ZSTD_DCtx *zstd;
    th_key_sort *ids; /* hash of an id, number of its frame */
    th_record_line record;
    th_seekable_write write;
    void *context;
};

static th_status no_memory(th_error *err)
{
    return th_fail(err, TH_NOMEM, "out of memory for the index of a seekable file");
}

static th_status add_ids(struct ending *ending, th_error *err)
{
    th_view text = th_buffer_view(&ending->text), line;
    th_status status = TH_OK;
    while (status == TH_OK && take_line(&text, &line)) {
        th_record_fault fault;
        if (th_record_line_read(&ending->record, line, &fault) != TH_OK)
            return no_memory(err);
        const th_view id = ending->record.id;
        if (fault == TH_RECORD_NONE)
            status = th_key_sort_add(ending->ids, XXH3_64bits(id.data, id.len),
                                     ending->frames, err);
    }
    return status;
}

/* Takes the first frame of the bytes. */
static th_status take_frame(struct ending *ending, th_view *bytes, th_error *err)
{
    const size_t stored = ZSTD_findFrameCompressedSize(bytes->data, bytes->len);
    const unsigned long long len = ZSTD_getFrameContentSize(bytes->data, bytes->len);
    if (ZSTD_isError(stored) || len == ZSTD_CONTENTSIZE_UNKNOWN ||
        len == ZSTD_CONTENTSIZE_ERROR)
        return th_fail(err, TH_DAMAGED, "frame %u of the output is not as it was written",
                       ending->frames);
    if (len > TH_SEEKABLE_FRAME_MAX || stored > UINT32_MAX ||
        ending->frames == FRAMES_MAX)
        return th_fail(err, TH_TOO_LARGE,
                       "the output exceeds the limits of a seekable file: %d frames of "
                       "%d bytes",
                       FRAMES_MAX, TH_SEEKABLE_FRAME_MAX);
    th_buffer_reset(&ending->text);
    if (!th_buffer_reserve(&ending->text, (size_t)len + 1))
        return no_memory(err);
    if (ZSTD_decompressDCtx(ending->zstd, ending->text.data, (size_t)len, bytes->data,
                            stored) != len)
        return th_fail(err, TH_DAMAGED, "frame %u of the output is damaged",
                       ending->frames);
    ending->text.len = (size_t)len;
    append(&ending->table, stored, 4);
    append(&ending->table, len, 4);
    const th_status status = add_ids(ending, err);
    ending->frames++;
    *bytes = (th_view){ bytes->data + stored, bytes->len - stored };
    return status;
}

static th_status flush(const struct ending *ending, th_buffer *piece, size_t min,
                       th_error *err)
{
    if (piece->has_failed)
        return no_memory(err);
    if (piece->len < min || !piece->len)
        return TH_OK;
    const th_status status = ending->write(ending->context, th_buffer_view(piece), err);
    th_buffer_reset(piece);
    return status;
}

static th_status write_index(struct ending *ending, th_error *err)
{
    const uint64_t count = th_key_sort_count(ending->ids);
    const uint64_t len = INDEX_HEAD + count * ITEM;
    th_buffer piece = { 0 };
    uint64_t key = 0;
    uint32_t frame = 0;
    th_status status = th_key_sort_finish(ending->ids, err);
    if (status != TH_OK || len > UINT32_MAX - HEAD)
        return status;
    append(&piece, INDEX_FRAME, 4);
    append(&piece, len, 4);
    th_buffer_append(&piece, index_name, sizeof index_name);
    append(&piece, count, 8);
    while ((status = th_key_sort_next(ending->ids, &key, &frame, err)) == TH_OK) {
        append(&piece, key, 8);
        append(&piece, frame, 4);
        status = flush(ending, &piece, PIECE, err);
        if (status != TH_OK)
            break;
    }
    if (status == TH_END)
        status = flush(ending, &piece, 0, err);
    th_buffer_done(&piece);
    append(&ending->table, HEAD + len, 4);
    append(&ending->table, 0, 4);
    return status;
}

static th_status write_table(struct ending *ending, th_error *err)
{
    const size_t len = ending->table.len;
    th_buffer frame = { 0 };
    append(&frame, TABLE_FRAME, 4);
    append(&frame, len + FOOTER, 4);
    th_buffer_append_view(&frame, th_buffer_view(&ending->table));
    append(&frame, len / 8, 4);
    append(&frame, 0, 1);
    append(&frame, TABLE_END, 4);
    const th_status status =
        ending->table.has_failed ? no_memory(err) : flush(ending, &frame, 0, err);
    th_buffer_done(&frame);
    return status;
}

static th_status map(const char *path, uint64_t len, th_view *out, th_error *err)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat facts;
    *out = (th_view){ "", 0 };
    if (fd < 0 || fstat(fd, &facts) != 0 || (uint64_t)facts.st_size < len) {
        const int why = fd < 0 ? errno : EIO;
        if (fd >= 0)
            (void)close(fd);
        return th_fail(err, TH_IO, "cannot read '%s': %s", path, strerror(why));
    }
    void *bytes = len ? mmap(NULL, (size_t)len, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
    const int why = errno;
    (void)close(fd);
    if (bytes == MAP_FAILED)
        return th_fail(err, TH_IO, "cannot map '%s': %s", path, strerror(why));
    if (len)
        *out = (th_view){ bytes, (size_t)len };
    return TH_OK;
}

th_status th_seekable_end(const char *path, uint64_t len, const char *temp,
                          th_seekable_write write, void *context, th_error *err)
{
    struct ending ending = { .write = write, .context = context };
    th_status status = map(path, len, &ending.bytes, err);
    if (status != TH_OK)
        return status;
    th_view bytes = ending.bytes;
    ending.zstd = ZSTD_createDCtx();
    status = ending.zstd ? th_key_sort_new(temp, SORT_MEMORY, &ending.ids, err)
                         : no_memory(err);
    while (status == TH_OK && bytes.len)
        status = take_frame(&ending, &bytes, err);
    if (status == TH_OK)
        status = write_index(&ending, err);
    if (status == TH_OK)
        status = write_table(&ending, err);
    if (ending.bytes.len)
        (void)munmap((void *)(uintptr_t)ending.bytes.data, ending.bytes.len);
    ZSTD_freeDCtx(ending.zstd);
    th_key_sort_free(ending.ids);
    th_record_line_done(&ending.record);
    th_buffer_done(&ending.table);
    th_buffer_done(&ending.text);
    return status;
}

/* ---- reading ---- */

struct th_seekable_file {
    const char *path;
    int fd;
    uint64_t size;
    uint32_t frames;
    uint64_t *starts; /* of each frame, and the end of the last */
    uint32_t *lens;   /* decompressed */
    uint64_t index;   /* offset of the first item; 0 if there is no index */
    uint64_t items;
    ZSTD_DCtx *zstd;
    th_buffer stored, text;
    th_record_line record;
};

static th_status read_at(const th_seekable_file *file, uint64_t offset, char *bytes,
                         size_t len, th_error *err)
{
    size_t done = 0;
    while (done < len) {
        const ssize_t got =
            pread(file->fd, bytes + done, len - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return th_fail(err, TH_IO, "cannot read '%s' at byte %" PRIu64 ": %s",
                           file->path, offset + done,
                           got < 0 ? strerror(errno) : "it is shorter than before");
        done += (size_t)got;
    }
    return TH_OK;
}

static th_status damaged(const th_seekable_file *file, uint64_t offset, const char *words,
                         th_error *err)
{
    return th_fail(err, TH_DAMAGED, "'%s' is damaged at byte %" PRIu64 ": %s", file->path,
                   offset, words);
}

/* Reads the entries, whose sizes must add up to the bytes before the table. */
static th_status read_entries(th_seekable_file *file, uint64_t table, unsigned width,
                              th_error *err)
{
    const size_t len = (size_t)file->frames * width;
    uint64_t start = 0;
    file->starts = calloc((size_t)file->frames + 1, sizeof *file->starts);
    file->lens = calloc((size_t)file->frames + 1, sizeof *file->lens);
    if (!file->starts || !file->lens || !th_buffer_reserve(&file->stored, len + 1))
        return th_fail(err, TH_NOMEM, "out of memory for a seek table");
    const th_status status = read_at(file, table + HEAD, file->stored.data, len, err);
    if (status != TH_OK)
        return status;
    for (uint32_t i = 0; i < file->frames; i++) {
        const char *entry = file->stored.data + (size_t)i * width;
        file->starts[i] = start;
        file->lens[i] = (uint32_t)number_at(entry + 4, 4);
        start += number_at(entry, 4);
    }
    file->starts[file->frames] = start;
    return start == table
               ? TH_OK
               : damaged(file, table, "the seek table does not fit the file", err);
}

static th_status read_table(th_seekable_file *file, th_error *err)
{
    char footer[FOOTER], head[HEAD];
    if (file->size < HEAD + FOOTER)
        return th_fail(err, TH_ABSENT, "'%s' has no seek table", file->path);
    th_status status = read_at(file, file->size - FOOTER, footer, FOOTER, err);
    if (status != TH_OK)
        return status;
    if (number_at(footer + 5, 4) != TABLE_END)
        return th_fail(err, TH_ABSENT,
                       "'%s' has no seek table (`--compress zstd:seekable` writes one)",
                       file->path);
    const unsigned width = (unsigned char)footer[4] & HAS_SUMS ? 12 : 8;
    const uint64_t frames = number_at(footer, 4);
    const uint64_t len = HEAD + frames * width + FOOTER;
    if (frames > FRAMES_MAX || len > file->size)
        return damaged(file, file->size - FOOTER, "the seek table is too long", err);
    const uint64_t table = file->size - len;
    status = read_at(file, table, head, HEAD, err);
    if (status != TH_OK)
        return status;
    if (number_at(head, 4) != TABLE_FRAME || number_at(head + 4, 4) != len - HEAD)
        return damaged(file, table, "no seek table begins here", err);
    file->frames = (uint32_t)frames;
    return read_entries(file, table, width, err);
}

/* Finds the index, which is the last entry of the table. */
static th_status find_index(th_seekable_file *file, th_error *err)
{
    char head[HEAD + INDEX_HEAD];
    if (!file->frames || file->lens[file->frames - 1])
        return TH_OK;
    const uint64_t at = file->starts[file->frames - 1];
    const uint64_t len = file->starts[file->frames] - at;
    if (len < sizeof head)
        return TH_OK;
    const th_status status = read_at(file, at, head, sizeof head, err);
    if (status != TH_OK || number_at(head, 4) != INDEX_FRAME ||
        memcmp(head + HEAD, index_name, sizeof index_name) != 0)
        return status;
    file->items = number_at(head + HEAD + 8, 8);
    if (file->items > len / ITEM || len != sizeof head + file->items * ITEM ||
        number_at(head + 4, 4) != len - HEAD)
        return damaged(file, at, "the index of ids has another length", err);
    file->index = at + sizeof head;
    return TH_OK;
}

th_status th_seekable_open(const char *path, th_seekable_file **out, th_error *err)
{
    struct stat facts = { 0 };
    th_seekable_file *file = calloc(1, sizeof *file);
    if (!file)
        return th_fail(err, TH_NOMEM, "out of memory to read '%s'", path);
    file->path = path;
    file->fd = open(path, O_RDONLY | O_CLOEXEC);
    file->zstd = ZSTD_createDCtx();
    th_status status = TH_OK;
    if (file->fd < 0 || fstat(file->fd, &facts) != 0)
        status = th_fail(err, TH_IO, "cannot open '%s': %s", path, strerror(errno));
    else if (!S_ISREG(facts.st_mode))
        status = th_fail(err, TH_IO, "'%s' is not a file", path);
    else if (!file->zstd)
        status = th_fail(err, TH_NOMEM, "out of memory to read '%s'", path);
    if (status == TH_OK) {
        file->size = (uint64_t)facts.st_size;
        status = read_table(file, err);
    }
    if (status == TH_OK)
        status = find_index(file, err);
    if (status == TH_OK)
        *out = file;
    else
        th_seekable_free(file);
    return status;
}

void th_seekable_free(th_seekable_file *file)
{
    if (!file)
        return;
    if (file->fd >= 0)
        (void)close(file->fd);
    free(file->starts);
    free(file->lens);
    ZSTD_freeDCtx(file->zstd);
    th_buffer_done(&file->stored);
    th_buffer_done(&file->text);
    th_record_line_done(&file->record);
    free(file);
}

static th_status read_frame(th_seekable_file *file, uint32_t frame, th_error *err)
{
    const uint64_t start = file->starts[frame];
    const uint64_t stored = file->starts[frame + 1] - start;
    const size_t len = file->lens[frame];
    if (len > TH_SEEKABLE_FRAME_MAX || stored > (uint64_t)2 * TH_SEEKABLE_FRAME_MAX)
        return damaged(file, start, "the frame is too large", err);
    th_buffer_reset(&file->stored);
    th_buffer_reset(&file->text);
    if (!th_buffer_reserve(&file->stored, (size_t)stored + 1) ||
        !th_buffer_reserve(&file->text, len + 1))
        return th_fail(err, TH_NOMEM, "out of memory for a frame");
    const th_status status = read_at(file, start, file->stored.data, (size_t)stored, err);
    if (status != TH_OK)
        return status;
    if (ZSTD_decompressDCtx(file->zstd, file->text.data, len, file->stored.data,
                            (size_t)stored) != len)
        return damaged(file, start, "the frame cannot be decompressed", err);
    file->text.len = len;
    return TH_OK;
}

/* Reports the records of a frame that have the id. */
static th_status search_frame(th_seekable_file *file, uint32_t frame, th_view id,
                              th_seekable_found found, void *context, uint64_t *count,
                              th_error *err)
{
    th_view line;
    th_status status = file->lens[frame] ? read_frame(file, frame, err) : TH_OK;
    th_view text = file->lens[frame] ? th_buffer_view(&file->text) : (th_view){ "", 0 };
    while (status == TH_OK && take_line(&text, &line)) {
        th_record_fault fault;
        if (th_record_line_read(&file->record, line, &fault) != TH_OK)
            return th_fail(err, TH_NOMEM, "out of memory for a record");
        const th_view seen = file->record.id;
        if (fault != TH_RECORD_NONE || seen.len != id.len ||
            memcmp(seen.data, id.data, id.len) != 0)
            continue;
        ++*count;
        status = found(context, line, err);
    }
    return status;
}

static th_status read_item(const th_seekable_file *file, uint64_t number, uint64_t *hash,
                           uint32_t *frame, th_error *err)
{
    char item[ITEM];
    const th_status status = read_at(file, file->index + number * ITEM, item, ITEM, err);
    *hash = number_at(item, 8);
    *frame = (uint32_t)number_at(item + 8, 4);
    return status == TH_OK && *frame >= file->frames - 1
               ? damaged(file, file->index + number * ITEM, "there is no such frame", err)
               : status;
}

/* Finds the first item with the hash, or the item after it. */
static th_status find_item(const th_seekable_file *file, uint64_t hash, uint64_t *out,
                           th_error *err)
{
    uint64_t low = 0, high = file->items, least = 0, most = UINT64_MAX;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        uint64_t seen = 0;
        uint32_t frame = 0;
        const th_status status = read_item(file, middle, &seen, &frame, err);
        if (status != TH_OK)
            return status;
        if (seen < least || seen > most)
            return damaged(file, file->index + middle * ITEM, "the index is not sorted",
                           err);
        if (seen < hash) {
            low = middle + 1;
            least = seen;
        } else {
            high = middle;
            most = seen;
        }
    }
    *out = low;
    return TH_OK;
}

/* Lists the frames of the items with the hash, ascending, each once. The caller frees
 * them. */
static th_status list_frames(const th_seekable_file *file, uint64_t hash,
                             uint32_t **frames, size_t *count, th_error *err)
{
    uint64_t at = 0, seen = hash;
    th_buffer found = { 0 };
    th_status status = find_item(file, hash, &at, err);
    for (; status == TH_OK && at < file->items; at++) {
        uint32_t frame = 0;
        status = read_item(file, at, &seen, &frame, err);
        if (status != TH_OK || seen != hash)
            break;
        th_buffer_append(&found, (const char *)&frame, sizeof frame);
    }
    if (found.has_failed)
        status = th_fail(err, TH_NOMEM, "out of memory for frames");
    if (status != TH_OK) {
        th_buffer_done(&found);
        return status;
    }
    *frames = (uint32_t *)(void *)found.data; /* allocated, so aligned */
    const size_t all = found.len / sizeof **frames;
    if (all)
        qsort(*frames, all, sizeof **frames, th_order_uint32);
    for (size_t i = 0; i < all; i++)
        if (!i || (*frames)[i] != (*frames)[*count - 1])
            (*frames)[(*count)++] = (*frames)[i];
    return TH_OK;
}

th_status th_seekable_get(th_seekable_file *file, th_view id, th_seekable_found found,
                          void *context, uint64_t *count, th_error *err)
{
    uint32_t *frames = NULL;
    size_t frame_count = 0;
    *count = 0;
    th_status status = file->index ? list_frames(file, XXH3_64bits(id.data, id.len),
                                                 &frames, &frame_count, err)
                                   : TH_OK;
    if (!file->index)
        frame_count = file->frames;
    for (size_t i = 0; i < frame_count && status == TH_OK; i++)
        status = search_frame(file, frames ? frames[i] : (uint32_t)i, id, found, context,
                              count, err);
    free(frames);
    return status;
}
