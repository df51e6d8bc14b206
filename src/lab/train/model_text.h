/* Writes the text of a model, in the format that th_segment_model_read accepts. */
#ifndef TH_MODEL_TEXT_H
#define TH_MODEL_TEXT_H

#include "base/buffer.h"
#include "segment/segment_model.h"

/** Appends a model with its checksum, which is computed here. Without memory
 * out->has_failed is set. */
void th_model_text_write(const th_segment_model *model, th_buffer *out);

#endif
