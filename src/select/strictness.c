/* Named thresholds and scores of the learned classifier. */
#include "select/strictness.h"

#include <stdbool.h>
#include <string.h>

#define SCORE(hundredths) ((hundredths)*TH_PROBABILITY_ONE / 100)

static const struct {
    const char *name;
    uint32_t missed;
    uint16_t lowest_cut, highest_cut;
} rows[] = {
    { "balanced", 12, SCORE(25), SCORE(60) },
    { "strict", 4, SCORE(50), SCORE(85) },
    { "wide", 64, SCORE(10), SCORE(40) },
};

/* Reads ".35", "0.35", "1.0": digits after a point. @return whether it is such a
 * number */
static bool read_share(const char *text, uint16_t *score)
{
    uint32_t whole = 0, part = 0, unit = 1;
    for (; *text >= '0' && *text <= '9' && whole <= 1; text++)
        whole = whole * 10 + (uint32_t)(*text - '0');
    if (*text++ != '.' || !*text)
        return false;
    for (; *text >= '0' && *text <= '9' && unit < 10000; text++, unit *= 10)
        part = part * 10 + (uint32_t)(*text - '0');
    const uint32_t value = whole * unit + part;
    if (*text || value > unit)
        return false;
    *score = (uint16_t)(value * TH_PROBABILITY_ONE / unit);
    return true;
}

/* Returns the row with this name, or NULL. */
static const char *known_name(const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strncmp(rows[i].name, name, len) == 0 && !rows[i].name[len])
            return rows[i].name;
    return NULL;
}

/* Reads names with commas between them. */
static th_status read_names(const char *text, th_strictness_list *list)
{
    for (const char *at = text;; at++) {
        const size_t len = strcspn(at, ",");
        const char *name = known_name(at, len);
        for (unsigned i = 0; i < list->count; i++)
            name = name == list->of[i] ? NULL : name;
        if (!name)
            return TH_USAGE;
        list->of[list->count++] = name;
        if (name == rows[0].name) {
            list->of[list->count - 1] = list->of[0];
            list->of[0] = name;
        }
        at += len;
        if (!*at)
            return TH_OK;
    }
}

th_status th_strictness_read(const char *text, th_strictness_list *list)
{
    th_strictness_list own = { 0 };
    uint16_t cut;
    th_status status = TH_OK;
    if (text && read_share(text, &cut))
        own.of[own.count++] = text;
    else
        status = read_names(text ? text : rows[0].name, &own);
    if (list && status == TH_OK)
        *list = own;
    return status;
}

void th_strictness_apply(const char *name, th_content_rules *rules)
{
    uint16_t cut = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0) {
            rules->taste.missed = rows[i].missed;
            rules->lowest_cut = rows[i].lowest_cut;
            rules->highest_cut = rows[i].highest_cut;
            return;
        }
    if (read_share(name, &cut))
        rules->lowest_cut = rules->highest_cut = cut;
}
