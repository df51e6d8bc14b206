/*
 * Records are written as they come. The keys are made after the last record, because only
 * then is it known which texts are compared.
 */
#include "dedup/shard_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <xxhash.h>

#include "base/file_sink.h"
#include "dedup/key_sort.h"

enum { PIECE = 256 << 10, LOOK_EVERY = 4096 };

/* A file that is being written, through a buffer. */
struct output {
    th_file_sink *sink;
    th_buffer waiting;
    XXH3_state_t *sum; /* of the bytes since the last call of take_sum */
};

struct th_shard_writer {
    th_shard_options options;
    th_signature_params params;
    struct output records, places;
    uint64_t record_bytes;
    uint32_t count;
    unsigned char *row; /* being packed */
    uint64_t *slots;
    uint64_t unsigned_records;
};

/* ---- files ---- */

static th_status open_output(struct output *output, const char *folder, const char *name,
                             th_error *err)
{
    char *path = th_shard_path(folder, name);
    output->sum = XXH3_createState();
    if (!path || !output->sum) {
        free(path);
        return th_fail(err, TH_NOMEM, "out of memory");
    }
    (void)XXH3_64bits_reset(output->sum);
    const th_status status = th_file_sink_open(path, 0, &output->sink, err);
    free(path);
    return status;
}

static th_status flush(struct output *output, size_t min, th_error *err)
{
    if (output->waiting.has_failed)
        return th_fail(err, TH_NOMEM, "out of memory for a shard");
    if (output->waiting.len < min || !output->waiting.len)
        return TH_OK;
    (void)XXH3_64bits_update(output->sum, output->waiting.data, output->waiting.len);
    const th_status status =
        th_file_sink_write(output->sink, th_buffer_view(&output->waiting), err);
    th_buffer_reset(&output->waiting);
    return status;
}

static th_status put(struct output *output, const void *bytes, size_t len, th_error *err)
{
    th_buffer_append(&output->waiting, bytes, len);
    return flush(output, PIECE, err);
}

/* Returns the sum of the bytes since the last call. */
static th_status take_sum(struct output *output, uint64_t *sum, th_error *err)
{
    const th_status status = flush(output, 0, err);
    *sum = XXH3_64bits_digest(output->sum);
    (void)XXH3_64bits_reset(output->sum);
    return status;
}

static th_status finish_output(struct output *output, uint64_t *sum, th_error *err)
{
    const th_status status = take_sum(output, sum, err);
    return status == TH_OK ? th_file_sink_finish(output->sink, err) : status;
}

static void close_output(struct output *output)
{
    th_file_sink_free(output->sink);
    th_buffer_done(&output->waiting);
    (void)XXH3_freeState(output->sum);
    *output = (struct output){ .sink = NULL };
}

/* ---- records ---- */

/* Makes a folder, including the folders above it. */
static th_status make_folder(const char *folder, th_error *err)
{
    char *path = strdup(folder);
    if (!path)
        return th_fail(err, TH_NOMEM, "out of memory");
    for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = '\0';
        (void)mkdir(path, 0777); /* if it failed, the last mkdir reports the error */
        *at = '/';
    }
    const bool is_there = mkdir(path, 0777) == 0 || errno == EEXIST;
    free(path);
    return is_there ? TH_OK
                    : th_fail(err, TH_IO, "cannot create folder '%s': %s", folder,
                              strerror(errno));
}

th_status th_shard_writer_new(const th_shard_options *options, th_shard_writer **out,
                              th_error *err)
{
    th_status status = make_folder(options->folder, err);
    if (status != TH_OK)
        return status;
    th_shard_writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return th_fail(err, TH_NOMEM, "out of memory for a shard");
    writer->options = *options;
    th_signature_init(&writer->params, options->compared, 0);
    status = open_output(&writer->records, options->folder, "shard.records", err);
    if (status == TH_OK)
        status = open_output(&writer->places, options->folder, "shard.places", err);
    if (status != TH_OK)
        th_shard_writer_free(writer);
    else
        *out = writer;
    return status;
}

void th_shard_writer_free(th_shard_writer *writer)
{
    if (!writer)
        return;
    close_output(&writer->records);
    close_output(&writer->places);
    free(writer->row);
    free(writer->slots);
    free(writer);
}

static th_status fit_row(th_shard_writer *writer, th_error *err)
{
    const size_t slots = (size_t)2 * writer->params.slots + 1;
    unsigned char *row = realloc(writer->row, th_signature_row_len(&writer->params));
    if (row)
        writer->row = row;
    uint64_t *moved = realloc(writer->slots, slots * sizeof *moved);
    if (moved)
        writer->slots = moved;
    return row && moved ? TH_OK : th_fail(err, TH_NOMEM, "out of memory for a signature");
}

static th_status put_record(th_shard_writer *writer, const th_record_line *record,
                            th_error *err)
{
    const th_shard_record made = {
        .row = { (const char *)writer->row, th_signature_row_len(&writer->params) },
        .parts = { record->id, record->url, record->date },
    };
    const size_t before = writer->records.waiting.len;
    const uint64_t at = writer->record_bytes;
    th_shard_record_append(&made, writer->count, &writer->records.waiting);
    writer->record_bytes += writer->records.waiting.len - before;
    const th_status status = flush(&writer->records, PIECE, err);
    writer->count++;
    return status == TH_OK ? put(&writer->places, &at, sizeof at, err) : status;
}

th_status th_shard_writer_add(th_shard_writer *writer, const th_record_line *record,
                              const char *place, th_record_fault *fault, th_error *err)
{
    th_signed_head head;
    th_status status = th_signature_agree(&writer->params, record, place, err);
    if (status == TH_OK && writer->count == UINT32_MAX - 1)
        status = th_fail(err, TH_TOO_LARGE, "the memory limit allows at most %u records",
                         writer->count);
    if (status == TH_OK)
        status = fit_row(writer, err);
    if (status != TH_OK)
        return status;
    *fault = th_signature_pack(&writer->params, record, writer->slots, writer->row);
    if (*fault != TH_RECORD_NONE)
        return TH_OK;
    memcpy(&head, writer->row, sizeof head);
    writer->unsigned_records += !th_signature_is_signed(&writer->params, &head);
    return put_record(writer, record, err);
}

/* ---- keys ---- */

/* The state of the second pass over the records. */
struct keying {
    th_shard_writer *writer;
    const th_record_shard *shard;
    th_shard_reader reader;
    th_signed_row row;
    uint64_t *keys;
    th_key_sort *by_key, *by_id;
};

static th_status add_items(struct keying *keying, uint32_t number, th_error *err)
{
    const th_signature_params *params = &keying->writer->params;
    th_shard_record record;
    th_status status = th_shard_reader_get(&keying->reader, number, &record, err);
    if (status != TH_OK)
        return status;
    th_signature_unpack(params, (const unsigned char *)record.row.data, &keying->row);
    const size_t count = th_signature_keys(params, &keying->row, keying->keys);
    for (size_t i = 0; i < count && status == TH_OK; i++)
        status = th_key_sort_add(keying->by_key, keying->keys[i], number, err);
    const uint64_t hash = XXH3_64bits(record.parts[0].data, record.parts[0].len);
    return status == TH_OK ? th_key_sort_add(keying->by_id, hash, number, err) : status;
}

static th_status add_all(struct keying *keying, th_error *err)
{
    const th_shard_writer *writer = keying->writer;
    const atomic_int *stop = writer->options.stop;
    th_status status = th_shard_reader_open(&keying->reader, keying->shard, err);
    for (uint32_t number = 0; number < writer->count && status == TH_OK; number++) {
        status = add_items(keying, number, err);
        if (status == TH_OK && stop && number % LOOK_EVERY == 0 && atomic_load(stop))
            status = th_fail(err, TH_INTERRUPTED, "interrupted");
    }
    if (status == TH_OK)
        status = th_key_sort_finish(keying->by_key, err);
    if (status == TH_OK)
        status = th_key_sort_finish(keying->by_id, err);
    return status;
}

/* Reads an item of the sort, in the form of the files. @return TH_END after the last */
static th_status next_item(th_key_sort *sort, th_item *item, th_error *err)
{
    uint64_t key = 0;
    const th_status status = th_key_sort_next(sort, &key, &item->number, err);
    item->low = (uint32_t)key;
    item->high = (uint32_t)(key >> 32);
    return status;
}

static th_status write_ids(struct keying *keying, th_record_shard *shard, th_error *err)
{
    struct output output = { .sink = NULL };
    th_item item;
    th_status status = open_output(&output, shard->folder, "shard.ids", err);
    while (status == TH_OK && (status = next_item(keying->by_id, &item, err)) == TH_OK)
        status = put(&output, &item, sizeof item, err);
    if (status == TH_END)
        status = finish_output(&output, &shard->head.ids_sum, err);
    close_output(&output);
    return status;
}

static th_status end_ranges(struct output *output, th_record_shard *shard, uint32_t *part,
                            uint32_t until, uint64_t items, th_error *err)
{
    th_status status = TH_OK;
    for (; *part < until && status == TH_OK; ++*part) {
        shard->ends[*part] = items;
        status = take_sum(output, &shard->sums[*part], err);
    }
    return status;
}

static th_status write_keys(struct keying *keying, th_record_shard *shard, th_error *err)
{
    struct output output = { .sink = NULL };
    const uint32_t parts = (uint32_t)shard->head.parts;
    uint64_t items = 0, nothing = 0;
    uint32_t part = 0;
    th_item item;
    th_status status = open_output(&output, shard->folder, "shard.keys", err);
    while (status == TH_OK && (status = next_item(keying->by_key, &item, err)) == TH_OK) {
        status = end_ranges(&output, shard, &part, th_part_of(th_item_key(&item), parts),
                            items, err);
        if (status == TH_OK)
            status = put(&output, &item, sizeof item, err);
        items++;
    }
    if (status == TH_END)
        status = end_ranges(&output, shard, &part, parts, items, err);
    if (status == TH_OK)
        status = finish_output(&output, &nothing, err);
    shard->head.keys = items;
    close_output(&output);
    return status;
}

static th_status sort_and_write(th_shard_writer *writer, th_record_shard *shard,
                                th_error *err)
{
    struct keying keying = { .writer = writer, .shard = shard };
    const th_signature_params *params = &writer->params;
    const uint64_t memory = writer->options.memory;
    keying.keys = malloc(th_signature_key_count(params) * sizeof *keying.keys);
    keying.row.slots = malloc(((size_t)2 * params->slots + 1) * sizeof *keying.row.slots);
    th_status status = keying.keys && keying.row.slots
                           ? TH_OK
                           : th_fail(err, TH_NOMEM, "out of memory for keys");
    if (status == TH_OK) /* a record has one id and up to 17 keys, or more */
        status = th_key_sort_new(writer->options.temp, memory - memory / 8,
                                 &keying.by_key, err);
    if (status == TH_OK)
        status = th_key_sort_new(writer->options.temp, memory / 8, &keying.by_id, err);
    if (status == TH_OK)
        status = add_all(&keying, err);
    if (status == TH_OK)
        status = write_ids(&keying, shard, err);
    if (status == TH_OK)
        status = write_keys(&keying, shard, err);
    th_shard_reader_close(&keying.reader);
    th_key_sort_free(keying.by_key);
    th_key_sort_free(keying.by_id);
    free(keying.row.slots);
    free(keying.keys);
    return status;
}

static th_status begin_shard(const th_shard_writer *writer, const th_shard_counts *counts,
                             th_record_shard *shard, th_error *err)
{
    const th_signature_params *params = &writer->params;
    const uint32_t parts = writer->options.parts;
    th_shard_head *head = &shard->head;
    memset(shard, 0, sizeof *shard); /* padding too, because it is written */
    shard->folder = strdup(writer->options.folder);
    shard->ends = calloc(parts, sizeof *shard->ends);
    shard->sums = calloc(parts, sizeof *shard->sums);
    head->job = writer->options.job;
    head->records = writer->count;
    head->unsigned_records = writer->unsigned_records;
    head->parts = parts;
    head->record_bytes = writer->record_bytes;
    head->compared = (uint32_t)writer->options.compared;
    head->text_count = params->text_count;
    head->is_signed = params->is_known;
    head->counts = *counts;
    memcpy(head->params, params->words, sizeof head->params);
    memcpy(head->source, params->source, sizeof head->source);
    memcpy(head->words.preset, params->claim.preset, sizeof head->words.preset);
    memcpy(head->words.scheme, params->claim.scheme, sizeof head->words.scheme);
    memcpy(head->words.numbers, params->claim.numbers, sizeof head->words.numbers);
    head->words.has_numbers = params->claim.has_numbers;
    return shard->folder && shard->ends && shard->sums
               ? TH_OK
               : th_fail(err, TH_NOMEM, "out of memory for a shard");
}

th_status th_shard_writer_finish(th_shard_writer *writer, const th_shard_counts *counts,
                                 th_record_shard *shard, th_error *err)
{
    uint64_t nothing = 0;
    th_status status =
        put(&writer->places, &writer->record_bytes, sizeof writer->record_bytes, err);
    if (status == TH_OK)
        status = finish_output(&writer->records, &nothing, err);
    if (status == TH_OK)
        status = finish_output(&writer->places, &nothing, err);
    if (status != TH_OK)
        return status;
    status = begin_shard(writer, counts, shard, err);
    if (status == TH_OK)
        status = sort_and_write(writer, shard, err);
    if (status == TH_OK)
        status = th_record_shard_save(shard, err);
    if (status != TH_OK)
        th_record_shard_done(shard);
    return status;
}
