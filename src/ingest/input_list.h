/* What INPUT on the command line stands for: a list of files in a fixed order. */
#ifndef TH_INPUT_LIST_H
#define TH_INPUT_LIST_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/warning.h"
#include "ingest/file_set.h"
#include "remote/remote.h"
#include "thresher/arena.h"
#include "thresher/status.h"

/** Paths in the order they will be read. */
typedef struct th_input_list {
    const char **paths; /* NUL-terminated, in the arena */
    uint32_t count;
    uint32_t capacity;
    uint64_t total_bytes; /* of all of them; pipes count 0 */
    /* Ends of the names that count in a folder, the last NULL; archives unless set. */
    const char *const *name_ends;
    th_warning_fn warn; /* told of links that were followed or passed over; may be NULL */
    void *warn_context;
    th_file_set seen;       /* folders, and the files found in them or named */
    const atomic_int *stop; /* not 0: listing gives up with TH_INTERRUPTED; may be NULL */
    bool takes_remote;      /* remote names are inputs, by `remote` */
    th_remote *remote;      /* NULL: the program was built without libcurl */
    bool takes_records;     /* names of single records are also inputs */
    const char *base;       /* put before the relative names of lists; NULL or "": none */
    th_arena *arena;        /* owned */
} th_input_list;

/** An empty list. TH_OK or TH_NOMEM. */
th_status th_input_list_init(th_input_list *list);
void th_input_list_done(th_input_list *list);

/**
 * Adds the inputs of an argument:
 *   file       that file, with any name
 *   FILE.wacz  each archive in it, by name, as FILE.wacz!MEMBER (ingest/wacz.h). A file
 *              that cannot be listed remains one input, which opening refuses.
 *   directory  every archive below it (.warc .arc, plain, .gz or .zst, .wacz; never
 *              .open), by name, or every file whose name ends with one of name_ends.
 *              Then the targets of its links, in the order in which they were met. A
 *              folder, or a file in one, that the list already has under any name is
 *              skipped, so loops of links end. A file that is named itself always counts.
 *   glob       the files it matches, by name. A pattern without a match is an error.
 *   @list      one input a line, each expanded in the same way, except further lists.
 *              The list may be packed with gzip, and may be remote.
 *   s3://BUCKET/KEY, https://...  that object, or the archives in it if its name ends
 *              with .wacz. If it is missing, reading it reports the error.
 *   s3://BUCKET, s3://.../        every archive below it, by name, as of a directory
 *   ARCHIVE#OFFSET  one record of it (ingest/archive_place.h); in lists also as lines of
 *              an index (ingest/pointer_line.h)
 *   -          stdin
 * @return TH_OK; TH_USAGE or TH_IO with the argument in err; TH_NOT_YET: a store does not
 * answer; TH_NOMEM; TH_INTERRUPTED
 */
th_status th_input_list_add(th_input_list *list, const char *argument, th_error *err);

#endif
