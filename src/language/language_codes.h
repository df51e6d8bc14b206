/*
 * Codes of a language: ISO 639-3, ISO 15924 (script) and BCP 47, from the label of a
 * model, and the normalized label "deu_Latn" that GlotLID, OpenLID and FLORES use.
 */
#ifndef TH_LANGUAGE_CODES_H
#define TH_LANGUAGE_CODES_H

#include "thresher/arena.h"
#include "thresher/view.h"

enum { TH_LANGUAGE_TAG_SIZE = 32 };

/** The codes of a label. "" if the label does not contain one. */
typedef struct th_language_codes {
    char tag[TH_LANGUAGE_TAG_SIZE]; /* BCP 47: "de", "zh-Hant" */
    char iso[4];                    /* ISO 639-3: "deu", "cmn" */
    char script[5];                 /* ISO 15924: "Latn" */
} th_language_codes;

/**
 * Splits a label: "en", "eng_Latn", "zh-Hant".
 *
 * The tag has the shorter code of the macrolanguage if ICU has one: "arb_Arab" has the tag
 * "ar" and the code "arb". It has the script only if the language usually has another one.
 * @param name  NUL-terminated, borrowed
 * @return codes; all are "" if the label does not start with the code of a language
 */
th_language_codes th_language_codes_of(const char *name);

/**
 * Returns the ISO 15924 code of the script that most letters of a text have, among its
 * first 256 letters. Japanese is "Jpan", Korean "Hang", and other Chinese characters are
 * "Hani".
 * @param text  UTF-8
 * @param tag   BCP 47 tag of its language
 * @return static storage; "" without letters
 */
const char *th_language_script(th_view text, const char *tag);

/**
 * Returns the normalized label: "deu_Latn", or "deu" without a script. A language without
 * a code is "und": "und_Goth".
 * @param iso     ISO 639-3, or ""
 * @param script  ISO 15924, or ""
 * @return in the arena; NULL without memory
 */
const char *th_language_label(th_arena *arena, const char *iso, const char *script);

#endif
