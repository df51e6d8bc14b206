/*
 * Waits of pointers for archives, by archive name: a thousand pointers into one archive
 * that never arrives cost one wait, not a thousand.
 *
 * A wait ends when the archive has not changed for wait_ms, and after TH_ARCHIVE_PATIENCE
 * times wait_ms in any case. No wait starts for an archive that was unchanged for wait_ms
 * at the first request. An archive that was given up gets a new wait in two cases: no
 * pointer requested it for TH_ARCHIVE_PATIENCE times wait_ms, or it was absent and has
 * arrived since.
 */
#ifndef TH_ARCHIVE_WAITS_H
#define TH_ARCHIVE_WAITS_H

#include "base/warning.h"
#include "kafka/archive_folder.h"

/* Number of archives that are remembered. The least recently requested one is
 * forgotten first. */
enum { TH_ARCHIVE_WAITS = 256, TH_ARCHIVE_PATIENCE = 10 };

typedef struct th_archive_waits th_archive_waits;

/** @param wait_ms  0 to never wait. @return NULL if out of memory */
th_archive_waits *th_archive_waits_new(uint32_t wait_ms);
void th_archive_waits_free(th_archive_waits *waits);

/** Answers of th_archive_waits_query. */
typedef enum th_archive_answer {
    TH_ARCHIVE_WAIT,
    TH_ARCHIVE_WAIT_BEGINS, /* the same, for the first time */
    TH_ARCHIVE_GIVEN_UP,
    TH_ARCHIVE_GIVE_UP, /* the same, for the first time */
} th_archive_answer;

/**
 * Returns whether to wait for something that an archive does not contain yet.
 * @param seen    the archive's present state; NULL if there is no archive
 * @param now     ms of a clock that only moves forward
 * @param now_1970  ms since 1970, to compare with the archive's own time
 */
th_archive_answer th_archive_waits_query(th_archive_waits *waits, const char *name,
                                         const th_file_identity *seen, int64_t now,
                                         int64_t now_1970);

/** Notes that the archive contained the requested record: the next wait is a new one. */
void th_archive_waits_end(th_archive_waits *waits, const char *name);

/** Returns the number of archives given up, since the start. */
uint64_t th_archive_waits_given_up(const th_archive_waits *waits);

/** Reports a text about an archive, whose name may contain any bytes. NULL is legal for
 * `warn`. */
void th_archive_report(th_warning_fn warn, void *context, const char *name,
                       const char *words);

#endif
