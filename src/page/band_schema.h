/*
 * The version of a message of the bands topic that holds all its record is compared by: the
 * member `schema` of its line. [docs/record.md#band-keys-as-messages]
 */
#ifndef TH_BAND_SCHEMA_H
#define TH_BAND_SCHEMA_H

#define TH_BAND_SCHEMA "thresher-band/1"

#endif
