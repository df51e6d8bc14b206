/* Error messages for unknown names, with the list of known names. */
#ifndef TH_UNKNOWN_NAME_H
#define TH_UNKNOWN_NAME_H

#include <stddef.h>

#include "thresher/status.h"
#include "thresher/view.h"

/** Returns name number i of a table, or NULL after the last one. */
typedef const char *th_name_at(const void *table, size_t i);

/** A th_name_at for a `const char *const []` that ends with NULL. */
const char *th_name_in_array(const void *table, size_t i);

/**
 * Fails for an unknown name: "unknown WHAT 'NAME'; expected one of: A, B, C".
 * @param name  of any length; the message has its first 100 bytes
 * @return TH_USAGE
 */
th_status th_fail_unknown(th_error *err, const char *what, th_view name,
                          th_name_at *name_at, const void *table);

#endif
