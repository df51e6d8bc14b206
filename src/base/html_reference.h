/*
 * Character references: "&amp;", "&#39;", "&#x27;". HTML Living Standard, 13.2.5.72-80.
 *
 * It has two entry points. th_reference_read takes contiguous bytes. The tokenizer's
 * machine, which meets references cut by the end of a piece, walks one letter at a time
 * and gets the code's text.
 */
#ifndef TH_HTML_REFERENCE_H
#define TH_HTML_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TH_REFERENCE_TEXT_MAX = 6,  /* bytes that a reference stands for */
    TH_REFERENCE_NAME_MAX = 32, /* letters of a name with its semicolon, without '&' */
    TH_REFERENCE_CODE_MAX = 0x110000, /* codes saturate here */
};

typedef enum th_reference_result {
    TH_REFERENCE_NONE,  /* the '&' is text */
    TH_REFERENCE_FOUND, /* a reference */
    TH_REFERENCE_MORE,  /* more bytes are needed to decide */
} th_reference_result;

typedef struct th_reference {
    char bytes[TH_REFERENCE_TEXT_MAX + 2]; /* UTF-8 */
    size_t len;
    size_t used; /* bytes of the source, with '&' */
} th_reference;

/**
 * Reads the reference at `at`, which is at a '&'.
 * @param in_attribute  "&copy=1" and "&copyx" are text there, without a semicolon
 * @param reference     out, when TH_REFERENCE_FOUND. For TH_REFERENCE_NONE, it has
 *                      examined only the '&', one '#', one 'x', letters and digits.
 */
th_reference_result th_reference_read(const char *at, const char *end, bool in_attribute,
                                      th_reference *reference);

/** State of a walk through the names. {0} before the first letter. */
typedef struct th_reference_walk {
    uint16_t node;         /* first edge */
    uint16_t number;       /* names passed */
    uint16_t match;        /* number of the longest name so far */
    uint8_t letters;       /* taken */
    uint8_t match_letters; /* of the longest name so far; 0: none */
    bool has_semicolon;    /* that name ends with one */
} th_reference_walk;

/** Takes the next letter. @return false, and takes none, if no name continues with it */
bool th_reference_step(th_reference_walk *walk, char c);

/** Returns the text of the longest name that a walk found. */
const char *th_reference_text_of(const th_reference_walk *walk, size_t *len);

/** Writes the text of a numeric reference in UTF-8: the code itself, or the standard's
 * replacement of 0x80 to 0x9F, surrogates, NUL and codes beyond Unicode. @return bytes
 * written, 1..4 */
size_t th_reference_code_text(uint32_t code, char *out);

#endif
