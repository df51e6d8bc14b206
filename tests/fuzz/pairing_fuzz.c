/*
 * Any bytes as messages of a bands topic: processing ends, memory is accounted for, each
 * result is a line, and a second table from the same messages is equal.
 * The input: for each message its time in epochs (a byte), the length of its value (two
 * bytes, big-endian), its key, its value.
 */
#include <stdlib.h>
#include <string.h>

#include "dedup/pairing_table.h"
#include "fuzz_target.h"

static void require(bool claim)
{
    if (!claim)
        abort();
}

static th_status found(void *context, th_view older, th_view line)
{
    (void)context;
    require(older.len > 0 && line.len > 2 && line.data[0] == '{' &&
            line.data[line.len - 1] == '\n' && !memchr(line.data, '\n', line.len - 1));
    return TH_OK;
}

static void take_all(th_pairing_table *table, const uint8_t *data, size_t size,
                     th_pairing_found callback)
{
    while (size >= 3 + TH_BAND_KEY_LEN) {
        const size_t max = size - 3 - TH_BAND_KEY_LEN;
        const size_t want = (size_t)data[1] << 8 | data[2];
        const size_t len = want < max ? want : max;
        const th_pairing_message message = {
            .key = { (const char *)data + 3, TH_BAND_KEY_LEN },
            .value = { (const char *)data + 3 + TH_BAND_KEY_LEN, len },
            .time_ms = (int64_t)(int8_t)data[0] * 1000,
        };
        th_pairing_fault fault = TH_PAIRING_FAULT_COUNT;
        require(th_pairing_take(table, &message, callback, NULL, &fault, NULL) == TH_OK);
        require(fault < TH_PAIRING_FAULT_COUNT);
        data += 3 + TH_BAND_KEY_LEN + len;
        size -= 3 + TH_BAND_KEY_LEN + len;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const th_pairing_options options = {
        .compared = TH_COMPARE_MAIN, .fan_out = 3, .epoch_s = 1, .epochs = 2
    };
    th_pairing_table *tables[2] = { th_pairing_table_new(&options),
                                    th_pairing_table_new(&options) };
    take_all(tables[0], data, size, found);
    take_all(tables[1], data, size, NULL);
    const th_pairing_counts *a = th_pairing_table_counts(tables[0]);
    const th_pairing_counts *b = th_pairing_table_counts(tables[1]);
    require(a->records == b->records && a->bytes == b->bytes && a->late == b->late);
    require(memcmp(a->faults, b->faults, sizeof a->faults) == 0);
    for (int i = 0; i < 2; i++) {
        while (th_pairing_drop_epoch(tables[i]))
            ;
        require(th_pairing_table_counts(tables[i])->bytes == 0);
        require(th_pairing_table_counts(tables[i])->records == 0);
        th_pairing_table_free(tables[i]);
    }
    return 0;
}
