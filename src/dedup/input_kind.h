/*
 * Recognises files that contain no records of thresher by their first bytes, so that a
 * wrong input is one error with its name, and not an error for each line.
 */
#ifndef TH_INPUT_KIND_H
#define TH_INPUT_KIND_H

#include "thresher/status.h"
#include "thresher/view.h"

/**
 * Checks whether a file can contain JSON lines.
 * @param start  its first decompressed bytes, up to TH_DECOMPRESSED_PEEK
 * @return TH_OK, also if it is empty; TH_ABSENT with the name of its kind, or its first
 *         bytes, in err
 */
th_status th_input_kind_check(th_view start, th_error *err);

#endif
