/*
 * Joins pages with their rendered copies (page/rendered_name.h). A copy can be anywhere
 * in the inputs, usually far after its page, so the inputs are read once before: the
 * positions of all copies are collected, and no bytes of them. When a page is read, its
 * copy is read from its position. So the memory does not depend on the distance between
 * both, and the result not on where a run was resumed.
 *
 * A page takes the copies of its URL (both without fragment) from the page's date on, in
 * seconds, until a kind repeats, which is the next capture of the URL. The largest
 * kind among these copies counts.
 */
#ifndef TH_RENDERED_COPIES_H
#define TH_RENDERED_COPIES_H

#include "ingest/batch_builder.h"
#include "ingest/source.h"

/** Maximum number of copies; their pages beyond it keep their own bytes. 48 bytes each. */
enum { TH_RENDERED_COPIES_MAX = 4 << 20 };

/** Values of the option `rendered`, NULL at the end. off: copies are not used. dom: a page
 * is read from the copy of its DOM. text: also from its text, if there is no DOM. only:
 * copies of a DOM are pages, with the URL of their page, and other records are not. */
extern const char *const th_rendered_names[];

/** Where copies are. Everything is borrowed while the copies are in use. */
typedef struct th_rendered_options {
    const char *use; /* of th_rendered_names, except off */
    /* Archives; single records have no copies. For an archive in a WACZ file, all archives
     * of that file are searched. */
    const char *const *inputs;
    uint32_t input_count;
    uint64_t max_record; /* bytes of a copy that are kept */
    uint32_t max_copies; /* 0 for TH_RENDERED_COPIES_MAX */
    th_remote *remote;   /* for remote names; NULL if they cannot be read */
    th_warning_fn warn;  /* may be NULL */
    void *warn_context;
    const atomic_int *stop; /* not 0: give up; may be NULL */
} th_rendered_options;

/**
 * Collects the positions of all copies; for `only` it reads nothing.
 * @param out  freed by th_rendered_copies_free; NULL unless TH_OK
 * @return TH_OK, also if an input cannot be read, which the run reports. TH_NOT_YET for a
 * store that does not answer. TH_INTERRUPTED. TH_NOMEM. Costs one pass over the inputs.
 */
th_status th_rendered_copies_new(const th_rendered_options *options,
                                 th_rendered_copies **out, th_error *err);

void th_rendered_copies_free(th_rendered_copies *copies);

/**
 * Gives a page its copy: `rendered` and `rendered_type`. For `only` it sets the page's URL
 * in a copy, and refuses other records. A copy that cannot be read is a warning.
 * @param record  complete, in the batch; its new bytes are in the batch's arena
 * @return TH_OK. TH_PAUSED and TH_NOT_YET: the same call tries again. TH_NOMEM
 */
th_status th_rendered_copies_join(th_rendered_copies *copies, th_record *record,
                                  th_batch *batch, warc_error *error);

/** Warns of copies that belong to no page, after all pages of all inputs. */
void th_rendered_copies_report(const th_rendered_copies *copies);

#endif
