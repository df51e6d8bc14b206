/* A site's fold by a hash of its registered domain. */
#include "eval/folds/site_of_page.h"

#include <xxhash.h>

#include "base/ascii.h"
#include "parse/url/url.h"

enum { DOMAIN_MAX = 256 };

/* Parts of country domains under which names are registered. */
static const char *const parts[] = { "co",  "com", "org", "net", "gov", "gob", "gouv",
                                     "edu", "ac",  "or",  "ne",  "go",  "gv",  "ltd",
                                     "plc", "me",  "nhs", "sch", "web", "asn", "id" };

/* Where the label begins that ends before `end`. */
static size_t label_start(th_view host, size_t end)
{
    while (end && host.data[end - 1] != '.')
        end--;
    return end;
}

static bool is_part(th_view label)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (th_ascii_is(label, parts[i]))
            return true;
    return false;
}

th_view th_registered_domain(th_view url)
{
    const th_view host = th_url_host(url);
    if (!host.len)
        return host;
    const size_t last = label_start(host, host.len);
    if (last < 2 || th_is_digit(host.data[host.len - 1]) ||
        host.data[host.len - 1] == ']')
        return host;
    const size_t second = label_start(host, last - 1);
    const th_view label = { host.data + second, last - 1 - second };
    const bool is_country = host.len - last == 2;
    const size_t start = is_country && second > 1 && is_part(label)
                             ? label_start(host, second - 1)
                             : second;
    return (th_view){ host.data + start, host.len - start };
}

unsigned th_content_fold(th_view url, th_view id)
{
    th_view name = th_registered_domain(url);
    char lower[DOMAIN_MAX];
    if (!name.len)
        name = id;
    const size_t len = name.len < DOMAIN_MAX ? name.len : DOMAIN_MAX;
    for (size_t i = 0; i < len; i++)
        lower[i] = th_lower(name.data[i]);
    return (unsigned)(XXH3_64bits(lower, len) % TH_CONTENT_FOLDS);
}
