/* Finds registered domains of hosts, by the Public Suffix List. [publicsuffix.org] */
#include "site/site_name.h"

#include <libpsl.h>
#include <stddef.h>
#include <string.h>
#include <xxhash.h>

#include "base/ascii.h"
#include "parse/url/url.h"

enum { HOST_MAX = 253 };

const char *const th_site_groupings[] = { "domain", "host", NULL };

static bool is_address(const char *host, size_t len)
{
    if (host[0] == '[')
        return true;
    for (size_t i = 0; i < len; i++)
        if (host[i] != '.' && (host[i] < '0' || host[i] > '9'))
            return false;
    return true;
}

static bool name_host(th_view host, th_site_grouping grouping, th_site_name *out)
{
    if (host.len && host.data[host.len - 1] == '.')
        host.len--;
    if (!host.len || host.len > HOST_MAX || memchr(host.data, '\0', host.len))
        return false;
    for (size_t i = 0; i < host.len; i++)
        out->text[i] = th_lower(host.data[i]);
    out->text[host.len] = '\0';
    out->len = (uint32_t)host.len;
    if (grouping == TH_SITE_DOMAIN && !is_address(out->text, out->len)) {
        const char *domain = psl_registrable_domain(psl_builtin(), out->text);
        if (domain) {
            out->len = (uint32_t)strlen(domain);
            memmove(out->text, domain, (size_t)out->len + 1);
        }
    }
    out->number = XXH3_64bits(out->text, out->len);
    return true;
}

bool th_site_name_of(th_view url, th_site_grouping grouping, th_site_name *out)
{
    return name_host(th_url_host(url), grouping, out);
}

bool th_public_suffix_of(th_view url, char suffix[TH_SITE_NAME_MAX])
{
    th_site_name host;
    if (!name_host(th_url_host(url), TH_SITE_HOST, &host) ||
        is_address(host.text, host.len))
        return false;
    const char *found = psl_unregistrable_domain(psl_builtin(), host.text);
    if (!found)
        return false;
    memcpy(suffix, found, strlen(found) + 1);
    return true;
}

bool th_site_is_address(const th_site_name *host)
{
    return is_address(host->text, host->len);
}

bool th_host_domain_of(const th_site_name *host, bool with_private, th_host_domain *out)
{
    const int type =
        (with_private ? PSL_TYPE_ANY : PSL_TYPE_ICANN) | PSL_TYPE_NO_STAR_RULE;
    *out = (th_host_domain){ NULL, NULL };
    if (th_site_is_address(host))
        return false;
    for (const char *at = host->text; at; at = strchr(at, '.')) {
        at += *at == '.';
        if (psl_is_public_suffix2(psl_builtin(), at, type)) {
            out->suffix = at;
            return true;
        }
        out->domain = at;
    }
    out->domain = NULL;
    return false;
}

bool th_site_name_parse(th_view text, th_site_grouping grouping, th_site_name *out)
{
    const th_view host = th_url_host(text);
    return name_host(host.len ? host : text, grouping, out);
}
