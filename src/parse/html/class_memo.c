/* A table with one place for each class. A 64-bit hash identifies it. */
#include "parse/html/class_memo.h"

#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

void th_class_memo_begin(th_class_memo *memo)
{
    memset(memo, 0, sizeof *memo);
}

th_class_facts *th_class_memo_find(th_class_memo *memo, th_view words)
{
    const uint64_t hash = XXH3_64bits(words.data, words.len);
    th_class_facts *const facts = &memo->slots[hash % TH_CLASS_MEMO_SLOTS];
    if (facts->hash != hash)
        *facts = (th_class_facts){ .hash = hash };
    return facts;
}
