/* Replaces kafka_sink.c if the program is built without librdkafka. */
#include "kafka/kafka_sink.h"

void th_kafka_sink_options_init(th_kafka_sink_options *options)
{
    *options = (th_kafka_sink_options){ .instance = NULL };
}

th_status th_kafka_sink_open(const th_kafka_sink_options *options, th_stream_sink **out,
                             th_error *err)
{
    (void)options;
    (void)out;
    return th_fail(err, TH_USAGE,
                   "kafka.records-topic: this program was built without Kafka");
}
