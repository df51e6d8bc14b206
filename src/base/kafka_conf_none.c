/* In the place of kafka_conf.c where the program is built without librdkafka. */
#include "base/kafka_conf.h"

const bool th_kafka_is_built = false;
