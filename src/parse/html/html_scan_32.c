/* The scanner with AVX2, if the machine has it. */
#if defined(__x86_64__)
#define TH_BLOCK_WIDTH 32
#define TH_HTML_SCAN th_html_scan_32
#include "parse/html/html_scan.h"
#else
typedef int th_html_scan_32_is_not_here; /* a file must not be empty */
#endif
