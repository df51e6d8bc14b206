/*
 * A consumer as an intake. [docs/reliability.md#kafka]
 *
 * One thread does everything: poll serves messages, rebalances, log and errors. Back
 * pressure: while nobody can take a batch, messages stay in librdkafka's bounded queue;
 * only when that lasts, partitions are paused, because pausing throws the queue away and
 * fetches it again. We keep our own account of what is paused: to resume a partition that
 * never was makes 2.0.2 give old messages again.
 */
#include "ingest/kafka_intake.h"

#include <librdkafka/rdkafka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    PAUSE_AFTER_MS =
        500,          /* of not reading: longer than workers are full, far shorter than
                             any timeout of the group */
    RETRY_MS = 250,   /* between two looks for the archive of a pointer */
    SETTLE_MS = 5000, /* longest settling before partitions go */
    COMMITTED_MS = 15000, /* for one question for the committed offsets */
    MARK_LEN = 48,        /* bytes of a mark as metadata, with its NUL */
    REWIND_TRIES = 4,
    CLOSE_MS = 5000,
    REACH_MS = 1000,
    HELD_MAX = 64,
    PARTITIONS_MAX = 1 << 16,
    GIVEN_UP_MAX = 256, /* bytes of a pointer message that we remember */
};

/* What goes before a mark in the metadata of an offset. */
#define MARK_START "thresher.mark="

/* A partition that was ours at some time; never removed. Offsets: -1 is none. */
struct partition {
    char *topic;
    int32_t number;
    bool is_owned;
    int64_t done; /* offset behind the last message that is done, since the epoch began */
    int64_t acked;   /* what of `done` has been acknowledged */
    int64_t first;   /* first message consumed since it became ours */
    int64_t highest; /* message ever handed out */
};

struct kafka_intake {
    th_kafka_watch watch; /* first: librdkafka's opaque pointer */
    th_intake base;
    th_kafka_intake_options options;
    rd_kafka_t *rk;
    th_message_reader *messages;
    struct partition *partitions;
    uint32_t partition_count, partition_capacity;
    uint32_t last; /* index of the partition found last */
    uint32_t epoch;
    bool is_closing;
    bool is_settling; /* within the callback that gives partitions away */
    bool has_failed;  /* no memory in a callback */
    bool is_paused;
    int64_t idle_since; /* ms, -1: reading */

    /* Consumed, not handed out: one that waits for its archive, and what came nevertheless
     * while nobody read. */
    rd_kafka_message_t *held[HELD_MAX];
    uint32_t held_count;
    int64_t waits_since; /* ms, since when the first one held waits; -1: it does not */
    int64_t retry_at;
    char given_up[GIVEN_UP_MAX]; /* start of the last pointer whose archive never came */
    size_t given_up_len;

    th_intake_facts facts;
};

static struct kafka_intake *self_of(th_intake *base)
{
    return (struct kafka_intake *)(void *)((char *)base -
                                           offsetof(struct kafka_intake, base));
}

static int64_t now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void sleep_ms(int ms)
{
    const struct timespec time = { ms / 1000, (long)(ms % 1000) * 1000000 };
    (void)nanosleep(&time, NULL); /* a signal may end it early */
}

/* ---- partitions ---- */

static bool is_partition(const struct partition *partition, th_view topic, int32_t number)
{
    return partition->number == number && strlen(partition->topic) == topic.len &&
           memcmp(partition->topic, topic.data, topic.len) == 0;
}

static struct partition *find_partition(struct kafka_intake *intake, th_view topic,
                                        int32_t number)
{
    /* Messages come in runs of one partition. */
    for (uint32_t n = 0; n < intake->partition_count; n++) {
        const uint32_t i = (intake->last + n) % intake->partition_count;
        if (is_partition(&intake->partitions[i], topic, number)) {
            intake->last = i;
            return &intake->partitions[i];
        }
    }
    return NULL;
}

static struct partition *add_partition(struct kafka_intake *intake, const char *topic,
                                       int32_t number)
{
    if (intake->partition_count == PARTITIONS_MAX)
        return NULL;
    if (intake->partition_count == intake->partition_capacity) {
        const uint32_t capacity = intake->partition_capacity * 2 + 16;
        struct partition *grown = realloc(intake->partitions, capacity * sizeof *grown);
        if (!grown)
            return NULL;
        intake->partitions = grown;
        intake->partition_capacity = capacity;
    }
    char *name = strdup(topic);
    if (!name)
        return NULL;
    struct partition *partition = &intake->partitions[intake->partition_count++];
    *partition = (struct partition){ .topic = name, .number = number, .highest = -1 };
    return partition;
}

static void own(struct kafka_intake *intake, const char *topic, int32_t number)
{
    struct partition *partition =
        find_partition(intake, (th_view){ topic, strlen(topic) }, number);
    if (!partition)
        partition = add_partition(intake, topic, number);
    if (!partition) {
        intake->has_failed = true;
        return;
    }
    partition->is_owned = true;
    partition->done = partition->acked = partition->first = -1;
}

/* The mark goes with an offset: both are found after a crash, or neither. The list frees
 * it. */
static bool add_mark(rd_kafka_topic_partition_t *row, uint64_t mark)
{
    char *text = malloc(MARK_LEN);
    if (!text)
        return false;
    row->metadata = text;
    row->metadata_size =
        (size_t)snprintf(text, MARK_LEN, MARK_START "%llu", (unsigned long long)mark);
    return true;
}

/* Owned partitions; with wants_done those whose `done` is not acknowledged, with that
 * offset. NULL without memory. */
static rd_kafka_topic_partition_list_t *list_owned(const struct kafka_intake *intake,
                                                   bool wants_done)
{
    rd_kafka_topic_partition_list_t *list =
        rd_kafka_topic_partition_list_new((int)intake->partition_count + 1);
    for (uint32_t i = 0; list && i < intake->partition_count; i++) {
        const struct partition *partition = &intake->partitions[i];
        if (!partition->is_owned || (wants_done && partition->done <= partition->acked))
            continue;
        rd_kafka_topic_partition_t *row =
            rd_kafka_topic_partition_list_add(list, partition->topic, partition->number);
        if (!wants_done)
            continue;
        row->offset = partition->done;
        if (intake->base.mark && !add_mark(row, intake->base.mark)) {
            rd_kafka_topic_partition_list_destroy(list);
            return NULL;
        }
    }
    return list;
}

/* ---- epochs ---- */

static void drop_held(struct kafka_intake *intake)
{
    for (uint32_t i = 0; i < intake->held_count; i++)
        rd_kafka_message_destroy(intake->held[i]);
    intake->held_count = 0;
    intake->waits_since = -1;
}

/* All that was read and is not acknowledged is void. */
static void begin_epoch(struct kafka_intake *intake)
{
    drop_held(intake);
    intake->epoch++;
    for (uint32_t i = 0; i < intake->partition_count; i++)
        intake->partitions[i].done = -1;
}

static void pause_or_resume(struct kafka_intake *intake, bool pauses)
{
    if (intake->is_paused == pauses)
        return;
    rd_kafka_topic_partition_list_t *list = list_owned(intake, false);
    if (!list)
        return; /* tried again at the next turn */
    intake->is_paused = pauses;
    if (list->cnt > 0) {
        if (pauses)
            (void)rd_kafka_pause_partitions(intake->rk, list);
        else
            (void)rd_kafka_resume_partitions(intake->rk, list);
    }
    rd_kafka_topic_partition_list_destroy(list);
}

/* ---- rebalances ---- */

static void commit(struct kafka_intake *intake, bool waits)
{
    rd_kafka_topic_partition_list_t *list = list_owned(intake, true);
    if (!list)
        return; /* the next one commits as much and more */
    rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR_NO_ERROR;
    if (list->cnt > 0)
        error = rd_kafka_commit(intake->rk, list, !waits);
    rd_kafka_topic_partition_list_destroy(list);
    if (error) {
        th_kafka_notice(&intake->options.client, "cannot commit offsets: %s",
                        rd_kafka_err2str(error));
        return;
    }
    for (uint32_t i = 0; i < intake->partition_count; i++)
        if (intake->partitions[i].done >= 0)
            intake->partitions[i].acked = intake->partitions[i].done;
}

/* A commit that was sent without waiting failed: the next acknowledgement repeats it. */
static void on_commit(rd_kafka_t *rk, rd_kafka_resp_err_t error,
                      rd_kafka_topic_partition_list_t *offsets, void *opaque)
{
    struct kafka_intake *intake = opaque;
    (void)rk;
    if (!error || error == RD_KAFKA_RESP_ERR__NO_OFFSET)
        return;
    th_kafka_notice(&intake->options.client, "offsets were not committed: %s",
                    rd_kafka_err2str(error));
    for (int i = 0; offsets && i < offsets->cnt; i++) {
        const rd_kafka_topic_partition_t *row = &offsets->elems[i];
        struct partition *partition = find_partition(
            intake, (th_view){ row->topic, strlen(row->topic) }, row->partition);
        if (partition)
            partition->acked = -1;
    }
}

static void settle(struct kafka_intake *intake)
{
    const int half = (int)(intake->options.session_ms / 2);
    if (intake->is_closing || !intake->base.settle)
        return;
    intake->is_settling = true;
    (void)intake->base.settle(intake->base.settle_context,
                              half < SETTLE_MS ? half : SETTLE_MS);
    /* The next owner asks for the offsets at once. */
    if (!intake->options.is_transactional)
        commit(intake, true);
    intake->is_settling = false;
}

static void take_assignment(struct kafka_intake *intake, rd_kafka_t *rk,
                            rd_kafka_topic_partition_list_t *list)
{
    for (int i = 0; i < list->cnt; i++)
        own(intake, list->elems[i].topic, list->elems[i].partition);
    if (rd_kafka_assign(rk, list) != RD_KAFKA_RESP_ERR_NO_ERROR)
        intake->has_failed = true;
    intake->facts.is_assigned = true;
}

static void give_up_assignment(struct kafka_intake *intake, rd_kafka_t *rk)
{
    if (!rd_kafka_assignment_lost(rk))
        settle(intake);
    /* A partition that leaves us paused would come back so, against our account. */
    pause_or_resume(intake, false);
    begin_epoch(intake);
    for (uint32_t i = 0; i < intake->partition_count; i++)
        intake->partitions[i].is_owned = false;
    (void)rd_kafka_assign(rk, NULL);
}

static void on_rebalance(rd_kafka_t *rk, rd_kafka_resp_err_t what,
                         rd_kafka_topic_partition_list_t *list, void *opaque)
{
    struct kafka_intake *intake = opaque;
    intake->facts.rebalances++;
    if (what == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS)
        take_assignment(intake, rk, list);
    else
        give_up_assignment(intake, rk); /* assignors are eager: always all */
}

/* ---- messages ---- */

/* What librdkafka says instead of a message. TH_OK, or TH_IO when it is final. */
static th_status heed(struct kafka_intake *intake, const rd_kafka_message_t *message,
                      th_error *err)
{
    const rd_kafka_resp_err_t code = message->err;
    const char *words = rd_kafka_message_errstr(message);
    if (intake->watch.is_fatal || code == RD_KAFKA_RESP_ERR__FATAL)
        return th_fail(err, TH_IO, "kafka consumer failed: %s",
                       intake->watch.is_fatal ? intake->watch.fatal_words : words);
    if (code == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET)
        return th_fail(err, TH_IO,
                       "no offset to begin at, and auto.offset.reset is "
                       "'error': %s",
                       words);
    if (code != RD_KAFKA_RESP_ERR__PARTITION_EOF)
        th_kafka_notice(&intake->options.client, "kafka consumer: %s", words);
    return TH_OK;
}

/* Where a partition began: what is consumed is given again after a rewind, whether it was
 * handed out or not. */
static void note_first(struct kafka_intake *intake, const rd_kafka_message_t *message)
{
    const char *topic = rd_kafka_topic_name(message->rkt);
    struct partition *partition =
        find_partition(intake, (th_view){ topic, strlen(topic) }, message->partition);
    if (partition && partition->first < 0)
        partition->first = message->offset;
}

/* Polls librdkafka. *out is a message or NULL. TH_OK or TH_IO. */
static th_status consume(struct kafka_intake *intake, int timeout_ms,
                         rd_kafka_message_t **out, th_error *err)
{
    *out = NULL;
    rd_kafka_message_t *message = rd_kafka_consumer_poll(intake->rk, timeout_ms);
    th_status status = TH_OK;
    if (message && message->err) {
        status = heed(intake, message, err);
        rd_kafka_message_destroy(message);
        message = NULL;
    }
    if (status == TH_OK && intake->watch.is_fatal)
        status =
            th_fail(err, TH_IO, "kafka consumer failed: %s", intake->watch.fatal_words);
    if (status == TH_OK && intake->has_failed)
        status = th_fail(err, TH_IO, "cannot take up an assignment");
    if (status != TH_OK && message) {
        rd_kafka_message_destroy(message);
        message = NULL;
    }
    if (message)
        note_first(intake, message);
    *out = message;
    return status;
}

static th_status hold(struct kafka_intake *intake, rd_kafka_message_t *message,
                      th_error *err)
{
    if (intake->held_count == HELD_MAX) {
        rd_kafka_message_destroy(message);
        return th_fail(err, TH_IO, "paused partitions still give messages");
    }
    intake->held[intake->held_count++] = message;
    return TH_OK;
}

/* The next message: one that is held, else a new one. */
static th_status next_message(struct kafka_intake *intake, int timeout_ms,
                              rd_kafka_message_t **out, th_error *err)
{
    if (intake->held_count == 0)
        return consume(intake, timeout_ms, out, err);
    *out = intake->held[0];
    intake->held_count--;
    for (uint32_t i = 0; i < intake->held_count; i++)
        intake->held[i] = intake->held[i + 1];
    return TH_OK;
}

/* A message goes back: it is the next one again. */
static void put_back(struct kafka_intake *intake, rd_kafka_message_t *message)
{
    for (uint32_t i = intake->held_count++; i > 0; i--)
        intake->held[i] = intake->held[i - 1];
    intake->held[0] = message;
    intake->retry_at = now_ms() + RETRY_MS;
}

/* Nobody reads: rebalances and the group are served, nothing is handed out. */
static th_status idle(struct kafka_intake *intake, int timeout_ms, th_error *err)
{
    const int64_t now = now_ms();
    if (intake->idle_since < 0)
        intake->idle_since = now;
    if (now - intake->idle_since >= PAUSE_AFTER_MS)
        pause_or_resume(intake, true);
    if (!intake->is_paused) {
        sleep_ms(timeout_ms);
        return TH_EMPTY;
    }
    rd_kafka_message_t *message = NULL;
    th_status status = consume(intake, timeout_ms, &message, err);
    if (status == TH_OK && message)
        status = hold(intake, message, err);
    return status == TH_OK ? TH_EMPTY : status;
}

/* ---- records ---- */

/* Headers as views into the message; returns how many. */
static uint32_t view_headers(const rd_kafka_message_t *message,
                             th_header headers[TH_MESSAGE_HEADERS])
{
    rd_kafka_headers_t *from = NULL;
    uint32_t count = 0;
    if (rd_kafka_message_headers(message, &from) != RD_KAFKA_RESP_ERR_NO_ERROR)
        return 0;
    for (; count < TH_MESSAGE_HEADERS; count++) {
        const char *name = NULL;
        const void *value = NULL;
        size_t len = 0;
        if (rd_kafka_header_get_all(from, count, &name, &value, &len) !=
            RD_KAFKA_RESP_ERR_NO_ERROR)
            break;
        headers[count] = (th_header){ { name, strlen(name) }, { value, len } };
    }
    return count;
}

static bool is_given_up(const struct kafka_intake *intake, th_view value)
{
    return intake->given_up_len > 0 && value.len >= intake->given_up_len &&
           memcmp(value.data, intake->given_up, intake->given_up_len) == 0;
}

/* May the message wait for its archive? Not longer than the option says, and not again for
 * one that is the same as the last that waited in vain. */
static bool may_wait(struct kafka_intake *intake, th_view value)
{
    if (intake->waits_since < 0)
        return intake->options.archive_wait_ms > 0 && !is_given_up(intake, value);
    return now_ms() - intake->waits_since < intake->options.archive_wait_ms;
}

/* A message becomes a record of the batch and is destroyed; unless TH_NEED_MORE: then it
 * is held. */
static th_status take(struct kafka_intake *intake, rd_kafka_message_t *from,
                      th_batch *batch, th_error *err)
{
    th_header headers[TH_MESSAGE_HEADERS];
    const char *topic = rd_kafka_topic_name(from->rkt);
    const th_message message = {
        .topic = { topic, strlen(topic) },
        .partition = from->partition,
        .offset = from->offset,
        .key = { from->key, from->key ? from->key_len : 0 },
        .value = { from->payload, from->payload ? from->len : 0 },
        .headers = headers,
        .header_count = view_headers(from, headers),
    };
    const bool waits = may_wait(intake, message.value);
    const th_status status = th_message_read(intake->messages, &message, waits, batch);
    if (status == TH_NEED_MORE) {
        if (intake->waits_since < 0)
            intake->waits_since = now_ms();
        put_back(intake, from);
        return status;
    }
    if (intake->waits_since >= 0 && !waits && message.value.len) {
        intake->given_up_len =
            message.value.len < GIVEN_UP_MAX ? message.value.len : GIVEN_UP_MAX;
        memcpy(intake->given_up, message.value.data, intake->given_up_len);
    }
    intake->waits_since = -1;
    struct partition *partition =
        find_partition(intake, message.topic, message.partition);
    if (status == TH_OK && partition) {
        if (message.offset > partition->highest) {
            partition->highest = message.offset;
            intake->facts.received++;
            intake->facts.bytes += message.value.len + message.key.len;
        }
    }
    rd_kafka_message_destroy(from);
    return status == TH_OK
               ? TH_OK
               : th_fail(err, TH_NOMEM, "cannot keep a message: out of memory");
}

static bool is_full(const th_batch *batch)
{
    return batch->record_count == TH_BATCH_RECORDS ||
           th_arena_used(batch->arena) >= TH_BATCH_BYTES;
}

static void begin_batch(const struct kafka_intake *intake, th_batch *batch)
{
    th_arena_reset(batch->arena);
    batch->record_count = 0;
    batch->epoch = intake->epoch;
    batch->input = 0;
    batch->is_last = false;
    batch->next = (th_checkpoint){ .offset = 0 };
}

static th_status fill(struct kafka_intake *intake, int timeout_ms, th_batch *batch,
                      th_error *err)
{
    th_status status = TH_OK;
    begin_batch(intake, batch);
    while (status == TH_OK && !is_full(batch)) {
        rd_kafka_message_t *message = NULL;
        status =
            next_message(intake, batch->record_count ? 0 : timeout_ms, &message, err);
        /* A rebalance came between: what the batch holds is void. */
        if (batch->epoch != intake->epoch)
            begin_batch(intake, batch);
        if (status != TH_OK || !message)
            break;
        status = take(intake, message, batch, err);
    }
    if (status != TH_OK && status != TH_NEED_MORE)
        return status;
    batch->counts.bytes_read = intake->facts.bytes;
    batch->counts.damaged = th_message_damaged(intake->messages);
    return batch->record_count ? TH_OK : TH_EMPTY;
}

/* ---- the verbs ---- */

static th_status poll_messages(th_intake *base, bool may_read, int timeout_ms,
                               th_batch *batch, th_error *err)
{
    struct kafka_intake *intake = self_of(base);
    const bool is_waiting = intake->waits_since >= 0 && now_ms() < intake->retry_at;
    if (!may_read || is_waiting)
        return idle(intake, timeout_ms, err);
    if (intake->waits_since >= 0) {
        /* The one that waits is looked at without resuming the others. */
        const th_status status = fill(intake, 0, batch, err);
        if (intake->waits_since >= 0)
            return status == TH_EMPTY ? idle(intake, timeout_ms, err) : status;
        return status;
    }
    intake->idle_since = -1;
    pause_or_resume(intake, false);
    return fill(intake, timeout_ms, batch, err);
}

static void done(th_intake *base, const th_batch *batch)
{
    struct kafka_intake *intake = self_of(base);
    for (uint32_t i = 0; i < batch->record_count; i++) {
        const th_position *position = &batch->records[i].position;
        struct partition *partition =
            find_partition(intake, position->topic, position->partition);
        if (partition && (int64_t)position->offset >= partition->done)
            partition->done = (int64_t)position->offset + 1;
    }
}

static th_status acknowledge(th_intake *base, th_view note, th_error *err)
{
    struct kafka_intake *intake = self_of(base);
    (void)note;
    (void)err;
    if (!intake->options.is_transactional) {
        commit(intake, false);
        return TH_OK;
    }
    for (uint32_t i = 0; i < intake->partition_count; i++)
        if (intake->partitions[i].done >= 0)
            intake->partitions[i].acked = intake->partitions[i].done;
    return TH_OK;
}

static th_status offsets(th_intake *base, rd_kafka_topic_partition_list_t **out,
                         rd_kafka_consumer_group_metadata_t **group)
{
    struct kafka_intake *intake = self_of(base);
    rd_kafka_topic_partition_list_t *list = list_owned(intake, true);
    rd_kafka_consumer_group_metadata_t *metadata =
        rd_kafka_consumer_group_metadata(intake->rk);
    if (!list || !metadata) {
        if (list)
            rd_kafka_topic_partition_list_destroy(list);
        if (metadata)
            rd_kafka_consumer_group_metadata_destroy(metadata);
        return TH_NOMEM;
    }
    *out = list;
    *group = metadata;
    return TH_OK;
}

/* ---- marks ---- */

static const char *first_error(const rd_kafka_topic_partition_list_t *list)
{
    for (int i = 0; i < list->cnt; i++)
        if (list->elems[i].err)
            return rd_kafka_err2str(list->elems[i].err);
    return NULL;
}

/* Appends the marks that stand in the metadata of offsets. */
static void take_marks(const rd_kafka_topic_partition_list_t *list, th_buffer *out)
{
    const size_t start = strlen(MARK_START);
    for (int i = 0; i < list->cnt; i++) {
        const rd_kafka_topic_partition_t *row = &list->elems[i];
        char text[MARK_LEN];
        if (!row->metadata || row->metadata_size <= start ||
            row->metadata_size >= sizeof text ||
            memcmp(row->metadata, MARK_START, start) != 0)
            continue; /* another program's */
        memcpy(text, row->metadata, row->metadata_size);
        text[row->metadata_size] = '\0';
        const uint64_t mark = strtoull(text + start, NULL, 10);
        th_buffer_append(out, (const char *)&mark, sizeof mark);
    }
}

static th_status heed_offsets(rd_kafka_event_t *event, th_buffer *out, th_error *err)
{
    const char *words = !event                        ? "no answer"
                        : rd_kafka_event_error(event) ? rd_kafka_event_error_string(event)
                                                      : NULL;
    const rd_kafka_group_result_t **groups = NULL;
    size_t count = 0;
    if (!words)
        groups = rd_kafka_ListConsumerGroupOffsets_result_groups(
            rd_kafka_event_ListConsumerGroupOffsets_result(event), &count);
    for (size_t i = 0; i < count && !words; i++) {
        const rd_kafka_error_t *error = rd_kafka_group_result_error(groups[i]);
        const rd_kafka_topic_partition_list_t *list =
            rd_kafka_group_result_partitions(groups[i]);
        words = error ? rd_kafka_error_string(error) : list ? first_error(list) : NULL;
        if (!words && list)
            take_marks(list, out);
    }
    if (words)
        return th_fail(err, TH_EMPTY, "cannot ask for the group's offsets: %s", words);
    return out->has_failed ? th_fail(err, TH_NOMEM, "cannot keep marks: out of memory")
                           : TH_OK;
}

/* Asks for the offsets of the whole group: which partitions will be ours is not known
 * yet, and it does not matter whose they are. */
static th_status marks(th_intake *base, th_buffer *out, th_error *err)
{
    struct kafka_intake *intake = self_of(base);
    rd_kafka_queue_t *queue = rd_kafka_queue_new(intake->rk);
    rd_kafka_AdminOptions_t *options =
        rd_kafka_AdminOptions_new(intake->rk, RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPOFFSETS);
    rd_kafka_ListConsumerGroupOffsets_t *request =
        rd_kafka_ListConsumerGroupOffsets_new(intake->options.group, NULL);
    char words[256];
    th_status status = TH_NOMEM;
    if (queue && options && request) {
        (void)rd_kafka_AdminOptions_set_request_timeout(options, COMMITTED_MS, words,
                                                        sizeof words);
        /* Not those before a transaction whose end is on its way. */
        rd_kafka_error_t *error =
            rd_kafka_AdminOptions_set_require_stable_offsets(options, 1);
        if (error)
            rd_kafka_error_destroy(error);
        rd_kafka_ListConsumerGroupOffsets(intake->rk, &request, 1, options, queue);
        rd_kafka_event_t *event = rd_kafka_queue_poll(queue, 2 * COMMITTED_MS);
        status = heed_offsets(event, out, err);
        if (event)
            rd_kafka_event_destroy(event);
    }
    if (request)
        rd_kafka_ListConsumerGroupOffsets_destroy(request);
    if (options)
        rd_kafka_AdminOptions_destroy(options);
    if (queue)
        rd_kafka_queue_destroy(queue);
    return status;
}

/* ---- rewind ---- */

/* Makes of the committed offsets the places to go to; a partition that has none goes back
 * to the first message that it gave, and one that gave none is where it should be. */
static void aim(struct kafka_intake *intake, rd_kafka_topic_partition_list_t *list)
{
    for (int i = list->cnt - 1; i >= 0; i--) {
        rd_kafka_topic_partition_t *row = &list->elems[i];
        const struct partition *partition = find_partition(
            intake, (th_view){ row->topic, strlen(row->topic) }, row->partition);
        if (row->offset < 0)
            row->offset = partition ? partition->first : -1;
        if (!partition || partition->first < 0 || row->offset < 0)
            rd_kafka_topic_partition_list_del_by_idx(list, i);
    }
}

/* One try to go back. NULL, or what failed. */
static const char *go_back(struct kafka_intake *intake,
                           rd_kafka_topic_partition_list_t *list)
{
    const rd_kafka_resp_err_t asked = rd_kafka_committed(intake->rk, list, COMMITTED_MS);
    const char *words = asked ? rd_kafka_err2str(asked) : first_error(list);
    if (words)
        return words;
    aim(intake, list);
    if (list->cnt == 0)
        return NULL;
    rd_kafka_error_t *error = rd_kafka_seek_partitions(intake->rk, list, -1);
    if (error) {
        words = rd_kafka_err2str(rd_kafka_error_code(error));
        rd_kafka_error_destroy(error);
        return words;
    }
    return first_error(list);
}

static th_status rewind_intake(th_intake *base, th_error *err)
{
    struct kafka_intake *intake = self_of(base);
    pause_or_resume(intake, false); /* a seek of what is paused is lost with the resume */
    begin_epoch(intake);
    if (intake->is_settling || intake->is_closing)
        return TH_OK; /* all partitions go anyway: their owner begins at the offsets */
    const char *words = NULL;
    for (int i = 0; i < REWIND_TRIES; i++) {
        rd_kafka_topic_partition_list_t *list = list_owned(intake, false);
        if (!list)
            return th_fail(err, TH_NOMEM, "cannot rewind: out of memory");
        words = list->cnt ? go_back(intake, list) : NULL;
        rd_kafka_topic_partition_list_destroy(list);
        if (!words)
            return TH_OK;
        sleep_ms(RETRY_MS);
    }
    return th_fail(err, TH_IO, "cannot go back to the committed offsets: %s", words);
}

/* ---- the rest ---- */

static uint32_t epoch(const th_intake *base)
{
    return ((const struct kafka_intake *)(const void *)((const char *)base -
                                                        offsetof(struct kafka_intake,
                                                                 base)))
        ->epoch;
}

/* Messages behind, by what the last fetches told; -1 when a partition is not known. */
static int64_t lag_of(const struct kafka_intake *intake)
{
    int64_t lag = 0;
    bool is_known = false;
    for (uint32_t i = 0; i < intake->partition_count; i++) {
        const struct partition *partition = &intake->partitions[i];
        int64_t low = -1, high = -1;
        if (!partition->is_owned)
            continue;
        if (rd_kafka_get_watermark_offsets(intake->rk, partition->topic,
                                           partition->number, &low, &high) ||
            high < 0)
            return -1;
        const int64_t at = partition->highest + 1 > low ? partition->highest + 1 : low;
        lag += high > at ? high - at : 0;
        is_known = true;
    }
    return is_known ? lag : -1;
}

static void facts(th_intake *base, th_intake_facts *out)
{
    struct kafka_intake *intake = self_of(base);
    *out = intake->facts;
    out->damaged = th_message_damaged(intake->messages);
    out->lag = lag_of(intake);
}

/* Brokers that were gone may be back. */
static bool can_reach(struct kafka_intake *intake)
{
    const struct rd_kafka_metadata *metadata = NULL;
    if (!intake->watch.is_cut_off)
        return true;
    if (rd_kafka_metadata(intake->rk, 0, NULL, &metadata, REACH_MS) !=
        RD_KAFKA_RESP_ERR_NO_ERROR)
        return false;
    rd_kafka_metadata_destroy(metadata);
    return true;
}

/* Leaves the group, if there is a broker to say it to: 2.0.2 crashes and hangs
 * otherwise. */
static void leave(struct kafka_intake *intake)
{
    if (intake->watch.is_fatal || !can_reach(intake))
        return;
    rd_kafka_queue_t *queue = rd_kafka_queue_new(intake->rk);
    if (!queue)
        return;
    rd_kafka_error_t *error = rd_kafka_consumer_close_queue(intake->rk, queue);
    const int64_t deadline = now_ms() + CLOSE_MS;
    while (!error && !rd_kafka_consumer_closed(intake->rk) && now_ms() < deadline) {
        rd_kafka_event_t *event = rd_kafka_queue_poll(queue, 50);
        if (event && rd_kafka_event_type(event) == RD_KAFKA_EVENT_REBALANCE)
            (void)rd_kafka_assign(intake->rk, NULL);
        rd_kafka_event_destroy(event);
    }
    if (error)
        rd_kafka_error_destroy(error);
    rd_kafka_queue_destroy(queue);
}

static void free_intake(struct kafka_intake *intake)
{
    for (uint32_t i = 0; i < intake->partition_count; i++)
        free(intake->partitions[i].topic);
    free(intake->partitions);
    th_message_reader_free(intake->messages);
    free(intake);
}

static void close_intake(th_intake *base)
{
    struct kafka_intake *intake = self_of(base);
    intake->is_closing = true;
    drop_held(intake);
    leave(intake);
    rd_kafka_destroy_flags(intake->rk, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
    free_intake(intake);
}

static th_status open_consumer(struct kafka_intake *intake, th_error *err)
{
    const th_kafka_intake_options *options = &intake->options;
    rd_kafka_conf_t *conf = NULL;
    th_status status = th_kafka_conf_new(&options->client, TH_KAFKA_CONSUMER,
                                         &intake->watch, &conf, err);
    if (status != TH_OK)
        return status;
    status = th_kafka_conf_set(conf, "group.id", options->group, err);
    if (status == TH_OK && options->instance && *options->instance)
        status = th_kafka_conf_set(conf, "group.instance.id", options->instance, err);
    if (status == TH_OK)
        status = th_kafka_conf_set_number(conf, "session.timeout.ms", options->session_ms,
                                          err);
    if (status != TH_OK) {
        rd_kafka_conf_destroy(conf);
        return status;
    }
    rd_kafka_conf_set_rebalance_cb(conf, on_rebalance);
    rd_kafka_conf_set_offset_commit_cb(conf, on_commit);
    status = th_kafka_open(conf, TH_KAFKA_CONSUMER, &intake->rk, err);
    if (status == TH_OK)
        (void)rd_kafka_poll_set_consumer(intake->rk);
    return status;
}

static th_status subscribe(struct kafka_intake *intake, th_error *err)
{
    const th_kafka_intake_options *options = &intake->options;
    rd_kafka_topic_partition_list_t *list =
        rd_kafka_topic_partition_list_new((int)options->topic_count);
    if (!list)
        return th_fail(err, TH_NOMEM, "cannot subscribe: out of memory");
    for (uint32_t i = 0; i < options->topic_count; i++)
        rd_kafka_topic_partition_list_add(list, options->topics[i],
                                          RD_KAFKA_PARTITION_UA);
    const rd_kafka_resp_err_t error = rd_kafka_subscribe(intake->rk, list);
    rd_kafka_topic_partition_list_destroy(list);
    if (error)
        return th_fail(err, TH_IO, "cannot subscribe: %s", rd_kafka_err2str(error));
    return TH_OK;
}

void th_kafka_intake_options_init(th_kafka_intake_options *options)
{
    *options = (th_kafka_intake_options){
        .client = { .brokers = "", .client_id = TH_KAFKA_CLIENT_ID },
        .group = TH_KAFKA_GROUP,
        .session_ms = TH_KAFKA_SESSION_MS,
        .message = { .max_record = 8u << 20 },
        .archive_wait_ms = TH_KAFKA_ARCHIVE_WAIT_MS,
    };
}

th_status th_kafka_intake_open(const th_kafka_intake_options *options, th_intake **out,
                               th_error *err)
{
    struct kafka_intake *intake = calloc(1, sizeof *intake);
    if (!intake)
        return th_fail(err, TH_NOMEM, "cannot allocate a kafka intake");
    intake->options = *options;
    intake->idle_since = intake->waits_since = -1;
    intake->base = (th_intake){
        .name = "kafka",
        .poll = poll_messages,
        .done = done,
        .acknowledge = acknowledge,
        .rewind = rewind_intake,
        .epoch = epoch,
        .facts = facts,
        .offsets = offsets,
        .marks = marks,
        .close = close_intake,
    };
    intake->messages = th_message_reader_new(&intake->options.message);
    th_status status = TH_OK;
    if (!intake->messages)
        status = th_fail(err, TH_NOMEM, "cannot allocate a kafka intake");
    if (status == TH_OK)
        status = open_consumer(intake, err);
    if (status == TH_OK)
        status = subscribe(intake, err);
    if (status == TH_OK) {
        *out = &intake->base;
        return TH_OK;
    }
    if (intake->rk)
        rd_kafka_destroy_flags(intake->rk, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
    free_intake(intake);
    return status;
}
