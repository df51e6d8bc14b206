/*
 * Bit-parallel longest common subsequence [Hyyrö 2004], on stretches that are small
 * enough; the others are cut at anchors, as patience diff does.
 */
#include "lab/segmentation/alignment.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Bits of the largest table: 50 MB. */
static const uint64_t cells_max = 400000000;

/* A stretch of both lists that is still to be aligned. */
struct stretch {
    uint32_t a0, a1, b0, b1;
};

struct aligning {
    const uint64_t *a, *b;
    uint32_t *partner;
    struct stretch *todo;
    size_t todo_count, todo_capacity;
};

static th_status push(struct aligning *aligning, struct stretch stretch)
{
    if (aligning->todo_count == aligning->todo_capacity) {
        const size_t capacity =
            aligning->todo_capacity ? 2 * aligning->todo_capacity : 64;
        struct stretch *todo = realloc(aligning->todo, capacity * sizeof *todo);
        if (!todo)
            return TH_NOMEM;
        aligning->todo = todo;
        aligning->todo_capacity = capacity;
    }
    aligning->todo[aligning->todo_count++] = stretch;
    return TH_OK;
}

/* ---- small stretches ---- */

/* A word and its position. */
struct place {
    uint64_t word;
    uint32_t at;
};

static int by_word(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    if (a->word != b->word)
        return (a->word > b->word) - (a->word < b->word);
    return (a->at > b->at) - (a->at < b->at);
}

/* First place of a word in a sorted list, `count` when it has none. */
static size_t lower_bound(const struct place *places, size_t count, uint64_t word)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (places[middle].word < word)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && places[low].word == word ? low : count;
}

/*
 * Computes the next row: row + keep | row - keep, where keep = row & match. Bit i of row
 * j is 0 if the common subsequence of a[0..i] and b[0..j) is longer than the one for
 * a[0..i).
 */
static void next_row(const uint64_t *row, const uint64_t *match, uint64_t *next,
                     size_t width)
{
    uint64_t carry = 0;
    for (size_t i = 0; i < width; i++) {
        const uint64_t keep = row[i] & match[i];
        const uint64_t sum = row[i] + keep;
        const uint64_t total = sum + carry;
        carry = (sum < row[i]) | (total < sum);
        next[i] = total | (row[i] & ~match[i]);
    }
}

static bool is_set(const uint64_t *row, uint32_t bit)
{
    return row[bit / 64] >> bit % 64 & 1;
}

static void walk_back(struct aligning *aligning, struct stretch s, const uint64_t *rows,
                      size_t width)
{
    uint32_t i = s.a1 - s.a0, j = s.b1 - s.b0;
    while (i && j) {
        if (is_set(rows + j * width, i - 1)) {
            i--;
        } else if (!is_set(rows + (j - 1) * width, i - 1)) {
            j--;
        } else {
            i--;
            j--;
            aligning->partner[s.a0 + i] = s.b0 + j;
        }
    }
}

static th_status align_small(struct aligning *aligning, struct stretch s)
{
    const size_t count_a = s.a1 - s.a0, count_b = s.b1 - s.b0;
    const size_t width = (count_a + 63) / 64;
    struct place *places = malloc(count_a * sizeof *places);
    uint64_t *match = calloc(width, sizeof *match);
    uint64_t *rows = malloc((count_b + 1) * width * sizeof *rows);
    const th_status status = places && match && rows ? TH_OK : TH_NOMEM;
    if (status != TH_OK)
        goto done;
    for (uint32_t i = 0; i < count_a; i++)
        places[i] = (struct place){ aligning->a[s.a0 + i], i };
    qsort(places, count_a, sizeof *places, by_word);
    memset(rows, 0xFF, width * sizeof *rows);
    for (size_t j = 0; j < count_b; j++) {
        const uint64_t word = aligning->b[s.b0 + j];
        const size_t first = lower_bound(places, count_a, word);
        size_t end = first;
        for (; end < count_a && places[end].word == word; end++)
            match[places[end].at / 64] |= (uint64_t)1 << places[end].at % 64;
        next_row(rows + j * width, match, rows + (j + 1) * width, width);
        for (size_t k = first; k < end; k++)
            match[places[k].at / 64] = 0;
    }
    walk_back(aligning, s, rows, width);
done:
    free(places);
    free(match);
    free(rows);
    return status;
}

/* ---- large stretches ---- */

/* Finds groups of n words that occur once in a list, and sorts them. @return how many */
static size_t unique_groups(const uint64_t *words, uint32_t first, uint32_t end,
                            uint32_t n, struct place *out)
{
    size_t count = 0;
    for (uint32_t i = first; i + n <= end; i++) {
        uint64_t group = 0;
        for (uint32_t j = 0; j < n; j++)
            group = (group ^ words[i + j]) * 0x9E3779B97F4A7C15u + (group >> 29);
        out[count++] = (struct place){ group, i };
    }
    if (count > 1)
        qsort(out, count, sizeof *out, by_word);
    size_t kept = 0;
    for (size_t i = 0; i < count;) {
        size_t next = i + 1;
        while (next < count && out[next].word == out[i].word)
            next++;
        if (next == i + 1)
            out[kept++] = out[i];
        i = next;
    }
    return kept;
}

/* A place in either list. */
struct anchor {
    uint32_t a, b;
    size_t before; /* in the chain; SIZE_MAX: the first */
};

static int by_a(const void *left, const void *right)
{
    const struct anchor *x = left, *y = right;
    return (x->a > y->a) - (x->a < y->a);
}

/* Longest chain of anchors that rises in b too (patience sorting). Moves it to the front.
 * @return its length */
static size_t rising_chain(struct anchor *anchors, size_t count, size_t *ends)
{
    size_t piles = 0;
    for (size_t k = 0; k < count; k++) {
        size_t low = 0, high = piles;
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            if (anchors[ends[middle]].b < anchors[k].b)
                low = middle + 1;
            else
                high = middle;
        }
        anchors[k].before = low ? ends[low - 1] : SIZE_MAX;
        ends[low] = k;
        piles += low == piles;
    }
    /* The chain's members are in rising order, so each moves to the left or stays. */
    size_t at = piles ? ends[piles - 1] : SIZE_MAX;
    for (size_t k = piles; k > 0; k--) {
        ends[k - 1] = at;
        at = anchors[at].before;
    }
    for (size_t k = 0; k < piles; k++)
        anchors[k] = anchors[ends[k]];
    return piles;
}

static size_t join(const struct place *left, size_t left_count, const struct place *right,
                   size_t right_count, struct anchor *out)
{
    size_t count = 0;
    for (size_t i = 0, j = 0; i < left_count && j < right_count;) {
        if (left[i].word == right[j].word)
            out[count++] = (struct anchor){ .a = left[i].at, .b = right[j].at };
        const bool is_left = left[i].word <= right[j].word;
        const bool is_right = right[j].word <= left[i].word;
        i += is_left;
        j += is_right;
    }
    if (count > 1)
        qsort(out, count, sizeof *out, by_a);
    return count;
}

/* Matches the anchors and leaves the stretches between them to do. */
static th_status cut_at(struct aligning *aligning, struct stretch s,
                        const struct anchor *anchors, size_t count)
{
    th_status status = TH_OK;
    uint32_t i = s.a0, j = s.b0;
    for (size_t k = 0; k < count && status == TH_OK; k++) {
        aligning->partner[anchors[k].a] = anchors[k].b;
        status = push(aligning, (struct stretch){ i, anchors[k].a, j, anchors[k].b });
        i = anchors[k].a + 1;
        j = anchors[k].b + 1;
    }
    return status == TH_OK ? push(aligning, (struct stretch){ i, s.a1, j, s.b1 })
                           : status;
}

static th_status cut_large(struct aligning *aligning, struct stretch s)
{
    static const uint32_t widths[] = { 4, 2, 1 };
    const size_t count_a = s.a1 - s.a0, count_b = s.b1 - s.b0;
    const size_t fewer = count_a < count_b ? count_a : count_b;
    struct place *left = malloc(count_a * sizeof *left);
    struct place *right = malloc(count_b * sizeof *right);
    struct anchor *anchors = malloc(fewer * sizeof *anchors);
    size_t *ends = malloc(fewer * sizeof *ends);
    size_t count = 0;
    th_status status = left && right && anchors && ends ? TH_OK : TH_NOMEM;
    for (int i = 0; i < 3 && count == 0 && status == TH_OK; i++) {
        const size_t left_count = unique_groups(aligning->a, s.a0, s.a1, widths[i], left);
        const size_t right_count =
            unique_groups(aligning->b, s.b0, s.b1, widths[i], right);
        count = join(left, left_count, right, right_count, anchors);
        count = rising_chain(anchors, count, ends);
    }
    if (status == TH_OK && count) {
        status = cut_at(aligning, s, anchors, count);
    } else if (status == TH_OK) { /* no anchor: cut in halves */
        const uint32_t i = s.a0 + (s.a1 - s.a0) / 2, j = s.b0 + (s.b1 - s.b0) / 2;
        status = push(aligning, (struct stretch){ s.a0, i, s.b0, j });
        if (status == TH_OK)
            status = push(aligning, (struct stretch){ i, s.a1, j, s.b1 });
    }
    free(left);
    free(right);
    free(anchors);
    free(ends);
    return status;
}

static struct stretch trim(struct aligning *aligning, struct stretch s)
{
    while (s.a0 < s.a1 && s.b0 < s.b1 && aligning->a[s.a0] == aligning->b[s.b0])
        aligning->partner[s.a0++] = s.b0++;
    while (s.a0 < s.a1 && s.b0 < s.b1 && aligning->a[s.a1 - 1] == aligning->b[s.b1 - 1])
        aligning->partner[--s.a1] = --s.b1;
    return s;
}

th_status th_align(const uint64_t *a, uint32_t count_a, const uint64_t *b,
                   uint32_t count_b, uint32_t *partner)
{
    struct aligning aligning = { .a = a, .b = b, .partner = partner };
    memset(partner, 0xFF, count_a * sizeof *partner);
    th_status status = push(&aligning, (struct stretch){ 0, count_a, 0, count_b });
    while (status == TH_OK && aligning.todo_count) {
        const struct stretch s = trim(&aligning, aligning.todo[--aligning.todo_count]);
        if (s.a0 == s.a1 || s.b0 == s.b1)
            continue;
        const uint64_t cells = (uint64_t)(s.a1 - s.a0) * (s.b1 - s.b0);
        status = cells <= cells_max ? align_small(&aligning, s) : cut_large(&aligning, s);
    }
    free(aligning.todo);
    return status;
}
