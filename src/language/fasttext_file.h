/*
 * Checks the format of fastText's model files, .bin and .ftz. The library trusts every
 * number of a file. So a file is checked first, and damaged or foreign files are rejected
 * with a message before the library reads them.
 */
#ifndef TH_FASTTEXT_FILE_H
#define TH_FASTTEXT_FILE_H

#include <stdint.h>
#include <stdio.h>

#include "thresher/status.h"

/**
 * Reads a file from its current position to its end.
 * @param checksum  out, on TH_OK: XXH3-64 of the bytes
 * @return TH_OK if it is a classifier with all its parts, all numbers are in range, and
 *         no bytes follow. TH_USAGE if not, with the reason in err. TH_IO. TH_NOMEM
 * Linear; memory does not depend on the file.
 */
th_status th_fasttext_file_check(FILE *file, uint64_t *checksum, th_error *err);

#endif
