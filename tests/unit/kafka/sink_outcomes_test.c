/* src/kafka/kafka_sink.c with a librdkafka that fails by chance: all that it sends, asks and
 * reports has one digest. */
#include "kafka/kafka_double.h"

#include "kafka/kafka_position.h"
#include "kafka/kafka_sink.h"
#include "thresher/minhash.h"
#include "traffic/commit.h"

enum { ROUNDS = 1500, STEPS = 40, RECORDS = 6 };

/* ---- a source that keeps its position in each way ---- */

struct fake_source {
    th_stream_source base;
    th_source_position position;
    uint32_t epoch;
};

static uint32_t fake_epoch(const th_stream_source *source)
{
    return ((const struct fake_source *)(const void *)source)->epoch;
}

static th_status fake_acknowledge(th_stream_source *source, const th_commit_token *token,
                                  th_view note, th_error *err)
{
    (void)source;
    say("acknowledge %llu", (unsigned long long)token->mark);
    note_view(&kafka.all, note);
    if (!fails())
        return TH_OK;
    return chance(2) ? th_fail(err, TH_NO_ROOM, "the ledger is full")
                     : th_fail(err, TH_IO, "the ledger is gone");
}

static th_status fake_rewind(th_stream_source *source, th_error *err)
{
    (void)err;
    say("rewind");
    ((struct fake_source *)(void *)source)->epoch++;
    return TH_OK;
}

static th_status fake_token(th_stream_source *source, uint64_t mark, th_commit_token *out,
                            th_error *err)
{
    struct fake_source *fake = (struct fake_source *)(void *)source;
    (void)err;
    *out = (th_commit_token){ .keeping = source->verbs->keeping,
                              .epoch = fake->epoch,
                              .mark = mark };
    if (out->keeping == TH_KEPT_IN_ROWS && chance(4))
        out->rows = TH_VIEW("a\t1\nb\t\n");
    if (out->keeping != TH_KEPT_AS_OFFSETS)
        return TH_OK;
    th_kafka_position_done(&fake->position);
    fake->position.offsets = rd_kafka_topic_partition_list_new(1);
    if (chance(4))
        rd_kafka_topic_partition_list_add(fake->position.offsets, "in", 0)->offset =
            chance(100);
    fake->position.group = rd_kafka_consumer_group_metadata_new("group");
    out->position = &fake->position;
    return TH_OK;
}

static th_view fake_note(const th_stream_source *source)
{
    static const char *const notes[] = { "",         "mark 41\n", "mark 60",      "mark",
                                         "mark 900", "text 5",    "mark 99\nmore" };
    (void)source;
    const char *note = notes[chance(7)];
    return (th_view){ note, strlen(note) };
}

static void fake_restore(th_stream_source *source, th_view key, th_view value)
{
    (void)source;
    say("restore");
    note_view(&kafka.all, key);
    note_view(&kafka.all, value);
}

static th_status fake_marks(th_stream_source *source, th_buffer *out, th_error *err)
{
    (void)source;
    for (uint32_t i = chance(4); i; i--) {
        const uint64_t mark = chance(120);
        th_buffer_append(out, (const char *)&mark, sizeof mark);
    }
    if (!fails())
        return TH_OK;
    const th_status status = chance(3) ? TH_NO_BROKER : TH_IO;
    return th_fail(err, status, "no marks, %u", chance(10));
}

static const th_stream_source_verbs verbs[] = {
#define VERBS(kind)                                                                      \
    {                                                                                    \
        .keeping = (kind), .token = fake_token, .acknowledge = fake_acknowledge,         \
        .rewind = fake_rewind, .epoch = fake_epoch, .note = fake_note,                   \
        .restore = fake_restore, .marks = fake_marks                                     \
    }
    VERBS(TH_KEPT_WITH_NOTE),
    VERBS(TH_KEPT_IN_ROWS),
    VERBS(TH_KEPT_AS_OFFSETS),
};

static bool knows_mark(const void *context, uint64_t mark)
{
    (void)context;
    return mark < 100 && mark % 7 != 0;
}

/* ---- results ---- */

static char noise[1 << 16];

static th_view some_noise(uint32_t most)
{
    const uint32_t len = chance(most);
    return (th_view){ noise + chance(1000), len };
}

/* Puts a few records; some are refused, some are large. */
static th_status put_some(th_stream_sink *sink, th_batch *batch, th_error *err)
{
    static const th_header headers[] = { { { "h", 1 }, { "value", 5 } } };
    static const char edge[] = "{\"of\":\"<urn:uuid:1>\"}\n", of[] = "<urn:uuid:1>";
    const th_edge edges[] = { { .len = sizeof edge - 1, .of_len = sizeof of - 1 },
                              { .len = sizeof edge - 1, .of_len = 9 } };
    th_piece pieces[RECORDS];
    batch->record_count = 1 + chance(RECORDS);
    for (uint32_t i = 0; i < batch->record_count; i++) {
        const uint32_t most = chance(4) ? 300 : 6000;
        th_record *record = &batch->records[i];
        *record =
            (th_record){ .id = TH_VIEW("<urn:uuid:2>"),
                         .headers = headers,
                         .position = { .topic = TH_VIEW("in"), .key = TH_VIEW("key") } };
        record->url = some_noise(40);
        record->block = some_noise(most);
        record->header_count = chance(2);
        record->position.offset = chance(1000);
        const bool is_page = chance(4) > 0;
        pieces[i] = (th_piece){ .record = i, .status = is_page ? TH_OK : TH_NOT_HTML };
        pieces[i].start = chance(1000);
        pieces[i].len = chance(most);
        pieces[i].bands_count = is_page ? chance(3) : 0;
        pieces[i].shingle_count = chance(100);
        pieces[i].detail_len = chance(20);
        pieces[i].http_status = chance(3) ? 200 : 404;
    }
    const th_work_result result = { .batch = batch,
                                    .pages = { noise, sizeof noise },
                                    .pieces = pieces,
                                    .bands = (const uint8_t *)noise,
                                    .low_bits = (const uint8_t *)noise,
                                    .details = { noise, 100 },
                                    .edges = { edge, sizeof edge - 1 },
                                    .edge_rows = edges,
                                    .edge_count = chance(3),
                                    .names = { of, sizeof of - 1 } };
    return sink->verbs->put(sink, &result, err);
}

/* Rows of the progress topic. */
static void fill_row(rd_kafka_message_t *message, char *value, size_t *len, char *key,
                     size_t *key_len)
{
    static const char *const keys[] = { "mark.one", "mark.two", "file-a", "mark" };
    (void)message;
    if (chance(8))
        *key_len = (size_t)sprintf(key, "%s", keys[chance(4)]);
    const char *end = chance(3) ? "" : " x";
    if (chance(5))
        *len = (size_t)sprintf(value, "%u%s", chance(110), end);
}

/* ---- rounds ---- */

static void take_warning(void *context, const char *line)
{
    (void)context;
    say("warning: %s", line);
}

static void say_facts(th_stream_sink *sink)
{
    th_sink_stats facts;
    memset(&facts, 0, sizeof facts);
    sink->verbs->facts(sink, &facts);
    say("facts %llu %llu %llu %.3f %llu %d %.3f '%s' %llu %llu %llu %llu %llu",
        (unsigned long long)facts.bytes, (unsigned long long)facts.commits,
        (unsigned long long)facts.aborts, facts.commit_seconds,
        (unsigned long long)facts.queue_bytes, facts.is_blocked, facts.blocked_seconds,
        facts.unready, (unsigned long long)facts.cut_records,
        (unsigned long long)facts.cut_letters, (unsigned long long)facts.left_out_letters,
        (unsigned long long)facts.left_out_edges, (unsigned long long)facts.tombstones);
}

static th_kafka_sink_options some_options(void)
{
    static const char *const names[TH_TOPIC_COUNT] = { "records", "bands", "edges",
                                                       "letters", "progress" };
    static const uint32_t times[] = { 60000, 90000, 5000, 59999 };
    static const th_kafka_pair pair = { "batch.size", "2000" };
    th_kafka_sink_options options;
    th_kafka_sink_options_init(&options);
    options.client.brokers = "broker:9092";
    options.client.warn = take_warning;
    options.client.pairs = &pair;
    options.client.pair_count = chance(3) ? 0 : 1;
    for (int i = 0; i < TH_TOPIC_COUNT; i++)
        options.topics[i] = chance(8) ? names[i] : chance(2) ? "" : NULL;
    options.key = (th_kafka_key)chance(TH_KAFKA_KEY_COUNT);
    options.is_exactly_once = chance(2);
    options.instance = "one";
    options.transaction_ms = times[chance(4)];
    options.message_max = chance(2) ? 3000 : TH_KAFKA_MESSAGE_MAX;
    options.pause_ms = chance(2) ? 1 : 100;
    options.withdrawals.statuses[404] = chance(2);
    return options;
}

/* Steps until the sink ends the process. */
static void take_steps(th_stream_sink *sink, struct fake_source *source, th_batch *batch)
{
    th_status status = TH_OK;
    for (int i = 0; i < STEPS && status != TH_IO && status != TH_NOMEM; i++) {
        th_error err = { .text = "" };
        const uint32_t what = chance(16);
        maybe_lack_memory();
        if (what < 6) {
            status = put_some(sink, batch, &err);
        } else if (what < 12) {
            const uint64_t mark = chance(2) ? chance(1000) : 0;
            status = th_commit(&source->base, sink, mark, &err);
        } else if (what < 13) {
            sink->verbs->drop(sink);
        } else if (what < 15) {
            still_ms += chance(3000);
            sink->verbs->tick(sink);
        } else {
            say_facts(sink);
        }
        fail_allocation(0);
        say("step %u: %d %s", what, (int)status, err.text);
    }
}

static void one_round(uint32_t round, th_batch *batch)
{
    static const uint32_t failing[] = { 0, 20, 60, 200 };
    th_error err = { .text = "" };
    th_stream_sink *sink = NULL;
    begin_round(round * 7919 + 1, failing[round % 4]);
    kafka.fill = fill_row;
    add_partition("in", 0);
    add_partition("progress", 0);
    add_partition("progress", 1);
    kafka.partitions[1].high = chance(20);
    kafka.partitions[2].high = chance(20);
    const th_kafka_sink_options options = some_options();
    maybe_lack_memory();
    th_status status = th_kafka_sink_open(&options, &sink, &err);
    fail_allocation(0);
    say("round %u: %d %s", round, (int)status, err.text);
    if (status == TH_OK) {
        struct fake_source source = { .base.verbs = &verbs[chance(3)] };
        sink->deadline.remaining_ms = left_until_deadline;
        if (chance(3) == 0)
            kafka.deadline_ms = still_ms + chance(200000);
        if (chance(2))
            sink->knows_mark = knows_mark;
        maybe_lack_memory();
        status = sink->verbs->recover(sink, &source.base, &err);
        fail_allocation(0);
        say("recovered: %d %s, mark %llu", (int)status, err.text,
            (unsigned long long)sink->mark);
        say_facts(sink);
        const size_t before = abandoned_count;
        if (status == TH_OK)
            take_steps(sink, &source, batch);
        say_facts(sink);
        sink->verbs->close(sink);
        th_kafka_position_done(&source.position);
        if (abandoned_count > before) { /* the call may still use the sink */
            abandon(sink);
            kafka.live = 0;
        }
    }
    if (kafka.live)
        fail_msg("round %u leaves %d objects", round, kafka.live);
}

static void one_digest_for_all(void **state)
{
    th_batch *batch = calloc(1, sizeof *batch);
    assert_non_null(batch);
    (void)state;
    begin_round(1, 0);
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (char)(33 + chance(90));
    for (uint32_t round = 0; round < ROUNDS; round++)
        one_round(round, batch);
    free(batch);
    expect_digest(&kafka.all, UINT64_C(0x3E9FC4F6B19D2532));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(one_digest_for_all) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
