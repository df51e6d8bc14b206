/* The stages of one page: parse, segment, select, sketch. Without threads and files. */
#ifndef TH_PIPELINE_H
#define TH_PIPELINE_H

#include "page/record.h"
#include "site/site_recall.h"

/** Parser, decoders and arena of one worker; not thread-safe. */
typedef struct th_pipeline th_pipeline;

/**
 * Creates a pipeline.
 * @param opt  checked; borrowed while the pipeline lives
 * @return NULL if out of memory
 */
th_pipeline *th_pipeline_new(const th_options *opt);
void th_pipeline_free(th_pipeline *pipeline);

/** Sets the table of sites for later pages; borrowed while the pipeline lives. NULL
 * disables it. */
void th_pipeline_set_sites(th_pipeline *pipeline, const th_site_lookup *sites);

/** Makes the pipeline only parse later pages. */
void th_pipeline_parse_only(th_pipeline *pipeline);

/** Sets a callback that reports the memory of a page, like th_arena_set_meter. */
void th_pipeline_set_meter(th_pipeline *pipeline, th_arena_meter meter, void *context);

/** Forgets the last page and releases its memory. */
void th_pipeline_release_memory(th_pipeline *pipeline);

/**
 * Runs a record through all stages.
 * @param record  borrowed; must outlive `out`
 * @param out     a page, or a rejection with its reason; valid until the next call
 * @return TH_OK, also for a rejected record (see out->status); TH_NOMEM: stop the run
 */
th_status th_pipeline_run(th_pipeline *pipeline, const th_record *record,
                          th_annotated *out);

#endif
