/* The global variable for stopping. */
#include "base/stop.h"

atomic_int th_stop_requested; /* lock-free: a signal handler may set it */
