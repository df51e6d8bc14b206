/* Searches for the first relevant byte of a text; see byte_scan.c. */
#ifndef TH_BYTE_SCAN_H
#define TH_BYTE_SCAN_H

#include <stddef.h>

/** Returns the bytes before the first one over 0x7F; `len` if all are ASCII. */
size_t th_scan_ascii(const char *bytes, size_t len);

/** Returns the bytes before the first that a JSON string must escape: '"', '\\', below
 * 0x20. */
size_t th_scan_json(const char *bytes, size_t len);

/** Like the functions above, byte by byte, for machines without SSE2 and for the test. */
size_t th_scan_ascii_portable(const char *bytes, size_t len);
size_t th_scan_json_portable(const char *bytes, size_t len);

#endif
