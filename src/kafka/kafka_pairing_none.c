/* Replaces kafka_pairing.c if the program is built without librdkafka. */
#include "kafka/kafka_pairing.h"

th_status th_kafka_pairing_open(const th_kafka_pairing_options *options,
                                const th_deadline *deadline, th_kafka_pairing **out,
                                th_error *err)
{
    (void)options;
    (void)deadline;
    (void)out;
    return th_fail(err, TH_USAGE, "role pairs: this program was built without Kafka");
}

th_status th_kafka_pairing_turn(th_kafka_pairing *pairing, th_error *err)
{
    (void)pairing;
    return th_fail(err, TH_USAGE, "this program was built without Kafka");
}

th_status th_kafka_pairing_settle(th_kafka_pairing *pairing, th_error *err)
{
    return th_kafka_pairing_turn(pairing, err);
}

void th_kafka_pairing_facts_of(const th_kafka_pairing *pairing,
                               th_kafka_pairing_stats *facts)
{
    (void)pairing;
    *facts = (th_kafka_pairing_stats){ 0 };
}

void th_kafka_pairing_close(th_kafka_pairing *pairing)
{
    (void)pairing;
}
