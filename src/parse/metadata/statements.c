/* Statements of structured data. See the header. */
#include "parse/metadata/statements.h"

#include "base/array.h"
#include "base/ascii.h"
#include "parse/metadata/tidy_text.h"
#include "parse/url/url.h"

void th_statements_begin(th_statements *statements, th_arena *arena)
{
    *statements =
        (th_statements){ .arena = arena,
                         .lists = th_arena_calloc(arena, 1, sizeof(th_structured)),
                         .bytes_left = TH_STATEMENT_BYTES_MAX };
    statements->has_failed = !statements->lists;
}

th_statement *th_statements_add(th_statements *statements, th_structured_list list,
                                const th_statement *row)
{
    th_structured *const lists = statements->lists;
    if (!lists || statements->has_failed)
        return NULL;
    if (statements->count == TH_STATEMENTS_MAX) {
        statements->flags |= TH_FLAG_STRUCTURED_CUT;
        return NULL;
    }
    if (!TH_ARENA_HAS_CAPACITY(statements->arena, lists->rows[list], lists->counts[list],
                               statements->capacities[list])) {
        statements->has_failed = true;
        return NULL;
    }
    statements->count++;
    th_statement *const added = &lists->rows[list][lists->counts[list]++];
    *added = *row;
    return added;
}

/* Returns space for a text, or NULL. */
static char *reserve(th_statements *statements, size_t len)
{
    if (len > statements->bytes_left) {
        statements->flags |= TH_FLAG_STRUCTURED_CUT;
        return NULL;
    }
    char *const data = th_arena_alloc(statements->arena, len ? len : 1);
    statements->has_failed |= !data;
    statements->bytes_left -= data ? len : 0;
    return data;
}

th_view th_statements_copy(th_statements *statements, th_view text)
{
    char *const data = reserve(statements, text.len);
    if (data && text.len)
        memcpy(data, text.data, text.len);
    return (th_view){ data, data ? text.len : 0 };
}

th_view th_statements_line(th_statements *statements, th_view text, size_t max)
{
    /* A byte that is not UTF-8 becomes three. Texts of a page are UTF-8. */
    const size_t space = text.len < max ? text.len : max;
    char *const data = reserve(statements, space);
    if (!data)
        return (th_view){ NULL, 0 };
    if (th_ascii_trimmed(text).len > max)
        statements->flags |= TH_FLAG_STRUCTURED_CUT;
    const size_t len = th_tidy_text(text, TH_TIDY_PLAIN, data, space);
    statements->bytes_left += space - len;
    return (th_view){ data, len };
}

th_view th_statements_url(th_statements *statements, th_view base, th_view reference)
{
    const th_view url = th_url_resolve(base, reference, statements->arena);
    return th_statements_copy(statements, url.data ? url : TH_VIEW(""));
}
