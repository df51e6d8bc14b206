/*
 * Schema version of a bands message that contains all data for comparing its record: the
 * member `schema` of its line. [docs/record.md#band-keys-as-messages]
 */
#ifndef TH_BAND_SCHEMA_H
#define TH_BAND_SCHEMA_H

#define TH_BAND_SCHEMA "thresher-band/1"

#endif
