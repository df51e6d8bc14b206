/*
 * Emitted records of a synthetic web, for `thresher graph`: any number of pages, the same
 * bytes for the same numbers.
 *
 *     synthetic_web PAGES HOSTS LINKS PERCENT POPULAR SEED | thresher graph -O DIR -
 *
 * The number of a host's pages decreases with its number as 1 / (number + 1)^.6. A page
 * has LINKS links on average. PERCENT of them lead to another host: to the first pages of
 * one of the POPULAR largest hosts by the same law, or in one of eleven cases to any page.
 * Half of the others are navigation (boilerplate, to the host's first ten pages). The web
 * of [K11 Tab. 3.1, 3.2] has 6.19.
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

struct web {
    uint64_t seed;
    uint32_t hosts, popular;
    double *shares;  /* running sum of a host's weight, 1 at the end */
    uint32_t *first; /* page of each host, and the count */
};

static uint64_t draw(struct web *web)
{
    uint64_t z = (web->seed += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static uint32_t below(struct web *web, uint32_t count)
{
    return (uint32_t)(((draw(web) >> 32) * count) >> 32);
}

static uint32_t host_at(const struct web *web, double share)
{
    uint32_t low = 0, high = web->hosts - 1;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (web->shares[middle] > share)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void lay_out(struct web *web, uint32_t pages)
{
    double sum = 0;
    for (uint32_t i = 0; i < web->hosts; i++)
        web->shares[i] = sum += pow(i + 1.0, -0.6);
    for (uint32_t i = 0; i < web->hosts; i++)
        web->shares[i] /= sum;
    for (uint32_t i = 1; i < web->hosts; i++)
        web->first[i] = (uint32_t)(web->shares[i - 1] * (pages - web->hosts)) + i;
    web->first[web->hosts] = pages;
}

static void put_link(uint32_t host, uint32_t local, const char *label, int is_first)
{
    printf("%s{\"url\":\"http://www.host%07" PRIu32 ".example/%" PRIu32
           "\",\"label\":\"%s\"}",
           is_first ? "" : ",", host, local, label);
}

static void put_page(struct web *web, uint32_t host, uint32_t local, uint32_t links,
                     double outside)
{
    const uint32_t pages = web->first[host + 1] - web->first[host];
    const uint32_t count = below(web, 2 * links + 1);
    printf("{\"url\":\"http://www.host%07" PRIu32 ".example/%" PRIu32 "\",\"links\":[",
           host, local);
    for (uint32_t i = 0; i < count; i++) {
        const double lot = (double)(draw(web) >> 11) / 9007199254740992.0;
        if (lot >= outside) {
            const int is_navigation = draw(web) >> 63 == 1;
            const uint32_t max = is_navigation && pages > 10 ? 10 : pages;
            put_link(host, below(web, max), is_navigation ? "boilerplate" : "content",
                     !i);
            continue;
        }
        const double share = lot / outside;
        const int is_any = draw(web) % 11 == 0;
        const uint32_t max = is_any ? web->hosts : web->popular;
        const uint32_t to = host_at(web, share * web->shares[max - 1]);
        put_link(to, is_any ? below(web, web->first[to + 1] - web->first[to]) : 0,
                 "content", !i);
    }
    puts("]}");
}

int main(int argc, char **argv)
{
    if (argc != 7) {
        fputs("usage: synthetic_web PAGES HOSTS LINKS PERCENT POPULAR SEED\n", stderr);
        return 2;
    }
    const uint32_t pages = (uint32_t)strtoul(argv[1], NULL, 10);
    const uint32_t links = (uint32_t)strtoul(argv[3], NULL, 10);
    const double outside = strtod(argv[4], NULL) / 100;
    struct web web = { .hosts = (uint32_t)strtoul(argv[2], NULL, 10),
                       .popular = (uint32_t)strtoul(argv[5], NULL, 10),
                       .seed = strtoull(argv[6], NULL, 10) };
    web.shares = calloc(web.hosts + 1u, sizeof *web.shares);
    web.first = calloc(web.hosts + 1u, sizeof *web.first);
    const bool is_usable = web.shares && web.first && web.hosts && pages >= web.hosts &&
                           web.popular && web.popular <= web.hosts;
    if (is_usable)
        lay_out(&web, pages);
    for (uint32_t host = 0; is_usable && host < web.hosts; host++)
        for (uint32_t i = 0; web.first[host] + i < web.first[host + 1]; i++)
            put_page(&web, host, i, links, outside);
    free(web.shares);
    free(web.first);
    if (!is_usable)
        return 2;
    return fflush(stdout) == 0 ? 0 : 1;
}
