/* In the place of kafka_conf.c where the program is built without librdkafka. */
#include "kafka/kafka_conf.h"

#include <stddef.h>

const bool th_kafka_is_built = false;

const char *th_kafka_library_version(void)
{
    return NULL;
}
