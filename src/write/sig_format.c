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
        return th_fail(
            err, TH_USAGE,
            "format minhash-sig needs --output DIR/, because it writes folders");
    if (use->compression != TH_PLAIN)
        return th_fail(err, TH_USAGE, "format minhash-sig does not support compression");
    if (th_minhash_parse(use->page->minhash, &preset, NULL) != TH_OK ||
        strcmp(preset.name, "datatrove") != 0)
        return th_fail(err, TH_USAGE,
                       "format minhash-sig needs --minhash datatrove, not '%s'",
                       use->page->minhash);
    if (!use->page->sign)
        return th_fail(err, TH_USAGE, "format minhash-sig needs a text to --sign");
    if (use->rank >= RANKS || use->input_count > RANKS - use->rank)
        return th_fail(err, TH_USAGE,
                       "rank %u with %u inputs exceeds the last shard number %d",
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
    .help = "datatrove's bucket_BBB/RRRRR.minhash.sig, one shard per input",
    .suffix = "minhash.sig",
    .takes_only_success = true,
    .is_compressing = true,
    .is_sharded = true,
    .not_for_index = "signature files have no field for near-duplicates",
    .not_for_serve = "a shard ends with its input, and a stream does not end",
    .check = check,
    .page = page,
};
