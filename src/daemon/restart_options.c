/*
 * Workers take new options with their next batch: the members of th_options, which
 * control how a page is read and processed. Inputs, outputs and the daemon itself keep
 * their initial options, except the log's level, which can change. Workers in separate
 * processes (isolation) keep the options from when the daemon started.
 */
#include "daemon/restart_options.h"

#include <string.h>

static bool is_reloadable(const th_option *option, bool is_isolated)
{
    const size_t page = offsetof(th_settings, page);
    if (strcmp(option->key, "max-record") == 0) /* the input's */
        return false;
    if (strcmp(option->key, "daemon.log-level") == 0)
        return true;
    if (is_isolated)
        return false;
    if (strcmp(option->key, "segmenter-model") == 0 ||
        strcmp(option->key, "content-model") == 0) /* read again */
        return true;
    return option->offset >= page && option->offset < page + sizeof(th_options);
}

static size_t size_of(th_option_type type)
{
    switch (type) {
    case TH_OPTION_SIZE:
        return sizeof(uint64_t);
    case TH_OPTION_NUMBER:
    case TH_OPTION_SET:
        return sizeof(uint32_t);
    case TH_OPTION_REAL:
        return sizeof(double);
    case TH_OPTION_SWITCH:
        return sizeof(uint8_t);
    case TH_OPTION_TEXT:
    case TH_OPTION_LIST:
    default:
        return sizeof(const char *);
    }
}

static bool is_same(const th_settings *a, const th_settings *b, const th_option *option)
{
    const char *left = (const char *)a + option->offset;
    const char *right = (const char *)b + option->offset;
    if (option->type != TH_OPTION_TEXT && option->type != TH_OPTION_LIST)
        return memcmp(left, right, size_of(option->type)) == 0;
    const char *texts[2] = { NULL, NULL };
    memcpy(&texts[0], left, sizeof texts[0]);
    memcpy(&texts[1], right, sizeof texts[1]);
    return strcmp(texts[0], texts[1]) == 0;
}

static void add_name(th_buffer *names, const char *prefix, const char *name)
{
    if (names->len)
        th_buffer_append_text(names, ", ");
    th_buffer_append_text(names, prefix);
    th_buffer_append_text(names, name);
}

/* The value that a list of pairs ends up with for a key; NULL: none. */
static const char *value_of(const th_daemon_settings *daemon, const char *key)
{
    const char *value = NULL;
    for (uint32_t i = 0; i < daemon->pair_count; i++)
        if (strcmp(daemon->pairs[i].key, key) == 0)
            value = daemon->pairs[i].value;
    return value;
}

/*
 * Adds the pairs of `a` that differ in `b`, or, with `only_absent`, the pairs that `b`
 * does not have.
 */
static void compare_pairs(const th_daemon_settings *a, const th_daemon_settings *b,
                          bool only_absent, th_buffer *names)
{
    for (uint32_t i = 0; i < a->pair_count; i++) {
        const char *key = a->pairs[i].key;
        const char *mine = value_of(a, key), *other = value_of(b, key);
        if (only_absent ? !other : !other || strcmp(mine, other) != 0)
            add_name(names, "librdkafka.", key);
    }
}

void th_settings_keep_running(th_settings *next, const th_settings *running,
                              th_buffer *names)
{
    const bool is_isolated = th_settings_isolate(running);
    for (const th_option *option = th_option_table; option->key; option++) {
        if (is_reloadable(option, is_isolated) || is_same(next, running, option))
            continue;
        add_name(names, "", option->key);
        memcpy((char *)next + option->offset, (const char *)running + option->offset,
               size_of(option->type));
    }
    compare_pairs(&next->daemon, &running->daemon, false, names);
    compare_pairs(&running->daemon, &next->daemon, true, names);
    next->daemon.pairs = running->daemon.pairs;
    next->daemon.pair_count = running->daemon.pair_count;
}
