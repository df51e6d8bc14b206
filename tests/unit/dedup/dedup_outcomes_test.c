/* src/dedup: clusters, pairs and counts of random records with every option, in one process
 * and in stages, and pairs of random messages of band keys, as digests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "dedup/cluster_writer.h"
#include "dedup/components.h"
#include "dedup/edge_file.h"
#include "dedup/pairing_table.h"
#include "dedup/range_pairs.h"
#include "dedup/shard_writer.h"
#include "outcomes.h"
#include "sketch/digest_key.h"
#include "thresher/minhash.h"

enum { ROUNDS = 90, FAMILIES = 12 };

/* A number that depends on all of its parts. */
static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t x = (a + 1) * 0x9E3779B97F4A7C15u ^ (b + 1) * 0xD1B54A32D192ED03u;
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    return x ^ x >> 32;
}

/* Slots of a page of a family: some of them are its own. */
static void make_slots(struct outcomes *all, const th_minhash_preset *preset,
                       uint64_t *slots)
{
    const uint32_t family = below(all, FAMILIES), own = below(all, 60);
    const uint64_t number = below(all, 1 << 20);
    for (uint32_t i = 0; i < preset->slots; i++) {
        const bool is_own = mix(number, i) % 100 < own;
        slots[i] = mix(is_own ? number : family, i);
        if (preset->slot_bits == 32)
            slots[i] &= UINT32_MAX;
    }
}

static void append_slots(const th_minhash_preset *preset, const uint64_t *slots,
                         uint32_t count, th_buffer *out)
{
    for (uint32_t i = 0; i < count; i++)
        th_buffer_printf(out, "%0*" PRIx64, (int)preset->slot_bits / 4, slots[i]);
}

/* A line of a record with some of the texts signed. */
static void make_line(struct outcomes *all, const th_minhash_preset *preset,
                      const char *name, th_buffer *out)
{
    static const char *const texts[] = { "main", "content", "page", "distinct" };
    uint64_t slots[TH_SLOTS_MAX];
    th_buffer_reset(out);
    th_buffer_printf(out, "{\"schema\":\"thresher/1\",\"id\":\"r%" PRIu32 "\"",
                     below(all, 400));
    if (below(all, 5))
        th_buffer_printf(out, ",\"url\":\"http://a.example/%" PRIu32 "\"",
                         below(all, 50));
    if (below(all, 5))
        th_buffer_printf(out, ",\"date\":\"2026-01-01T00:00:%02" PRIu32 "Z\"",
                         below(all, 60));
    if (below(all, 12) == 0)
        th_buffer_append_text(out, ",\"http\":{\"status\":404}");
    if (below(all, 3))
        th_buffer_printf(out, ",\"digest\":{\"text\":\"%032" PRIx32 "\"}",
                         below(all, 40));
    if (below(all, 2))
        th_buffer_append_text(out, ",\"template_known\":true");
    th_buffer_printf(out, ",\"minhash\":{\"preset\":\"%s\"", name);
    for (unsigned i = 0; i < 4; i++) {
        make_slots(all, preset, slots);
        if (below(all, 6) == 0)
            continue;
        th_buffer_printf(out, ",\"%s\":\"", texts[i]);
        append_slots(preset, slots, below(all, 60) ? preset->slots : below(all, 3), out);
        th_buffer_append_text(out, "\"");
    }
    if (below(all, 8) == 0)
        th_buffer_printf(out, ",\"short\":[\"%s\"]", texts[below(all, 4)]);
    th_buffer_append_text(out, "}}");
}

static th_status note_bytes(void *context, th_view bytes, th_error *err)
{
    (void)err;
    note_view(context, bytes);
    return TH_OK;
}

static void note_sizes(struct outcomes *all, const th_cluster_sizes *sizes)
{
    note_number(all, sizes->clusters);
    note_number(all, sizes->clustered);
    for (unsigned i = 0; i < TH_SIZE_CLASSES; i++)
        note_number(all, sizes->classes[i]);
    for (unsigned i = 0; i < TH_LARGEST_CLUSTERS && sizes->largest[i]; i++) {
        note_number(all, sizes->largest[i]);
        note_number(all, sizes->representatives[i]);
    }
}

static void note_duplicates(struct outcomes *all, th_duplicate_finder *finder)
{
    assert_int_equal(th_duplicate_finder_find(finder, NULL), TH_OK);
    const th_dedup_counts *counts = &finder->counts;
    const uint64_t numbers[] = { counts->records,        counts->unsigned_records,
                                 counts->repeated,       counts->keys,
                                 counts->buckets,        counts->largest_bucket,
                                 counts->capped_buckets, counts->compared };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        note_number(all, numbers[i]);
    th_clusters clusters;
    assert_int_equal(th_clusters_init(&clusters, &finder->sets, NULL), TH_OK);
    note_sizes(all, &clusters.summary);
    for (unsigned output = TH_DEDUP_CLUSTERS; output <= TH_DEDUP_DROP; output++)
        for (int is_packed = 0; is_packed < 2; is_packed++) {
            uint64_t lines = 0;
            if (output == TH_DEDUP_PAIRS && finder->options.kept != TH_KEEP_PAIRS)
                continue;
            assert_int_equal(th_clusters_write(finder, &clusters, (th_dedup_output)output,
                                               is_packed, note_bytes, all, &lines, NULL),
                             TH_OK);
            note_number(all, lines);
        }
    th_clusters_done(&clusters);
}

static void duplicates_of_random_records_are_known(void **state)
{
    static const char *const presets[] = { "modern", "crawl", "paper", "datatrove",
                                           "textdedup" };
    (void)state;
    struct outcomes all = { .chance = 1 };
    th_record_line record = { 0 };
    th_buffer line = { 0 };
    for (unsigned round = 0; round < ROUNDS; round++) {
        const char *name = presets[below(&all, 5)];
        th_minhash_preset preset;
        th_duplicate_finder finder;
        assert_int_equal(th_minhash_parse(name, &preset, NULL), TH_OK);
        th_dedup_options options = { .compared =
                                         (th_compared)below(&all, TH_COMPARE_OWN + 1),
                                     .memory = 64 << 20,
                                     .temp = "" };
        options.threshold = below(&all, 2) ? 0 : (double)(1 + below(&all, 16)) / 16;
        options.fan_out = 1 + below(&all, below(&all, 2) ? 4 : 64);
        options.kept = (th_dedup_kept)below(&all, 3);
        assert_int_equal(th_duplicate_finder_init(&finder, &options, NULL), TH_OK);
        for (uint32_t i = 20 + below(&all, 120); i; i--) {
            th_record_fault fault = TH_RECORD_NONE;
            th_error err = { .text = "" };
            make_line(&all, &preset, below(&all, 200) ? name : "other", &line);
            assert_int_equal(th_record_line_read(&record, th_buffer_view(&line), &fault),
                             TH_OK);
            note_number(&all, fault);
            if (fault != TH_RECORD_NONE)
                continue;
            const th_status status =
                th_duplicate_finder_add(&finder, &record, "FILE: line 1", &fault, &err);
            note_number(&all, (uint64_t)status);
            note_number(&all, fault);
            note_text(&all, status == TH_OK ? "" : err.text);
        }
        note_duplicates(&all, &finder);
        th_duplicate_finder_done(&finder);
    }
    th_record_line_done(&record);
    th_buffer_done(&line);
    expect_digest(&all, 0xBBCB86ABB2FEFE1A);
}

/* ---- stages ---- */

enum { SHARDS = 2, PATH_ROOM = 96 };

/* Notes the progress. Sets the stop flag at a call. */
struct watch {
    struct outcomes *all;
    atomic_int stop;
    uint32_t stop_at; /* 0: never */
};

static void take_progress(void *context, const char *step, uint64_t done, uint64_t total)
{
    struct watch *watch = context;
    note_line(watch->all, "%s %" PRIu64 " of %" PRIu64, step, done, total);
    if (watch->stop_at && --watch->stop_at == 0)
        atomic_store(&watch->stop, 1);
}

/* Deals random records to the shards, and adds them to the finder too. */
static void make_shards(struct outcomes *all, const char *folder, uint32_t parts,
                        th_duplicate_finder *finder)
{
    static const char *const presets[] = { "modern", "crawl", "paper", "datatrove",
                                           "textdedup" };
    const char *name = presets[below(all, 5)];
    th_minhash_preset preset;
    th_shard_writer *writers[SHARDS];
    th_record_line record = { 0 };
    th_buffer line = { 0 };
    char paths[SHARDS][PATH_ROOM];
    assert_int_equal(th_minhash_parse(name, &preset, NULL), TH_OK);
    for (uint32_t i = 0; i < SHARDS; i++) {
        (void)snprintf(paths[i], sizeof paths[i], "%s/%" PRIu32, folder, i);
        const th_shard_options options = { .folder = paths[i],
                                           .compared = finder->options.compared,
                                           .parts = parts,
                                           .memory = 1 << 20,
                                           .temp = "" };
        assert_int_equal(th_shard_writer_new(&options, &writers[i], NULL), TH_OK);
    }
    for (uint32_t i = 20 + below(all, 150); i; i--) {
        th_record_fault fault = TH_RECORD_NONE, again = TH_RECORD_NONE;
        make_line(all, &preset, name, &line);
        assert_int_equal(th_record_line_read(&record, th_buffer_view(&line), &fault),
                         TH_OK);
        assert_int_equal(fault, TH_RECORD_NONE);
        assert_int_equal(th_shard_writer_add(writers[below(all, SHARDS)], &record,
                                             "FILE: line 1", &fault, NULL),
                         TH_OK);
        assert_int_equal(
            th_duplicate_finder_add(finder, &record, "FILE: line 1", &again, NULL),
            TH_OK);
        assert_int_equal(fault, again);
        note_number(all, fault);
    }
    for (uint32_t i = 0; i < SHARDS; i++) {
        const th_shard_counts counts = { .read = i };
        th_record_shard shard;
        assert_int_equal(th_shard_writer_finish(writers[i], &counts, &shard, NULL),
                         TH_OK);
        note_number(all, shard.head.keys);
        note_number(all, shard.head.ids_sum);
        th_record_shard_done(&shard);
        th_shard_writer_free(writers[i]);
    }
    th_record_line_done(&record);
    th_buffer_done(&line);
}

static th_status keep_bytes(void *context, th_view bytes, th_error *err)
{
    (void)err;
    th_buffer_append_view(context, bytes);
    return TH_OK;
}

static void put_clusters(th_duplicate_finder *finder, th_buffer *out)
{
    th_clusters clusters;
    uint64_t lines = 0;
    assert_int_equal(th_clusters_init(&clusters, &finder->sets, NULL), TH_OK);
    for (unsigned output = TH_DEDUP_CLUSTERS; output <= TH_DEDUP_DROP; output++)
        if (output != TH_DEDUP_PAIRS || finder->options.kept == TH_KEEP_PAIRS)
            assert_int_equal(th_clusters_write(finder, &clusters, (th_dedup_output)output,
                                               false, keep_bytes, out, &lines, NULL),
                             TH_OK);
    th_clusters_done(&clusters);
    assert_false(out->has_failed);
}

/* Compares each range of the shards, and joins the edges. Without a stop, the clusters are
 * the ones of one process. */
static void run_stages(struct outcomes *all, char *folder, uint32_t parts,
                       th_duplicate_finder *whole)
{
    struct watch watch = { .all = all };
    th_shard_set set = { .shards = NULL };
    th_dedup_options options = whole->options;
    th_duplicate_finder finder = { 0 };
    th_buffer staged = { 0 }, plain = { 0 };
    if (below(all, 4) == 0)
        watch.stop_at = 1 + below(all, 6);
    options.progress = take_progress;
    options.progress_context = &watch;
    options.stop = &watch.stop;
    assert_int_equal(th_shard_set_add(&set, folder, NULL), TH_OK);
    assert_int_equal(th_shard_set_close(&set, options.threshold, NULL), TH_OK);
    if (options.kept == TH_KEEP_SETS)
        options.kept = TH_KEEP_JOINS;
    th_status status = TH_OK;
    for (uint32_t part = 0; part < parts && status == TH_OK; part++) {
        char name[TH_EDGE_NAME_MAX], path[PATH_ROOM];
        th_range_counts counts = { .loaded = 0 };
        th_edge_file_name(part, parts, name);
        (void)snprintf(path, sizeof path, "%s/%s", folder, name);
        status = th_range_pairs(&set, &options, part, path, &counts, NULL);
        note_line(all, "range: %d: %" PRIu64 " loaded, %" PRIu64 " edges", status,
                  counts.loaded, counts.edges);
    }
    options.kept = whole->options.kept;
    if (status == TH_OK)
        status = th_components(&set, &folder, 1, &options, &finder, NULL);
    note_line(all, "components: %d", status);
    if (status == TH_OK) {
        assert_int_equal(th_duplicate_finder_find(whole, NULL), TH_OK);
        put_clusters(&finder, &staged);
        put_clusters(whole, &plain);
        assert_int_equal(staged.len, plain.len);
        if (plain.len)
            assert_memory_equal(staged.data, plain.data, plain.len);
        assert_int_equal(finder.counts.records, whole->counts.records);
        assert_int_equal(finder.counts.unsigned_records, whole->counts.unsigned_records);
        assert_int_equal(finder.counts.repeated, whole->counts.repeated);
        note_view(all, th_buffer_view(&staged));
    }
    th_duplicate_finder_done(&finder);
    th_shard_set_done(&set);
    th_buffer_done(&staged);
    th_buffer_done(&plain);
}

static void remove_files(const char *folder, uint32_t parts)
{
    static const char *const names[] = { "shard", "shard.records", "shard.places",
                                         "shard.ids", "shard.keys" };
    char path[PATH_ROOM], name[TH_EDGE_NAME_MAX];
    for (uint32_t i = 0; i < SHARDS; i++) {
        for (unsigned k = 0; k < sizeof names / sizeof *names; k++) {
            (void)snprintf(path, sizeof path, "%s/%" PRIu32 "/%s", folder, i, names[k]);
            assert_int_equal(unlink(path), 0);
        }
        (void)snprintf(path, sizeof path, "%s/%" PRIu32, folder, i);
        assert_int_equal(rmdir(path), 0);
    }
    for (uint32_t part = 0; part < parts; part++) {
        th_edge_file_name(part, parts, name);
        (void)snprintf(path, sizeof path, "%s/%s", folder, name);
        (void)unlink(path); /* a stop left none */
    }
}

static void stages_give_the_clusters_of_one_process(void **state)
{
    (void)state;
    struct outcomes all = { .chance = 3 };
    char folder[] = "/tmp/thresher-stages-XXXXXX";
    assert_non_null(mkdtemp(folder));
    for (unsigned round = 0; round < 40; round++) {
        th_duplicate_finder whole;
        th_dedup_options options = { .memory = 64 << 20, .temp = "" };
        options.compared = (th_compared)below(&all, TH_COMPARE_OWN + 1);
        options.threshold = below(&all, 2) ? 0 : (double)(1 + below(&all, 16)) / 16;
        options.fan_out = 1 + below(&all, 9);
        options.kept = below(&all, 2) ? TH_KEEP_PAIRS : TH_KEEP_SETS;
        const uint32_t parts = 1 + below(&all, 3);
        assert_int_equal(th_duplicate_finder_init(&whole, &options, NULL), TH_OK);
        make_shards(&all, folder, parts, &whole);
        run_stages(&all, folder, parts, &whole);
        th_duplicate_finder_done(&whole);
        remove_files(folder, parts);
    }
    assert_int_equal(rmdir(folder), 0);
    expect_digest(&all, UINT64_C(0x11FAEE75E9A0B675));
}

/* ---- messages of band keys ---- */

static th_status note_pair(void *context, th_view older, th_view line)
{
    note_view(context, older);
    note_view(context, line);
    return TH_OK;
}

static void note_counts(struct outcomes *all, const th_pairing_table *table)
{
    const th_pairing_counts *counts = th_pairing_table_counts(table);
    const uint64_t numbers[] = { counts->taken,    counts->late,  counts->full,
                                 counts->compared, counts->pairs, counts->records,
                                 counts->bytes };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        note_number(all, numbers[i]);
    for (unsigned i = 0; i < TH_PAIRING_FAULT_COUNT; i++)
        note_number(all, counts->faults[i]);
}

static void take_message(struct outcomes *all, th_pairing_table *table, int64_t *now)
{
    static const char *const schemas[] = { "thresher-band/1", "thresher-band/2",
                                           "thresher/1" };
    uint64_t slots[TH_SLOTS_MAX];
    uint8_t keys[TH_BANDS_MAX + 1][TH_BAND_KEY_LEN];
    th_minhash_preset preset;
    th_buffer value = { 0 };
    const bool is_other = below(all, 60) == 0;
    assert_int_equal(th_minhash_parse(is_other ? "datatrove" : "modern", &preset, NULL),
                     TH_OK);
    const uint64_t digest = below(all, 9);
    make_slots(all, &preset, slots);
    const char *schema = schemas[below(all, 30) ? 0 : below(all, 3)];
    th_buffer_printf(&value, "{\"schema\":\"%s\",\"id\":\"r%" PRIu32 "\"", schema,
                     below(all, 90));
    if (below(all, 3))
        th_buffer_printf(&value, ",\"url\":\"http://a.example/%" PRIu32 "\"",
                         below(all, 9));
    if (below(all, 3))
        th_buffer_printf(&value, ",\"date\":\"2026-01-01T00:00:%02" PRIu32 "Z\"",
                         below(all, 60));
    uint32_t count = 0;
    if (below(all, 3)) {
        th_buffer_printf(&value, ",\"minhash\":{\"preset\":\"%s\",\"main\":\"",
                         preset.name);
        append_slots(&preset, slots, preset.slots, &value);
        th_buffer_append_text(&value, "\"}");
        const th_signature signature = { .slots = slots,
                                         .slot_count = preset.slots,
                                         .shingle_count = 99 };
        count = th_minhash_bands(&preset, &signature, keys[0]);
    }
    if (count == 0 || below(all, 3) == 0) {
        th_buffer_printf(&value,
                         ",\"digest\":{\"text\":\"%016" PRIx64 "%016" PRIx64 "\"}",
                         digest, digest + 7);
        th_digest_key(digest, keys[count++]);
    }
    th_buffer_append_text(&value, below(all, 40) ? "}" : "");
    const uint8_t *key = keys[below(all, count)];
    uint8_t wrong[TH_BAND_KEY_LEN] = { 1 };
    *now += below(all, 900);
    const uint32_t age = below(all, 20) ? 0 : below(all, 20000);
    const th_pairing_message message = { { (const char *)(below(all, 40) ? key : wrong),
                                           TH_BAND_KEY_LEN },
                                         th_buffer_view(&value),
                                         *now - age };
    th_pairing_fault fault = TH_PAIRING_NONE;
    note_number(all, (uint64_t)th_pairing_take(table, &message,
                                               below(all, 20) ? note_pair : NULL, all,
                                               &fault, NULL));
    note_number(all, fault);
    th_buffer_done(&value);
}

static void pairs_of_random_messages_are_known(void **state)
{
    static const th_compared texts[] = { TH_COMPARE_MAIN, TH_COMPARE_MAIN,
                                         TH_COMPARE_PAGE };
    (void)state;
    struct outcomes all = { .chance = 2 };
    for (unsigned round = 0; round < 30; round++) {
        th_pairing_options options = { .compared = texts[below(&all, 3)] };
        options.threshold = below(&all, 2) ? 0 : (double)(1 + below(&all, 16)) / 16;
        options.fan_out = 1 + below(&all, 9);
        options.epoch_s = 1 + below(&all, 20);
        options.epochs = 1 + below(&all, 4);
        th_pairing_table *table = th_pairing_table_new(&options);
        assert_non_null(table);
        int64_t now = 1000000;
        for (uint32_t i = 0; i < 150; i++) {
            take_message(&all, table, &now);
            if (below(&all, 50) == 0)
                note_number(&all, th_pairing_drop_epoch(table));
            note_counts(&all, table);
        }
        th_pairing_table_free(table);
    }
    expect_digest(&all, 0x316E14B3ED875EC8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(duplicates_of_random_records_are_known),
        cmocka_unit_test(stages_give_the_clusters_of_one_process),
        cmocka_unit_test(pairs_of_random_messages_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
