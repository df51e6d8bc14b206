/*
 * A segment's two files. NUMBER.journal contains the entries. NUMBER.table is built from
 * it when the segment is sealed, and rebuilt if it is lost.
 */
#include "index/index_segment.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static th_status new_segment(const char *dir, uint32_t number,
                             const th_index_scheme *scheme, th_index_segment **out,
                             th_error *err)
{
    th_index_segment *segment = calloc(1, sizeof *segment);
    if (!segment)
        return th_fail(err, TH_NOMEM, "cannot allocate a segment");
    segment->scheme = scheme;
    segment->number = number;
    if (asprintf(&segment->journal_path, "%s/%08u.journal", dir, number) < 0)
        segment->journal_path = NULL;
    if (asprintf(&segment->table_path, "%s/%08u.table", dir, number) < 0)
        segment->table_path = NULL;
    if (segment->journal_path && segment->table_path) {
        *out = segment;
        return TH_OK;
    }
    th_index_segment_free(segment);
    return th_fail(err, TH_NOMEM, "cannot allocate a segment");
}

void th_index_segment_free(th_index_segment *segment)
{
    if (!segment)
        return;
    th_journal_free(segment->journal);
    th_slot_table_done(&segment->growing);
    th_sealed_table_close(&segment->sealed);
    free(segment->journal_path);
    free(segment->table_path);
    free(segment);
}

static th_journal_head journal_head(const th_index_segment *segment)
{
    return (th_journal_head){ .number = segment->number,
                              .epoch = segment->epoch,
                              .scheme = th_index_scheme_digest(segment->scheme) };
}

static th_sealed_head sealed_head(const th_index_segment *segment)
{
    return (th_sealed_head){ .number = segment->number,
                             .scheme = th_index_scheme_digest(segment->scheme),
                             .journal_len = th_journal_len(segment->journal) };
}

th_status th_index_segment_create(const char *dir, uint32_t number,
                                  const th_index_scheme *scheme, th_index_segment **out,
                                  th_error *err)
{
    th_index_segment *segment = NULL;
    th_status status = new_segment(dir, number, scheme, &segment, err);
    if (status != TH_OK)
        return status;
    assert(segment);
    const th_journal_head head = journal_head(segment);
    (void)unlink(segment->table_path);
    status =
        th_journal_create(segment->journal_path, &head, scheme, &segment->journal, err);
    if (status == TH_OK)
        *out = segment;
    else
        th_index_segment_free(segment);
    return status;
}

void th_index_segment_unlink(const char *dir, uint32_t number)
{
    static const char *const ends[] = { "journal", "table", "table.part" };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char path[4096];
        const int len = snprintf(path, sizeof path, "%s/%08u.%s", dir, number, ends[i]);
        if (len > 0 && (size_t)len < sizeof path)
            (void)unlink(path);
    }
}

/* ---- tables ---- */

static th_status insert_keys(th_index_segment *segment, th_entry_ref ref,
                             const th_index_entry *entry, uint64_t *capped)
{
    const th_status status = th_slot_table_reserve(&segment->growing, entry->key_count);
    if (status != TH_OK)
        return status;
    const th_index_key *keys = th_entry_keys(segment->scheme, entry);
    for (uint32_t i = 0; i < entry->key_count; i++)
        *capped += !th_slot_table_insert(&segment->growing, keys[i], ref);
    segment->entries++;
    return TH_OK;
}

static th_status take_entry(void *context, th_entry_ref ref, const th_index_entry *entry)
{
    uint64_t capped = 0; /* counted at the first insertion */
    return insert_keys(context, ref, entry, &capped);
}

/* Builds the table of all entries of the journal, in memory. */
static th_status make_table(th_index_segment *segment, th_segment_losses *losses,
                            th_error *err)
{
    uint64_t damaged = 0;
    const th_status status =
        th_journal_walk(segment->journal, take_entry, segment, &damaged);
    losses->damaged += damaged;
    return status == TH_OK ? TH_OK
                           : th_fail(err, status, "cannot create the table of '%s'",
                                     segment->journal_path);
}

/* Writes the table that is in memory, and maps the file. */
static th_status seal_table(th_index_segment *segment, th_error *err)
{
    th_sealed_head head = sealed_head(segment);
    th_status status =
        th_sealed_table_write(segment->table_path, &head, &segment->growing, err);
    if (status != TH_OK)
        return status;
    status = th_sealed_table_open(segment->table_path, &head, &segment->sealed, err);
    if (status != TH_OK)
        return status == TH_ABSENT || status == TH_DAMAGED ? TH_IO : status;
    th_slot_table_done(&segment->growing);
    segment->is_sealed = true;
    return TH_OK;
}

static th_status open_journal(const char *dir, uint32_t number, uint64_t limit,
                              bool is_growing, const th_index_scheme *scheme,
                              th_index_segment **out, th_error *err)
{
    th_index_segment *segment = NULL;
    th_status status = new_segment(dir, number, scheme, &segment, err);
    if (status != TH_OK)
        return status;
    assert(segment);
    th_journal_head head = journal_head(segment);
    status = th_journal_open(segment->journal_path, &head, scheme, limit, is_growing,
                             &segment->journal, err);
    segment->epoch = head.epoch;
    if (status == TH_OK)
        *out = segment;
    else
        th_index_segment_free(segment);
    return status;
}

th_status th_index_segment_open_growing(const char *dir, uint32_t number,
                                        uint64_t journal_len,
                                        const th_index_scheme *scheme,
                                        th_index_segment **out, th_segment_losses *losses,
                                        th_error *err)
{
    th_index_segment *segment = NULL;
    th_status status =
        open_journal(dir, number, journal_len, true, scheme, &segment, err);
    if (status != TH_OK)
        return status;
    assert(segment);
    (void)unlink(segment->table_path); /* left by a failed sealing */
    losses->damaged +=
        journal_len != UINT64_MAX && th_journal_len(segment->journal) < journal_len;
    status = make_table(segment, losses, err);
    if (status == TH_OK)
        *out = segment;
    else
        th_index_segment_free(segment);
    return status;
}

th_status th_index_segment_open_sealed(const char *dir, uint32_t number,
                                       const th_index_scheme *scheme,
                                       th_index_segment **out, th_segment_losses *losses,
                                       th_error *err)
{
    th_index_segment *segment = NULL;
    th_status status =
        open_journal(dir, number, UINT64_MAX, false, scheme, &segment, err);
    if (status != TH_OK)
        return status;
    assert(segment);
    th_sealed_head head = sealed_head(segment);
    status = th_sealed_table_open(segment->table_path, &head, &segment->sealed, err);
    segment->is_sealed = status == TH_OK;
    losses->damaged += head.journal_len > th_journal_len(segment->journal);
    if (status == TH_ABSENT || status == TH_DAMAGED) {
        losses->rebuilt++;
        status = make_table(segment, losses, err);
        if (status == TH_OK && !losses->damaged)
            (void)seal_table(segment, NULL); /* on a full disk it remains in memory */
    }
    if (status == TH_OK)
        *out = segment;
    else
        th_index_segment_free(segment);
    return status;
}

th_status th_index_segment_seal(th_index_segment *segment, th_error *err)
{
    if (segment->is_sealed)
        return TH_OK;
    th_status status = th_journal_set_epoch(segment->journal, segment->epoch, err);
    if (status == TH_OK)
        status = th_journal_sync(segment->journal, err);
    if (status == TH_OK)
        status = seal_table(segment, err);
    if (status == TH_OK)
        th_journal_end(segment->journal);
    return status;
}

/* ---- entries ---- */

th_status th_index_segment_insert(th_index_segment *segment, const th_index_entry *entry,
                                  uint64_t *capped, th_error *err)
{
    th_entry_ref ref = 0;
    const th_status status = th_journal_append(segment->journal, entry, &ref, err);
    if (status != TH_OK)
        return status;
    return insert_keys(segment, ref, entry, capped) == TH_OK
               ? TH_OK
               : th_fail(err, TH_NOMEM, "cannot grow the index's table");
}

void th_index_segment_prefetch(const th_index_segment *segment,
                               const th_index_entry *entry)
{
    const th_index_key *keys = th_entry_keys(segment->scheme, entry);
    for (uint32_t i = 0; i < entry->key_count; i++) {
        if (segment->is_sealed)
            th_key_filter_prefetch(&segment->sealed.filter, keys[i]);
        else
            th_slot_table_prefetch(&segment->growing, keys[i]);
    }
}

size_t th_index_segment_find(const th_index_segment *segment, const th_index_entry *entry,
                             th_entry_ref *refs)
{
    const th_slot_table *table =
        segment->is_sealed ? &segment->sealed.table : &segment->growing;
    const th_index_key *keys = th_entry_keys(segment->scheme, entry);
    size_t count = 0;
    for (uint32_t i = 0; i < entry->key_count; i++)
        if (!segment->is_sealed ||
            th_key_filter_may_hold(&segment->sealed.filter, keys[i]))
            count += th_slot_table_find(table, keys[i], refs + count);
    return count;
}
