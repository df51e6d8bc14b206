/* The header Accept: any bytes. A range for everything accepts all types that the header
 * does not name, and a header without weight 0 in it never refuses them. */
#include <stdlib.h>
#include <string.h>

#include "daemon/accept.h"
#include "fuzz_target.h"

static const char *const types[] = { "application/json", "text/markdown", "text/plain",
                                     "text/html", NULL };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char more[] = ",*/*;q=0.001";
    const th_view accept = { (const char *)data, size };
    const int chosen = th_accept_choose(accept, types);
    if (chosen < -1 || chosen > 3)
        abort();
    char *longer = malloc(size + sizeof more);
    if (!longer)
        return 0;
    memcpy(longer, data, size);
    memcpy(longer + size, more, sizeof more - 1);
    const int with_all =
        th_accept_choose((th_view){ longer, size + sizeof more - 1 }, types);
    /* A more specific range wins, so a chosen type stays chosen, except by an open quote
     * or after nothing but spaces. */
    if (chosen >= 0 && with_all < 0 && !memchr(data, '"', size))
        abort();
    free(longer);
    return 0;
}
