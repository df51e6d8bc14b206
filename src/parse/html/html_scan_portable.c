/* The scanner in plain C, for every machine. It gives the same results as the others. */
#define TH_BLOCK_WIDTH 8
#define TH_HTML_SCAN th_html_scan_portable
#include "parse/html/html_scan.h"
