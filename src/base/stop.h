/* Whether the program was asked to end. */
#ifndef TH_STOP_H
#define TH_STOP_H

#include <stdatomic.h>

/** Raised by SIGINT and SIGTERM; the only variable of the program that is global. */
extern atomic_int th_stop_requested;

#endif
