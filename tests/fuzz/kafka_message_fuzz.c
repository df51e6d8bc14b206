/* Messages of any bytes: each gives one record, and the same one whatever came before. */
#include "fuzz_target.h"

#include <stdlib.h>
#include <string.h>

#include "ingest/kafka_message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const th_message_options options = { .max_record = 1 << 16,
                                                .archives = "/nowhere" };
    static th_message_reader *used;
    static th_batch batch;
    if (!used) {
        used = th_message_reader_new(&options);
        batch.arena = th_arena_new(0);
    }
    th_message_reader *fresh = th_message_reader_new(&options);
    const th_message message = { .topic = TH_VIEW("t"),
                                 .key = TH_VIEW("http://a.example/"),
                                 .value = { (const char *)data, size } };
    th_arena_reset(batch.arena);
    batch.record_count = 0;
    if (th_message_read(used, &message, false, &batch) != TH_OK ||
        th_message_read(fresh, &message, false, &batch) != TH_OK ||
        batch.record_count != 2)
        abort();
    const th_record *a = &batch.records[0], *b = &batch.records[1];
    if (a->refusal != b->refusal || a->kind != b->kind || a->flags != b->flags ||
        a->block.len != b->block.len || a->block_len != b->block_len ||
        (a->block.len && memcmp(a->block.data, b->block.data, a->block.len) != 0))
        abort();
    th_message_reader_free(fresh);
    return 0;
}
