/* Replaces kafka_outlet.c if the program is built without librdkafka. */
#include "kafka/kafka_outlet.h"

void th_kafka_outlet_options_init(th_kafka_outlet_options *options)
{
    *options = (th_kafka_outlet_options){ .instance = NULL };
}

th_status th_kafka_outlet_open(const th_kafka_outlet_options *options, th_outlet **out,
                               th_error *err)
{
    (void)options;
    (void)out;
    return th_fail(err, TH_USAGE,
                   "kafka.records-topic: this program was built without Kafka");
}
