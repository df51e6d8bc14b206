/* Replaces kafka_intake.c if the program is built without librdkafka. */
#include "kafka/kafka_intake.h"

th_status th_kafka_intake_open(const th_kafka_intake_options *options, th_intake **out,
                               th_error *err)
{
    (void)options;
    (void)out;
    return th_fail(err, TH_USAGE, "kafka.topics: this program was built without Kafka");
}
