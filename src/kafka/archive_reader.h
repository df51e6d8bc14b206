/*
 * Reads single records from a folder of archives, by the archive's name and the record's
 * offset. Pointers in messages name such records.
 *
 * An archive stays open for the next pointer, as long as it is the same file in the same
 * state. If an archive is missing, or a record runs over its end, the reader waits for
 * it.
 */
#ifndef TH_ARCHIVE_READER_H
#define TH_ARCHIVE_READER_H

#include "ingest/source.h"
#include "warc/warc_diag.h"

/** How pointers into archives are followed. */
typedef struct th_archive_options {
    const char *folder;   /* of an archive reader */
    const char *prefixes; /* of remote archives, as of th_remote_prefixes_read */
    const th_remote_options *store; /* the same: how stores are reached */
    uint32_t wait_ms; /* longest wait for an archive that does not change or cannot be
                       * read, 0 to never wait */
    uint64_t max_record;
    bool verify_digests;
    void (*on_diag)(void *context, const warc_diag *diag); /* may be NULL */
    void *diag_context;
    th_warning_fn
        warn; /* called when a wait begins and when it is given up; may be NULL */
    void *warn_context;
} th_archive_options;

/** For one thread. */
typedef struct th_archive_reader th_archive_reader;

/** Strings are borrowed while the reader lives. @return NULL if out of memory */
th_archive_reader *th_archive_reader_new(const th_archive_options *options);
void th_archive_reader_free(th_archive_reader *reader);

/**
 * Reads the record at `offset` into the batch's next place, without counting it.
 * @param name  relative path without NUL, copied
 * @return TH_OK. TH_NEED_MORE if the caller must ask again later. TH_BAD_WARC if there is
 * no such record, with words in `why`. TH_NOMEM if the batch is void.
 * Cost: one record, and opening a file. Going to the offset and reading the header there
 * take at most TH_READ_LIMIT_LEAST bytes each, packed and unpacked. A record that takes
 * more than TH_READ_LIMIT_LEAST and max_record is cut.
 */
th_status th_archive_reader_take(th_archive_reader *reader, th_view name, uint64_t offset,
                                 th_batch *batch, th_error *why);

/** Returns the number of archives that did not arrive in time, since the start. */
uint64_t th_archive_reader_given_up(const th_archive_reader *reader);

#endif
