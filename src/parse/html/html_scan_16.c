/* The scanner with SSE2 or NEON, which every x86-64 and AArch64 has. */
#if defined(__x86_64__) || defined(__aarch64__)
#define TH_BLOCK_WIDTH 16
#define TH_HTML_SCAN th_html_scan_16
#include "parse/html/html_scan.h"
#else
typedef int th_html_scan_16_is_not_here; /* a file must not be empty */
#endif
