/* In the place of kafka_conf.c where the program is built without librdkafka. */
#include "kafka/kafka_conf.h"

const bool th_kafka_is_built = false;
