/*
 * Signatures alone: what a worker hands to a shard of datatrove's layout. These bytes are
 * no file; sig_shard.h says what becomes of them.
 */
#include "write/format.h"
#include "write/sig_shard.h"

static th_status start(const th_format_options *opt, th_view source, th_buffer *out)
{
    (void)opt;
    (void)source;
    (void)out;
    return TH_OK;
}

static th_status page(const th_format_options *opt, const th_annotated *annotated,
                      th_buffer *out)
{
    const th_page *page = annotated->page;
    th_sig_row_put(page->minhash, th_sketch_first(page, opt->page), out);
    return out->has_failed ? TH_NOMEM : TH_OK;
}

const th_format th_sig_format = {
    .name = "minhash-sig",
    .help = "datatrove's bucket_BBB/RRRRR.minhash.sig, one shard an input",
    .is_compressing = true,
    .start = start,
    .page = page,
};
