/* Text to settings and back, driven by the option table. */
#include "settings/settings.h"

#include <errno.h>
#include <getopt.h>
#include <ini.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/edit_distance.h"
#include "base/stop.h"
#include "base/stoppable_read.h"
#include "base/unknown_name.h"
#include "language/fasttext.h"
#include "methods/method_names.h"
#include "robots/robots_file.h"

static bool is_number(const th_option *option)
{
    return option->type == TH_OPTION_SIZE || option->type == TH_OPTION_NUMBER ||
           option->type == TH_OPTION_REAL;
}

/* Writes a number that is in the option's range into its field. */
static void put_number(th_settings *settings, const th_option *option, double value)
{
    void *field = (char *)settings + option->offset;
    if (option->type == TH_OPTION_SIZE)
        memcpy(field, &(uint64_t){ (uint64_t)value }, sizeof(uint64_t));
    else if (option->type == TH_OPTION_NUMBER)
        memcpy(field, &(uint32_t){ (uint32_t)value }, sizeof(uint32_t));
    else
        memcpy(field, &value, sizeof value);
}

th_status th_settings_init(th_settings *settings, const th_segmenter *const *segmenters)
{
    size_t rows = 0;
    *settings = (th_settings){ .strings = th_arena_new(0) };
    if (!settings->strings)
        return TH_NOMEM;
    while (th_option_table[rows].key)
        rows++;
    settings->origins =
        th_arena_calloc(settings->strings, rows, sizeof *settings->origins);
    if (!settings->origins)
        return TH_NOMEM;
    th_options_init(&settings->page);
    settings->page.segmenters = segmenters;
    for (const th_option *option = th_option_table; option->key; option++) {
        if (is_number(option))
            put_number(settings, option, option->standard);
        else if (option->type == TH_OPTION_SWITCH)
            memcpy((char *)settings + option->offset, &(bool){ option->standard > 0 },
                   sizeof(bool));
        else if (option->text)
            memcpy((char *)settings + option->offset, &option->text, sizeof option->text);
    }
    return TH_OK;
}

void th_settings_done(th_settings *settings)
{
    th_page_filter_free(settings->page_filter);
    settings->page_filter = NULL;
    th_fasttext_free(settings->fasttext);
    settings->fasttext = NULL;
    th_robots_file_free(settings->robots);
    settings->robots = NULL;
    th_arena_free(settings->strings);
    settings->strings = NULL;
}

static th_status bad_value(const th_option *option, const char *value, const char *why,
                           th_error *err)
{
    return th_fail(err, TH_USAGE, "%s: '%.100s' %s", option->key, value, why);
}

/*
 * Parses decimal digits and one of K, M, G. Values above UINT64_MAX become UINT64_MAX.
 * TH_OK; TH_USAGE: not a number
 */
static th_status parse_number(const char *text, uint64_t *out)
{
    static const char units[] = "KMG";
    if (*text < '0' || *text > '9')
        return TH_USAGE;
    char *end = NULL;
    const unsigned long long number = strtoull(text, &end, 10); /* ULLONG_MAX if above */
    unsigned shift = 0;
    if (*end) {
        const char *unit = strchr(units, *end & ~0x20);
        if (!unit || end[1])
            return TH_USAGE;
        shift = 10 * (unsigned)(unit - units + 1);
    }
    *out = number > UINT64_MAX >> shift ? UINT64_MAX : (uint64_t)number << shift;
    return TH_OK;
}

static bool parse_switch(const char *text, bool *out)
{
    static const char *const yes[] = { "yes", "true", "on", "1" };
    static const char *const no[] = { "no", "false", "off", "0" };
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        if (strcmp(text, yes[i]) == 0 || strcmp(text, no[i]) == 0) {
            *out = strcmp(text, yes[i]) == 0;
            return true;
        }
    }
    return false;
}

/* @param unknown  out: the first unknown name, on failure */
static bool parse_set(const th_names *names, const char *text, uint32_t *out,
                      th_view *unknown)
{
    const size_t count = th_name_number(names, "", 0);
    uint32_t bits = 0;
    for (const char *at = text; *at;) {
        const size_t len = strcspn(at, ",");
        const size_t bit = th_name_number(names, at, len);
        if (bit < count)
            bits |= 1u << bit;
        else if (len == 3 && memcmp(at, "all", 3) == 0)
            bits |= (1u << count) - 1;
        else if (len && !(len == 4 && memcmp(at, "none", 4) == 0)) {
            *unknown = (th_view){ at, len };
            return false;
        }
        at += len + (at[len] == ',');
    }
    *out = bits;
    return true;
}

static th_status set_text(th_settings *settings, const th_option *option,
                          const char *value, th_error *err)
{
    const th_names *names = option->names;
    const th_view name = { value, strlen(value) };
    if (names && names->at == th_segmenter_at) {
        if (!th_segmenter_find(settings->page.segmenters, value))
            return th_fail_segmenter(err, option->key, name, settings->page.segmenters);
    } else if (names &&
               !names->at(names->table, th_name_number(names, value, name.len))) {
        return th_fail_unknown(err, option->key, name, names->at, names->table);
    }
    const th_view copied =
        th_arena_copy(settings->strings, (th_view){ value, strlen(value) + 1 });
    if (!copied.data)
        return th_fail(err, TH_NOMEM, "out of memory for the value of %s", option->key);
    memcpy((char *)settings + option->offset, &copied.data, sizeof copied.data);
    return TH_OK;
}

/* A number as messages print the end of a range: 1K, 0.5, inf. */
static void print_number(const th_option *option, double value, char out[32])
{
    static const char *const units[] = { "", "K", "M", "G", "T", "P", "E" };
    unsigned unit = 0;
    for (; option->type == TH_OPTION_SIZE && value > 0 && unit < 6; unit++) {
        if (fmod(value, 1024) != 0)
            break;
        value /= 1024;
    }
    (void)snprintf(out, 32, "%.15g%s", value, units[unit]);
}

static th_status check_range(const th_option *option, const char *text, double value,
                             th_error *err)
{
    char low[32], high[32];
    if (value >= option->low && value <= option->high)
        return TH_OK;
    print_number(option, option->low, low);
    print_number(option, option->high, high);
    return th_fail(err, TH_USAGE, "%s: '%.100s' is out of range (expected %s to %s)",
                   option->key, text, low, high);
}

static th_status set_real(th_settings *settings, const th_option *option,
                          const char *value, th_error *err)
{
    char *end = NULL;
    const double number = strtod(value, &end);
    if (end == value || *end || isnan(number)) /* strtod reads "nan" */
        return bad_value(option, value, "is not a number", err);
    const th_status status = check_range(option, value, number, err);
    if (status == TH_OK)
        put_number(settings, option, number);
    return status;
}

static th_status set_number(th_settings *settings, const th_option *option,
                            const char *value, th_error *err)
{
    const bool is_size = option->type == TH_OPTION_SIZE;
    uint64_t number = 0;
    th_status status = parse_number(value, &number);
    if (status != TH_OK)
        return bad_value(option, value, is_size ? "is not a size" : "is not a number",
                         err);
    status = check_range(option, value, (double)number, err);
    if (status == TH_OK)
        put_number(settings, option, (double)number);
    return status;
}

/*
 * Rejects an unknown option, and names the nearest known one. Options of a file's section
 * may be named without the section, as in the file.
 */
static th_status fail_unknown_key(const char *section, const char *key, th_error *err)
{
    const char *nearest = NULL;
    size_t min = SIZE_MAX;
    for (const th_option *option = th_option_table; option->key; option++) {
        const size_t len = strlen(option->section);
        const bool is_here = *section && strcmp(option->section, section) == 0 &&
                             strncmp(option->key, section, len) == 0;
        const char *name = option->key + (is_here ? len + 1 : 0);
        const size_t distance = th_edit_distance(key, name);
        if (distance < min && th_name_is_near(key, distance)) {
            min = distance;
            nearest = name;
        }
    }
    return th_fail(err, TH_USAGE, "unknown option '%.100s'%s%s%s", key,
                   nearest ? "; did you mean '" : "", nearest ? nearest : "",
                   nearest ? "'?" : "");
}

static th_status set_value(th_settings *settings, const th_option *option,
                           const char *value, th_error *err)
{
    void *field = (char *)settings + option->offset;
    th_view unknown = { NULL, 0 };
    uint32_t bits = 0;
    bool is_on = false;
    switch (option->type) {
    case TH_OPTION_SIZE:
    case TH_OPTION_NUMBER:
        return set_number(settings, option, value, err);
    case TH_OPTION_REAL:
        return set_real(settings, option, value, err);
    case TH_OPTION_SWITCH:
        if (!parse_switch(value, &is_on))
            return bad_value(option, value, "is not valid (expected yes or no)", err);
        memcpy(field, &is_on, sizeof is_on);
        return TH_OK;
    case TH_OPTION_SET:
        if (!parse_set(option->names, value, &bits, &unknown))
            return th_fail_unknown(err, option->key, unknown, option->names->at,
                                   option->names->table);
        memcpy(field, &bits, sizeof bits);
        return TH_OK;
    case TH_OPTION_TEXT:
    case TH_OPTION_LIST:
    default:
        return set_text(settings, option, value, err);
    }
}

static void print_set(const th_names *names, uint32_t bits, th_buffer *out)
{
    const char *comma = "", *name = NULL;
    if (!bits)
        th_buffer_append_text(out, "none");
    for (size_t i = 0; (name = names->at(names->table, i)); i++) {
        if (bits >> i & 1) {
            th_buffer_append_text(out, comma);
            th_buffer_append_text(out, name);
            comma = ",";
        }
    }
}

static void print_size(uint64_t size, th_buffer *out)
{
    static const char *const units[] = { "", "K", "M", "G" };
    unsigned unit = 0;
    while (unit < 3 && size && size % 1024 == 0) {
        size /= 1024;
        unit++;
    }
    th_buffer_printf(out, "%llu%s", (unsigned long long)size, units[unit]);
}

void th_settings_print(const th_settings *settings, const th_option *option,
                       th_buffer *out)
{
    const void *field = (const char *)settings + option->offset;
    uint64_t size = 0;
    uint32_t number = 0;
    double real = 0;
    bool is_on = false;
    const char *text = NULL;
    switch (option->type) {
    case TH_OPTION_SIZE:
        memcpy(&size, field, sizeof size);
        print_size(size, out);
        break;
    case TH_OPTION_NUMBER:
        memcpy(&number, field, sizeof number);
        th_buffer_printf(out, "%u", number);
        break;
    case TH_OPTION_REAL:
        memcpy(&real, field, sizeof real);
        th_buffer_printf(out, "%g", real);
        break;
    case TH_OPTION_SWITCH:
        memcpy(&is_on, field, sizeof is_on);
        th_buffer_append_text(out, is_on ? "yes" : "no");
        break;
    case TH_OPTION_SET:
        memcpy(&number, field, sizeof number);
        print_set(option->names, number, out);
        break;
    case TH_OPTION_TEXT:
    case TH_OPTION_LIST:
    default:
        memcpy(&text, field, sizeof text);
        th_buffer_append_text(out, text);
    }
}

/*
 * If built without Kafka, its options accept only their present values. So a file that
 * lists every option with its default can be read.
 */
static th_status check_is_same(th_settings *settings, const th_option *option,
                               const char *value, th_error *err)
{
    th_buffer before = { 0 };
    th_buffer after = { 0 };
    th_settings_print(settings, option, &before);
    th_status status = set_value(settings, option, value, err);
    th_settings_print(settings, option, &after);
    if (status == TH_OK && (before.has_failed || after.has_failed))
        status = th_fail(err, TH_NOMEM, "out of memory");
    else if (status == TH_OK &&
             (before.len != after.len ||
              (before.len && memcmp(before.data, after.data, before.len) != 0)))
        status =
            th_fail(err, TH_USAGE,
                    "%s is not possible, because this program was built without Kafka",
                    option->key);
    th_buffer_done(&before);
    th_buffer_done(&after);
    return status;
}

th_status th_settings_set(th_settings *settings, const char *key, const char *value,
                          th_error *err)
{
    const th_option *option = th_option_find(key);
    if (!option)
        return fail_unknown_key("", key, err);
    settings->origins[option - th_option_table] = (th_origin){ NULL, 0 };
    const bool is_left_out = !th_kafka_is_built && strcmp(option->section, "kafka") == 0;
    return is_left_out ? check_is_same(settings, option, value, err)
                       : set_value(settings, option, value, err);
}

/* The context of the INI reader's handler. */
struct loading {
    th_settings *settings;
    const char *path; /* in the settings' memory */
    FILE *file;
    uint32_t line;      /* that is being read, from 1 */
    bool is_at_start;   /* what is read next starts a line */
    th_warning_fn tell; /* gets all errors but the last; NULL: only the first is read */
    th_error err;
    bool has_failed;
};

/* Keeps the error of the line that is being read. Tells the one before it. */
static void fail_line(struct loading *loading, th_status status, const char *text)
{
    if (loading->has_failed && !loading->tell)
        return;
    if (loading->has_failed)
        loading->tell(NULL, loading->err.text);
    loading->has_failed = true;
    th_fail(&loading->err, status, "%s:%u: %s", loading->path, loading->line, text);
}

/* `librdkafka.KEY = VALUE` */
static th_status add_pair(th_settings *settings, const char *key, const char *value,
                          th_error *err)
{
    const th_status status = th_kafka_pair_check((th_kafka_pair){ key, value }, err);
    if (status != TH_OK)
        return status;
    th_daemon_settings *daemon = &settings->daemon;
    const size_t size = daemon->pair_count * sizeof *daemon->pairs;
    th_kafka_pair *pairs = th_arena_grow(settings->strings, daemon->pairs, size,
                                         size + sizeof *daemon->pairs);
    const th_view key_copy =
        th_arena_copy(settings->strings, (th_view){ key, strlen(key) + 1 });
    const th_view value_copy =
        th_arena_copy(settings->strings, (th_view){ value, strlen(value) + 1 });
    if (!pairs || !key_copy.data || !value_copy.data)
        return th_fail(err, TH_NOMEM, "out of memory for librdkafka.%.100s", key);
    pairs[daemon->pair_count++] = (th_kafka_pair){ key_copy.data, value_copy.data };
    daemon->pairs = pairs;
    return TH_OK;
}

/* Sets `name` of a section: the option "section.name", or "name" if that is the key. */
static th_status set_row(th_settings *settings, const char *section, const char *name,
                         const char *value, const th_option **out, th_error *err)
{
    static const char pass[] = "librdkafka.";
    char full[128];
    (void)snprintf(full, sizeof full, "%s.%s", section, name);
    if (strcmp(section, "kafka") == 0 && strncmp(name, pass, sizeof pass - 1) == 0)
        return add_pair(settings, name + sizeof pass - 1, value, err);
    *out = th_option_find(full);
    if (*out)
        return th_settings_set(settings, full, value, err);
    const th_option *option = *out = th_option_find(name);
    if (option && strcmp(option->section, section) != 0)
        return th_fail(err, TH_USAGE, "%s belongs in section [%s], not [%.50s]", name,
                       option->section, section);
    return option ? th_settings_set(settings, name, value, err)
                  : fail_unknown_key(section, name, err);
}

/* Whether a line is neither a section, a row nor a comment. The INI reader only returns the
 * first such line. */
static bool is_invalid(const char *line)
{
    line += strncmp(line, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    if (strchr(" \t\r\n;#", *line)) /* also a continuation */
        return false;
    if (*line == '[')
        return !strchr(line, ']');
    const size_t name = strcspn(line, "=:");
    const char *comment = strstr(line, " ;");
    return !line[name] || (comment && comment < line + name);
}

/*
 * Reads a line for the INI reader, and counts it. The rest of a line that is too long is
 * returned as further lines, which are not counted.
 */
static char *read_line(char *text, int size, void *context)
{
    struct loading *loading = context;
    const bool is_start = loading->is_at_start;
    loading->line += is_start;
    if (!fgets(text, size, loading->file))
        return NULL;
    loading->is_at_start = strchr(text, '\n') != NULL;
    if (is_start && is_invalid(text))
        fail_line(loading, TH_USAGE,
                  "invalid line (expected [section], key = value or a comment)");
    return text;
}

static int load_row(void *context, const char *section, const char *name,
                    const char *value)
{
    struct loading *loading = context;
    const th_option *option = NULL;
    th_error err = { .text = "" };
    if (loading->has_failed && !loading->tell)
        return 0;
    const th_status status =
        set_row(loading->settings, section, name, value, &option, &err);
    if (status == TH_OK && option)
        loading->settings->origins[option - th_option_table] =
            (th_origin){ loading->path, loading->line };
    if (status == TH_OK)
        return 1;
    fail_line(loading, status, err.text);
    return 0;
}

th_status th_settings_load(th_settings *settings, const char *path, th_warning_fn tell,
                           th_error *err)
{
    struct loading loading = { .settings = settings, .is_at_start = true, .tell = tell };
    loading.path =
        th_arena_copy(settings->strings, (th_view){ path, strlen(path) + 1 }).data;
    if (!loading.path)
        return th_fail(err, TH_NOMEM, "out of memory for the name '%s'", path);
    int line = -1;
    loading.file = th_stoppable_stream(path, &th_stop_requested);
    if (loading.file)
        line = ini_parse_stream(read_line, &loading, load_row, &loading);
    /* A folder can be opened, and looks empty: only the read fails. */
    const int why = errno;
    const bool is_read = loading.file && !ferror(loading.file) && line >= 0;
    if (loading.file)
        (void)fclose(loading.file);
    if (!is_read && th_stop_requested)
        return th_fail(err, TH_INTERRUPTED, "interrupted");
    if (!is_read)
        return th_fail(err, TH_IO, "cannot read '%s': %s", path, strerror(why));
    if (line == 0)
        return TH_OK;
    if (loading.has_failed)
        return th_fail(err, loading.err.status, "%s", loading.err.text);
    return th_fail(err, TH_USAGE, "%s:%d: invalid line", path, line);
}

th_status th_settings_fail(const th_settings *settings, const char *key, th_error *err,
                           const char *format, ...)
{
    const th_origin *origin = &settings->origins[th_option_find(key) - th_option_table];
    char text[sizeof err->text];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (!origin->file)
        return th_fail(err, TH_USAGE, "%s", text);
    return th_fail(err, TH_USAGE, "%s:%u: %s", origin->file, origin->line, text);
}

unsigned th_settings_workers(const th_settings *settings)
{
    if (settings->jobs)
        return settings->jobs;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > TH_WORKERS_MAX ? TH_WORKERS_MAX : (unsigned)cores;
}

/*
 * Long options start after the letters, one for each row. The program's options follow.
 */
enum { HELP_ALL = 255, LONG_BASE = 256, MAX_OPTIONS = 192 };

/* Fills getopt's tables from ours, with the rows that are for the command. */
static void fill_getopt(unsigned command, struct option *longs, char *letters)
{
    size_t count = 0;
    size_t letter = 0;
    letters[letter++] = ':'; /* report a missing value as such */
    for (int row = 0; th_option_table[row].key; row++) {
        const th_option *option = &th_option_table[row];
        if (!(option->commands & command))
            continue;
        const bool may_stand_alone =
            option->type == TH_OPTION_SWITCH || option->type == TH_OPTION_LIST;
        const int has_value = may_stand_alone ? optional_argument : required_argument;
        longs[count++] = (struct option){ th_option_name(option, command), has_value,
                                          NULL, LONG_BASE + row };
        if (!option->letter)
            continue;
        letters[letter++] = option->letter;
        if (has_value == required_argument)
            letters[letter++] = ':';
    }
    for (const th_option_alias *alias = th_option_aliases; alias->old_key; alias++) {
        const th_option *option = th_option_find(alias->key);
        if (option->commands & command)
            longs[count++] =
                (struct option){ th_option_alias_name(alias, command), required_argument,
                                 NULL, LONG_BASE + (int)(option - th_option_table) };
    }
    longs[count++] = (struct option){ "config", required_argument, NULL, 'c' };
    longs[count++] = (struct option){ "option", required_argument, NULL, 'o' };
    longs[count++] = (struct option){ "help", no_argument, NULL, 'h' };
    longs[count++] = (struct option){ "help-all", no_argument, NULL, HELP_ALL };
    longs[count] = (struct option){ NULL, 0, NULL, 0 };
    memcpy(letters + letter, "c:o:h", sizeof "c:o:h");
}

static const th_option *option_of(unsigned command, int found)
{
    if (found >= LONG_BASE)
        return &th_option_table[found - LONG_BASE];
    for (const th_option *option = th_option_table; option->key; option++)
        if (option->commands & command && option->letter && option->letter == found)
            return option;
    return NULL;
}

/* -o key=value */
static th_status set_pair(th_settings *settings, const char *pair, th_error *err)
{
    char key[64];
    const size_t len = strcspn(pair, "=");
    if (!pair[len] || len >= sizeof key)
        return th_fail(err, TH_USAGE, "-o '%.100s' is not valid (expected KEY=VALUE)",
                       pair);
    memcpy(key, pair, len);
    key[len] = '\0';
    return th_settings_set(settings, key, pair + len + 1, err);
}

/* Returns the value of an option that is given without one. */
static const char *value_alone(const th_option *option)
{
    return option->type == TH_OPTION_LIST ? "all" : "yes";
}

/* Rejects a word that is not an option of the command, and names the nearest option. */
static th_status fail_unknown_word(unsigned command, const char *word, th_error *err)
{
    static const char *const always[] = { "config", "option", "help", "help-all" };
    char typed[TH_NAME_MAX + 2]; /* a longer one is near no option */
    const char *nearest = NULL;
    size_t min = SIZE_MAX;
    const size_t rows = sizeof always / sizeof *always;
    (void)snprintf(typed, sizeof typed, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    for (size_t i = 0; i < rows || th_option_table[i - rows].key; i++) {
        const th_option *option = i < rows ? NULL : &th_option_table[i - rows];
        if (option && !(option->commands & command))
            continue;
        const char *name = option ? th_option_name(option, command) : always[i];
        const size_t distance = th_edit_distance(typed, name);
        if (distance < min && th_name_is_near(typed, distance)) {
            min = distance;
            nearest = name;
        }
    }
    if (!nearest)
        return th_fail(err, TH_USAGE, "unknown option '%.100s'", word);
    return th_fail(err, TH_USAGE, "unknown option '%.100s'; did you mean '--%s'?", word,
                   nearest);
}

/*
 * Reports a bad option. For several letters in one word, getopt names only the bad
 * letter. A bad word is the argument before the next one.
 */
static th_status fail_option(const char *const *argv, const char *why, th_error *err)
{
    const char *word = argv[optind - 1];
    const bool is_word = optopt == 0 || optopt >= HELP_ALL || strchr("coh", optopt);
    if (is_word)
        return th_fail(err, TH_USAGE, "option '%s' %s", word, why);
    if (optopt <= ' ' || optopt > '~') /* a byte of UTF-8, perhaps */
        return th_fail(err, TH_USAGE, "option '-\\x%02X' %s", optopt & 0xFF, why);
    return th_fail(err, TH_USAGE, "option '-%c' %s", optopt, why);
}

static th_status take_option(th_settings *settings, unsigned command, int found,
                             char **argv, th_error *err)
{
    const th_option *option = NULL;
    switch (found) {
    case 'c':
        return TH_OK; /* read before */
    case 'o':
        return set_pair(settings, optarg, err);
    case HELP_ALL:
        settings->help_all = true;
        return TH_END;
    case 'h':
        return TH_END;
    case ':':
        return fail_option((const char *const *)argv, "needs a value", err);
    case '?':
        return optopt == 0 && strncmp(argv[optind - 1], "--", 2) == 0
                   ? fail_unknown_word(command, argv[optind - 1], err)
                   : fail_option((const char *const *)argv, "is not known", err);
    default:
        option = option_of(command, found);
        return th_settings_set(settings, option->key,
                               optarg ? optarg : value_alone(option), err);
    }
}

th_status th_settings_parse(th_settings *settings, unsigned command, int argc,
                            char **argv, int *first, th_error *err)
{
    struct option longs[MAX_OPTIONS];
    char letters[2 * MAX_OPTIONS];
    th_status status = TH_OK;
    fill_getopt(command, longs, letters);
    opterr = 0;
    /*
     * Two rounds: files first, so that the command line wins regardless of the position
     * of -c. The first round reports a missing value. It moves inputs after the option,
     * and the second round would take one of them for the value.
     */
    for (int round = 0; round < 2; round++) {
        int found;
        optind = 0;
        while (status == TH_OK &&
               (found = getopt_long(argc, argv, letters, longs, NULL)) >= 0) {
            if (round == 0 && found == 'c')
                status = th_settings_load(settings, optarg, NULL, err);
            else if (round == 1 || found == ':')
                status = take_option(settings, command, found, argv, err);
        }
    }
    *first = optind;
    return status;
}
