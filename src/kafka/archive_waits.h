/*
 * Archives that pointers wait for, each by its name: a thousand pointers into one archive
 * that never comes cost one wait, not a thousand.
 *
 * A wait ends when the archive has not changed for wait_ms, and after TH_ARCHIVE_PATIENCE
 * times wait_ms in any case; for an archive that was there and unchanged for wait_ms when
 * it was first asked for, none begins. An archive that was given up is waited for again
 * when nobody has asked for it for TH_ARCHIVE_PATIENCE times wait_ms, or when it was
 * absent and has come since.
 */
#ifndef TH_ARCHIVE_WAITS_H
#define TH_ARCHIVE_WAITS_H

#include "base/notice.h"
#include "kafka/archive_folder.h"

/* Archives that are remembered: then the one that was asked for longest ago goes. */
enum { TH_ARCHIVE_WAITS = 256, TH_ARCHIVE_PATIENCE = 10 };

typedef struct th_archive_waits th_archive_waits;

/** @param wait_ms  0: nothing is waited for. @return NULL without memory */
th_archive_waits *th_archive_waits_new(uint32_t wait_ms);
void th_archive_waits_free(th_archive_waits *waits);

/** What th_archive_waits_ask answers. */
typedef enum th_archive_answer {
    TH_ARCHIVE_WAIT,
    TH_ARCHIVE_WAIT_BEGINS, /* the same, for the first time */
    TH_ARCHIVE_GIVEN_UP,
    TH_ARCHIVE_GIVE_UP, /* the same, for the first time */
} th_archive_answer;

/**
 * Something that an archive should have is not there: may it come yet?
 * @param seen    the archive as it is; NULL: there is none
 * @param now     ms of a clock that only moves forward
 * @param now_1970  ms since 1970, to compare with the archive's own time
 */
th_archive_answer th_archive_waits_ask(th_archive_waits *waits, const char *name,
                                       const th_file_identity *seen, int64_t now,
                                       int64_t now_1970);

/** The archive had what was wanted: the next wait is a new one. */
void th_archive_waits_end(th_archive_waits *waits, const char *name);

/** Archives given up, since the start. */
uint64_t th_archive_waits_given_up(const th_archive_waits *waits);

/** Says something about an archive, whose name may hold anything. NULL is legal for
 * `notice`. */
void th_archive_tell(th_notice notice, void *context, const char *name,
                     const char *words);

#endif
