/* A site memory as it was configured. See the header. */
#include "app/site_use.h"

#include <string.h>

static th_status find(void *context, const th_site_name *name, th_site *out)
{
    return th_site_file_find(context, name, out);
}

/* Nothing tells what is distinct: `all` is all but that. */
static th_status sign_without(th_settings *settings, th_error *err)
{
    uint32_t *sign = &settings->page.sign;
    if (*sign == 1u << TH_SIGN_DISTINCT)
        return th_settings_fail(settings, "sign", err,
                                "sign: distinct needs sites, two-pass or sites.path");
    *sign &= ~(1u << TH_SIGN_DISTINCT);
    return TH_OK;
}

th_status th_site_use_file(th_settings *settings, const char *path, th_notice notice,
                           void *notice_context, th_site_use *out, th_error *err)
{
    if (!*path)
        return sign_without(settings, err);
    const th_status status =
        th_site_file_open(path, notice, notice_context, &out->file, err);
    if (status != TH_OK)
        return status;
    out->lookup = (th_site_lookup){ .find = find,
                                    .context = out->file,
                                    .grouping = th_site_file_grouping(out->file) };
    settings->sites.checksum = th_site_file_checksum(out->file);
    if (strcmp(settings->page.sites_rule, "off") == 0)
        return sign_without(settings, err);
    settings->page.sign |= 1u << TH_SIGN_DISTINCT;
    return TH_OK;
}

const th_site_lookup *th_site_use_lookup(const th_site_use *use)
{
    return use->file ? &use->lookup : NULL;
}

void th_site_use_done(th_site_use *use)
{
    th_site_file_close(use->file);
    *use = (th_site_use){ .file = NULL };
}
