/*
 * Any bytes as robots.txt, tdmrep.json, URL, and file of rules. Properties: a reduced file
 * is canonical, ASCII and within its limits. A rule that decides is a line of the selected
 * rules. A canonical path stays the same if it is made canonical again. A lookup ends.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xxhash.h>

#include "fuzz_target.h"
#include "robots/robots_lookup.h"
#include "robots/tdmrep.h"

static void hold(bool claim)
{
    if (!claim)
        abort();
}

static bool is_same(th_view a, th_view b)
{
    return a.len == b.len && (!a.len || memcmp(a.data, b.data, a.len) == 0);
}

static void hold_lines(th_view text)
{
    for (size_t i = 0; i < text.len; i++)
        hold(text.data[i] == '\n' || (text.data[i] >= ' ' && text.data[i] < 0x7F));
    hold(!text.len || text.data[text.len - 1] == '\n');
}

/* @param bytes  a file; its first line is also a URL and an agent */
static void read_robots(th_view bytes)
{
    th_buffer once = { 0 }, twice = { 0 }, rules = { 0 }, path = { 0 }, again = { 0 };
    const char *const end = memchr(bytes.data, '\n', bytes.len);
    const th_view line = { bytes.data, end ? (size_t)(end - bytes.data) : bytes.len };
    (void)th_robots_txt_reduce(bytes, &once);
    hold_lines(th_buffer_view(&once));
    /* Escapes make a file longer, so the second time it may be over a limit. */
    if (th_robots_txt_reduce(th_buffer_view(&once), &twice))
        hold(is_same(th_buffer_view(&once), th_buffer_view(&twice)));
    (void)th_robots_txt_select(th_buffer_view(&once), line, &rules);
    th_robots_path(line, &path);
    hold(path.len && path.data[0] == '/');
    th_robots_path(th_buffer_view(&path), &again);
    hold(is_same(th_buffer_view(&path), th_buffer_view(&again)));
    th_robots_match match;
    th_robots_txt_match(th_buffer_view(&rules), th_buffer_view(&path), &match);
    hold(!match.rule.data ||
         memmem(rules.data, rules.len, match.rule.data, match.rule.len));
    hold(!match.is_disallowed || match.rule.data[0] == 'd');
    th_buffer_done(&once);
    th_buffer_done(&twice);
    th_buffer_done(&rules);
    th_buffer_done(&path);
    th_buffer_done(&again);
}

static void read_tdmrep(th_view bytes)
{
    th_buffer copy = { 0 }, rules = { 0 };
    th_tdmrep_reduce(bytes, &copy, &rules);
    hold_lines(th_buffer_view(&rules));
    th_view rest = th_buffer_view(&rules);
    th_tdmrep_rule rule;
    while (th_tdmrep_next(&rest, &rule)) {
        hold(rule.reservation.len && rule.location.len);
        (void)th_robots_pattern_matches(rule.location, TH_VIEW("/a/b?c"));
    }
    th_buffer_done(&copy);
    th_buffer_done(&rules);
}

/* The bytes as the lines of a file. */
static void read_file(th_view bytes)
{
    char name[64];
    th_buffer file_bytes = { 0 };
    const int fd = memfd_create("robots", MFD_CLOEXEC);
    hold(fd >= 0);
    th_buffer_append_view(&file_bytes, bytes);
    th_buffer_append_char(&file_bytes, '\n');
    const uint64_t checksum = XXH3_64bits(file_bytes.data, file_bytes.len);
    th_robots_line_end(1, checksum, &file_bytes);
    hold(write(fd, file_bytes.data, file_bytes.len) == (ssize_t)file_bytes.len);
    (void)snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    th_robots_file *file = NULL;
    hold(th_robots_file_open(name, &file, NULL) == TH_OK);
    hold(th_robots_file_checksum(file) == checksum);
    th_arena *arena = th_arena_new(0);
    th_robots_lookup lookup;
    th_robots_lookup_begin(&lookup, file, "a");
    static const char *const urls[] = { "https://a.example/b", "http://a.example/",
                                        "http://b.example/c" };
    for (size_t i = 0; arena && i < sizeof urls / sizeof *urls; i++) {
        th_rights rights = { .arena = arena };
        hold(th_robots_lookup_add(&lookup, (th_view){ urls[i], strlen(urls[i]) },
                                  &rights) == TH_OK);
        hold(rights.count <= TH_RIGHTS_MAX);
    }
    th_robots_lookup_done(&lookup);
    th_robots_file_free(file);
    th_arena_free(arena);
    th_buffer_done(&file_bytes);
    (void)close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *copy = malloc(size ? size : 1);
    hold(copy != NULL);
    memcpy(copy, data, size);
    const th_view bytes = { copy, size };
    read_robots(bytes);
    read_tdmrep(bytes);
    read_file(bytes);
    free(copy);
    return 0;
}
