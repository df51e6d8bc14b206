/*
 * The position of each record in its input, for messages about records that prove faulty
 * after all are read. Kept on disk, because only a few of millions are ever looked up.
 */
#ifndef TH_RECORD_LOCATIONS_H
#define TH_RECORD_LOCATIONS_H

#include <stdint.h>

#include "thresher/status.h"

typedef struct th_record_locations th_record_locations;

/** Room for "FILE: line 17". */
enum { TH_FULL_PLACE_MAX = 512 };

/** Starts without places. @param folder  as in scratch_file.h. TH_OK; TH_IO; TH_NOMEM */
th_status th_record_locations_new(const char *folder, th_record_locations **out,
                                  th_error *err);

/** NULL is legal. */
void th_record_locations_free(th_record_locations *places);

/**
 * Notes the position of the next record. The first one is number 0.
 * @param path   of its input, borrowed for the places' life; records of one input are
 *               consecutive
 * @param place  as of th_record_input_place
 * @return TH_OK; TH_IO; TH_NOMEM
 */
th_status th_record_locations_add(th_record_locations *places, const char *path,
                                  const char *place, th_error *err);

/** Returns "FILE: line 17" of a record that was added, with the first 400 bytes of FILE.
 * TH_OK or TH_IO */
th_status th_record_locations_text(th_record_locations *places, uint32_t number,
                                   char text[TH_FULL_PLACE_MAX], th_error *err);

#endif
