/*
 * Names of single records: ARCHIVE#OFFSET, with +SKIP where records share a gzip member,
 * and with ,LENGTH where it is known how many bytes of the archive the record takes.
 */
#ifndef TH_ARCHIVE_PLACE_H
#define TH_ARCHIVE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct th_archive_place {
    size_t name_len; /* of the archive's name, which the text begins with */
    uint64_t offset, skip;
    uint64_t length; /* 0: not known */
} th_archive_place;

/**
 * Takes a name apart. A local file whose whole name the text is goes before a record.
 * @return false: it names no single record
 */
bool th_archive_place_read(const char *text, th_archive_place *out);

/** Bytes of a file's name in the name of an input: what stands before the place of a
 * record, and before a member of a WACZ file. */
size_t th_archive_file_len(const char *name);

/** Whether the words of a failure name the input already, as those of a remote object do:
 * "s3://BUCKET/KEY: offset 5: ...". */
bool th_archive_is_named(const char *words, const char *name);

/** What to add to "cannot open NAME" where the name looks like that of a record: "" or
 * "; a record of an archive is ...". */
const char *th_archive_place_hint(const char *name);

#endif
