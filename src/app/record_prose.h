/* The text of docs/record.md, as the build put it into the program. */
#ifndef TH_RECORD_PROSE_H
#define TH_RECORD_PROSE_H

#include <stddef.h>

extern const unsigned char th_record_prose[];
extern const size_t th_record_prose_len;

#endif
