/* Expands a classifier's reason with the block's own figures. */
#ifndef TH_REASON_TEXT_H
#define TH_REASON_TEXT_H

#include "base/buffer.h"
#include "thresher/classifier.h"

/**
 * Appends a reason's words, each {feature} replaced by its value. Beyond the page's
 * borders every value is 0. A name in braces that is not a feature is copied unchanged.
 * @param page   segmented
 * @param block  the block that the reason is about
 */
void th_reason_text(const th_page *page, uint32_t block, const char *words,
                    th_buffer *out);

#endif
