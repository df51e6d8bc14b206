/*
 * Functions for the Python package: one page in, its record as JSON out, with the same code
 * and the same options as `thresher run`. A plain C interface for ctypes: no structs, no
 * callbacks, texts with their lengths.
 */
#ifndef THRESHER_PYTHON_H
#define THRESHER_PYTHON_H

#include <stddef.h>
#include <stdint.h>

#define THRESHER_PYTHON_API __attribute__((visibility("default")))

/**
 * The program `thresher`, its commands and its exit codes. It catches signals and prints,
 * so it must be the main() of a separate process.
 */
THRESHER_PYTHON_API int thresher_program(int argc, char **argv);

/** A pipeline with its options; for one thread at a time, any number may live. */
typedef struct thresher_extractor thresher_extractor;

/** "1.0.0"; static. */
THRESHER_PYTHON_API const char *thresher_python_version(void);

/**
 * @param options  key, value, key, value, ..., NULL: as in thresher.conf, "classifier",
 *                 "num-words"; checked by the same rules, with the same words. An option
 *                 that has no effect on a single page ("sites", "output") is refused
 * @param error    gets the reason, NUL-terminated, cut at `capacity` bytes
 * @return NULL: a bad option, or no memory. Free it with thresher_extractor_free.
 */
THRESHER_PYTHON_API thresher_extractor *
thresher_extractor_new(const char *const *options, char *error, size_t capacity);

/** NULL is legal. */
THRESHER_PYTHON_API void thresher_extractor_free(thresher_extractor *extractor);

/**
 * Takes one page through all stages.
 * @param html, len     the document as it was served; borrowed for the call
 * @param url           absolute, base of its links; "" = unknown
 * @param content_type  as of an HTTP header, with its charset; "" = the bytes decide
 * @param text          out: the record `thresher/1` as JSON in UTF-8; for a refused page
 *                      the reason in words. The extractor's, until its next call
 * @param text_len      out: its bytes
 * @return "" for a record; for a refused page the reason's name, "not_html"; static
 */
THRESHER_PYTHON_API const char *thresher_extract(thresher_extractor *extractor,
                                                 const char *html, size_t len,
                                                 const char *url,
                                                 const char *content_type,
                                                 const char **text, size_t *text_len);

/**
 * Signature of a text: normalised, cut into shingles and signed as `run` signs content.
 * @param preset  words of a preset: "modern", "datasketch2:k=256,seed=42"
 * @param slots   out: at most `max` of them
 * @return the number of slots, 0 for a text without a token; -1 with words in `error`
 */
THRESHER_PYTHON_API int64_t thresher_sign(const char *preset, const char *text,
                                          size_t len, uint64_t *slots, size_t max,
                                          char *error, size_t capacity);

#endif
