/*
 * Packs records for output: each in a gzip member or a zstd frame, or unpacked. Below
 * the writer; knows no record fields.
 */
#ifndef WARC_PACKER_H
#define WARC_PACKER_H

#include "warc/warc_writer.h"

struct packer;

/** @return WARC_OK, the caller owns *out; WARC_BAD_ARGUMENT (packing or level);
 * WARC_NOMEM */
warc_status packer_new(const warc_output *output, warc_packing packing, int level,
                       struct packer **out);

/** NULL is allowed. */
void packer_free(struct packer *packer);

/** Starts a member of `size` unpacked bytes. @return WARC_OK; WARC_NOMEM */
warc_status packer_begin(struct packer *packer, uint64_t size);

/** Adds bytes to the member. @return WARC_OK; WARC_IO; WARC_NOMEM */
warc_status packer_add(struct packer *packer, warc_view bytes);

/** Ends the member: all of it is in the output. @return as packer_add */
warc_status packer_end(struct packer *packer);

#endif
