/* A site memory as it was configured. See the header. */
#include "app/site_use.h"

#include <string.h>

static th_status find(void *context, const th_site_name *name, th_site *out)
{
    return th_site_file_find(context, name, out);
}

/* Without data about distinct text, `all` excludes it. */
static th_status sign_without(th_settings *settings, th_error *err)
{
    uint32_t *sign = &settings->page.sign;
    if (*sign == 1u << TH_SIGN_DISTINCT)
        return th_settings_fail(settings, "sign", err,
                                "sign: distinct needs sites, two-pass or sites.path");
    *sign &= ~(1u << TH_SIGN_DISTINCT);
    return TH_OK;
}

th_status th_site_use_signs(th_settings *settings, th_error *err)
{
    if (strcmp(settings->page.sites_rule, "off") == 0)
        return sign_without(settings, err);
    settings->page.sign |= 1u << TH_SIGN_DISTINCT;
    return TH_OK;
}

th_status th_site_use_file(th_settings *settings, const char *path, th_warning_fn warn,
                           void *warn_context, th_site_use *out, th_error *err)
{
    if (!*path)
        return sign_without(settings, err);
    th_status status = th_site_file_open(path, warn, warn_context, &out->file, err);
    if (status == TH_OK)
        status = th_site_file_verify(out->file, err);
    if (status != TH_OK)
        return status;
    out->lookup =
        (th_site_lookup){ .find = find,
                          .context = out->file,
                          .grouping = th_site_file_grouping(out->file),
                          .has_segments = th_site_file_has_segments(out->file) };
    settings->sites.checksum = th_site_file_checksum(out->file);
    return th_site_use_signs(settings, err);
}

bool th_site_use_grows(const th_settings *settings)
{
    return *settings->sites.path != '\0';
}

th_status th_site_use_memory(th_settings *settings, th_warning_fn warn,
                             void *warn_context, th_site_use *out, th_error *err)
{
    const th_sites_settings *sites = &settings->sites;
    const th_site_memory_options options = {
        .dir = sites->path,
        .grouping = strcmp(sites->by, th_site_groupings[TH_SITE_HOST]) == 0
                        ? TH_SITE_HOST
                        : TH_SITE_DOMAIN,
        .has_segments = sites->segments,
        .limits = { .pages = sites->pages, .hashes = sites->hashes, .min = 1 },
        .epoch = sites->epoch,
        .memory = sites->memory,
        .journal_bytes = sites->journal,
        .warn = warn,
        .warn_context = warn_context,
    };
    if (!th_site_use_grows(settings))
        return TH_OK;
    if (*sites->file || sites->two_pass)
        return th_settings_fail(settings, "sites.path", err,
                                "sites.path cannot be combined with sites or two-pass");
    if (sites->segments)
        settings->page.reads |= TH_READS_POSITIONS;
    const th_status status = th_site_memory_open(&options, &out->memory, err);
    return status == TH_OK ? th_site_use_signs(settings, err) : status;
}

const th_site_lookup *th_site_use_lookup(const th_site_use *use)
{
    return use->memory ? th_site_memory_lookup(use->memory)
           : use->file ? &use->lookup
                       : NULL;
}

void th_site_use_done(th_site_use *use)
{
    th_site_file_close(use->file);
    th_site_memory_close(use->memory);
    *use = (th_site_use){ .file = NULL };
}
