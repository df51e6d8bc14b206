/* Converts dates as pages state them to ISO 8601, if that is safe. */
#ifndef TH_ISO_DATE_H
#define TH_ISO_DATE_H

#include "thresher/view.h"

enum { TH_ISO_DATE_MAX = 40 }; /* bytes of the longest normalised date, with a margin */

typedef enum th_date_kind {
    TH_DATE_ISO,   /* normalised */
    TH_DATE_OTHER, /* an unknown form, or an ambiguous one */
    TH_DATE_UNSET, /* a database's "no date": 0000-00-00, 0001-01-01T00:00:00 */
} th_date_kind;

/**
 * Normalises a date: YYYY[-MM[-DD[Thh:mm[:ss[.f]][Z|±hh:mm]]]]. Reads these forms:
 *
 * - ISO 8601's calendar dates with any of "-/." between the parts, with a space for the T
 *   and zones as ±hhmm or UTC
 * - YYYYMMDD with and without a time
 * - dates with the month in English letters in any order: RFC 5322, asctime, JavaScript,
 *   "June 5, 2017 3:30 PM"
 *
 * The zone stays as stated and times are not converted. 05/06/2017 is TH_DATE_OTHER.
 * @param text  borrowed for the call; surrounding spaces are ignored
 * @param out   the date, not NUL-terminated. Written only on TH_DATE_ISO
 * @param len   out: its bytes. Written only on TH_DATE_ISO
 * Pure; allocates nothing; no locale; O(length).
 */
th_date_kind th_iso_date(th_view text, char out[TH_ISO_DATE_MAX], size_t *len);

#endif
