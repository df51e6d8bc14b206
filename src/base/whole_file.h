/* Reads a complete file into memory. */
#ifndef TH_WHOLE_FILE_H
#define TH_WHOLE_FILE_H

#include "base/buffer.h"
#include "thresher/status.h"

/**
 * Reads a complete file.
 * @param kind  for messages, with a space: "model ", or ""
 * @param max   bytes
 * @param over  status if the file has more bytes
 * @param out   replaced by the bytes
 * @return TH_OK, TH_ABSENT if there is no such file, `over`, TH_IO or TH_NOMEM; err has the
 *         path
 */
th_status th_whole_file_read(const char *path, const char *kind, size_t max,
                             th_status over, th_buffer *out, th_error *err);

#endif
