/* Little-endian numbers in containers. */
#ifndef WARC_BYTE_ORDER_H
#define WARC_BYTE_ORDER_H

#include <stdint.h>

/** The four bytes at `data`, least significant first; no alignment needed. */
static inline uint32_t warc_le32(const char *data)
{
    const unsigned char *b = (const unsigned char *)data;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
           (uint32_t)b[3] << 24;
}

#endif
