/* The file of sites: lookups, and damage reported with name and offset. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <stdio.h>
#include <unistd.h>

#include "site/site_file.h"
#include "site_scene.h"

enum { SITES = 5 };

struct scene {
    char path[64];
    uint64_t numbers[SITES];
    char told[600];
    int told_count;
};

static void tell(void *context, const char *line)
{
    struct scene *scene = context;
    scene->told_count++;
    (void)snprintf(scene->told, sizeof scene->told, "%s", line);
}

static void write_file(struct scene *scene)
{
    static const struct site_page pages[] = { { 1, 11, { 1, 2 } }, { 2, 12, { 1 } } };
    const th_site_limits limits = { 100, 100, 1 };
    th_site_writer *writer = NULL;
    *scene = (struct scene){ .path = "/tmp/thresher-sites-XXXXXX" };
    const int fd = mkstemp(scene->path);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(th_site_writer_open(scene->path, TH_SITE_HOST, false, &writer, NULL),
                     TH_OK);
    th_buffer scratch = { 0 };
    for (uint64_t i = 0; i < SITES; i++) { /* three sites at once, then two */
        const th_site_entry *entries[2];
        th_buffer bytes = { 0 };
        make_entries(pages, 2, &bytes, entries);
        scene->numbers[i] = 10 * (i + 1);
        for (int j = 0; j < 2; j++)
            ((th_site_entry *)(uintptr_t)entries[j])->site = scene->numbers[i];
        assert_int_equal(th_site_add(NULL, entries, 2, &limits, &scratch), TH_OK);
        th_buffer_done(&bytes);
        if (i != 2 && i + 1 != SITES)
            continue;
        assert_int_equal(th_site_writer_add(writer, th_buffer_view(&scratch), NULL),
                         TH_OK);
        th_buffer_reset(&scratch);
    }
    th_buffer_done(&scratch);
    assert_int_equal(th_site_writer_finish(writer, NULL), TH_OK);
    th_site_writer_free(writer);
}

static void finds_sites(void **state)
{
    struct scene scene;
    th_site_file *file = NULL;
    (void)state;
    write_file(&scene);
    assert_int_equal(th_site_file_open(scene.path, tell, &scene, &file, NULL), TH_OK);
    assert_int_equal(th_site_file_count(file), SITES);
    assert_int_equal(th_site_file_pages(file), 2 * SITES);
    assert_int_equal(th_site_file_grouping(file), TH_SITE_HOST);
    for (uint64_t number = 0; number < 70; number++) {
        const th_site_name name = { .number = number };
        th_site site;
        const bool is_there = number && number % 10 == 0 && number <= 10 * SITES;
        assert_int_equal(th_site_file_find(file, &name, &site),
                         is_there ? TH_OK : TH_ABSENT);
        if (is_there)
            assert_int_equal(th_site_count(&site, 1), 2);
    }
    assert_int_equal(scene.told_count, 0);
    th_site_file_close(file);
    unlink(scene.path);
}

/* Each byte in turn: the file is refused, or one site is, and nothing else changes. */
static void damage_costs_its_part(void **state)
{
    struct scene scene;
    int refused = 0, lost = 0;
    (void)state;
    write_file(&scene);
    FILE *stream = fopen(scene.path, "r+b");
    assert_non_null(stream);
    assert_int_equal(fseek(stream, 0, SEEK_END), 0);
    const long len = ftell(stream);
    for (long at = 0; at < len; at++) {
        th_site_file *file = NULL;
        th_error err = { .text = "" };
        (void)fseek(stream, at, SEEK_SET);
        const int byte = fgetc(stream);
        (void)fseek(stream, at, SEEK_SET);
        (void)fputc(byte ^ 0x10, stream);
        (void)fflush(stream);
        scene.told_count = 0;
        const th_status status = th_site_file_open(scene.path, tell, &scene, &file, &err);
        if (status == TH_OK) {
            for (uint64_t i = 0; i < SITES; i++) {
                th_site site;
                (void)th_site_file_at(file, i, &site);
            }
            assert_int_equal(th_site_file_damaged(file), 1);
            assert_int_equal(scene.told_count, 1);
            assert_non_null(strstr(scene.told, "is damaged"));
            lost++;
        } else {
            assert_true(status == TH_DAMAGED || status == TH_USAGE);
            assert_non_null(strstr(err.text, scene.path));
            refused++;
        }
        th_site_file_close(file);
        (void)fseek(stream, at, SEEK_SET);
        (void)fputc(byte, stream);
        (void)fflush(stream);
    }
    assert_int_equal(refused, 64 + 16 * SITES);
    assert_int_equal(lost, len - refused);
    for (long cut = len - 1; cut >= 0; cut -= 7) {
        th_site_file *file = NULL;
        assert_int_equal(ftruncate(fileno(stream), cut), 0);
        assert_int_not_equal(th_site_file_open(scene.path, tell, &scene, &file, NULL),
                             TH_OK);
    }
    (void)fclose(stream);
    unlink(scene.path);
}

static void says_what_is_missing(void **state)
{
    th_site_file *file = NULL;
    (void)state;
    assert_int_equal(th_site_file_open("/nowhere/x.sites", NULL, NULL, &file, NULL),
                     TH_ABSENT);
    assert_int_equal(th_site_file_open("/tmp", NULL, NULL, &file, NULL), TH_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_sites),
        cmocka_unit_test(damage_costs_its_part),
        cmocka_unit_test(says_what_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
