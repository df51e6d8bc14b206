/* The shards of a set, and their records. shard_merge.c has their items. */
#include "dedup/shard_set.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/array.h"

static th_status keep(th_shard_set *set, const th_record_shard *shard, th_error *err)
{
    if (!TH_HAS_CAPACITY(set->shards, set->count, set->capacity))
        return th_fail(err, TH_NOMEM, "out of memory for %u shards", set->count + 1);
    set->shards[set->count++] = *shard;
    return TH_OK;
}

static th_status add_one(th_shard_set *set, const char *folder, th_error *err)
{
    th_record_shard shard;
    th_status status = th_record_shard_load(folder, &shard, err);
    if (status != TH_OK)
        return status;
    status = keep(set, &shard, err);
    if (status != TH_OK)
        th_record_shard_done(&shard);
    return status;
}

static th_status add_below(th_shard_set *set, const char *folder, th_error *err)
{
    DIR *listing = opendir(folder);
    struct dirent *entry;
    th_status status = TH_OK;
    if (!listing)
        return th_fail(err, TH_ABSENT, "cannot open the folder '%s': %s", folder,
                       strerror(errno));
    while (status == TH_OK && (entry = readdir(listing))) {
        if (entry->d_name[0] == '.')
            continue;
        char *path = th_shard_path(folder, entry->d_name);
        status = path ? add_one(set, path, err) : th_fail(err, TH_NOMEM, "out of memory");
        if (status == TH_ABSENT) /* another folder, or a file */
            status = TH_OK;
        free(path);
    }
    (void)closedir(listing);
    return status;
}

th_status th_shard_set_add(th_shard_set *set, const char *folder, th_error *err)
{
    const uint32_t before = set->count;
    th_error absent = { .text = "" };
    th_status status = add_one(set, folder, &absent);
    if (status == TH_ABSENT)
        status = add_below(set, folder, err);
    else if (status != TH_OK)
        return th_fail(err, status, "%s", absent.text);
    if (status == TH_OK && set->count == before)
        return th_fail(
            err, TH_ABSENT,
            "'%s' contains no shard; create shards with `thresher dedup partition`",
            folder);
    return status;
}

static int by_fingerprint(const void *left, const void *right)
{
    const th_record_shard *a = left, *b = right;
    return (a->fingerprint > b->fingerprint) - (a->fingerprint < b->fingerprint);
}

/* Checks the properties that must be equal in all shards. */
static th_status check_fit(const th_shard_set *set, uint32_t at, th_error *err)
{
    const th_record_shard *first = &set->shards[0], *shard = &set->shards[at];
    if (at && shard->fingerprint == shard[-1].fingerprint)
        return th_fail(err, TH_USAGE, "'%.250s' and '%.250s' are the same shard",
                       shard[-1].folder, shard->folder);
    if (shard->head.parts != first->head.parts)
        return th_fail(err, TH_USAGE, "'%.250s' has %u ranges, but '%.250s' has %u",
                       first->folder, (unsigned)first->head.parts, shard->folder,
                       (unsigned)shard->head.parts);
    if (shard->head.compared != first->head.compared)
        return th_fail(err, TH_USAGE,
                       "'%.250s' was made with --sign %s, but '%.250s' with --sign %s",
                       first->folder, th_compared_names[first->head.compared],
                       shard->folder, th_compared_names[shard->head.compared]);
    return TH_OK;
}

static th_status count_shard(th_shard_set *set, uint32_t at, th_error *err)
{
    const th_shard_head *head = &set->shards[at].head;
    if (head->records > UINT32_MAX - 1 - set->records)
        return th_fail(err, TH_TOO_LARGE, "the shards have more than %u records",
                       UINT32_MAX - 1);
    set->firsts[at] = set->records;
    set->records += (uint32_t)head->records;
    set->unsigned_records += head->unsigned_records;
    set->counts.read += head->counts.read;
    set->counts.inputs += head->counts.inputs;
    set->counts.damaged_inputs += head->counts.damaged_inputs;
    set->counts.bytes += head->counts.bytes;
    for (int i = 0; i < TH_RECORD_FAULT_COUNT; i++)
        set->counts.refused[i] += head->counts.refused[i];
    set->fingerprint =
        XXH3_64bits_withSeed(&set->shards[at].fingerprint,
                             sizeof set->shards[at].fingerprint, set->fingerprint);
    return TH_OK;
}

th_status th_shard_set_close(th_shard_set *set, double threshold, th_error *err)
{
    th_status status = TH_OK;
    qsort(set->shards, set->count, sizeof *set->shards, by_fingerprint);
    set->firsts = malloc((set->count + 1) * sizeof *set->firsts);
    if (!set->firsts)
        return th_fail(err, TH_NOMEM, "out of memory for %u shards", set->count);
    set->parts = (uint32_t)set->shards[0].head.parts;
    th_signature_init(&set->params, (th_compared)set->shards[0].head.compared, threshold);
    for (uint32_t i = 0; i < set->count && status == TH_OK; i++) {
        status = check_fit(set, i, err);
        if (status == TH_OK)
            status = count_shard(set, i, err);
        if (status == TH_OK)
            status = th_record_shard_agree(&set->shards[i], &set->params, err);
    }
    return status;
}

void th_shard_set_done(th_shard_set *set)
{
    th_shard_reader_close(&set->reader);
    for (uint32_t i = 0; i < set->count; i++)
        th_record_shard_done(&set->shards[i]);
    free(set->shards);
    free(set->firsts);
    *set = (th_shard_set){ .shards = NULL };
}

/* Returns the last shard that begins at or before the record. Empty ones begin there
 * too. */
static uint32_t shard_of(const th_shard_set *set, uint32_t number)
{
    return th_first_from(set->firsts, set->count, sizeof *set->firsts, 0,
                         (uint64_t)number + 1) -
           1;
}

th_status th_shard_set_get(th_shard_set *set, uint32_t number, th_shard_record *out,
                           th_error *err)
{
    const uint32_t at = shard_of(set, number);
    const th_record_shard *shard = &set->shards[at];
    th_status status = TH_OK;
    if (set->reader.shard != shard) {
        th_shard_reader_close(&set->reader);
        status = th_shard_reader_open(&set->reader, shard, err);
    }
    if (status == TH_OK)
        status = th_shard_reader_get(&set->reader, number - set->firsts[at], out, err);
    if (status == TH_OK && !th_signature_row_is_good(&set->params, out->row))
        status = th_fail(err, TH_DAMAGED,
                         "'%s/shard.records' is damaged: wrong row of record %u",
                         shard->folder, number - set->firsts[at]);
    return status;
}
