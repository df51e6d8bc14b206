/* The section [filter]: read and checked once, before any page. */
#include <stddef.h>
#include <string.h>

#include "pipeline/page_filter.h"
#include "settings/settings.h"
#include "write/format.h"

/* Names the first option that is invalid, with its place in the file. */
static th_status refuse(const th_settings *settings, th_error *err)
{
#define ROW(field, name)                                                                 \
    {                                                                                    \
        "filter." name, offsetof(th_filter_settings, field)                              \
    }
    static const struct {
        const char *key;
        size_t offset;
    } rows[] = { ROW(urls, "urls"),         ROW(not_urls, "not-urls"),
                 ROW(since, "since"),       ROW(until, "until"),
                 ROW(status, "status"),     ROW(media, "media"),
                 ROW(language, "language"), ROW(page_type, "page-type"),
                 ROW(rights, "rights"),     ROW(not_ids, "not-ids") };
#undef ROW
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        th_filter_settings alone = {
            .status = "",
            .media = "",
            .language = "",
            .urls = "",
            .not_urls = "",
            .since = "",
            .until = "",
            .detected = "",
            .suffix = "",
            .page_type = "",
            .rights = "",
            .not_ids = "",
        };
        th_page_filter *filter = NULL;
        th_error why = { .text = "" };
        const void *from = (const char *)&settings->filter + rows[i].offset;
        void *to = (char *)&alone + rows[i].offset;
        memcpy(to, from, sizeof alone.urls);
        const th_status status = th_page_filter_new(&alone, &filter, &why);
        th_page_filter_free(filter);
        if (status == TH_USAGE)
            return th_settings_fail(settings, rows[i].key, err, "%s", why.text);
    }
    return TH_USAGE;
}

th_status th_settings_load_filter(th_settings *settings, th_error *err)
{
    th_page_filter *filter = NULL;
    if (!*settings->filter.status && th_format_find(settings->format)->takes_only_success)
        settings->filter.status = "2xx";
    const th_status status = th_page_filter_new(&settings->filter, &filter, err);
    settings->page.filter = settings->page_filter = filter;
    if (filter && *settings->filter.rights)
        settings->page.reads |= TH_READS_RIGHTS;
    return status == TH_USAGE ? refuse(settings, err) : status;
}
