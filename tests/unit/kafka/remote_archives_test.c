/* src/kafka/remote_archives.c: pointers into stores, with a server that fails on
 * demand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "kafka/kafka_message.h"

#define HTTP "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>page"
#define RECORD                                                                           \
    "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\n"                \
    "WARC-Target-URI: http://a.example/\r\nContent-Type: application/http\r\n"           \
    "Content-Length: 51\r\n\r\n" HTTP "\r\n\r\n"

/* The object: a record, then the requested record. */
static const char object[] = RECORD RECORD;
enum { AT = sizeof RECORD - 1, SIZE = sizeof object - 1, STEPS = 8 };

/* Result of a request. Numbers are the status of an error. */
enum step {
    END,     /* of the steps: no more requests */
    PART,    /* as asked for */
    WHOLE,   /* 200, from the beginning */
    CUT,     /* the connection ends after 100 bytes */
    RESET,   /* the same, by a reset, before the head */
    SHORT,   /* the object ends 20 bytes early */
    OTHER,   /* another part than requested */
    CHANGED, /* with another ETag */
    SILENT,  /* no answer; other connections are served */
    LATER,   /* 503 with Retry-After: 2 */
    INSIDE,  /* redirect to another object below the prefix */
    OUTSIDE, /* redirect out of the prefix */
    DOTS,    /* redirect that only seems to stay below it */
};

/* ---- the server ---- */

static struct server {
    int fd;
    unsigned port;
    pthread_t thread;
    pthread_mutex_t lock; /* of the following members */
    const int *steps;
    unsigned asked;
    char range[64], path[256]; /* of the last request */
    int silent[16];            /* connections that get no answer */
    unsigned silent_count;
} server = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void send_text(int fd, const char *text, size_t len)
{
    while (len) {
        const ssize_t sent = send(fd, text, len, MSG_NOSIGNAL);
        if (sent <= 0)
            return;
        text += sent;
        len -= (size_t)sent;
    }
}

static void send_part(int fd, enum step step, size_t start, size_t end)
{
    char head[512];
    const size_t size = step == SHORT ? SIZE - 20 : SIZE;
    const char *etag = step == CHANGED ? "other" : "same";
    if (step == OTHER)
        start -= 10;
    if (step == WHOLE)
        start = 0;
    if (end > size || step == WHOLE)
        end = size;
    int len = snprintf(
        head, sizeof head, "HTTP/1.1 %s\r\nETag: \"%s\"\r\nContent-Length: %zu\r\n",
        step == WHOLE ? "200 OK" : "206 Partial Content", etag, end - start);
    if (step != WHOLE)
        len += snprintf(head + len, sizeof head - (size_t)len,
                        "Content-Range: bytes %zu-%zu/%zu\r\n", start, end - 1, size);
    len += snprintf(head + len, sizeof head - (size_t)len, "Connection: close\r\n\r\n");
    send_text(fd, head, (size_t)len);
    send_text(fd, object + start, step == CUT ? 100 : end - start);
}

static void answer(int fd, int step, const char *range)
{
    char text[512];
    if (step == SILENT && server.silent_count < 16) {
        server.silent[server.silent_count++] = fd;
        return;
    }
    size_t start = 0, end = SIZE - 1;
    (void)sscanf(range, "bytes=%zu-%zu", &start, &end);
    const char *to = step == INSIDE    ? "/in/other.warc"
                     : step == OUTSIDE ? "/out/a.warc"
                     : step == DOTS    ? "/in/%2e%2e/out/a.warc"
                                       : NULL;
    if (to || step == LATER || step > 100) {
        const int len =
            to ? snprintf(text, sizeof text, "HTTP/1.1 302 Found\r\nLocation: %s\r\n", to)
               : snprintf(text, sizeof text, "HTTP/1.1 %d No\r\n%s",
                          step == LATER ? 503 : step,
                          step == LATER ? "Retry-After: 2\r\n" : "");
        send_text(fd, text, (size_t)len);
        static const char rest[] = "Content-Length: 0\r\nConnection: close\r\n\r\n";
        send_text(fd, rest, strlen(rest));
    } else if (step == RESET) {
        const struct linger now = { 1, 0 };
        (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    } else {
        send_part(fd, (enum step)step, start, end + 1);
    }
}

/* Records a request, and returns its result. */
static int note(const char *path, const char *range)
{
    (void)pthread_mutex_lock(&server.lock);
    const int step = server.asked < STEPS ? server.steps[server.asked] : END;
    server.asked++;
    (void)snprintf(server.path, sizeof server.path, "%s", path);
    (void)snprintf(server.range, sizeof server.range, "%s", range);
    (void)pthread_mutex_unlock(&server.lock);
    return step == END ? 500 : step;
}

/* One connection after the other, one request in each. */
static void *serve(void *context)
{
    (void)context;
    for (;;) {
        const int fd = accept(server.fd, NULL, NULL);
        char request[4096];
        size_t len = 0;
        if (fd < 0)
            return NULL;
        while (len < sizeof request - 1) {
            const ssize_t got = recv(fd, request + len, sizeof request - 1 - len, 0);
            if (got <= 0)
                break;
            len += (size_t)got;
            request[len] = '\0';
            if (strstr(request, "\r\n\r\n"))
                break;
        }
        request[len] = '\0';
        const char *found = strstr(request, "\r\nRange: ");
        char range[64] = "", path[256] = "";
        (void)sscanf(request, "GET %255s", path);
        if (found)
            (void)sscanf(found, "\r\nRange: %63s", range);
        const int step = note(path, range);
        answer(fd, step, range);
        if (step != SILENT)
            (void)close(fd);
    }
}

static int start_server(void **state)
{
    (void)state;
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof address;
    static const char *const proxies[] = { "http_proxy", "all_proxy", "ALL_PROXY" };
    for (size_t i = 0; i < sizeof proxies / sizeof *proxies; i++)
        (void)unsetenv(proxies[i]);
    server.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (server.fd < 0 ||
        bind(server.fd, (const struct sockaddr *)&address, sizeof address) != 0 ||
        listen(server.fd, 16) != 0 ||
        getsockname(server.fd, (struct sockaddr *)&address, &len) != 0)
        return 1;
    server.port = ntohs(address.sin_port);
    return pthread_create(&server.thread, NULL, serve, NULL);
}

static int stop_server(void **state)
{
    (void)state;
    (void)shutdown(server.fd, SHUT_RDWR);
    (void)pthread_join(server.thread, NULL);
    while (server.silent_count)
        (void)close(server.silent[--server.silent_count]);
    return close(server.fd);
}

/* ---- pointers ---- */

static const struct row {
    const char *name;
    const char *file; /* HOST stands for the server */
    int steps[STEPS];
    unsigned asked;
    const char *words; /* of the refusal; NULL: the record comes */
} rows[] = {
    /* clang-format off */
    { "by URL", "HOST/in/a.warc", { PART }, 1, NULL },
    { "in a bucket", "s3://crawls/web/a.warc", { PART }, 1, NULL },
    { "key that looks like a query", "s3://crawls/web/a?b&c.warc", { PART }, 1, NULL },
    { "continues at the byte", "HOST/in/a.warc", { CUT, PART }, 2, NULL },
    { "after a reset", "HOST/in/a.warc", { RESET, PART }, 2, NULL },
    { "after a 503", "HOST/in/a.warc", { 503, PART }, 2, NULL },
    { "redirect below the prefix", "HOST/in/a.warc", { INSIDE, PART }, 2, NULL },

    { "next to the prefix", "HOST/out/a.warc", { END }, 0, "/out/a.warc: offset 206: is not under any archive-prefixes entry" },
    { "another bucket", "s3://other/web/a.warc", { END }, 0, "s3://other/web/a.warc: offset 206: is not under any" },
    { "another host", "http://localhost/in/a.warc", { END }, 0, "is not under any" },
    { "another scheme", "https://127.0.0.1/in/a.warc", { END }, 0, "is not under any" },
    { "encoded dots", "HOST/in/%2e%2e/out/a.warc", { END }, 0, "is not under any" },
    { "twice encoded dots", "HOST/in/%252e%252e/out/a.warc", { END }, 0, "is not under any" },
    { "encoded slash", "HOST/in/..%2fout/a.warc", { END }, 0, "is not under any" },
    { "query", "HOST/in/a.warc?b", { END }, 0, "is not under any" },
    { "fragment", "HOST/in/a.warc#b", { END }, 0, "is not under any" },
    { "redirect next to the prefix", "HOST/in/a.warc", { OUTSIDE }, 1, "offset 206: redirect to '/out/a.warc' not followed because it is not under any allowed prefix" },
    { "redirect with dots", "HOST/in/a.warc", { DOTS }, 1, "not followed because it is not under any allowed prefix" },
    { "redirect from a bucket", "s3://crawls/web/a.warc", { OUTSIDE }, 1, "not followed" },

    { "not there", "HOST/in/a.warc", { 404 }, 1, "/in/a.warc: offset 206: not found: status 404" },
    { "not for us", "HOST/in/a.warc", { 403 }, 1, "offset 206: read access denied: status 403" },
    { "after the end", "HOST/in/a.warc", { 416 }, 1, "offset 206: the object ends before this byte" },
    { "200 to a Range", "HOST/in/a.warc", { WHOLE }, 1, "offset 206: the server returned the complete object instead of the requested range" },
    { "another range", "HOST/in/a.warc", { OTHER }, 1, "offset 206: the server returned the wrong range" },
    { "shorter object", "HOST/in/a.warc", { SHORT }, 1, "/in/a.warc: offset 206: the record is longer than the requested bytes" },
    { "changed in between", "HOST/in/a.warc", { CUT, CHANGED }, 2, "offset 306: the object changed during reading" },
    { "precondition failed", "HOST/in/a.warc", { CUT, 412 }, 2, "offset 306: the object changed during reading" },
    { "no answer", "HOST/in/a.warc", { SILENT, SILENT }, 2, "offset 206: no data was transferred for 100 ms; no retries left" },
    { "503 for good", "HOST/in/a.warc", { 503, 503 }, 2, "offset 206: the server is throttling requests: status 503" },
    { "reset for good", "HOST/in/a.warc", { RESET, RESET }, 2, "offset 206: " },
    { "asked to come later", "HOST/in/a.warc", { LATER }, 1, "status 503" },
    { "control character", "HOST/in/a\\u0001.warc", { END }, 0, "leads outside of the archives' folder" },
    { "dots", "s3://crawls/web/../x.warc", { END }, 0, "leads outside of the archives' folder" },
    { "file, and no folder", "a.warc", { END }, 0, "pointer to a file, but no folder of archives is configured" },
    /* clang-format on */
};

struct scene {
    char endpoint[64], prefixes[160];
    th_remote_options store;
    th_message_options options;
    th_message_reader *reader;
    th_batch batch;
    unsigned notices;
};

static void count_warning(void *context, const char *line)
{
    struct scene *scene = context;
    (void)line;
    scene->notices++;
}

static void begin(struct scene *scene, uint32_t wait_ms)
{
    *scene = (struct scene){ .reader = NULL };
    (void)snprintf(scene->endpoint, sizeof scene->endpoint, "http://127.0.0.1:%u",
                   server.port);
    (void)snprintf(scene->prefixes, sizeof scene->prefixes, "s3://crawls/web/ %s/in/",
                   scene->endpoint);
    scene->store = (th_remote_options){ .endpoint = scene->endpoint,
                                        .region = "",
                                        .path_style = "auto",
                                        .credentials = "none",
                                        .ca_file = "",
                                        .retries = 10,
                                        .unreachable_retries = UINT32_MAX,
                                        .backoff_ms = 1,
                                        .connect_ms = 5000,
                                        .stall_ms = 100 };
    scene->options = (th_message_options){ .archive_prefixes = scene->prefixes,
                                           .store = &scene->store,
                                           .archive_wait_ms = wait_ms,
                                           .max_record = 1 << 20,
                                           .warn = count_warning,
                                           .warn_context = scene };
    scene->reader = th_message_reader_new(&scene->options);
    assert_non_null(scene->reader);
    scene->batch.arena = th_arena_new(0);
    assert_non_null(scene->batch.arena);
}

static void end(struct scene *scene)
{
    th_message_reader_free(scene->reader);
    th_arena_free(scene->batch.arena);
}

/* The record at AT of a file, its length said or not. */
static th_status take(struct scene *scene, const char *file, bool has_length)
{
    char value[1024];
    const bool is_here = strncmp(file, "HOST", 4) == 0;
    int len =
        snprintf(value, sizeof value, "{\"warc_filename\":\"%s%s\",\"warc_offset\":%d",
                 is_here ? scene->endpoint : "", is_here ? file + 4 : file, (int)AT);
    len += snprintf(value + len, sizeof value - (size_t)len,
                    has_length ? ",\"warc_record_length\":%d}" : "}", (int)AT);
    const th_message message = { .topic = TH_VIEW("pages"),
                                 .value = { value, (size_t)len } };
    scene->batch.record_count = 0;
    return th_message_read(scene->reader, &message, &scene->batch);
}

/* As take, until the fetch is done; for scenes without waits for an archive. */
static th_status take_at_last(struct scene *scene, const char *file, bool has_length)
{
    th_status status = TH_OK;
    while ((status = take(scene, file, has_length)) == TH_NEED_MORE)
        th_sleep_ms(10);
    return status;
}

/* As take, until the reader has said that it waits for the archive. */
static void take_until_told(struct scene *scene, const char *file)
{
    const unsigned before = scene->notices;
    while (scene->notices == before) {
        assert_int_equal(take(scene, file, true), TH_NEED_MORE);
        th_sleep_ms(10);
    }
}

static void expect_record(const struct scene *scene)
{
    const th_record *record = &scene->batch.records[0];
    assert_int_equal(scene->batch.record_count, 1);
    assert_int_equal(record->refusal, TH_OK);
    assert_int_equal(record->block.len, strlen(HTTP));
    assert_memory_equal(record->block.data, HTTP, strlen(HTTP));
}

static void play(const int *steps)
{
    (void)pthread_mutex_lock(&server.lock);
    server.steps = steps;
    server.asked = 0;
    (void)pthread_mutex_unlock(&server.lock);
}

static void expect_asked(unsigned times)
{
    (void)pthread_mutex_lock(&server.lock);
    assert_int_equal(server.asked, times);
    (void)pthread_mutex_unlock(&server.lock);
}

static void expect_last(const char *range, const char *path)
{
    (void)pthread_mutex_lock(&server.lock);
    assert_string_equal(server.range, range);
    assert_string_equal(server.path, path);
    (void)pthread_mutex_unlock(&server.lock);
}

static void row_holds(void **state)
{
    const struct row *row = *state;
    struct scene scene;
    begin(&scene, 0);
    play(row->steps);
    assert_int_equal(take_at_last(&scene, row->file, true), TH_OK);
    const th_record *record = &scene.batch.records[0];
    if (!row->words) {
        expect_record(&scene);
    } else {
        assert_int_equal(record->refusal, TH_BAD_WARC);
        if (!strstr(record->detail, row->words))
            fail_msg("'%s' is not in '%s'", row->words, record->detail);
    }
    expect_asked(row->asked);
    end(&scene);
}

static void one_range_is_asked_for(void **state)
{
    (void)state;
    static const int steps[STEPS] = { PART, PART };
    struct scene scene;
    char range[64];
    begin(&scene, 0);
    play(steps);
    assert_int_equal(take_at_last(&scene, "HOST/in/a.warc", true), TH_OK);
    (void)snprintf(range, sizeof range, "bytes=%d-%d", (int)AT, (int)SIZE - 1);
    expect_last(range, "/in/a.warc");
    assert_int_equal(take_at_last(&scene, "s3://crawls/web/a b%41.warc", false), TH_OK);
    expect_record(&scene);
    (void)snprintf(range, sizeof range, "bytes=%d-", (int)AT);
    expect_last(range, "/crawls/web/a%20b%2541.warc");
    expect_asked(2);
    end(&scene);
}

/* Requests are at most as frequent as the store allows. Objects below another prefix are
 * read meanwhile. */
static void a_store_that_fails_is_left_alone(void **state)
{
    (void)state;
    static const int steps[STEPS] = { LATER, PART, PART };
    struct scene scene;
    begin(&scene, 60000);
    play(steps);
    const int64_t since = th_now_ms();
    take_until_told(&scene, "HOST/in/a.warc");
    assert_int_equal(scene.batch.record_count, 0);
    assert_int_equal(take_at_last(&scene, "s3://crawls/web/a.warc", true), TH_OK);
    expect_record(&scene);
    assert_int_equal(take(&scene, "HOST/in/b.warc", true), TH_NEED_MORE);
    expect_asked(2);
    while (take(&scene, "HOST/in/a.warc", true) == TH_NEED_MORE)
        th_sleep_ms(10);
    expect_record(&scene);
    expect_asked(3);
    assert_true(th_now_ms() - since >= 2000);
    end(&scene);
}

/* A store that does not say how long: each pause is twice the one before. */
static void pauses_double(void **state)
{
    (void)state;
    static const int steps[STEPS] = { 503, 503, 503, 503, 503, 503, PART };
    struct scene scene;
    begin(&scene, 60000);
    scene.store.backoff_ms = 100;
    play(steps);
    const int64_t since = th_now_ms();
    while (take(&scene, "HOST/in/a.warc", true) == TH_NEED_MORE)
        th_sleep_ms(10);
    expect_record(&scene);
    expect_asked(7); /* each time twice */
    assert_true(th_now_ms() - since >= 700);
    end(&scene);
}

/* One store does not answer: pointers below another prefix are read, the call for the
 * first one does not wait for it, and the end of the reader does not either. */
static void a_slow_store_stops_nothing(void **state)
{
    (void)state;
    static const int steps[STEPS] = { SILENT, PART, PART, PART };
    struct scene scene;
    begin(&scene, 60000);
    th_message_reader_free(scene.reader);
    scene.store.stall_ms = 60000;
    scene.reader = th_message_reader_new(&scene.options);
    assert_non_null(scene.reader);
    play(steps);
    const int64_t since = th_now_ms();
    assert_int_equal(take(&scene, "HOST/in/a.warc", true), TH_NEED_MORE);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(take(&scene, "HOST/in/a.warc", true), TH_NEED_MORE);
        assert_int_equal(take(&scene, "HOST/in/b.warc", true), TH_NEED_MORE);
        assert_int_equal(take_at_last(&scene, "s3://crawls/web/a.warc", true), TH_OK);
        expect_record(&scene);
    }
    expect_asked(4);
    assert_int_equal(scene.notices, 0);
    end(&scene);
    /* The store is given 10 s twice. Any machine is faster than that here. */
    assert_true(th_now_ms() - since < 10000);
}

/* A result without further requests makes room for another record. */
static void an_unclaimed_result_is_discarded(void **state)
{
    (void)state;
    static const int steps[STEPS] = { SILENT, PART, PART };
    struct scene scene;
    begin(&scene, 60000);
    play(steps);
    scene.store.stall_ms = 1000;
    th_message_reader_free(scene.reader);
    scene.reader = th_message_reader_new(&scene.options);
    assert_non_null(scene.reader);
    assert_int_equal(take(&scene, "HOST/in/a.warc", true), TH_NEED_MORE);
    assert_int_equal(take_at_last(&scene, "HOST/in/b.warc", true), TH_OK);
    expect_record(&scene);
    expect_asked(3);
    end(&scene);
}

static void one_that_stays_away_is_given_up(void **state)
{
    (void)state;
    static const int steps[STEPS] = { 503, 503, 503, 503 };
    struct scene scene;
    th_message_counts counts;
    unsigned waits = 0;
    th_status status = TH_OK;
    begin(&scene, 200);
    play(steps);
    while ((status = take(&scene, "HOST/in/a.warc", true)) == TH_NEED_MORE) {
        assert_true(waits++ < 1000);
        th_sleep_ms(5);
    }
    assert_true(waits > 0);
    assert_int_equal(status, TH_OK);
    assert_int_equal(scene.batch.records[0].refusal, TH_BAD_WARC);
    th_message_counts_get(scene.reader, &counts);
    assert_int_equal(counts.archives_given_up, 1);
    end(&scene);
}

/* The damage of a record is counted, and only of this record. */
static void damage_of_a_record_is_counted(void **state)
{
    (void)state;
    static const int steps[STEPS] = { PART, SHORT, PART };
    static const uint64_t damaged[] = { 0, 1, 1 };
    struct scene scene;
    begin(&scene, 0);
    play(steps);
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        th_message_counts counts;
        assert_int_equal(take_at_last(&scene, "HOST/in/a.warc", false), TH_OK);
        th_message_counts_get(scene.reader, &counts);
        assert_int_equal(counts.damaged, damaged[i]);
        assert_int_equal(scene.batch.records[0].refusal,
                         steps[i] == PART ? TH_OK : TH_BAD_WARC);
    }
    end(&scene);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    static struct CMUnitTest tests[ROWS];
    const struct CMUnitTest claims[] = {
        cmocka_unit_test(one_range_is_asked_for),
        cmocka_unit_test(a_store_that_fails_is_left_alone),
        cmocka_unit_test(pauses_double),
        cmocka_unit_test(a_slow_store_stops_nothing),
        cmocka_unit_test(an_unclaimed_result_is_discarded),
        cmocka_unit_test(one_that_stays_away_is_given_up),
        cmocka_unit_test(damage_of_a_record_is_counted),
    };
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    return cmocka_run_group_tests_name("pointers", tests, start_server, stop_server) +
           cmocka_run_group_tests_name("claims", claims, start_server, stop_server);
}
