/* Names of rendered copies. See the header. */
#include "page/rendered_name.h"

#include <string.h>

th_rendered_kind th_rendered_kind_of(th_view url, th_view *page)
{
    static const struct {
        const char *prefix;
        th_rendered_kind kind;
    } rows[] = { { "urn:text:", TH_RENDERED_TEXT },
                 { "urn:textFinal:", TH_RENDERED_TEXT_FINAL },
                 { "urn:dom:", TH_RENDERED_DOM },
                 { "urn:domFinal:", TH_RENDERED_DOM_FINAL } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const size_t len = strlen(rows[i].prefix);
        if (url.len > len && memcmp(url.data, rows[i].prefix, len) == 0) {
            *page = (th_view){ url.data + len, url.len - len };
            return rows[i].kind;
        }
    }
    return TH_RENDERED_NONE;
}
