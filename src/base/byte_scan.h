/* The first byte of a text that matters; see byte_scan.c. */
#ifndef TH_BYTE_SCAN_H
#define TH_BYTE_SCAN_H

#include <stddef.h>

/** Bytes before the first one over 0x7F; `len` when all are ASCII. */
size_t th_scan_ascii(const char *bytes, size_t len);

/** Bytes before the first that a JSON string must escape: '"', '\\', below 0x20. */
size_t th_scan_json(const char *bytes, size_t len);

/** The same byte by byte, for machines without SSE2 and for the test. */
size_t th_scan_ascii_portable(const char *bytes, size_t len);
size_t th_scan_json_portable(const char *bytes, size_t len);

#endif
