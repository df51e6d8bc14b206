/*
 * Signatures alone, which a worker passes to a shard of datatrove's layout. These bytes
 * are not a file format: sig_shard.h describes the files made from them.
 */
#include <string.h>

#include "write/format.h"
#include "write/sig_shard.h"

enum { RANKS = 100000 }; /* five digits */

static th_status check(const th_format_use *use, th_error *err)
{
    th_minhash_preset preset;
    if (!use->is_folder)
        return th_fail(err, TH_USAGE,
                       "format minhash-sig makes folders: it needs --output DIR/");
    if (use->compression != TH_PLAIN)
        return th_fail(err, TH_USAGE, "format minhash-sig is never compressed");
    if (th_minhash_parse(use->page->minhash, &preset, NULL) != TH_OK ||
        strcmp(preset.name, "datatrove") != 0)
        return th_fail(err, TH_USAGE,
                       "format minhash-sig needs --minhash datatrove, not '%s'",
                       use->page->minhash);
    if (!use->page->sign)
        return th_fail(err, TH_USAGE, "format minhash-sig needs a text to --sign");
    if (use->rank >= RANKS || use->input_count > RANKS - use->rank)
        return th_fail(err, TH_USAGE, "rank %u and %u inputs: shards end at %d",
                       use->rank, use->input_count, RANKS - 1);
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
    .suffix = "minhash.sig",
    .is_compressing = true,
    .is_sharded = true,
    .not_for_index = "a signature has no place for what an index answers",
    .not_for_serve = "a shard ends with its input",
    .check = check,
    .page = page,
};
