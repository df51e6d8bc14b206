/* TeX names of mathematical characters. */
#ifndef TH_TEX_SYMBOLS_H
#define TH_TEX_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Returns the TeX of a character, such as "\\alpha". Returns "" for a character without a
 * shape (U+2061), and NULL if the character is its own TeX. Static storage. O(log n).
 */
const char *th_tex_symbol(uint32_t c);

/** A letter or digit of an alphabet of mathematics (U+1D400 to U+1D7FF, U+2100 to
 * U+2138). */
typedef struct th_tex_letter {
    const char *alphabet; /* "\\mathbf"; NULL for italic, the default */
    uint32_t letter;      /* ASCII, or a Greek letter */
} th_tex_letter;

/** @return whether the character is one; *out is set only then */
bool th_tex_letter_of(uint32_t c, th_tex_letter *out);

#endif
