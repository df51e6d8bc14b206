/* The section [filter]: read and checked once, before any page. */
#include "page_filter.h"
#include "settings/settings.h"

th_status th_settings_load_filter(th_settings *settings, th_error *err)
{
    th_page_filter *filter = NULL;
    const th_status status = th_page_filter_new(&settings->filter, &filter, err);
    settings->page.filter = settings->page_filter = filter;
    return status;
}
