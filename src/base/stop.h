/* Set when the program must end. */
#ifndef TH_STOP_H
#define TH_STOP_H

#include <stdatomic.h>

/** Set by SIGINT and SIGTERM; the only global variable of the program. */
extern atomic_int th_stop_requested;

#endif
