/* Messages of any bytes: each returns at least one record, and the same records after
 * any earlier message. */
#include "fuzz_target.h"

#include <stdlib.h>
#include <string.h>

#include "kafka/kafka_message.h"

static th_batch *new_batch(void)
{
    th_batch *batch = calloc(1, sizeof *batch);
    if (!batch || !(batch->arena = th_arena_new(0)))
        abort();
    return batch;
}

static void read_message(th_message_reader *reader, const th_message *message,
                         th_batch *batch)
{
    th_arena_reset(batch->arena);
    batch->record_count = 0;
    if (th_message_read(reader, message, batch) != TH_OK || batch->record_count < 1 ||
        batch->record_count > TH_MESSAGE_RECORDS)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const th_message_options options = { .max_record = 1 << 16,
                                                .archives = "/nowhere" };
    static th_message_reader *used;
    static th_batch *first, *second;
    if (!used) {
        used = th_message_reader_new(&options);
        first = new_batch();
        second = new_batch();
    }
    th_message_reader *fresh = th_message_reader_new(&options);
    const th_message message = { .topic = TH_VIEW("t"),
                                 .key = TH_VIEW("http://a.example/"),
                                 .value = { (const char *)data, size } };
    read_message(used, &message, first);
    read_message(fresh, &message, second);
    if (first->record_count != second->record_count)
        abort();
    for (uint32_t i = 0; i < first->record_count; i++) {
        const th_record *a = &first->records[i], *b = &second->records[i];
        if (a->refusal != b->refusal || a->kind != b->kind || a->flags != b->flags ||
            a->block.len != b->block.len || a->block_len != b->block_len ||
            (a->block.len && memcmp(a->block.data, b->block.data, a->block.len) != 0))
            abort();
    }
    th_message_reader_free(fresh);
    return 0;
}
