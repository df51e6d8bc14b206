/*
 * Records in from Kafka topics: a consumer of a group.
 *
 * Order: a partition's messages are handed out in their order, and one whose archive is
 * not there yet holds up its own partition only. What is acknowledged is, for each
 * partition, the offset behind the last message that is done; nothing else is ever
 * committed. Partitions that are to be given away are settled first (intake->settle: for
 * TH_KAFKA_SETTLE_MS or half the session, whichever is less); those that are lost already
 * are not. In both cases a new epoch begins, and what is not acknowledged becomes void.
 */
#ifndef TH_KAFKA_INTAKE_H
#define TH_KAFKA_INTAKE_H

#include "kafka/kafka_conf.h"
#include "kafka/kafka_message.h"
#include "traffic/intake.h"

/* Defaults. */
#define TH_KAFKA_GROUP "thresher"
enum { TH_KAFKA_SESSION_MS = 45000, TH_KAFKA_ARCHIVE_WAIT_MS = 60000 };

/* Longest settling before partitions are given away. */
enum { TH_KAFKA_SETTLE_MS = 5000 };

typedef struct th_kafka_intake_options {
    th_kafka_client client;
    const char *const *topics;
    uint32_t topic_count; /* 1 or more */
    const char *group;
    /* group.instance.id: a restart takes its partitions up at once; NULL or "": none */
    const char *instance;
    uint32_t session_ms; /* of the group; 6000 or more on most brokers */
    /* The outlet commits the offsets in its transactions, by the receipt's position;
     * acknowledge then commits nothing. */
    bool is_transactional;
    th_message_options message; /* its notices go where the client's go */
} th_kafka_intake_options;

/** Defaults: session 45 s, archive wait 60 s, blocks up to 8 MiB, no topics. */
void th_kafka_intake_options_init(th_kafka_intake_options *options);

/**
 * Joins the group.
 * @param options  copied; the objects it points to are borrowed while the intake lives
 * @param out      closed by its close(), which leaves the group (except for a static
 * member)
 * @return TH_OK; TH_USAGE (a bad property); TH_IO; TH_NOMEM. An unreachable broker is not
 * an error: notices report it, and the intake keeps trying.
 */
th_status th_kafka_intake_open(const th_kafka_intake_options *options, th_intake **out,
                               th_error *err);

#endif
