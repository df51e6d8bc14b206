/* Replaces kafka_conf.c if the program is built without librdkafka. */
#include "kafka/kafka_conf.h"

#include <stddef.h>

const bool th_kafka_is_built = false;

const char *th_kafka_library_version(void)
{
    return NULL;
}

th_status th_kafka_pair_check(th_kafka_pair pair, th_error *err)
{
    return th_fail(err, TH_USAGE,
                   "librdkafka.%.100s: this program was built without Kafka", pair.key);
}
