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
    uint64_t length; /* 0 if unknown */
} th_archive_place;

/**
 * Parses a name. If the whole text is the name of a local file, it is that file, not a
 * record.
 * @return false if it does not name a single record
 */
bool th_archive_place_read(const char *text, th_archive_place *out);

/** Returns the length of the file's name in the name of an input: the text before the
 * location of a record, or before a member of a WACZ file. */
size_t th_archive_file_len(const char *name);

/** Returns whether the words of a failure name the input already, as for a remote object:
 * "s3://BUCKET/KEY: offset 5: ...". */
bool th_archive_is_named(const char *words, const char *name);

/** Returns a hint to add to "cannot open NAME": "; a record of an archive is ..." if the
 * name looks like the name of a record, else "". */
const char *th_archive_place_hint(const char *name);

#endif
