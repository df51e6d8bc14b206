/*
 * Creates an index from settings. The scheme is the scheme of the first signed text. In
 * addition to `distinct`, which can be a guess, `main` is compared.
 */
#include "app/index_settings.h"

#include <string.h>

/*
 * Shares of slots at which pages count as near-duplicates, unless set: 4 of 8 for the
 * paper's rule [CKP08 §5.2], else the usual share for cleaning crawls.
 */
#define THRESHOLD_PAPER 0.5
#define THRESHOLD 0.8

static th_status make_scheme(const th_settings *settings, th_index_scheme *scheme,
                             th_error *err)
{
    const uint32_t sign = th_sign_first(settings->page.sign);
    if (sign == TH_SIGN_COUNT)
        return th_fail(err, TH_USAGE, "index needs a signed text: sign must not be none");
    th_minhash_preset preset;
    const th_status status = th_minhash_parse(settings->page.minhash, &preset, err);
    if (status != TH_OK && status != TH_NOT_WANTED)
        return status;
    const bool has_other =
        sign == TH_SIGN_DISTINCT && settings->page.sign & 1u << TH_SIGN_MAIN;
    return th_index_scheme_init(scheme, status == TH_OK ? &preset : NULL, sign,
                                has_other ? TH_SIGN_MAIN : TH_SIGN_COUNT,
                                settings->index.bits, err);
}

th_status th_settings_open_index(const th_settings *settings, th_warning_fn warn,
                                 void *warn_context, th_index **out, th_error *err)
{
    const th_index_settings *index = &settings->index;
    th_index_options options = { .dir = index->path,
                                 .threshold = index->threshold,
                                 .epoch_seconds = index->epoch,
                                 .segment_pages = index->segment_pages,
                                 .keep_epochs = index->keep,
                                 .accepts_damage = index->repair,
                                 .warn = warn,
                                 .warn_context = warn_context };
    *out = NULL;
    if (!*index->path)
        return TH_OK;
    const th_status status = make_scheme(settings, &options.scheme, err);
    if (status != TH_OK)
        return status;
    if (options.threshold < 0)
        options.threshold =
            options.scheme.preset.slots <= 8 ? THRESHOLD_PAPER : THRESHOLD;
    return th_index_open(&options, out, err);
}

th_status th_settings_fit_index(const th_settings *settings, const th_index *index,
                                th_error *err)
{
    th_index_scheme scheme;
    if (!index)
        return TH_OK;
    const th_status status = make_scheme(settings, &scheme, err);
    if (status != TH_OK)
        return status;
    return th_index_scheme_digest(&scheme) ==
                   th_index_scheme_digest(th_index_scheme_of(index))
               ? TH_OK
               : th_fail(err, TH_USAGE,
                         "minhash, sign and index.bits cannot change while an index is "
                         "open");
}
