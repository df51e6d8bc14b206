/* The report around its data, made by embed_report.cmake from report.{html,css,js}. */
#ifndef TH_REPORT_PARTS_H
#define TH_REPORT_PARTS_H

#include <stddef.h>

extern const unsigned char th_report_head[], th_report_tail[];
extern const size_t th_report_head_len, th_report_tail_len;

#endif
