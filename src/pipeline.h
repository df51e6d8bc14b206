/* The stages of one page: parse, segment, select, sketch. Without threads and files. */
#ifndef TH_PIPELINE_H
#define TH_PIPELINE_H

#include "page/record.h"
#include "site/site_recall.h"

/** Parser, decoders and arena of one worker; not for two threads at once. */
typedef struct th_pipeline th_pipeline;

/**
 * @param opt  checked; borrowed while the pipeline lives
 * @return NULL when there is no memory
 */
th_pipeline *th_pipeline_new(const th_options *opt);
void th_pipeline_free(th_pipeline *pipeline);

/** Sets the table of sites for later pages; borrowed while the pipeline lives. NULL
 * disables it. */
void th_pipeline_set_sites(th_pipeline *pipeline, const th_site_lookup *sites);

/** Makes the pipeline only parse later pages. */
void th_pipeline_parse_only(th_pipeline *pipeline);

/** Tells of the memory that a page takes, as th_arena_set_meter does. */
void th_pipeline_set_meter(th_pipeline *pipeline, th_arena_meter meter, void *context);

/** Forgets the last page and gives its memory back. */
void th_pipeline_rest(th_pipeline *pipeline);

/**
 * Takes a record through all stages.
 * @param record  borrowed; must outlive `out`
 * @param out     a page, or a refusal with its reason; valid until the next call
 * @return TH_OK, also for a refused record (out->status says so); TH_NOMEM: stop the run
 */
th_status th_pipeline_run(th_pipeline *pipeline, const th_record *record,
                          th_annotated *out);

#endif
