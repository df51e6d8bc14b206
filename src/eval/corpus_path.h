/* Finds the files of a corpus. */
#ifndef TH_CORPUS_PATH_H
#define TH_CORPUS_PATH_H

#include <stdint.h>

#include "thresher/arena.h"
#include "thresher/status.h"

/* Files of a corpus, by kind of measure. Each may also be plain, without ".gz". */
#define TH_CORPUS_PAGES "pages.jsonl.gz" /* pages with gold text */
#define TH_CORPUS_GOLD "gold.jsonl.gz"   /* gold segments of pages.warc.gz */

typedef struct th_corpus_path {
    const char *folder; /* "corpora/extraction/l3s-gn1" */
    /* "l3s-gn1": the folder's name, or the file's if it has another name */
    const char *name;
    const char *file; /* the requested file */
} th_corpus_path;

/**
 * Finds a corpus.
 * @param input  its folder, or the file itself
 * @param file   TH_CORPUS_...
 * @param arena  owns the strings
 * @return TH_OK; TH_IO: there is no such input; TH_USAGE: it has no such file; TH_NOMEM
 */
th_status th_corpus_path_find(const char *input, const char *file, th_arena *arena,
                              th_corpus_path *out, th_error *err);

/** FOLDER/NAME in the arena, NULL without memory. */
const char *th_corpus_path_join(const char *folder, const char *name, th_arena *arena);

/** Returns the length of a file, or 0 if unknown. */
uint64_t th_file_len(const char *path);

#endif
