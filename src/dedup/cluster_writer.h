/*
 * Writes the results of a deduplication, as JSON lines or a list of ids. Representatives
 * are in the order of age. So are the members after each.
 */
#ifndef TH_CLUSTER_WRITER_H
#define TH_CLUSTER_WRITER_H

#include "dedup/duplicate_finder.h"

/** Takes bytes: pieces of a MiB and at most a line more, and the rest at the end. A packed
 * piece ends with an object. */
typedef th_status (*th_dedup_write)(void *context, th_view bytes, th_error *err);

typedef enum th_dedup_output {
    TH_DEDUP_CLUSTERS, /* {"representative":{id url date},"size":N,"members":[...]} */
    TH_DEDUP_PAIRS,    /* {"id_a","url_a","id_b","url_b","jaccard","exact"} */
    TH_DEDUP_DROP,     /* an id a line, {"id"} if packed: every member except the
                        * representative */
} th_dedup_output;

/** The names clusters, pairs, drop, in that order; the last row is NULL. */
extern const char *const th_dedup_output_names[];

/** Classes of cluster sizes: 2, 3-4, 5-8, ... 2^i+1 to 2^(i+1). */
enum { TH_SIZE_CLASSES = 32, TH_LARGEST_CLUSTERS = 10 };

typedef struct th_cluster_sizes {
    uint64_t clusters;  /* with two or more records */
    uint64_t clustered; /* records in them */
    uint64_t classes[TH_SIZE_CLASSES];
    uint32_t largest[TH_LARGEST_CLUSTERS];         /* sizes, largest first; 0 = no more */
    uint32_t representatives[TH_LARGEST_CLUSTERS]; /* their ranks */
} th_cluster_sizes;

/** Lists of every set's members: 8 bytes a record, 12 while the lists are made. */
typedef struct th_clusters {
    uint32_t *sizes; /* of the set, at its root */
    uint32_t *next;  /* the member after this one, UINT32_MAX at the end */
    uint32_t count;  /* records */
    th_cluster_sizes summary;
} th_clusters;

/** Lists the members of every set. TH_OK or TH_NOMEM */
th_status th_clusters_init(th_clusters *clusters, th_union_find *sets, th_error *err);
void th_clusters_done(th_clusters *clusters);

/**
 * Writes all results, after th_duplicate_finder_find.
 * @param output     pairs only when options.kept is TH_KEEP_PAIRS
 * @param is_packed  packed objects (base/json.h) instead of lines
 * @return TH_OK, the error of `write`, TH_IO, TH_NOMEM or TH_INTERRUPTED
 */
th_status th_clusters_write(th_duplicate_finder *finder, const th_clusters *clusters,
                            th_dedup_output output, bool is_packed, th_dedup_write write,
                            void *context, uint64_t *line_count, th_error *err);

#endif
