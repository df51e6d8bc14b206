/* src/graph: files, counts and progress of graphs of random records, as a digest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "dedup/decompressed_input.h"
#include "graph/link_graph.h"
#include "outcomes.h"

enum { ROUNDS = 60, LARGE = 3 /* rounds with many links */ };

static const char *const hosts[] = {
    "a.example",   "www.a.example",  "A.Example.",          "b.example",
    "b.a.example", "b.example:8080", "b.example:0",         "www.example",
    "c.com",       "10.0.0.1",       "[2001:db8::1]",       "d.com:443",
    "d.com",       "user@e.example", "xn--e1afmkfd.example"
};
static const char *const places[] = { "",      "/",    "/1",    "/2",     "/3?q=1",
                                      "/#top", "?q",   "/a/b",  "/%20",   "/a b",
                                      "/4",    "/4#x", "/5/..", "/long/", "/\xC3\xA9" };
static const char *const odd[] = { "mailto:a@b.example", "/relative", "http://",  "",
                                   "ftp://a.example/",   "http:///x", "a.example" };

static char folder[] = "/tmp/thresher-graph-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

/* ---- input ---- */

static void put_url(struct outcomes *all, uint32_t variety, th_buffer *out)
{
    if (below(all, 25) == 0) {
        th_buffer_append_text(out, ONE(all, odd));
        return;
    }
    th_buffer_append_text(out, below(all, 3) ? "http://" : "https://");
    if (variety && below(all, 2))
        th_buffer_printf(out, "h%" PRIu32 ".example", below(all, variety));
    else
        th_buffer_append_text(out, ONE(all, hosts));
    th_buffer_append_text(out, ONE(all, places));
    if (variety && below(all, 2))
        th_buffer_printf(out, "/%" PRIu32, below(all, variety));
}

static th_view url_view(const th_buffer *text, size_t start, size_t end)
{
    return (th_view){ text->data + start, end - start };
}

static void add_record(struct outcomes *all, th_link_graph *graph, uint32_t variety)
{
    enum { MOST = 64 };
    th_record_link links[MOST];
    size_t ends[MOST + 2] = { 0 };
    th_buffer text = { 0 };
    th_error err = { .text = "" };
    th_link_record record = { .has_links = below(all, 8) != 0, .links = links };
    record.link_count = record.has_links ? below(all, variety ? MOST : 12) : 0;
    for (uint32_t i = 0; i <= record.link_count; i++) {
        put_url(all, variety, &text);
        ends[i + 1] = text.len;
    }
    assert_false(text.has_failed);
    for (uint32_t i = 0; i < record.link_count; i++) {
        links[i].url = url_view(&text, ends[i], ends[i + 1]);
        links[i].is_content = below(all, 3) != 0;
    }
    if (below(all, 30))
        record.url =
            url_view(&text, ends[record.link_count], ends[record.link_count + 1]);
    note_number(all, (uint64_t)th_link_graph_add(graph, &record, &err));
    th_buffer_done(&text);
}

static void add_bias(struct outcomes *all, th_link_graph *graph)
{
    static const char *const lines[] = {
        "a.example", "www.b.example", "not valid",      "c.com:80",
        "",          "http://",       "nowhere.example"
    };
    th_buffer text = { 0 };
    th_error err = { .text = "" };
    if (below(all, 2))
        th_buffer_append_text(&text, ONE(all, lines));
    else
        put_url(all, 0, &text);
    note_number(all, (uint64_t)th_link_graph_bias(graph, th_buffer_view(&text), &err));
    th_buffer_done(&text);
}

/* ---- outcomes ---- */

/* Notes the contents of the files of the folder, and removes them. */
static void note_files(struct outcomes *all)
{
    for (size_t i = 0; th_graph_file_names[i]; i++) {
        char path[128], bytes[4096];
        size_t got = 0;
        th_decompressed_input *input = NULL;
        th_buffer text = { 0 };
        (void)snprintf(path, sizeof path, "%s/%s", folder, th_graph_file_names[i]);
        if (access(path, F_OK) != 0)
            continue;
        assert_int_equal(th_decompressed_open(path, NULL, NULL, &input, NULL), TH_OK);
        while (th_decompressed_read(input, bytes, sizeof bytes, &got, NULL) == TH_OK)
            th_buffer_append(&text, bytes, got);
        th_decompressed_free(input);
        assert_false(text.has_failed);
        note_line(all, "%s", th_graph_file_names[i]);
        note_view(all, th_buffer_view(&text));
        if (getenv("TH_TEST_TRACE"))
            (void)fprintf(stderr, "%.*s", (int)text.len, text.data);
        th_buffer_done(&text);
        assert_int_equal(unlink(path), 0);
    }
}

static void note_stats(struct outcomes *all, const th_graph_stats *stats)
{
    note_line(all,
              "records %" PRIu64 " bare %" PRIu64 " links %" PRIu64 " bad %" PRIu64
              " unwanted %" PRIu64 " outside %" PRIu64,
              stats->records, stats->bare_records, stats->read_links, stats->bad_links,
              stats->unwanted_links, stats->outside_links);
    note_line(all,
              "pages %" PRIu32 " hosts %" PRIu32 " vertices %" PRIu32 " links %" PRIu64
              " to other hosts %" PRIu64 " edges %" PRIu64 " to other parts %" PRIu64
              " votes %" PRIu64,
              stats->pages, stats->hosts, stats->vertices, stats->links,
              stats->inter_host, stats->edges, stats->inter_part, stats->votes);
    note_line(all,
              "biased %" PRIu32 " bias rows %" PRIu64 " no bias %" PRIu64
              " rounds %" PRIu32,
              stats->biased, stats->bias_rows, stats->no_bias, stats->rounds);
}

/* Notes the progress. Sets the stop flag at a call. */
struct watch {
    struct outcomes *all;
    atomic_int stop;
    uint32_t stop_at; /* 0: never */
};

static void take_progress(void *context, const char *step, uint64_t done, uint64_t total)
{
    struct watch *watch = context;
    note_line(watch->all, "%s %" PRIu64 " of %" PRIu64, step, done, total);
    if (watch->stop_at && --watch->stop_at == 0)
        atomic_store(&watch->stop, 1);
}

static void make_graph(struct outcomes *all, bool is_large)
{
    static const double alphas[] = { 0, .5, .85, .99 }, weights[] = { 0, .25, 1 },
                        epsilons[] = { 1e-2, 1e-6, 1e-9 };
    struct watch watch = { .all = all };
    th_link_graph *graph = NULL;
    th_error err = { .text = "" };
    th_graph_options opt = { .folder = folder, .temp = folder };
    if (below(all, 12) == 0)
        *(below(all, 2) ? &opt.folder : &opt.temp) = "/no/such/folder";
    opt.level = below(all, 2) ? TH_GRAPH_PAGE : TH_GRAPH_HOST;
    opt.links = below(all, 2) ? TH_GRAPH_ALL : (th_graph_links)below(all, 3);
    opt.memory = is_large ? 1 : below(all, 2) ? 1 << 20 : 64 << 20;
    opt.alpha = ONE(all, alphas);
    opt.boilerplate_weight = ONE(all, weights);
    opt.epsilon = ONE(all, epsilons);
    opt.parts = 1 + below(all, 9);
    if (below(all, 3) == 0)
        watch.stop_at = 1 + below(all, is_large ? 20 : 5);
    if (below(all, 6)) {
        opt.progress = take_progress;
        opt.context = &watch;
        opt.stop = &watch.stop;
    }
    assert_int_equal(th_link_graph_new(&opt, &graph, &err), TH_OK);
    const uint32_t variety = is_large ? 900 : below(all, 2) ? 0 : 1 + below(all, 40);
    const uint32_t lines = below(all, 3) ? 0 : below(all, 6);
    for (uint32_t i = 0; i < lines; i++)
        add_bias(all, graph);
    for (uint32_t i = is_large ? 1500 : below(all, 60); i; i--)
        add_record(all, graph, variety);
    const th_status status = th_link_graph_write(graph, &err);
    note_line(all, "%s %s: status %d: %s", th_graph_level_names[opt.level],
              th_graph_links_names[opt.links], status, err.text);
    note_stats(all, th_link_graph_stats(graph));
    th_link_graph_free(graph);
    note_files(all);
}

static void graphs_of_random_records_are_known(void **state)
{
    (void)state;
    struct outcomes all = { .chance = 5 };
    for (unsigned round = 0; round < ROUNDS; round++)
        make_graph(&all, round < LARGE);
    expect_digest(&all, UINT64_C(0x22B57F051C61C7D1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graphs_of_random_records_are_known),
    };
    return cmocka_run_group_tests_name("graph_outcomes", tests, make_folder,
                                       remove_folder);
}
