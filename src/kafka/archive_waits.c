/* Waits for archives. See the header. */
#include "kafka/archive_waits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
    char *name;
    th_file_identity seen;
    int64_t began, changed, asked; /* ms */
    bool is_given_up;
};

struct th_archive_waits {
    int64_t wait_ms;
    uint64_t given_up;
    struct row rows[TH_ARCHIVE_WAITS];
    uint32_t count;
};

th_archive_waits *th_archive_waits_new(uint32_t wait_ms)
{
    th_archive_waits *waits = calloc(1, sizeof *waits);
    if (waits)
        waits->wait_ms = wait_ms;
    return waits;
}

void th_archive_waits_free(th_archive_waits *waits)
{
    if (!waits)
        return;
    for (uint32_t i = 0; i < waits->count; i++)
        free(waits->rows[i].name);
    free(waits);
}

static struct row *find(th_archive_waits *waits, const char *name)
{
    for (uint32_t i = 0; i < waits->count; i++)
        if (strcmp(waits->rows[i].name, name) == 0)
            return &waits->rows[i];
    return NULL;
}

static void forget(th_archive_waits *waits, struct row *row)
{
    free(row->name);
    *row = waits->rows[--waits->count];
}

static struct row *oldest(th_archive_waits *waits)
{
    struct row *row = &waits->rows[0];
    for (uint32_t i = 1; i < waits->count; i++)
        if (waits->rows[i].asked < row->asked)
            row = &waits->rows[i];
    return row;
}

/* NULL without memory. */
static struct row *add(th_archive_waits *waits, const char *name, int64_t now)
{
    if (waits->count == TH_ARCHIVE_WAITS)
        forget(waits, oldest(waits));
    char *copy = strdup(name);
    if (!copy)
        return NULL;
    struct row *row = &waits->rows[waits->count++];
    *row = (struct row){ .name = copy, .began = now, .changed = now, .asked = now };
    return row;
}

/* Returns whether an existing file was written to a short while ago. A time in the
 * future counts as recent, because clocks of other machines differ. */
static bool is_fresh(const th_archive_waits *waits, const th_file_identity *seen,
                     int64_t now_1970)
{
    const int64_t changed = seen->seconds * 1000 + seen->nanoseconds / 1000000;
    return now_1970 - changed < waits->wait_ms;
}

th_archive_answer th_archive_waits_query(th_archive_waits *waits, const char *name,
                                         const th_file_identity *seen, int64_t now,
                                         int64_t now_1970)
{
    static const th_file_identity none = { .size = 0 };
    const th_file_identity *state = seen ? seen : &none;
    const bool may_change = !seen || is_fresh(waits, seen, now_1970);
    struct row *row = find(waits, name);
    if (row && now - row->asked > waits->wait_ms * TH_ARCHIVE_PATIENCE) {
        forget(waits, row);
        row = NULL;
    }
    const bool is_new = !row;
    if (is_new && (!may_change || !waits->wait_ms || !(row = add(waits, name, now))))
        return TH_ARCHIVE_GIVEN_UP;
    if (!is_new && !th_file_identity_equal(&row->seen, state)) {
        row->changed = now;
        /* The archive has arrived late, and is not complete yet. */
        if (row->is_given_up && th_file_identity_equal(&row->seen, &none)) {
            row->is_given_up = false;
            row->began = now;
        }
    }
    row->seen = *state;
    row->asked = now;
    if (row->is_given_up)
        return TH_ARCHIVE_GIVEN_UP;
    if (now - row->changed < waits->wait_ms &&
        now - row->began < waits->wait_ms * TH_ARCHIVE_PATIENCE && may_change)
        return is_new ? TH_ARCHIVE_WAIT_BEGINS : TH_ARCHIVE_WAIT;
    row->is_given_up = true;
    waits->given_up++;
    return TH_ARCHIVE_GIVE_UP;
}

void th_archive_waits_end(th_archive_waits *waits, const char *name)
{
    struct row *row = waits->count ? find(waits, name) : NULL;
    if (row)
        forget(waits, row);
}

uint64_t th_archive_waits_given_up(const th_archive_waits *waits)
{
    return waits->given_up;
}

void th_archive_report(th_warning_fn warn, void *context, const char *name,
                       const char *words)
{
    char line[640];
    if (!warn)
        return;
    (void)snprintf(line, sizeof line, "archive '%.200s' %.400s", name, words);
    for (char *c = line; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
    warn(context, line);
}
