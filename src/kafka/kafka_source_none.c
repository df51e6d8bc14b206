/* Replaces kafka_source.c if the program is built without librdkafka. */
#include "kafka/kafka_source.h"

th_status th_kafka_source_open(const th_kafka_source_options *options,
                               th_stream_source **out, th_error *err)
{
    (void)options;
    (void)out;
    return th_fail(err, TH_USAGE, "kafka.topics: this program was built without Kafka");
}
