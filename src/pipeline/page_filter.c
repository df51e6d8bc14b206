/*
 * Filters. A file of patterns has one per line: a host, which includes its subdomains,
 * or, if it has a '/' or '*', a whole URL in which '*' matches any text. Lines that start
 * with '#' are comments. Hosts are sorted, so a list of a million is as fast as a short
 * one.
 */
#include "pipeline/page_filter.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/iso_date.h"
#include "base/order.h"
#include "base/unknown_name.h"
#include "base/whole_file.h"
#include "content/page_type.h"
#include "pipeline/id_list.h"
#include "site/site_name.h"
#include "xxhash.h"

enum {
    FIRST_STATUS = 100,
    STATUS_COUNT = 500,
    MAX_HOST = 255,
    MAX_PATTERNS = 4096, /* with '*': each is compared with every URL */
    MAX_FILE = 256 << 20,
};

struct patterns {
    char *bytes;        /* of the file, owned */
    size_t len;         /* bytes */
    const char **hosts; /* sorted, lower case, owned */
    size_t host_count;
    const char **globs; /* owned */
    size_t glob_count;
    bool is_set;
};

struct th_page_filter {
    th_filter_settings settings;
    bool statuses[STATUS_COUNT]; /* starting at FIRST_STATUS */
    struct patterns urls, not_urls;
    th_id_list *not_ids; /* NULL: none */
};

/* ---- lists with commas ---- */

/* Finds the next item of a list. Returns false after the last one. */
static bool next_item(const char **at, th_view *item)
{
    while (**at == ',' || **at == ' ')
        (*at)++;
    const size_t len = strcspn(*at, ",");
    *item = th_ascii_trimmed((th_view){ *at, len });
    *at += len;
    return item->len > 0;
}

/* Returns whether a list has the word; false for a word that is NULL. */
static bool has_item(const char *list, const char *word)
{
    th_view item;
    while (word && next_item(&list, &item))
        if (th_ascii_is(item, word))
            return true;
    return false;
}

static th_status read_statuses(th_page_filter *filter, th_error *err)
{
    const char *at = filter->settings.status;
    th_view item;
    while (next_item(&at, &item)) {
        if (th_ascii_is(item, "all")) {
            filter->settings.status = "";
            return TH_OK;
        }
        const bool is_class =
            item.len == 3 && (item.data[1] | 0x20) == 'x' && (item.data[2] | 0x20) == 'x';
        const bool is_number =
            item.len == 3 && th_is_digit(item.data[1]) && th_is_digit(item.data[2]);
        if ((!is_class && !is_number) || item.data[0] < '1' || item.data[0] > '5')
            return th_fail(err, TH_USAGE,
                           "filter.status: '%.*s' is not a status or a class (expected "
                           "200, 2xx or all, for example)",
                           (int)(item.len > 32 ? 32 : item.len), item.data);
        const int base = (item.data[0] - '1') * 100;
        if (is_number)
            filter->statuses[base + (item.data[1] - '0') * 10 + (item.data[2] - '0')] =
                true;
        for (int i = 0; is_class && i < 100; i++)
            filter->statuses[base + i] = true;
    }
    return TH_OK;
}

static th_status check_page_types(const char *list, th_error *err)
{
    th_view item;
    while (next_item(&list, &item)) {
        size_t i = 0;
        while (th_page_type_names[i] && !th_ascii_is(item, th_page_type_names[i]))
            i++;
        if (!th_page_type_names[i])
            return th_fail_unknown(err, "filter.page-type", item, th_name_in_array,
                                   th_page_type_names);
    }
    return TH_OK;
}

/* Returns whether an item of filter.rights is KEY=VALUE. */
static bool is_pair(th_view item)
{
    const char *const equals = memchr(item.data, '=', item.len);
    return equals && equals > item.data && equals + 1 < item.data + item.len;
}

/* Words of filter.rights: directives for robots, then signals. */
static const char *const right_filters[] = {
    "noindex",    "nofollow",        "none",    "noarchive", "nocache",
    "nosnippet",  "noimageindex",    "noai",    "noimageai", "noml",
    "robots.txt", "tdm-reservation", "license", "rsl",       NULL
};

static th_status check_rights(const char *list, th_error *err)
{
    th_view item;
    while (next_item(&list, &item)) {
        size_t i = 0;
        while (right_filters[i] && !th_ascii_is(item, right_filters[i]))
            i++;
        if (!right_filters[i] && !is_pair(item))
            return th_fail_unknown(err, "filter.rights", item, th_name_in_array,
                                   right_filters);
    }
    return TH_OK;
}

/* Checks a date of ISO 8601, with any number of complete parts: YYYY, YYYY-MM, ... A part
 * with one digit would be compared with the first digit of two. */
static th_status check_date(const char *name, const char *date, th_error *err)
{
    static const char form[] = "dddd-dd-ddTdd:dd:ddZ";
    char read[TH_ISO_DATE_MAX];
    size_t len = strlen(date);
    bool is_date = len < sizeof form;
    for (size_t i = 0; i < len && is_date; i++)
        is_date = form[i] == 'd' ? th_is_digit(date[i]) : date[i] == form[i];
    if (is_date && len)
        is_date = th_iso_date((th_view){ date, len }, read, &len) == TH_DATE_ISO &&
                  len == strlen(date);
    return is_date ? TH_OK
                   : th_fail(err, TH_USAGE,
                             "%s: '%.40s' is not a date (expected YYYY, YYYY-MM, "
                             "YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ)",
                             name, date);
}

/* ---- files of patterns ---- */

static th_status read_file(const char *path, struct patterns *patterns, th_error *err)
{
    th_buffer bytes = { 0 };
    const th_status status =
        th_whole_file_read(path, "patterns ", MAX_FILE, TH_IO, &bytes, err);
    th_buffer_append_char(&bytes, '\0');
    patterns->bytes = bytes.data;
    patterns->len = bytes.len - 1;
    return status == TH_OK && bytes.has_failed
               ? th_fail(err, TH_NOMEM, "out of memory for patterns '%s'", path)
               : status;
}

/* Splits the file into lines, in place. */
static th_status sort_lines(const char *path, struct patterns *patterns, th_error *err)
{
    size_t lines = 1;
    for (size_t i = 0; patterns->bytes && i < patterns->len; i++)
        lines += patterns->bytes[i] == '\n';
    patterns->hosts = calloc(lines, sizeof *patterns->hosts);
    patterns->globs = calloc(MAX_PATTERNS, sizeof *patterns->globs);
    if (!patterns->hosts || !patterns->globs)
        return th_fail(err, TH_NOMEM, "out of memory for patterns '%s'", path);
    for (char *at = patterns->bytes; at;) {
        char *end = strchr(at, '\n');
        if (end)
            *end = '\0';
        const th_view line = th_ascii_trimmed((th_view){ at, strlen(at) });
        char *const start = at + (line.data - at);
        at = end ? end + 1 : NULL;
        if (line.len == 0 || *start == '#')
            continue;
        start[line.len] = '\0';
        const bool is_glob = strpbrk(start, "/*") != NULL;
        if (is_glob && patterns->glob_count == MAX_PATTERNS)
            return th_fail(err, TH_USAGE, "patterns '%s': more than %d with '/' or '*'",
                           path, MAX_PATTERNS);
        for (char *c = start; !is_glob && *c; c++)
            *c = th_lower(*c);
        if (is_glob)
            patterns->globs[patterns->glob_count++] = start;
        else
            patterns->hosts[patterns->host_count++] = start;
    }
    qsort(patterns->hosts, patterns->host_count, sizeof *patterns->hosts, th_order_names);
    return TH_OK;
}

static th_status read_patterns(const char *path, struct patterns *patterns, th_error *err)
{
    if (!*path)
        return TH_OK;
    patterns->is_set = true;
    const th_status status = read_file(path, patterns, err);
    return status == TH_OK ? sort_lines(path, patterns, err) : status;
}

static void free_patterns(struct patterns *patterns)
{
    free(patterns->bytes);
    free(patterns->hosts);
    free(patterns->globs);
}

/* Returns whether a pattern with '*' matches the text. Linear except for the retries of
 * the last '*'. */
static bool is_like(const char *pattern, th_view text)
{
    const char *star = NULL;
    size_t at = 0, tried = 0;
    while (at < text.len) {
        if (*pattern == '*') {
            star = pattern++;
            tried = at;
        } else if (*pattern && *pattern == text.data[at]) {
            pattern++;
            at++;
        } else if (star) {
            pattern = star + 1;
            at = ++tried;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

/* Copies the host of a URL in lower case. @return its length, 0 if it has none */
static size_t host_of(th_view url, char host[MAX_HOST + 1])
{
    const char *start = url.data ? memmem(url.data, url.len, "://", 3) : NULL;
    if (!start)
        return 0;
    start += 3;
    const char *const end = url.data + url.len;
    const char *stop = start;
    for (; stop < end && !strchr("/?#", *stop); stop++)
        if (*stop == '@')
            start = stop + 1;
    size_t len = 0;
    for (; start + len < stop && start[len] != ':' && len < MAX_HOST; len++)
        host[len] = th_lower(start[len]);
    host[len] = '\0';
    return len;
}

static bool holds(const struct patterns *patterns, th_view url)
{
    char host[MAX_HOST + 1];
    const size_t len = patterns->host_count ? host_of(url, host) : 0;
    for (const char *label = host; len && label; label = strchr(label, '.')) {
        label += *label == '.';
        if (bsearch(&label, patterns->hosts, patterns->host_count,
                    sizeof *patterns->hosts, th_order_names))
            return true;
    }
    for (size_t i = 0; i < patterns->glob_count; i++)
        if (is_like(patterns->globs[i], url))
            return true;
    return false;
}

/* ---- the filter ---- */

void th_page_filter_free(th_page_filter *filter)
{
    if (!filter)
        return;
    free_patterns(&filter->urls);
    free_patterns(&filter->not_urls);
    th_id_list_free(filter->not_ids);
    free(filter);
}

th_status th_page_filter_new(const th_filter_settings *settings, th_page_filter **out,
                             th_error *err)
{
    *out = NULL;
    if (!*settings->status && !*settings->media && !*settings->language &&
        !*settings->urls && !*settings->not_urls && !*settings->since &&
        !*settings->until && !settings->min_words && !settings->max_words &&
        !*settings->detected && settings->min_share <= 0 && !*settings->suffix &&
        !*settings->page_type && settings->min_quality <= 0 && !*settings->rights &&
        !*settings->not_ids)
        return TH_OK;
    th_page_filter *filter = calloc(1, sizeof *filter);
    if (!filter)
        return th_fail(err, TH_NOMEM, "out of memory for filters");
    filter->settings = *settings;
    th_status status = read_statuses(filter, err);
    if (status == TH_OK)
        status = check_page_types(settings->page_type, err);
    if (status == TH_OK)
        status = check_rights(settings->rights, err);
    if (status == TH_OK)
        status = check_date("filter.since", settings->since, err);
    if (status == TH_OK)
        status = check_date("filter.until", settings->until, err);
    if (status == TH_OK)
        status = read_patterns(settings->urls, &filter->urls, err);
    if (status == TH_OK)
        status = read_patterns(settings->not_urls, &filter->not_urls, err);
    if (status == TH_OK && *settings->not_ids)
        status = th_id_list_read(settings->not_ids, &filter->not_ids, err);
    if (status == TH_OK)
        *out = filter;
    else
        th_page_filter_free(filter);
    return status;
}

uint64_t th_page_filter_checksum(const th_page_filter *filter)
{
    const uint64_t urls =
        filter->urls.is_set ? XXH3_64bits(filter->urls.bytes, filter->urls.len) : 0;
    const uint64_t patterns =
        filter->not_urls.is_set
            ? XXH3_64bits_withSeed(filter->not_urls.bytes, filter->not_urls.len, urls)
            : urls;
    return filter->not_ids ? patterns ^ th_id_list_checksum(filter->not_ids) : patterns;
}

/* Returns whether a date is before another, which may be only a prefix of a date. */
static bool is_before(th_view date, const char *start)
{
    const size_t len = strlen(start) < date.len ? strlen(start) : date.len;
    return memcmp(date.data, start, len) < 0;
}

th_status th_page_filter_record(const th_page_filter *filter, const th_record *record,
                                th_error *err)
{
    if (!filter)
        return TH_OK;
    const th_filter_settings *const wanted = &filter->settings;
    if (filter->not_ids && th_id_list_has(filter->not_ids, record))
        return th_fail(err, TH_FILTER_ID, "id is in filter.not-ids");
    if ((filter->urls.is_set && !holds(&filter->urls, record->url)) ||
        (filter->not_urls.is_set && holds(&filter->not_urls, record->url)))
        return th_fail(err, TH_FILTER_URL, "url %s",
                       filter->not_urls.is_set && holds(&filter->not_urls, record->url)
                           ? "matches filter.not-urls"
                           : "does not match filter.urls");
    char suffix[TH_SITE_NAME_MAX];
    if (*wanted->suffix &&
        !has_item(wanted->suffix,
                  th_public_suffix_of(record->url, suffix) ? suffix : NULL))
        return th_fail(err, TH_FILTER_URL,
                       "host has none of the suffixes in filter.suffix");
    const bool has_date = *wanted->since || *wanted->until;
    if (has_date && (!record->date.data ||
                     (*wanted->since && is_before(record->date, wanted->since)) ||
                     (*wanted->until && !is_before(record->date, wanted->until))))
        return th_fail(err, TH_FILTER_DATE,
                       "date is not within filter.since and filter.until");
    return TH_OK;
}

th_status th_page_filter_head(const th_page_filter *filter, int status,
                              th_view media_type, th_error *err)
{
    if (!filter)
        return TH_OK;
    if (*filter->settings.status && status &&
        (status < FIRST_STATUS || status >= FIRST_STATUS + STATUS_COUNT ||
         !filter->statuses[status - FIRST_STATUS]))
        return th_fail(err, TH_FILTER_STATUS, "status is %d", status);
    const char *at = filter->settings.media;
    th_view item;
    if (!*at || !media_type.data)
        return TH_OK;
    while (next_item(&at, &item))
        if (th_ascii_same(item, media_type))
            return TH_OK;
    return th_fail(err, TH_FILTER_MEDIA, "media type is '%.*s'",
                   (int)(media_type.len > 100 ? 100 : media_type.len), media_type.data);
}

/* Returns whether a tag is in a list, or has a prefix in it: "en" includes "en-GB". An
 * absent tag is "none". */
static bool is_listed(const char *list, th_view tag)
{
    th_view item;
    while (next_item(&list, &item)) {
        if (!tag.data && th_ascii_is(item, "none"))
            return true;
        if (tag.data && item.data && tag.len >= item.len &&
            th_ascii_equal(tag.data, item.data, item.len) &&
            (tag.len == item.len || tag.data[item.len] == '-'))
            return true;
    }
    return false;
}

th_status th_page_filter_language(const th_page_filter *filter, const th_page *page,
                                  th_error *err)
{
    if (!filter || !*filter->settings.language)
        return TH_OK;
    const th_view language = page->metadata.language;
    if (is_listed(filter->settings.language, language))
        return TH_OK;
    return th_fail(err, TH_FILTER_LANGUAGE, "language is '%.*s'", (int)language.len,
                   language.data ? language.data : "");
}

/* Returns whether a list of a statement has an item, spaces around '=' ignored. */
static bool states_item(th_view list, th_view wanted)
{
    while (list.len) {
        const char *const comma = memchr(list.data, ',', list.len);
        const size_t len = comma ? (size_t)(comma - list.data) : list.len;
        const th_view item = th_ascii_trimmed((th_view){ list.data, len });
        size_t i = 0, j = 0;
        while (i < item.len && j < wanted.len) {
            if (th_ascii_is_blank(item.data[i]))
                i++;
            else if (th_lower(item.data[i]) == th_lower(wanted.data[j]))
                i++, j++;
            else
                break;
        }
        if (i == item.len && j == wanted.len)
            return true;
        list.data += len + (comma != NULL);
        list.len -= len + (comma != NULL);
    }
    return false;
}

/* Returns whether an item of filter.rights names a statement. */
static bool states(const th_right *right, th_view item)
{
    if (is_pair(item))
        return (strcmp(right->signal, "content-usage") == 0 ||
                strcmp(right->signal, "content-signal") == 0) &&
               states_item(right->value, item);
    if (!th_ascii_is(item, right->signal))
        return strcmp(right->signal, "robots") == 0 && states_item(right->value, item);
    if (th_ascii_is(item, "tdm-reservation"))
        return th_view_is(right->value, "1");
    return !th_ascii_is(item, "robots.txt") ||
           !th_ascii_starts_with(right->value, "allow:");
}

th_status th_page_filter_rights(const th_page_filter *filter, const th_page *page,
                                const char *agent, th_error *err)
{
    if (!filter || !*filter->settings.rights)
        return TH_OK;
    for (uint32_t i = 0; i < page->right_count; i++) {
        const th_right *const right = &page->rights[i];
        if (right->agent.len && !(agent && th_ascii_is(right->agent, agent)))
            continue;
        const char *at = filter->settings.rights;
        th_view item;
        while (next_item(&at, &item))
            if (states(right, item))
                return th_fail(err, TH_FILTER_RIGHTS, "%s states %s: '%.*s'", right->from,
                               right->signal,
                               (int)(right->value.len > 100 ? 100 : right->value.len),
                               right->value.data);
    }
    return TH_OK;
}

th_status th_page_filter_detected(const th_page_filter *filter, const th_page *page,
                                  th_error *err)
{
    const bool has_list = filter && *filter->settings.detected;
    if (!has_list && !(filter && filter->settings.min_share > 0))
        return TH_OK;
    const th_languages *found = page->languages;
    const bool has_one = found && found->count && found->is_sure;
    const char *const tag = has_one ? found->of[0].tag : NULL;
    if (has_list &&
        !is_listed(filter->settings.detected, (th_view){ tag, tag ? strlen(tag) : 0 }))
        return th_fail(err, TH_FILTER_DETECTED, "content is in '%s'", tag ? tag : "none");
    if (has_one && found->of[0].percent < filter->settings.min_share * 100)
        return th_fail(err, TH_FILTER_DETECTED, "%d %% of the content is in '%s'",
                       found->of[0].percent, tag);
    return TH_OK;
}

th_status th_page_filter_words(const th_page_filter *filter, const th_page *page,
                               th_error *err)
{
    if (!filter || (page->content_tokens >= filter->settings.min_words &&
                    (!filter->settings.max_words ||
                     page->content_tokens <= filter->settings.max_words)))
        return TH_OK;
    return th_fail(err, TH_FILTER_WORDS, "content has %u words", page->content_tokens);
}

th_status th_page_filter_learned(const th_page_filter *filter, const th_page *page,
                                 th_error *err)
{
    if (!filter || (!*filter->settings.page_type && filter->settings.min_quality <= 0))
        return TH_OK;
    const th_learned *const learned = page->learned;
    if (*filter->settings.page_type &&
        !has_item(filter->settings.page_type, learned ? learned->page_type : NULL))
        return th_fail(err, TH_FILTER_PAGE_TYPE, "page is of type '%s'",
                       learned ? learned->page_type : "none");
    const double quality = learned ? learned->quality / (double)UINT16_MAX : 0;
    if (quality < filter->settings.min_quality)
        return th_fail(err, TH_FILTER_QUALITY, "expected quality is %.4f", quality);
    return TH_OK;
}
