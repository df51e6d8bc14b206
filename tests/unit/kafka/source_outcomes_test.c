/* src/kafka/kafka_source.c with a librdkafka that fails by chance: all that it delivers,
 * commits, asks and reports has one digest. */
#include "kafka/kafka_double.h"

#include "kafka/kafka_position.h"
#include "kafka/kafka_source.h"

enum { ROUNDS = 600, STEPS = 80, BATCHES = 4 };

/* Batches that were delivered, the oldest first. */
struct reader {
    th_stream_source *source;
    th_batch *batches[BATCHES];
    uint32_t count;
};

static void fill_page(rd_kafka_message_t *message, char *value, size_t *len, char *key,
                      size_t *key_len)
{
    static const char *const forms[] = {
        "<p>page %lld of %d",
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>%lld %d",
        "{\"filename\":\"a%lld.warc\",\"offset\":%d}",
        "{\"filename\":%lld %d",
        "WARC/1.0\r\nWARC-Type: response %lld %d",
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:%lld>\r\n"
        "WARC-Target-URI: http://a.example/%d\r\nContent-Type: application/http\r\n"
        "WARC-Block-Digest: sha1:22222222222222222222222222222222\r\n"
        "Content-Length: 24\r\n\r\nHTTP/1.1 200 OK\r\n\r\n<p>no\r\n\r\n",
    };
    const uint32_t form = chance(6) ? 0 : chance(6);
    if (chance(15))
        *len = (size_t)sprintf(value, forms[form], (long long)message->offset,
                               (int)message->partition);
    if (chance(6))
        *key_len =
            (size_t)sprintf(key, "http://a.example/%lld", (long long)message->offset);
}

static void take_warning(void *context, const char *line)
{
    (void)context;
    say("warning: %s", line);
}

/* ---- what the daemon does ---- */

static void say_batch(const th_batch *batch)
{
    say("batch of epoch %u: %u records, %llu bytes, %llu damaged, next %llu",
        batch->epoch, batch->record_count, (unsigned long long)batch->counts.bytes_read,
        (unsigned long long)batch->counts.damaged,
        (unsigned long long)batch->next.offset);
    for (uint32_t i = 0; i < batch->record_count; i++) {
        const th_record *record = &batch->records[i];
        say("  %.*s/%d %llu, %u headers, flags %u, refused %d",
            (int)record->position.topic.len, record->position.topic.data,
            (int)record->position.partition, (unsigned long long)record->position.offset,
            record->header_count, record->flags, (int)record->refusal);
        note_text(&kafka.all, record->detail);
        note_view(&kafka.all, record->url);
        note_view(&kafka.all, record->block);
        note_view(&kafka.all, record->original);
        note_view(&kafka.all, record->position.key);
        for (uint32_t n = 0; n < record->header_count; n++) {
            note_view(&kafka.all, record->headers[n].name);
            note_view(&kafka.all, record->headers[n].value);
        }
    }
}

/* Puts the oldest batch last, which leaves the others in their order. */
static void drop_first(struct reader *reader)
{
    th_batch *first = reader->batches[0];
    memmove((void *)reader->batches, (void *)(reader->batches + 1),
            (BATCHES - 1) * sizeof *reader->batches);
    reader->batches[BATCHES - 1] = first;
    reader->count--;
}

static void drop_void(struct reader *reader)
{
    const uint32_t epoch = reader->source->verbs->epoch(reader->source);
    while (reader->count && reader->batches[0]->epoch != epoch)
        drop_first(reader);
}

static void finish_first(struct reader *reader)
{
    drop_void(reader);
    if (!reader->count)
        return;
    reader->source->verbs->done(reader->source, reader->batches[0]);
    drop_first(reader);
}

static th_status commit_done(struct reader *reader, th_error *err)
{
    th_commit_token token;
    const uint64_t mark = chance(2) ? chance(1000) : 0;
    const th_status made =
        reader->source->verbs->token(reader->source, mark, &token, err);
    say_list("token", token.position->offsets);
    if (made != TH_OK || chance(8) == 0)
        return made;
    return reader->source->verbs->acknowledge(reader->source, &token,
                                              (th_view){ NULL, 0 }, err);
}

static th_status settle(void *context, int limit_ms)
{
    struct reader *reader = context;
    th_error err = { .text = "" };
    say("settle within %d", limit_ms);
    while (reader->count && chance(5))
        finish_first(reader);
    if (chance(6) == 0)
        return reader->source->verbs->rewind(reader->source, &err);
    return commit_done(reader, &err);
}

static th_status poll_once(struct reader *reader, th_error *err)
{
    const bool may_read = reader->count < BATCHES && chance(8);
    th_batch *batch = reader->batches[reader->count % BATCHES];
    th_status status;
    if (may_read) {
        status = reader->source->verbs->poll(reader->source, true, (int)chance(101),
                                             batch, err);
        if (status != TH_OK)
            return status == TH_NOT_YET ? TH_OK : status;
        say_batch(batch);
        drop_void(reader); /* settle may have taken some of them */
        if (reader->batches[reader->count] != batch)
            return TH_OK; /* its place is taken, so it is never done */
        reader->count++;
        return TH_OK;
    }
    for (uint32_t i = chance(12); i; i--) {
        status = reader->source->verbs->poll(reader->source, false, 100, batch, err);
        if (status != TH_NOT_YET)
            return status;
    }
    return TH_OK;
}

static void say_facts(th_stream_source *source)
{
    th_source_stats facts;
    memset(&facts, 0, sizeof facts);
    source->verbs->facts(source, &facts);
    say("facts %llu %llu %llu %d '%s'", (unsigned long long)facts.received,
        (unsigned long long)facts.bytes, (unsigned long long)facts.damaged,
        facts.is_assigned, facts.unready);
    for (uint32_t i = 0; i < facts.own.count; i++)
        if (facts.own.rows[i].is_seconds)
            say("  %s %.3f", facts.own.rows[i].name, facts.own.values[i].seconds);
        else
            say("  %s %llu", facts.own.rows[i].name,
                (unsigned long long)facts.own.values[i].count);
}

static th_status ask_marks(th_stream_source *source, th_error *err)
{
    th_buffer found = { 0 };
    const th_status status = source->verbs->marks(source, &found, err);
    say("marks: %d", (int)status);
    note_view(&kafka.all, th_buffer_view(&found));
    th_buffer_done(&found);
    return TH_OK;
}

static void take_steps(struct reader *reader)
{
    th_status status = TH_OK;
    for (int i = 0; i < STEPS && status == TH_OK; i++) {
        th_error err = { .text = "" };
        const uint32_t what = chance(20);
        maybe_lack_memory();
        if (what < 8)
            status = poll_once(reader, &err);
        else if (what < 13)
            finish_first(reader);
        else if (what < 17)
            status = commit_done(reader, &err);
        else if (what < 18)
            say_facts(reader->source);
        else if (what < 19)
            status = ask_marks(reader->source, &err);
        else if (chance(3) == 0)
            status = reader->source->verbs->rewind(reader->source, &err);
        fail_allocation(0);
        if (chance(10) == 0)
            still_ms += chance(5000);
        say("step %u: %d %s", what, (int)status, err.text);
    }
}

/* ---- rounds ---- */

static th_kafka_source_options some_options(void)
{
    static const char *const topics[] = { "pages", "more" };
    static const char *const instances[] = { NULL, "", "one" };
    th_kafka_source_options options = {
        .client = { .brokers = "broker:9092",
                    .client_id = "client",
                    .warn = take_warning },
        .topics = topics,
        .group = "group",
        .message = { .max_record = 1 << 20 },
    };
    options.topic_count = 1 + chance(2);
    options.instance = instances[chance(3)];
    options.session_ms = chance(2) ? 6000 : TH_KAFKA_SESSION_MS;
    options.is_transactional = chance(2);
    options.message.keeps_original = chance(2);
    options.message.verify_digests = chance(2);
    options.message.archives = chance(2) ? "/no/such/folder" : NULL;
    options.message.archive_wait_ms = chance(2) ? 2000 : 60000;
    return options;
}

static void one_round(uint32_t round, struct reader *reader)
{
    static const uint32_t failing[] = { 0, 10, 50, 200 };
    th_error err = { .text = "" };
    begin_round(round * 7919 + 5, failing[round % 4]);
    kafka.fill = fill_page;
    kafka.protocol = round % 3 ? "EAGER" : "COOPERATIVE";
    add_partition("pages", 0);
    add_partition("pages", 1);
    add_partition("more", 0);
    for (int i = 0; i < kafka.count; i++) {
        kafka.partitions[i].high = chance(30);
        kafka.partitions[i].committed = chance(3) ? -1 : (int64_t)chance(30);
    }
    const th_kafka_source_options options = some_options();
    maybe_lack_memory();
    th_status status = th_kafka_source_open(&options, &reader->source, &err);
    fail_allocation(0);
    say("round %u: %d %s", round, (int)status, err.text);
    if (status == TH_OK) {
        reader->count = 0;
        reader->source->deadline.remaining_ms = left_until_deadline;
        if (chance(2)) {
            reader->source->settle = settle;
            reader->source->settle_context = reader;
        }
        take_steps(reader);
        say_facts(reader->source);
        if (chance(2))
            kafka.deadline_ms = still_ms + chance(3000);
        reader->source->verbs->close(reader->source);
    }
    if (kafka.live)
        fail_msg("round %u leaves %d objects", round, kafka.live);
}

static void one_digest_for_all(void **state)
{
    struct reader reader = { 0 };
    (void)state;
    for (int i = 0; i < BATCHES; i++) {
        reader.batches[i] = calloc(1, sizeof *reader.batches[i]);
        assert_non_null(reader.batches[i]);
        reader.batches[i]->arena = th_arena_new(0);
    }
    for (uint32_t round = 0; round < ROUNDS; round++)
        one_round(round, &reader);
    for (int i = 0; i < BATCHES; i++) {
        th_arena_free(reader.batches[i]->arena);
        free(reader.batches[i]);
    }
    expect_digest(&kafka.all, UINT64_C(0x879120B0ED6ECCFD));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(one_digest_for_all) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
