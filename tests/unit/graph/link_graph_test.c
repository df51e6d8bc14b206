/* src/graph/link_graph.c: a full disk is reported wherever it stops the work. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "graph/link_graph.h"

enum { RECORDS = 300, LINKS = 100, MEMORY = 1 << 20 };

static char folder[] = "/tmp/thresher-graph-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    (void)signal(SIGXFSZ, SIG_IGN);
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[64];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command); // NOLINT(cert-env33-c)
}

/* Adds many records and writes the graph, with files of at most `size` bytes.
 * @param added  out: the records that were added */
static th_status make_graph(th_graph_level level, rlim_t size, uint32_t *added,
                            th_error *err)
{
    const th_graph_options opt = { .level = level,
                                   .links = TH_GRAPH_ALL,
                                   .folder = folder,
                                   .temp = folder,
                                   .memory = MEMORY,
                                   .alpha = .85,
                                   .boilerplate_weight = 1,
                                   .epsilon = 1e-6,
                                   .parts = 8 };
    static char text[LINKS + 1][64];
    th_record_link links[LINKS] = { { .is_content = true } };
    th_link_graph *graph = NULL;
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit less = { size, before.rlim_max };
    th_status status = th_link_graph_new(&opt, &graph, err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &less), 0);
    for (uint32_t i = 0; i < RECORDS && status == TH_OK; i++) {
        for (uint32_t k = 0; k <= LINKS; k++)
            (void)snprintf(text[k], sizeof text[k], "http://h%u.example/%u",
                           (i * 7 + k * k) % 900, k == LINKS ? i : k);
        for (uint32_t k = 0; k < LINKS; k++)
            links[k].url = (th_view){ text[k], strlen(text[k]) };
        const th_link_record record = { .url = { text[LINKS], strlen(text[LINKS]) },
                                        .has_links = true,
                                        .links = links,
                                        .link_count = LINKS };
        status = th_link_graph_add(graph, &record, err);
        *added = i + (status == TH_OK);
    }
    if (status == TH_OK)
        status = th_link_graph_write(graph, err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    th_link_graph_free(graph);
    return status;
}

static void a_full_disk_is_reported(void **state)
{
    (void)state;
    for (th_graph_level level = TH_GRAPH_HOST; level <= TH_GRAPH_PAGE; level++) {
        rlim_t size = 0;
        th_error err = { .text = "" };
        uint32_t added = 0;
        while (make_graph(level, size, &added, &err) != TH_OK) {
            assert_non_null(strstr(err.text, "File too large"));
            assert_true(size || added < RECORDS); /* the first file is full at once */
            assert_true(size < 64 << 20);
            err.text[0] = '\0';
            size = size ? size * 2 : 1024;
        }
        assert_int_equal(added, RECORDS);
        assert_true(size > MEMORY); /* rows were spilled, and each smaller limit failed */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_full_disk_is_reported) };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
