/* Content models for tests: of few columns, with random trees, as the bytes of a file. */
#ifndef CONTENT_MODEL_FILE_H
#define CONTENT_MODEL_FILE_H

#include "base/buffer.h"
#include "content/content_model.h"

/** Twelve columns of a paragraph, the last seven the types', and three of a page. */
extern const th_content_schema small_schema;

/**
 * A sound model of that schema.
 * @param seed   of the numbers in it
 * @param trees  of paragraphs
 * @param out    empty; freed by the caller
 */
void write_content_model(uint64_t seed, uint32_t trees, th_buffer *out);

/** Header and bytes as a file, with the checksum that they have. */
void seal_content_model(th_view header, th_view bytes, th_buffer *out);

#endif
