/*
 * `thresher eval duplicates CORPUS RECORDS...`: counts the labelled pairs of pages that a
 * signature judges correctly: duplicates found, different pages distinguished, with
 * Wilson's 95% intervals, by family of pairs and length of text. [K11 Table 4.3,
 * docs/measurements/duplicates.md]
 *
 * CORPUS is a folder with pairs.tsv, RECORDS are files of emitted records of its pages,
 * one for each method to compare. The figures match score_duplicates.py: for `paper`
 * presets half of the smaller signature as sets ("4 of 8"), for others at least half of
 * the slots. A pair with a missing signature is not a duplicate. The compared text is
 * `distinct` if a record has it, else `main`. If the template of either page is unknown,
 * `main` is also compared. Pairs that share a page are not independent, so the intervals
 * are somewhat too narrow.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "dedup/record_input.h"
#include "eval/corpus_lines.h"
#include "eval/eval_report.h"
#include "thresher/minhash.h"

enum {
    CELLS = 5, /* of a pair; further ones are notes */
    MOST_GROUPS = 1024,
    LEAST_ROOM = 64,
    MOST_PAIRS = 1 << 24,
    TOLD_FAULTS = 20 /* lines about what cannot be read; all is counted */
};

struct text {
    uint64_t *slots;
    uint32_t slot_count; /* 0: no signature */
};

/* A page in the list of pairs. */
struct page {
    th_view id; /* without <> */
    struct text own, main;
    bool knows_template; /* so that `own` is known, not guessed */
    bool was_seen;
};

struct pair {
    uint32_t pages[2];
    bool is_duplicate;
    th_view family, length;
};

/* Pairs of one label, family and length; an absent family or length stands for all. */
struct group {
    bool is_duplicate;
    th_view family, length;
    uint64_t pairs, right, missing;
};

struct benchmark {
    th_eval_report report;
    struct page *pages; /* sorted by id */
    uint32_t page_count;
    struct pair *pairs;
    uint32_t pair_count, pair_capacity;
    struct group groups[MOST_GROUPS];
    uint32_t group_count;
    uint64_t damaged;        /* records and inputs that could not be read */
    uint64_t records, known; /* of the current input, and of pages in pairs */
    bool is_paper;
    char preset[TH_SIGNING_WORD_MAX];
};

/* ---- the pairs ---- */

static th_view bare(th_view id)
{
    if (id.len > 1 && id.data[0] == '<' && id.data[id.len - 1] == '>')
        return (th_view){ id.data + 1, id.len - 2 };
    return id;
}

static int by_id(const void *left, const void *right)
{
    const th_view a = ((const struct page *)left)->id;
    const th_view b = ((const struct page *)right)->id;
    const size_t len = a.len < b.len ? a.len : b.len;
    const int order = memcmp(a.data, b.data, len);
    return order ? order : (a.len > b.len) - (a.len < b.len);
}

static th_status check_stop(const struct benchmark *b, th_error *err)
{
    return atomic_load(b->report.request->stop)
               ? th_fail(err, TH_INTERRUPTED, "interrupted")
               : TH_OK;
}

/* @return cells found, at most CELLS of them */
static uint32_t cut(th_view line, th_view cells[CELLS])
{
    uint32_t count = 0;
    if (line.len && line.data[line.len - 1] == '\r')
        line.len--;
    const char *at = line.data, *const end = line.data + line.len;
    while (count < CELLS) {
        const char *tab = at < end ? memchr(at, '\t', (size_t)(end - at)) : NULL;
        cells[count++] = (th_view){ at, (size_t)((tab ? tab : end) - at) };
        if (!tab)
            break;
        at = tab + 1;
    }
    return count;
}

static th_status add_pair(struct benchmark *b, const th_view cells[CELLS])
{
    if (b->pair_count == b->pair_capacity) {
        const uint32_t capacity = b->pair_capacity ? b->pair_capacity * 2 : LEAST_ROOM;
        struct pair *pairs =
            th_arena_grow(b->report.arena, b->pairs, b->pair_capacity * sizeof *pairs,
                          capacity * sizeof *pairs);
        struct page *pages = th_arena_grow(b->report.arena, b->pages,
                                           (size_t)b->pair_capacity * 2 * sizeof *pages,
                                           (size_t)capacity * 2 * sizeof *pages);
        if (!pairs || !pages)
            return TH_NOMEM;
        b->pairs = pairs;
        b->pages = pages;
        b->pair_capacity = capacity;
    }
    struct pair *pair = &b->pairs[b->pair_count++];
    *pair = (struct pair){ .is_duplicate = th_view_is(cells[2], "dup"),
                           .family = th_arena_copy(b->report.arena, cells[3]),
                           .length = th_arena_copy(b->report.arena, cells[4]) };
    for (int i = 0; i < 2; i++)
        b->pages[b->page_count++] =
            (struct page){ .id = th_arena_copy(b->report.arena, bare(cells[i])) };
    return TH_OK;
}

static th_status read_pairs(struct benchmark *b, const char *path, th_error *err)
{
    th_corpus_lines *reader = NULL;
    th_buffer line = { 0 };
    th_status status = th_corpus_lines_open(path, b->report.request->stop, &reader, err);
    while (status == TH_OK &&
           (status = th_corpus_lines_next(reader, &line, err)) == TH_OK) {
        th_view cells[CELLS];
        const uint32_t count = cut(th_buffer_view(&line), cells);
        if (th_view_is(cells[0], "record_id_a"))
            continue;
        status = check_stop(b, err);
        if (status != TH_OK)
            break;
        if (count != CELLS ||
            (!th_view_is(cells[2], "dup") && !th_view_is(cells[2], "distinct")))
            status = th_fail(err, TH_USAGE, "%s:%" PRIu64 ": not a pair", path,
                             th_corpus_lines_number(reader));
        else if (b->pair_count == MOST_PAIRS)
            status = th_fail(err, TH_USAGE, "'%s' contains more than %d pairs", path,
                             MOST_PAIRS);
        else if (add_pair(b, cells) != TH_OK)
            status = th_fail(err, TH_NOMEM, "out of memory for pairs");
    }
    th_corpus_lines_free(reader);
    th_buffer_done(&line);
    return status == TH_END ? TH_OK : status;
}

/* Two pages were added for each pair. Sorts them and removes repeated ones. */
static th_status number_pages(struct benchmark *b)
{
    th_view *ids =
        th_arena_calloc(b->report.arena, (size_t)b->page_count + 1, sizeof *ids);
    if (!ids || !b->pages)
        return TH_NOMEM;
    for (uint32_t i = 0; i < b->page_count; i++)
        ids[i] = b->pages[i].id;
    qsort(b->pages, b->page_count, sizeof *b->pages, by_id);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < b->page_count; i++)
        if (!kept || by_id(&b->pages[i], &b->pages[kept - 1]) != 0)
            b->pages[kept++] = b->pages[i];
    b->page_count = kept;
    for (uint32_t i = 0; i < 2 * b->pair_count; i++) {
        const struct page wanted = { .id = ids[i] };
        const struct page *found = bsearch(&wanted, b->pages, kept, sizeof wanted, by_id);
        b->pairs[i / 2].pages[i % 2] = (uint32_t)(found - b->pages);
    }
    return TH_OK;
}

/* ---- the records ---- */

/* Reports and counts unreadable input. The rest is measured. */
static void report_damage(struct benchmark *b, const char *place, const char *words)
{
    const th_eval_request *request = b->report.request;
    const uint64_t told = b->damaged++;
    char line[1200];
    if (told > TOLD_FAULTS || !request->warn)
        return;
    (void)snprintf(line, sizeof line, "%.600s: %.500s", place, words);
    request->warn(request->context,
                  told < TOLD_FAULTS ? line : "further invalid records are not listed");
}

/* @return false without memory */
static bool read_text(struct benchmark *b, th_view digits, uint32_t width,
                      struct text *out, th_record_fault *fault)
{
    const size_t count = digits.len / 2 / width;
    out->slots = th_arena_alloc(b->report.arena, (count + 1) * sizeof *out->slots);
    if (!out->slots)
        return false;
    if (th_slots_read(digits, width, out->slots))
        out->slot_count = (uint32_t)count;
    else
        *fault = TH_RECORD_BAD_MINHASH;
    return true;
}

static th_status take_record(struct benchmark *b, const th_record_line *record,
                             const char *place, th_record_fault *fault, th_error *err)
{
    const struct page wanted = { .id = bare(record->id) };
    struct page *page = bsearch(&wanted, b->pages, b->page_count, sizeof wanted, by_id);
    const th_view distinct = record->signatures[TH_SIGN_DISTINCT];
    const th_view main = record->signatures[TH_SIGN_MAIN];
    if (!page)
        return TH_OK;
    b->known++;
    if (page->was_seen)
        return th_fail(err, TH_USAGE, "%s: duplicate record id", place);
    page->was_seen = true;
    if (!distinct.len && !main.len)
        return TH_OK;
    th_minhash_preset preset;
    const th_status status = th_minhash_parse(record->words.preset, &preset, err);
    if (status != TH_OK)
        return status == TH_NOT_WANTED ? TH_USAGE : status;
    if (b->preset[0] && strcmp(b->preset, record->words.preset) != 0)
        return th_fail(err, TH_USAGE, "%s: signature scheme is %s, other records have %s",
                       place, record->words.preset, b->preset);
    memcpy(b->preset, record->words.preset, sizeof b->preset);
    b->is_paper = strncmp(b->preset, "paper", 5) == 0;
    const uint32_t width = preset.slot_bits / 8;
    if (!read_text(b, distinct.len ? distinct : main, width, &page->own, fault) ||
        !read_text(b, main.len ? main : distinct, width, &page->main, fault))
        return th_fail(err, TH_NOMEM, "out of memory for signatures");
    if (*fault != TH_RECORD_NONE)
        page->own = page->main = (struct text){ NULL, 0 };
    page->knows_template = record->knows_template;
    return TH_OK;
}

/* Reads the next record. TH_END also for a damaged input, which has no more records. */
static th_status read_record(struct benchmark *b, th_record_input *input,
                             const char *path, th_record_line *record, th_error *err)
{
    char at[TH_PLACE_MAX], place[512];
    th_record_fault fault = TH_RECORD_NONE;
    th_error wrong = { .text = "" };
    th_status status = check_stop(b, err);
    if (status != TH_OK)
        return status;
    status = th_record_input_next(input, record, &fault, &wrong);
    if (status == TH_BAD_CODING) {
        report_damage(b, path, wrong.text);
        return TH_END;
    }
    if (status != TH_OK && status != TH_END)
        return th_fail(err, status == TH_ABSENT ? TH_USAGE : status, "%.200s: %.300s",
                       path, wrong.text);
    if (status == TH_END)
        return status;
    b->records++;
    th_record_input_place(input, at);
    (void)snprintf(place, sizeof place, "%.400s: %s", path, at);
    if (fault == TH_RECORD_NONE)
        status = take_record(b, record, place, &fault, err);
    if (status == TH_OK && fault != TH_RECORD_NONE)
        report_damage(b, place, th_record_fault_text(fault));
    return status;
}

/* TH_OK; TH_DAMAGED: damage, which was reported, has left nothing to measure. */
static th_status check_known(const struct benchmark *b, const char *path,
                             uint64_t damaged, th_error *err)
{
    if (b->known)
        return TH_OK;
    if (damaged)
        return TH_DAMAGED;
    return b->records ? th_fail(err, TH_USAGE,
                                "%s: not one of its %" PRIu64
                                " records belongs to a page in pairs.tsv",
                                path, b->records)
                      : th_fail(err, TH_USAGE, "%s: contains no record", path);
}

static th_status read_records(struct benchmark *b, const char *path, th_error *err)
{
    th_record_input *input = NULL;
    th_record_line record = { .text = { 0 } };
    const uint64_t damaged_before = b->damaged;
    b->preset[0] = '\0';
    b->records = b->known = 0;
    for (uint32_t i = 0; i < b->page_count; i++)
        b->pages[i] = (struct page){ .id = b->pages[i].id };
    const th_record_input_options options = { .use = TH_RECORD_SIGNATURES,
                                              .max_line = TH_CORPUS_LINE_MAX,
                                              .stop = b->report.request->stop };
    th_status status = th_record_input_open(path, &options, &input, err);
    if (status == TH_ABSENT || status == TH_BAD_CODING) { /* the next file follows */
        report_damage(b, path, err->text);
        status = TH_END;
    }
    while (status == TH_OK)
        status = read_record(b, input, path, &record, err);
    th_record_input_free(input);
    th_record_line_done(&record);
    return status == TH_END ? check_known(b, path, b->damaged - damaged_before, err)
                            : status;
}

/* ---- judgement ---- */

static uint32_t distinct_values(const struct text *text)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < text->slot_count; i++) {
        uint32_t j = 0;
        while (j < i && text->slots[j] != text->slots[i])
            j++;
        count += j == i;
    }
    return count;
}

static uint32_t shared_values(const struct text *a, const struct text *b)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < a->slot_count; i++) {
        uint32_t first = 0, j = 0;
        while (a->slots[first] != a->slots[i])
            first++;
        while (j < b->slot_count && b->slots[j] != a->slots[i])
            j++;
        count += first == i && j < b->slot_count;
    }
    return count;
}

static bool is_alike(const struct benchmark *b, const struct text *x,
                     const struct text *y)
{
    if (b->is_paper) {
        const uint32_t sizes[] = { distinct_values(x), distinct_values(y) };
        const uint32_t min = sizes[0] < sizes[1] ? sizes[0] : sizes[1];
        return shared_values(x, y) >= (min + 1) / 2;
    }
    const uint32_t max = x->slot_count > y->slot_count ? x->slot_count : y->slot_count;
    uint32_t equal = 0;
    for (uint32_t i = 0; i < x->slot_count && i < y->slot_count; i++)
        equal += x->slots[i] == y->slots[i];
    return 2 * equal >= max;
}

/*
 * Compares pages as `dedup --sign auto` does. If the template of either page is unknown,
 * the main texts also count.
 */
static bool is_found(const struct benchmark *b, const struct page *x,
                     const struct page *y)
{
    const bool are_known = x->knows_template && y->knows_template;
    return is_alike(b, &x->own, &y->own) ||
           (!are_known && is_alike(b, &x->main, &y->main));
}

static struct group *group_of(struct benchmark *b, bool is_duplicate, th_view family,
                              th_view length)
{
    for (uint32_t i = 0; i < b->group_count; i++) {
        struct group *group = &b->groups[i];
        if (group->is_duplicate == is_duplicate && th_view_same(group->family, family) &&
            th_view_same(group->length, length))
            return group;
    }
    if (b->group_count == MOST_GROUPS)
        return NULL;
    struct group *group = &b->groups[b->group_count++];
    *group = (struct group){ .is_duplicate = is_duplicate,
                             .family = family,
                             .length = length };
    return group;
}

static th_status judge(struct benchmark *b, th_error *err)
{
    const th_view all = TH_VIEW("all");
    b->group_count = 0;
    for (uint32_t i = 0; i < b->pair_count; i++) {
        if (check_stop(b, err) != TH_OK)
            return TH_INTERRUPTED;
        const struct pair *pair = &b->pairs[i];
        const struct page *x = &b->pages[pair->pages[0]], *y = &b->pages[pair->pages[1]];
        const bool is_missing = !x->own.slot_count || !y->own.slot_count;
        const bool was_found = !is_missing && is_found(b, x, y);
        for (int which = 0; which < 4; which++) {
            struct group *group =
                group_of(b, pair->is_duplicate, which & 1 ? all : pair->family,
                         which & 2 ? all : pair->length);
            if (!group)
                return th_fail(err, TH_USAGE, "more than %d groups of pairs",
                               MOST_GROUPS);
            group->pairs++;
            group->right += was_found == pair->is_duplicate;
            group->missing += is_missing;
        }
    }
    return TH_OK;
}

/* Wilson's interval of a rate, 95%. [Wilson 1927] */
static void wilson(const struct group *group, double *low, double *high)
{
    const double z = 1.959964, n = (double)group->pairs;
    const double p = (double)group->right / n;
    const double middle = p + z * z / (2 * n);
    const double half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n));
    *low = fmax(0, (middle - half) / (1 + z * z / n));
    *high = fmin(1, (middle + half) / (1 + z * z / n));
}

/* ---- the report ---- */

static void report_json(struct benchmark *b, const char *path)
{
    th_json *json = &b->report.json;
    th_json_open_object(json);
    th_json_member_text(json, "records", path);
    th_json_member_text(json, "preset", b->preset);
    th_json_key(json, "groups");
    th_json_open_array(json);
    for (uint32_t i = 0; i < b->group_count; i++) {
        const struct group *group = &b->groups[i];
        double low = 0, high = 1;
        wilson(group, &low, &high);
        th_json_open_object(json);
        th_json_member_text(json, "label", group->is_duplicate ? "dup" : "distinct");
        th_json_member(json, "family", group->family);
        th_json_member(json, "length", group->length);
        th_json_member_uint(json, "pairs", group->pairs);
        th_json_member_uint(json, "right", group->right);
        th_json_member_uint(json, "missing", group->missing);
        th_json_member_decimal(json, "rate", (double)group->right / (double)group->pairs,
                               6);
        th_json_member_decimal(json, "low", low, 6);
        th_json_member_decimal(json, "high", high, 6);
        th_json_close_object(json);
    }
    th_json_close_array(json);
    th_json_close_object(json);
}

static void add_text(th_report_table *table, th_view text)
{
    char cell[64];
    (void)snprintf(cell, sizeof cell, "%.*s", (int)(text.len < 60 ? text.len : 60),
                   text.data);
    th_table_text(table, cell);
}

static th_status report_table(struct benchmark *b, const char *path)
{
    static const char *const heads[] = {
        "pairs that are", "family", "length", "pairs", "missing",
        "rate",           "low",    "high",   NULL
    };
    char title[512];
    th_report_table *table = th_table_new(b->report.arena, heads);
    if (!table)
        return TH_NOMEM;
    th_table_left(table, 1);
    th_table_left(table, 2);
    for (uint32_t i = 0; i < b->group_count; i++) {
        const struct group *group = &b->groups[i];
        double low = 0, high = 1;
        wilson(group, &low, &high);
        th_table_row(table);
        th_table_text(table, group->is_duplicate ? "duplicates" : "different");
        add_text(table, group->family);
        add_text(table, group->length);
        th_table_count(table, group->pairs);
        th_table_count(table, group->missing);
        th_table_number(table, (double)group->right / (double)group->pairs, 3);
        th_table_number(table, low, 3);
        th_table_number(table, high, 3);
    }
    (void)snprintf(title, sizeof title, "%.400s, %.100s", path,
                   b->preset[0] ? b->preset : "no signatures");
    return th_eval_report_table(&b->report, title, table);
}

static th_status measure_all(struct benchmark *b, th_error *err)
{
    const th_eval_request *request = b->report.request;
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/pairs.tsv", request->inputs[0]);
    th_status status = read_pairs(b, path, err);
    if (status == TH_OK && !b->pages)
        status = th_fail(err, TH_USAGE, "%s: no pairs", path);
    if (status == TH_OK)
        status = number_pages(b);
    for (uint32_t i = 1; i < request->input_count && status == TH_OK; i++) {
        status = read_records(b, request->inputs[i], err);
        if (status == TH_DAMAGED) {
            status = TH_OK;
            continue;
        }
        if (status == TH_OK)
            status = judge(b, err);
        if (status == TH_OK && th_eval_report_is_json(&b->report))
            report_json(b, request->inputs[i]);
        else if (status == TH_OK)
            status = report_table(b, request->inputs[i]);
    }
    return status == TH_OK ? check_stop(b, err) : status;
}

static th_status measure(const th_eval_request *request, th_eval_output *output,
                         th_error *err)
{
    if (request->input_count < 2)
        return th_fail(
            err, TH_USAGE,
            "eval duplicates needs CORPUS (with pairs.tsv) and RECORDS (of its pages)");
    struct benchmark *b = calloc(1, sizeof *b);
    if (!b)
        return th_fail(err, TH_NOMEM, "out of memory");
    th_status status = th_eval_report_begin(&b->report, request, "duplicates", NULL,
                                            "methods", &output->report);
    if (status == TH_OK)
        status = measure_all(b, err);
    output->damaged = b->damaged;
    status = th_eval_report_end(&b->report, status, err);
    free(b);
    return status;
}

const th_eval_kind th_eval_duplicates = {
    .name = "duplicates",
    .inputs = "CORPUS RECORDS...",
    .help = "evaluate record signatures on pairs of known duplicates",
    .measure = measure,
};
