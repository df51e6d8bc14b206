/*
 * The form of fastText's model files, .bin and .ftz. The library believes every number of a
 * file; so a file is held against the form first, and what is damaged or foreign is refused
 * in words before the library sees it.
 */
#ifndef TH_FASTTEXT_FILE_H
#define TH_FASTTEXT_FILE_H

#include <stdint.h>
#include <stdio.h>

#include "thresher/status.h"

/**
 * Reads a file from where it stands to its end.
 * @param checksum  out, on TH_OK: XXH3-64 of the bytes
 * @return TH_OK: a classifier with all its parts, all numbers within their ranges and
 *         nothing behind them; TH_USAGE: none, with the reason in err; TH_IO; TH_NOMEM
 * Linear; memory does not depend on the file.
 */
th_status th_fasttext_file_check(FILE *file, uint64_t *checksum, th_error *err);

#endif
