/*
 * A shard of signatures, sorted within a bound of memory. See the header.
 *
 * Rows are held until the memory is full. Then they are sorted once for every band, and
 * the sorted records of all bands, band after band, are appended to a file without a
 * name: a run. Finally each band's records are merged from its part of every run. The
 * last run is still in memory. A shard that fits in memory uses no such file.
 */
#include "write/sig_shard.h"

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_sink.h"

enum {
    MEMORY = 64 << 20, /* if the options set none */
    WINDOW = 64 << 10, /* maximum bytes of a run that are read at a time */
    FLUSH = 256 << 10, /* bytes of a file that are written at a time */
    HAS_NONE = 0,
    HAS_SLOTS = 1, /* first byte of a row */
};

#define LAST_DOCUMENT (UINT32_MAX - 1) /* datatrove keeps UINT32_MAX for itself */

/* The sorted records of every band, which start with the first band's. */
struct run {
    uint64_t offset; /* in the unnamed file */
    uint64_t count;  /* records of one band */
};

struct th_sig_shard {
    th_sig_shard_options options;
    uint32_t words;  /* of a row in memory: slots and the document's number */
    uint64_t *rows;  /* [capacity * words] */
    uint32_t *order; /* [capacity]: rows, sorted for one band */
    size_t count, capacity;
    uint32_t documents; /* seen so far */
    FILE *spill;        /* NULL if all is in memory */
    uint64_t spilled;   /* bytes */
    struct run *runs;
    size_t run_count;
};

void th_sig_row_put(const th_minhash_preset *preset, const th_signature *signature,
                    th_buffer *out)
{
    const bool has_slots = signature && signature->slots && !signature->is_short;
    th_buffer_append_char(out, has_slots ? HAS_SLOTS : HAS_NONE);
    if (has_slots)
        th_buffer_append(out, (const char *)signature->slots,
                         preset->slots * sizeof *signature->slots);
}

/* ---- sorting ---- */

/* Context of qsort_r's comparison. */
struct sorting {
    const uint64_t *rows;
    uint32_t words, first, slots; /* of a row; the band's first slot and their number */
};

static int compare_words(const uint64_t *a, const uint64_t *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* Rows are in the order of their documents, so equal rows are ordered by position. */
static int compare_rows(const void *a, const void *b, void *context)
{
    const struct sorting *sorting = context;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const int order = compare_words(
        sorting->rows + (size_t)x * sorting->words + sorting->first,
        sorting->rows + (size_t)y * sorting->words + sorting->first, sorting->slots);
    return order ? order : (x > y) - (x < y);
}

static void sort_for_band(th_sig_shard *shard, uint32_t band)
{
    const uint32_t band_slots = shard->options.preset->rows;
    struct sorting sorting = { shard->rows, shard->words, band * band_slots, band_slots };
    for (size_t i = 0; i < shard->count; i++)
        shard->order[i] = (uint32_t)i;
    qsort_r(shard->order, shard->count, sizeof *shard->order, compare_rows, &sorting);
}

/* A band's record: its slots and the document's number, one word each. */
static void take_record(const th_sig_shard *shard, uint32_t band, size_t place,
                        uint64_t *record)
{
    const uint32_t slots = shard->options.preset->rows;
    const uint64_t *row = shard->rows + (size_t)shard->order[place] * shard->words;
    memcpy(record, row + (size_t)band * slots, slots * sizeof *record);
    record[slots] = row[shard->words - 1];
}

/* ---- spilling ---- */

static th_status spill_failed(const th_sig_shard *shard, const char *what, th_error *err)
{
    return th_fail(err, TH_IO, "cannot %s a temporary file in '%s': %s", what,
                   shard->options.folder, strerror(errno));
}

/* A file without a name, which the system removes when the process ends. */
static th_status open_spill(th_sig_shard *shard, th_error *err)
{
    char *path = NULL;
    if (asprintf(&path, "%s.minhash-sig.XXXXXX", shard->options.folder) < 0)
        return th_fail(err, TH_NOMEM, "cannot name a temporary file");
    const int fd = mkstemp(path);
    if (fd >= 0) {
        (void)unlink(path);
        shard->spill = fdopen(fd, "w+");
        if (!shard->spill)
            (void)close(fd);
    }
    free(path);
    return shard->spill ? TH_OK : spill_failed(shard, "make", err);
}

/* The rows in memory become a run. */
static th_status spill(th_sig_shard *shard, th_error *err)
{
    const th_minhash_preset *preset = shard->options.preset;
    const size_t words = (size_t)preset->rows + 1;
    uint64_t record[TH_SLOTS_MAX + 1];
    th_status status = shard->spill ? TH_OK : open_spill(shard, err);
    if (status != TH_OK)
        return status;
    struct run *runs = realloc(shard->runs, (shard->run_count + 1) * sizeof *runs);
    if (!runs)
        return th_fail(err, TH_NOMEM, "out of memory for a run");
    shard->runs = runs;
    for (uint32_t band = 0; band < preset->bands; band++) {
        sort_for_band(shard, band);
        for (size_t i = 0; i < shard->count; i++) {
            take_record(shard, band, i, record);
            if (fwrite(record, sizeof *record, words, shard->spill) != words)
                return spill_failed(shard, "write", err);
        }
    }
    if (fflush(shard->spill) != 0)
        return spill_failed(shard, "write", err);
    runs[shard->run_count++] = (struct run){ shard->spilled, shard->count };
    shard->spilled += shard->count * preset->bands * words * sizeof *record;
    shard->count = 0;
    return TH_OK;
}

/* ---- taking rows ---- */

static th_status take_row(th_sig_shard *shard, const char *slots, th_error *err)
{
    if (shard->count == shard->capacity) {
        const th_status status = spill(shard, err);
        if (status != TH_OK)
            return status;
    }
    uint64_t *row = shard->rows + shard->count++ * shard->words;
    memcpy(row, slots, (shard->words - 1) * sizeof *row);
    row[shard->words - 1] = shard->documents;
    return TH_OK;
}

th_status th_sig_shard_add(th_sig_shard *shard, th_view rows, th_error *err)
{
    const size_t len = shard->options.preset->slots * sizeof(uint64_t);
    for (size_t at = 0; at < rows.len;) {
        const bool has_slots = rows.data[at++] == HAS_SLOTS;
        if (shard->documents == LAST_DOCUMENT)
            return th_fail(err, TH_TOO_LARGE, "shard %05u of '%s' has more than %u pages",
                           shard->options.rank, shard->options.folder, LAST_DOCUMENT);
        if (has_slots) {
            if (rows.len - at < len) /* another process may have made them */
                return th_fail(err, TH_IO, "shard %05u of '%s': truncated signature",
                               shard->options.rank, shard->options.folder);
            const th_status status = take_row(shard, rows.data + at, err);
            if (status != TH_OK)
                return status;
            at += len;
        }
        shard->documents++;
    }
    return TH_OK;
}

/* ---- writing ---- */

/* A band's part of a run, read through a window. The run in memory is its own window. */
struct cursor {
    uint64_t *window;            /* [room] */
    size_t at, filled, capacity; /* in words */
    uint64_t offset;             /* of the next word to read */
    uint64_t left;               /* words that are still in the file */
};

/* Cursors over the runs of one band. The cursor with the smallest record is on top. */
struct merge {
    th_sig_shard *shard;
    size_t words;           /* of a record */
    struct cursor *cursors; /* [count] */
    struct cursor **heap;   /* [count] */
    size_t count, alive;
};

static th_status refill(struct merge *merge, struct cursor *cursor, th_error *err)
{
    const size_t wanted =
        cursor->left < cursor->capacity ? (size_t)cursor->left : cursor->capacity;
    char *to = (char *)cursor->window;
    size_t bytes = wanted * sizeof *cursor->window;
    while (bytes) {
        const ssize_t got =
            pread(fileno(merge->shard->spill), to, bytes, (off_t)cursor->offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return spill_failed(merge->shard, "read", err);
        to += got;
        bytes -= (size_t)got;
        cursor->offset += (uint64_t)got;
    }
    cursor->left -= wanted;
    cursor->filled = wanted;
    cursor->at = 0;
    return TH_OK;
}

static bool is_before(const struct merge *merge, const struct cursor *a,
                      const struct cursor *b)
{
    return compare_words(a->window + a->at, b->window + b->at, (uint32_t)merge->words) <
           0;
}

static void sift_down(struct merge *merge, size_t place)
{
    for (;;) {
        size_t min = place;
        for (size_t child = 2 * place + 1; child <= 2 * place + 2; child++)
            if (child < merge->alive &&
                is_before(merge, merge->heap[child], merge->heap[min]))
                min = child;
        if (min == place)
            return;
        struct cursor *other = merge->heap[place];
        merge->heap[place] = merge->heap[min];
        merge->heap[min] = other;
        place = min;
    }
}

static void merge_done(struct merge *merge)
{
    for (size_t i = 0; merge->cursors && i < merge->count; i++)
        free(merge->cursors[i].window);
    free(merge->cursors);
    free(merge->heap);
}

/* Divides the rows' memory among the runs: at least one record each. */
static size_t window_words(const struct merge *merge)
{
    const size_t memory = merge->shard->capacity * merge->shard->words / merge->count;
    const size_t max = WINDOW / sizeof(uint64_t);
    const size_t records = (memory < max ? memory : max) / merge->words;
    return (records ? records : 1) * merge->words;
}

static th_status merge_begin(struct merge *merge, uint32_t band, th_error *err)
{
    merge->count = merge->shard->run_count;
    merge->cursors = calloc(merge->count, sizeof *merge->cursors);
    // NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers
    merge->heap = calloc(merge->count, sizeof *merge->heap);
    if (!merge->cursors || !merge->heap)
        return th_fail(err, TH_NOMEM, "cannot merge %zu runs", merge->count);
    for (size_t i = 0; i < merge->count; i++) {
        const struct run *run = &merge->shard->runs[i];
        struct cursor *cursor = &merge->cursors[i];
        const uint64_t words = run->count * merge->words;
        *cursor = (struct cursor){ .capacity = window_words(merge), .left = words };
        cursor->offset = run->offset + band * words * sizeof *cursor->window;
        cursor->window = malloc(cursor->capacity * sizeof *cursor->window);
        if (!cursor->window)
            return th_fail(err, TH_NOMEM, "cannot merge %zu runs", merge->count);
        const th_status status = refill(merge, cursor, err);
        if (status != TH_OK)
            return status;
        merge->heap[merge->alive++] = cursor;
    }
    for (size_t place = merge->alive / 2; place-- > 0;)
        sift_down(merge, place);
    return TH_OK;
}

/* Moves past the smallest record. */
static th_status merge_next(struct merge *merge, th_error *err)
{
    struct cursor *top = merge->heap[0];
    th_status status = TH_OK;
    top->at += merge->words;
    if (top->at == top->filled && top->left)
        status = refill(merge, top, err);
    else if (top->at == top->filled)
        merge->heap[0] = merge->heap[--merge->alive];
    sift_down(merge, 0);
    return status;
}

/* Writes a record in the file's layout. */
static void put_record(th_buffer *out, const th_minhash_preset *preset,
                       const uint64_t *record)
{
    for (uint32_t i = 0; i < preset->rows; i++) {
        const uint64_t wide = htole64(record[i]); /* its low half comes first */
        th_buffer_append(out, (const char *)&wide, preset->slot_bits / 8);
    }
    const uint32_t document = htole32((uint32_t)record[preset->rows]);
    th_buffer_append(out, (const char *)&document, sizeof document);
}

static th_status flush(th_file_sink *sink, th_buffer *out, size_t at_least, th_error *err)
{
    if (out->has_failed)
        return th_fail(err, TH_NOMEM, "out of memory for records");
    if (out->len < at_least || !out->len)
        return TH_OK;
    const th_status status = th_file_sink_write(sink, th_buffer_view(out), err);
    th_buffer_reset(out);
    return status;
}

static th_status write_merged(th_sig_shard *shard, uint32_t band, th_file_sink *sink,
                              th_buffer *out, th_error *err)
{
    const th_minhash_preset *preset = shard->options.preset;
    struct merge merge = { .shard = shard, .words = (size_t)preset->rows + 1 };
    th_status status = merge_begin(&merge, band, err);
    while (status == TH_OK && merge.alive) {
        put_record(out, preset, merge.heap[0]->window + merge.heap[0]->at);
        status = merge_next(&merge, err);
        if (status == TH_OK)
            status = flush(sink, out, FLUSH, err);
    }
    merge_done(&merge);
    return status;
}

static th_status write_sorted(th_sig_shard *shard, uint32_t band, th_file_sink *sink,
                              th_buffer *out, th_error *err)
{
    uint64_t record[TH_SLOTS_MAX + 1];
    th_status status = TH_OK;
    sort_for_band(shard, band);
    for (size_t i = 0; i < shard->count && status == TH_OK; i++) {
        take_record(shard, band, i, record);
        put_record(out, shard->options.preset, record);
        status = flush(sink, out, FLUSH, err);
    }
    return status;
}

char *th_sig_shard_path(const th_sig_shard_options *options, uint32_t band)
{
    char *path = NULL;
    const int len = asprintf(&path, "%sbucket_%03u/%05u.minhash.sig", options->folder,
                             band, options->rank);
    return len < 0 ? NULL : path;
}

bool th_sig_shard_find(const th_sig_shard_options *options, uint64_t *len)
{
    uint64_t sum = 0;
    *len = 0;
    for (uint32_t band = 0; band < options->preset->bands; band++) {
        struct stat facts;
        char *path = th_sig_shard_path(options, band);
        const bool is_there = path && stat(path, &facts) == 0;
        free(path);
        if (!is_there)
            return false;
        sum += (uint64_t)facts.st_size;
    }
    *len = sum;
    return true;
}

static th_status write_band(th_sig_shard *shard, uint32_t band, th_error *err)
{
    th_file_sink *sink = NULL;
    th_buffer out = { 0 };
    char *path = th_sig_shard_path(&shard->options, band);
    if (!path)
        return th_fail(err, TH_NOMEM, "cannot name a bucket's file");
    th_status status = th_file_sink_open(path, 0, &sink, err);
    if (status == TH_OK)
        status = shard->run_count ? write_merged(shard, band, sink, &out, err)
                                  : write_sorted(shard, band, sink, &out, err);
    if (status == TH_OK)
        status = flush(sink, &out, 1, err);
    if (status == TH_OK)
        status = th_file_sink_finish(sink, err);
    th_buffer_done(&out);
    th_file_sink_free(sink);
    free(path);
    return status;
}

th_status th_sig_shard_finish(th_sig_shard *shard, th_error *err)
{
    th_status status = TH_OK;
    if (shard->run_count && shard->count)
        status = spill(shard, err);
    if (shard->run_count) { /* the windows of the merge use their memory */
        free(shard->rows);
        shard->rows = NULL;
    }
    for (uint32_t band = 0; band < shard->options.preset->bands && status == TH_OK;
         band++)
        status = write_band(shard, band, err);
    return status;
}

/* ---- opening ---- */

static th_status make_folders(const th_sig_shard *shard, th_error *err)
{
    th_status status = TH_OK;
    for (uint32_t band = 0; band < shard->options.preset->bands && status == TH_OK;
         band++) {
        char *path = NULL;
        if (asprintf(&path, "%sbucket_%03u", shard->options.folder, band) < 0)
            return th_fail(err, TH_NOMEM, "cannot name a bucket's folder");
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            status = th_fail(err, TH_IO, "cannot create folder '%s': %s", path,
                             strerror(errno));
        free(path);
    }
    return status;
}

th_status th_sig_shard_open(const th_sig_shard_options *options, th_sig_shard **out,
                            th_error *err)
{
    assert(options->preset->keys == TH_KEYS_BANDS);
    th_sig_shard *shard = calloc(1, sizeof *shard);
    if (!shard)
        return th_fail(err, TH_NOMEM, "cannot allocate a shard");
    shard->options = *options;
    shard->words = options->preset->slots + 1;
    const size_t memory = options->memory ? options->memory : MEMORY;
    const size_t row_len = shard->words * sizeof *shard->rows + sizeof *shard->order;
    shard->capacity = memory / row_len ? memory / row_len : 1;
    shard->rows = malloc(shard->capacity * shard->words * sizeof *shard->rows);
    shard->order = malloc(shard->capacity * sizeof *shard->order);
    th_status status = shard->rows && shard->order
                           ? TH_OK
                           : th_fail(err, TH_NOMEM, "cannot allocate a shard's rows");
    if (status == TH_OK)
        status = make_folders(shard, err);
    if (status == TH_OK)
        *out = shard;
    else
        th_sig_shard_free(shard);
    return status;
}

void th_sig_shard_free(th_sig_shard *shard)
{
    if (!shard)
        return;
    if (shard->spill)
        (void)fclose(shard->spill);
    free(shard->runs);
    free(shard->order);
    free(shard->rows);
    free(shard);
}
