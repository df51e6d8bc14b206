/* A member of a consumer group: how it joins and leaves. See the header. */
#include "kafka/kafka_member.h"

#include <string.h>

#include "base/clock.h"

enum { CLOSE_MS = 5000, REACH_MS = 1000, POLL_MS = 50 };

th_status th_kafka_member_open(const th_kafka_source_options *options,
                               const th_kafka_member_callbacks *callbacks,
                               th_kafka_watch *watch, rd_kafka_t **out, th_error *err)
{
    rd_kafka_conf_t *conf = NULL;
    th_status status =
        th_kafka_conf_new(&options->client, TH_KAFKA_CONSUMER, watch, &conf, err);
    if (status != TH_OK)
        return status;
    status = th_kafka_conf_set(conf, "group.id", options->group, err);
    if (status == TH_OK && options->instance && *options->instance)
        status = th_kafka_conf_set(conf, "group.instance.id", options->instance, err);
    if (status == TH_OK && callbacks->tells_ends)
        status = th_kafka_conf_set(conf, "enable.partition.eof", "true", err);
    if (status == TH_OK && !th_kafka_conf_omits(&options->client, "session.timeout.ms"))
        status = th_kafka_conf_set_number(conf, "session.timeout.ms", options->session_ms,
                                          err);
    if (status != TH_OK) {
        rd_kafka_conf_destroy(conf);
        return status;
    }
    rd_kafka_conf_set_rebalance_cb(conf, callbacks->rebalance);
    rd_kafka_conf_set_offset_commit_cb(conf, callbacks->committed);
    status = th_kafka_open(conf, TH_KAFKA_CONSUMER, out, err);
    if (status == TH_OK)
        (void)rd_kafka_poll_set_consumer(*out);
    return status;
}

th_status th_kafka_member_join(rd_kafka_t *rk, const th_kafka_source_options *options,
                               th_error *err)
{
    rd_kafka_topic_partition_list_t *list =
        rd_kafka_topic_partition_list_new((int)options->topic_count);
    if (!list)
        return th_fail(err, TH_NOMEM, "cannot subscribe: out of memory");
    for (uint32_t i = 0; i < options->topic_count; i++)
        rd_kafka_topic_partition_list_add(list, options->topics[i],
                                          RD_KAFKA_PARTITION_UA);
    const rd_kafka_resp_err_t error = rd_kafka_subscribe(rk, list);
    rd_kafka_topic_partition_list_destroy(list);
    if (error)
        return th_fail(err, TH_IO, "cannot subscribe: %s", rd_kafka_err2str(error));
    return TH_OK;
}

bool th_kafka_member_is_incremental(rd_kafka_t *rk)
{
    const char *protocol = rd_kafka_rebalance_protocol(rk);
    return protocol && strcmp(protocol, "COOPERATIVE") == 0;
}

static bool is_done(rd_kafka_error_t *error)
{
    if (error)
        rd_kafka_error_destroy(error);
    return !error;
}

bool th_kafka_member_take(rd_kafka_t *rk, rd_kafka_topic_partition_list_t *list)
{
    return th_kafka_member_is_incremental(rk)
               ? is_done(rd_kafka_incremental_assign(rk, list))
               : rd_kafka_assign(rk, list) == RD_KAFKA_RESP_ERR_NO_ERROR;
}

bool th_kafka_member_give_up(rd_kafka_t *rk, rd_kafka_topic_partition_list_t *list)
{
    return th_kafka_member_is_incremental(rk)
               ? is_done(rd_kafka_incremental_unassign(rk, list))
               : rd_kafka_assign(rk, NULL) == RD_KAFKA_RESP_ERR_NO_ERROR;
}

/* While leaving: gives up assigned and revoked partitions without looking at them. */
static void answer(rd_kafka_t *rk, rd_kafka_event_t *event)
{
    const bool is_revoked =
        rd_kafka_event_error(event) == RD_KAFKA_RESP_ERR__REVOKE_PARTITIONS;
    rd_kafka_topic_partition_list_t *list = rd_kafka_event_topic_partition_list(event);
    if (list && is_revoked)
        (void)th_kafka_member_give_up(rk, list);
    else if (!th_kafka_member_is_incremental(rk))
        (void)rd_kafka_assign(rk, NULL);
}

/* Brokers that were gone may be back. */
static bool can_reach(rd_kafka_t *rk, const th_kafka_watch *watch,
                      const th_deadline *deadline)
{
    const struct rd_kafka_metadata *metadata = NULL;
    if (!watch->is_cut_off)
        return true;
    const int ms = th_deadline_wait_ms(deadline, REACH_MS);
    if (ms <= 0 ||
        rd_kafka_metadata(rk, 0, NULL, &metadata, ms) != RD_KAFKA_RESP_ERR_NO_ERROR)
        return false;
    rd_kafka_metadata_destroy(metadata);
    return true;
}

void th_kafka_member_leave(rd_kafka_t *rk, const th_kafka_watch *watch,
                           const th_deadline *deadline)
{
    if (watch->is_fatal || !can_reach(rk, watch, deadline))
        return;
    rd_kafka_queue_t *queue = rd_kafka_queue_new(rk);
    if (!queue)
        return;
    rd_kafka_error_t *error = rd_kafka_consumer_close_queue(rk, queue);
    const int64_t end_ms = th_now_ms() + CLOSE_MS;
    while (!error && !rd_kafka_consumer_closed(rk) && th_now_ms() < end_ms &&
           th_deadline_wait_ms(deadline, POLL_MS) > 0) {
        rd_kafka_event_t *event = rd_kafka_queue_poll(queue, POLL_MS);
        if (event && rd_kafka_event_type(event) == RD_KAFKA_EVENT_REBALANCE)
            answer(rk, event);
        rd_kafka_event_destroy(event);
    }
    if (error)
        rd_kafka_error_destroy(error);
    rd_kafka_queue_destroy(queue);
}
