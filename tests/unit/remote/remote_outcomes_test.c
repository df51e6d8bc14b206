/* src/remote with transfers to a server whose answers are random, and with
 * allocations that fail: all requests, results and warnings have one digest. The transfers
 * replace http_transfer.c. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "failing_allocation.h"
#include "outcomes.h"
#include "remote/credentials.h"
#include "remote/http_transfer.h"
#include "remote/page_fetch.h"
#include "remote/remote.h"
#include "remote/remote_upload.h"
#include "still_clock.h"

enum { ROUNDS = 1500, OPERATIONS = 6, BODY_MAX = 8192, PART = 16 << 20 };

static struct outcomes all;
static int live;         /* transfers */
static uint64_t version; /* of the last object that was read */
static bool must_sign;   /* each request must be signed */
static atomic_int stop;

#define say(...) note_line(&all, __VA_ARGS__)

static uint32_t chance(uint32_t n)
{
    return below(&all, n);
}

/* ---- the server ---- */

/* The object that every name denotes. */
static struct {
    uint64_t size;
    unsigned version;
    const char *etag, *modified;
    bool has_length, has_ranges, is_honest;
} object;

struct th_http {
    int number;
    bool is_busy; /* a request was started, and not stopped */
    bool is_unreachable, has_refused;
    uint64_t waited_ms;
    th_http_answer answer;
    char body[BODY_MAX];
    size_t len, at;
};

static void change_object(void)
{
    static const char *const etags[] = { "\"e%u\"", "\"e%u\"", "W/\"e%u\"", "" };
    static char etag[32], modified[64];
    object.version++;
    object.size = chance(6) ? chance(300) : 0;
    (void)snprintf(etag, sizeof etag, "%s", etags[chance(4)]);
    if (*etag)
        (void)snprintf(etag, sizeof etag, etag[0] == 'W' ? "W/\"e%u\"" : "\"e%u\"",
                       object.version);
    modified[0] = '\0';
    if (chance(2))
        (void)snprintf(modified, sizeof modified, "day %u", object.version);
    object.etag = etag;
    object.modified = modified;
    object.has_length = chance(5);
    object.has_ranges = chance(6);
}

th_status th_http_new(const th_http_options *options, th_http **out, th_error *err)
{
    if (chance(60) == 0)
        return th_fail(err, TH_NOMEM, "no memory for a transfer");
    *out = calloc(1, sizeof **out);
    if (!*out)
        return th_fail(err, TH_NOMEM, "out of memory");
    (*out)->number = live++;
    say("new transfer %d: '%s' %u %u %u %u %d", (*out)->number, options->ca_file,
        options->connect_ms, options->stall_ms, options->min_rate, options->min_rate_ms,
        options->public_only);
    return TH_OK;
}

void th_http_free(th_http *http)
{
    if (http) {
        say("transfer %d freed", http->number);
        live--;
    }
    free(http);
}

__attribute__((format(printf, 2, 3))) static void put(th_http *http, const char *format,
                                                      ...)
{
    va_list args;
    va_start(args, format);
    const int len =
        vsnprintf(http->body + http->len, sizeof http->body - http->len, format, args);
    va_end(args);
    assert_true(len >= 0 && (size_t)len < sizeof http->body - http->len);
    http->len += (size_t)len;
}

static void put_keys(th_http *http)
{
    const unsigned minute = chance(60);
    if (chance(12) == 0) {
        put(http, "{\"AccessKeyId\": \"INCOMPLETE\"}");
        return;
    }
    put(http,
        "{\"AccessKeyId\": \"KEY%u\", \"SecretAccessKey\": \"secret\", "
        "\"Token\": \"session%u\", \"Expiration\": \"2023-11-14T22:%02u:00Z\"}",
        minute, minute, minute);
}

static void put_role(th_http *http)
{
    const unsigned minute = chance(60);
    put(http,
        "<R><Credentials><AccessKeyId>WEB%u</AccessKeyId><SecretAccessKey>secret"
        "</SecretAccessKey><SessionToken>web session</SessionToken>"
        "<Expiration>2023-11-14T22:%02u:00Z</Expiration></Credentials></R>",
        minute, minute);
}

static void put_listing(th_http *http, const char *url)
{
    static const char *const keys[] = { "a/1.warc", "a/2%2Bx+y.warc", "a/",
                                        "a/%zz",    "b/other.warc",   "",
                                        "a/&lt;3",  "a/folder/" };
    const char *token = strstr(url, "continuation-token=");
    const bool is_last = chance(3) == 0;
    put(http, "%s", chance(30) ? "" : "<!DOCTYPE x [<!ENTITY a 'b'>]>");
    put(http, "<%s>", chance(30) ? "ListBucketResult" : "ListAllMyBucketsResult");
    if (chance(3))
        put(http, "<EncodingType> %s\n</EncodingType>", chance(8) ? "url" : "urls");
    for (unsigned n = chance(4); n > 0; n--) {
        put(http, "<Contents><Key>%s</Key>", keys[chance(chance(8) ? 4 : 8)]);
        if (chance(8))
            put(http, "<Size>%u</Size>", chance(10000));
        put(http, "</Contents>");
    }
    if (chance(10))
        put(http, "<IsTruncated>%s</IsTruncated>", is_last ? "false" : "TRUE");
    if (chance(15))
        put(http, "<NextContinuationToken>t/%u</NextContinuationToken>",
            token && chance(4) == 0 ? (unsigned)strtoul(token + 23, NULL, 10)
                                    : chance(1000));
    put(http, "</ListBucketResult>");
}

static void put_object(th_http *http, uint64_t from, uint64_t to)
{
    for (uint64_t at = from; at < to; at++)
        http->body[http->len++] = (char)('a' + (at * 7 + object.version) % 26);
}

/* Answers a GET of the object, with its part if it has been asked for. */
static void answer_object(th_http *http, const char *range, const char *if_match)
{
    th_http_answer *answer = &http->answer;
    uint64_t from = 0, to = object.size;
    answer->status = 200;
    (void)snprintf(answer->etag, sizeof answer->etag, "%s", object.etag);
    (void)snprintf(answer->modified, sizeof answer->modified, "%s", object.modified);
    if (if_match && strcmp(if_match, object.etag) != 0 && chance(4)) {
        answer->status = 412;
        return;
    }
    if (range && object.has_ranges) {
        char *end = NULL;
        from = strtoull(range + strlen("bytes="), &end, 10);
        if (end[1])
            to = strtoull(end + 1, NULL, 10) + 1;
        to = to < object.size ? to : object.size;
        answer->status = from < to ? 206 : 416;
        answer->has_range = chance(20);
        answer->range_start = from + (chance(25) == 0);
        answer->range_size = object.size + (chance(40) == 0);
    }
    answer->has_length = object.has_length;
    answer->length = to > from ? to - from : 0;
    if (answer->status != 416)
        put_object(http, from, to + (chance(40) == 0));
}

static void answer_trouble(th_http *http)
{
    static const int statuses[] = {
        301, 302, 303, 307, 308, 301, 400, 400, 401, 403, 404,
        404, 408, 410, 412, 416, 425, 429, 500, 503, 503, 204
    };
    static const char *const locations[] = {
        "",
        "/moved/x?a=b",
        "//other.example/x",
        "http://store.example/b/k",
        "https://store.example:443/b/k",
        "http://store.example:80",
        "http://other.example/x",
        "https://user:pw@store.example/",
        "https://b.s3.eu-west-1.amazonaws.com/k%20k",
        "http://b.s3.eu-west-1.amazonaws.com/k",
        "https://amazonaws.com.evil.example/k",
        "ftp://store.example/x",
    };
    static const char *const codes[] = { "",         "AccessDenied",   "ExpiredToken",
                                         "SlowDown", "RequestTimeout", "No-Such-Key" };
    static const char *const regions[] = { "", "", "eu-west-1", "us-west-2", "EU!" };
    th_http_answer *answer = &http->answer;
    answer->status = statuses[chance(22)];
    (void)snprintf(answer->location, sizeof answer->location, "%s",
                   locations[chance(12)]);
    (void)snprintf(answer->region, sizeof answer->region, "%s", regions[chance(5)]);
    if (chance(4) == 0)
        answer->retry_after_s = chance(200);
    put(http, "<Error><Code>%s</Code></Error>", codes[chance(6)]);
}

static const char *header_of(const th_http_request *request, const char *name)
{
    for (const char *const *line = request->headers; line && *line; line++)
        if (strncmp(*line, name, strlen(name)) == 0)
            return *line + strlen(name);
    return NULL;
}

static void answer_store(th_http *http, const th_http_request *request)
{
    static const char *const etags[] = { "\"part\"", "\"part\"", "\"part\"", "",
                                         "\"<\"" };
    const char *url = request->url;
    const bool is_post = strcmp(request->method, "POST") == 0;
    http->answer.status = 200;
    if (strstr(url, "list-type=2")) {
        put_listing(http, url);
    } else if (is_post && strstr(url, "?uploads=")) {
        static const char *const ids[] = { "<UploadId>id/%u</UploadId>",
                                           "<UploadId>a&amp;%u<", "<UploadId>cut/%u" };
        const char *id = ids[chance(6) ? 0 : 1 + chance(2)];
        put(http, id, chance(100));
    } else if (is_post && strstr(url, "uploadId=")) {
        put(http, "<%s/>", chance(6) ? "CompleteMultipartUploadResult" : "Error");
        if (chance(6) == 0)
            put(http, "<Error>");
    } else if (strcmp(request->method, "PUT") == 0) {
        (void)snprintf(http->answer.etag, sizeof http->answer.etag, "%s",
                       etags[chance(chance(4) ? 3 : 5)]);
    } else if (strcmp(request->method, "DELETE") == 0) {
        http->answer.status = 204;
    } else {
        answer_object(http, header_of(request, "Range: "),
                      header_of(request, "If-Match: "));
    }
}

/* Answers a request for credentials. Returns false for another request. */
static bool answer_keys(th_http *http, const th_http_request *request)
{
    const char *url = request->url;
    const char *role = strstr(url, "security-credentials/");
    http->answer.status = chance(12) ? 200 : 404 + (int)chance(2) * 96;
    if (strstr(url, "latest/api/token"))
        put(http, "token%u\r\nX-Other: header", chance(10));
    else if (role && !role[strlen("security-credentials/")])
        put(http, "%s", chance(8) ? "role\n" : " \tother role");
    else if (role || strstr(url, "/keys"))
        put_keys(http);
    else if (header_of(request, "Content-Type: application/x-www-form-urlencoded"))
        put_role(http);
    else
        return false;
    if (http->answer.status == 500 && chance(2)) {
        http->len = 0;
        put(http, "<Code>%s</Code>", chance(2) ? "IDPCommunicationError" : "Expired>");
        http->answer.status = 400;
    }
    return true;
}

static void say_request(const th_http *http, const th_http_request *request)
{
    say("%d%s: %s %s%s", http->number, http->is_busy ? " cancels" : "", request->method,
        request->url, request->is_local ? " local" : "");
    for (const char *const *line = request->headers; line && *line; line++)
        say("  %s", *line);
    if (request->has_body && request->body.len < 1000)
        say("  body '%.*s'", (int)request->body.len, request->body.data);
    else if (request->has_body)
        say("  body of %zu bytes, %016" PRIX64, request->body.len,
            XXH3_64bits(request->body.data, request->body.len));
}

/* No answer at all. */
static th_status break_down(th_http *http, th_error *err)
{
    const uint32_t kind = chance(40);
    http->answer = (th_http_answer){ 0 };
    http->is_unreachable = kind < 14;
    http->has_refused = kind < 3;
    if (kind == 39) {
        atomic_store(&stop, 1);
        return th_fail(err, TH_INTERRUPTED, "interrupted");
    }
    if (kind == 38)
        return th_fail(err, TH_NOMEM, "out of memory");
    return th_fail(err, kind > 33 ? TH_IO : TH_NOT_YET, "no answer, %u", kind);
}

th_status th_http_start(th_http *http, const th_http_request *request, th_error *err)
{
    const uint32_t trouble = object.is_honest ? 60 : 6;
    say_request(http, request);
    assert_true(!must_sign || header_of(request, "Authorization: AWS4"));
    if (chance(15) == 0)
        change_object();
    http->is_busy = true;
    http->len = http->at = 0;
    http->is_unreachable = http->has_refused = false;
    http->waited_ms = chance(3) ? 0 : chance(5000);
    still_ms += (int64_t)http->waited_ms;
    http->answer = (th_http_answer){ 0 };
    if (chance(2 * trouble) == 0)
        return break_down(http, err);
    if (!answer_keys(http, request)) {
        if (!must_sign && chance(trouble) == 0)
            answer_trouble(http);
        else
            answer_store(http, request);
    }
    if (chance(2))
        (void)strcpy(http->answer.type, chance(4) ? "text/html" : "x");
    if (chance(4) == 0)
        (void)strcpy(http->answer.coding, chance(4) ? "gzip" : "z");
    say("  status %d, %zu bytes", http->answer.status, http->len);
    return TH_OK;
}

const th_http_answer *th_http_answer_of(const th_http *http)
{
    return &http->answer;
}

th_status th_http_read(th_http *http, char *buffer, size_t capacity, size_t *got,
                       th_error *err)
{
    const size_t left = http->len - http->at;
    assert_true(http->is_busy && http->answer.status >= 200);
    if (chance(object.is_honest ? 200 : 20) == 0)
        return th_fail(err, chance(10) ? TH_NOT_YET : TH_IO, "the connection broke");
    if (!left)
        return TH_END;
    const size_t most = left < capacity ? left : capacity;
    *got = 1 + chance((uint32_t)most);
    *got = *got < most && chance(2) ? *got : most;
    memcpy(buffer, http->body + http->at, *got);
    http->at += *got;
    return TH_OK;
}

uint64_t th_http_waited_ms(const th_http *http)
{
    return http->waited_ms;
}

bool th_http_is_unreachable(const th_http *http)
{
    return http->is_unreachable;
}

bool th_http_has_refused(const th_http *http)
{
    return http->has_refused;
}

void th_http_stop(th_http *http)
{
    if (http->is_busy)
        say("%d: stopped at %zu of %zu", http->number, http->at, http->len);
    http->is_busy = false;
}

char *th_http_resolve(const char *base, const char *reference)
{
    const char *host = strstr(base, "://");
    char *url = NULL;
    if (strstr(reference, "://"))
        return strdup(reference);
    if (!host || chance(10) == 0)
        return NULL;
    host += 3;
    const int len = (int)strcspn(host, "/") + (int)(host - base);
    return asprintf(&url, "%.*s%s", len, base, reference) < 0 ? NULL : url;
}

const char *th_http_library_version(void)
{
    return "0";
}

/* ---- operations ---- */

static void take_retry(void *context, const char *line)
{
    (void)context;
    say("warning: %s", line);
    if (chance(60) == 0)
        atomic_store(&stop, 1);
}

static bool may_follow(void *context, const char *url)
{
    return !strstr(url, context);
}

static const char *some_name(void)
{
    static const char *const names[] = { "s3://b/k",
                                         "s3://b/k k/ü+",
                                         "s3://b.c/k",
                                         "s3://b/",
                                         "https://store.example",
                                         "http://store.example:80/x?sig=1#f",
                                         "s3://b/a/1.warc",
                                         "s3:///k",
                                         "http://u:p@store.example/",
                                         "s3://b/\x01",
                                         "s3://b!/k",
                                         "https://store.example:443/y",
                                         "http://a.example" };
    return names[chance(chance(6) ? 7 : 13)];
}

static void read_some(th_remote_object *object_of, warc_input *input)
{
    char bytes[256];
    th_error why = { .text = "" };
    for (unsigned n = 1 + chance(8); n > 0; n--) {
        size_t got = 0;
        if (chance(6) == 0) {
            const uint64_t to = chance(200);
            const warc_status sought = input->seek(input->context, to);
            say("seek to %" PRIu64 ": %d", to, (int)sought);
        }
        if (chance(25) == 0)
            still_ms += 10000;
        const warc_status status =
            input->read(input->context, bytes, 1 + chance(sizeof bytes), &got);
        say("read: %d '%.*s'", (int)status, (int)got, bytes);
        if (status != WARC_OK)
            break;
    }
    const th_status failure = th_remote_object_failure(object_of, &why);
    version = th_remote_object_version(object_of);
    say("failure %d '%s', version %016" PRIX64 ", after %u s", (int)failure, why.text,
        th_remote_object_version(object_of), th_remote_object_retry_after(object_of));
}

static void prepare_object(th_remote_object *object_of)
{
    th_error why = { .text = "" };
    if (chance(4) == 0) {
        uint64_t size = 12345;
        const th_status status = th_remote_object_size(object_of, &size, &why);
        say("size: %d %" PRIu64 " %s", (int)status, size, why.text);
    }
    if (chance(4) == 0) {
        const uint64_t start = chance(100);
        th_remote_object_slice(object_of, start, chance(3) ? start + chance(60) : 0);
    }
    if (chance(4) == 0)
        th_remote_object_expect(object_of, chance(5) ? version : 77);
    if (chance(5) == 0)
        th_remote_object_parts_only(object_of);
}

/* Reads two objects in turn: the remote keeps one of their transfers. */
static void read_objects(th_remote *remote)
{
    warc_input inputs[2];
    th_remote_object *objects[2] = { NULL, NULL };
    for (unsigned i = 0; i < 2; i++) {
        const char *name = some_name();
        th_error err = { .text = "" };
        const th_status status =
            th_remote_open(remote, name, &inputs[i], &objects[i], &err);
        say("open %s: %d %s", name, (int)status, err.text);
        if (status != TH_OK)
            objects[i] = NULL;
        else
            prepare_object(objects[i]);
    }
    for (unsigned n = chance(4) + 1; n > 0; n--) {
        const unsigned i = chance(2);
        if (objects[i])
            read_some(objects[i], &inputs[i]);
        if (objects[i] && chance(6) == 0)
            th_remote_object_expect(objects[i], chance(3) ? version : 77);
    }
    for (unsigned i = 0; i < 2; i++)
        if (objects[i])
            inputs[i].close(inputs[i].context);
}

static void fetch_object(th_remote *remote)
{
    const char *name = some_name();
    const size_t max = chance(2) ? 1000 : chance(200);
    th_buffer bytes = { 0 };
    th_error err = { .text = "" };
    const th_status status = th_remote_fetch(remote, name, max, &bytes, &err);
    say("fetch %s: %d %s '%.*s'", name, (int)status, err.text,
        status == TH_OK ? (int)bytes.len : 0, bytes.len ? bytes.data : "");
    th_buffer_done(&bytes);
}

static th_status take_found(void *context, const char *name, uint64_t size, th_error *err)
{
    (void)context;
    say("found %s: %" PRIu64, name, size);
    return chance(80) ? TH_OK : th_fail(err, TH_TOO_LARGE, "enough");
}

static void list_objects(th_remote *remote)
{
    static const char *const prefixes[] = { "s3://b/a/", "s3://b", "s3://b.c/a+/",
                                            "s3://" };
    const char *prefix = prefixes[chance(chance(10) ? 3 : 4)];
    th_error err = { .text = "" };
    const th_status status = th_remote_list(remote, prefix, take_found, NULL, &err);
    say("list %s: %d %s", prefix, (int)status, err.text);
}

/* Few files are so large that they are sent in parts. */
static void upload_file(th_remote *remote, uint32_t round)
{
    const bool is_large = round % 50 == 0;
    const char *name = is_large ? "s3://b/large" : some_name();
    th_error err = { .text = "" };
    const uint32_t len = chance(2000);
    const int fd = open("up", O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0 && pwrite(fd, "start", 5, 0) == 5);
    assert_int_equal(ftruncate(fd, is_large ? PART + (off_t)chance(3) : (off_t)len), 0);
    close(fd);
    if (chance(3) == 0) { /* of an upload that was killed */
        FILE *note = fopen("up.upload", "w");
        assert_non_null(note);
        assert_true(fputs("old id", note) >= 0);
        fclose(note);
    }
    const char *path = chance(30) ? "up" : "missing";
    const th_status status = th_remote_upload(remote, path, name, &err);
    say("upload %s to %s: %d %s, note %d", path, name, (int)status, err.text,
        access("up.upload", F_OK));
    (void)unlink("up.upload");
}

static void fetch_page(th_arena *arena)
{
    th_fetched_page page;
    th_error err = { .text = "" };
    th_fetch_options options = { .ca_file = "ca", .connect_ms = 1, .stall_ms = 2 };
    options.max_bytes = chance(2) ? 1000 : chance(200);
    options.allow_private = chance(2);
    const th_status status =
        th_page_fetch("https://store.example/page", &options, arena, &page, &err);
    say("page: %d %s", (int)status, err.text);
    if (status == TH_OK)
        say("  %.*s cut %d '%.*s'", (int)page.url.len, page.url.data, page.is_cut,
            (int)page.block.len, page.block.data);
}

static void one_operation(th_remote *remote, uint32_t round)
{
    th_arena *arena = th_arena_new(0);
    object.is_honest = chance(2);
    fail_allocation(chance(6) ? 0 : 1 + chance(chance(3) ? 8 : 40));
    switch (chance(7)) {
    case 0:
        fetch_object(remote);
        break;
    case 1:
        list_objects(remote);
        break;
    case 2:
        upload_file(remote, round);
        break;
    case 3:
        fetch_page(arena);
        break;
    default:
        read_objects(remote);
    }
    fail_allocation(0);
    th_arena_free(arena);
    atomic_store(&stop, 0);
    if (chance(3) == 0)
        still_ms += chance(600000);
}

/* ---- rounds ---- */

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    fclose(file);
}

/* Sets the first value, seldom the second one, or none. */
static void some_env(const char *name, const char *first, const char *second)
{
    const uint32_t pick = chance(16);
    if (pick < 8)
        (void)unsetenv(name);
    else
        (void)setenv(name, pick == 15 ? second : first, 1);
}

static void some_environment(void)
{
    some_env("AWS_ACCESS_KEY_ID", chance(2) ? "ENVKEY" : "", "ENV\nKEY");
    some_env("AWS_SECRET_ACCESS_KEY", "env secret", "x");
    if (chance(3))
        (void)setenv("AWS_SECRET_ACCESS_KEY", "env secret", 1);
    some_env("AWS_SESSION_TOKEN", "env session", "");
    some_env("AWS_WEB_IDENTITY_TOKEN_FILE", chance(2) ? "identity" : "", "missing");
    some_env("AWS_ROLE_ARN", "arn:aws:iam::1:role/x", "role");
    if (chance(3))
        (void)setenv("AWS_ROLE_ARN", "role", 1);
    some_env("AWS_ROLE_SESSION_NAME", "me & you", "");
    some_env("AWS_ENDPOINT_URL_STS", "http://localhost:1", "http://sts.example/");
    some_env("AWS_ENDPOINT_URL", "https://aws.example/", "http://store.example:80//");
    some_env("AWS_ENDPOINT_URL_S3", "", "https://store.example:443");
    some_env("AWS_REGION", "cn-north-1", "EU");
    some_env("AWS_DEFAULT_REGION", "eu-west-1", "us-east-1");
    some_env("AWS_PROFILE", "work", "nobody");
    some_env("AWS_SHARED_CREDENTIALS_FILE", "profiles", "missing");
    some_env("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", chance(3) ? "" : "/keys", "/keys");
    some_env("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://localhost/keys",
             "http://far.example/keys");
    some_env("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "container", "missing");
    some_env("AWS_CONTAINER_AUTHORIZATION_TOKEN", "word", "two\nlines");
    some_env("AWS_EC2_METADATA_DISABLED", "true", "false");
    some_env("AWS_EC2_METADATA_SERVICE_ENDPOINT", "http://meta/", "http://meta");
    some_env("AWS_CA_BUNDLE", "bundle", "");
}

static th_remote_options some_options(void)
{
    static const uint32_t times[] = { 0, 0, 1, 200, 3000, 60000 };
    static char other[] = "other";
    const char *const *ways = th_credentials_names;
    th_remote_options options = { .stop = &stop, .follow_context = other };
    options.endpoint = chance(3) ? "" : chance(8) ? "https://store.example/" : "store";
    options.region = chance(3) ? "" : "ap-south-1";
    options.path_style = th_path_style_names[chance(3)];
    options.credentials = ways[chance(2) ? 0 : chance(7)];
    options.ca_file = chance(2) ? "" : "our ca";
    options.retries = chance(5);
    options.unreachable_retries = chance(4);
    options.backoff_ms = times[chance(6)];
    options.connect_ms = times[chance(6)];
    options.stall_ms = times[chance(6)];
    options.min_rate = chance(100);
    options.min_rate_ms = 1 + times[chance(6)];
    options.on_retry = chance(5) ? take_retry : NULL;
    options.longest_ms = chance(4) ? 0 : 20000;
    options.deadline_ms = chance(4) ? 0 : 5000;
    options.parts_only = chance(5) == 0;
    options.may_follow = chance(2) ? may_follow : NULL;
    return options;
}

static void one_round(uint32_t round)
{
    th_remote *remote = NULL;
    th_error err = { .text = "" };
    all.chance = round * 7919 + 5;
    still_ms = INT64_C(1700000000000); /* 2023-11-14T22:13:20Z */
    some_environment();
    const th_remote_options options = some_options();
    change_object();
    const th_status status = th_remote_new(&options, &remote, &err);
    say("round %u: %d %s", round, (int)status, err.text);
    for (int i = 0; i < OPERATIONS && status == TH_OK; i++)
        one_operation(remote, round);
    if (status == TH_OK)
        th_remote_free(remote);
    assert_int_equal(live, 0);
}

static void one_digest_for_all(void **state)
{
    char folder[] = "/tmp/thresher-remote-XXXXXX";
    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    (void)setenv("HOME", "home", 1);
    assert_int_equal(mkdir("home", 0700), 0);
    assert_int_equal(mkdir("home/.aws", 0700), 0);
    write_file("home/.aws/credentials",
               "[default]\naws_access_key_id=HOMEKEY\naws_secret_access_key=home\n"
               "[work]\naws_access_key_id=HOMEWORK\naws_secret_access_key=work\n");
    write_file("profiles", "[work]\naws_access_key_id = WORK\naws_secret_access_key = "
                           "work\naws_session_token = work session\n"
                           "[default]\naws_access_key_id = HALF\n");
    write_file("identity", "ey.token/1+2\n");
    write_file("container", "container word\r\nanother");
    th_remote_free(NULL);
    for (uint32_t round = 0; round < ROUNDS; round++)
        one_round(round);
    static const char *const files[] = { "up", "home/.aws/credentials", "profiles",
                                         "identity", "container" };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        assert_int_equal(unlink(files[i]), 0);
    assert_int_equal(rmdir("home/.aws") | rmdir("home") | chdir("/") | rmdir(folder), 0);
    expect_digest(&all, UINT64_C(0x4706FDB9A84D9C48));
}

/* Whichever allocation fails, and however long the signature is: the length of the key
 * makes the last byte of a header the first byte that does not fit. */
static void no_request_is_sent_unsigned(void **state)
{
    enum { KEY_MOST = 120, ALLOCATIONS = 30 };
    char key[KEY_MOST + 1] = "";
    th_error err = { .text = "" };
    th_remote_options options = some_options();
    (void)state;
    options.endpoint = options.region = "";
    options.credentials = "env";
    options.retries = 0;
    some_environment();
    (void)setenv("AWS_SECRET_ACCESS_KEY", "secret", 1);
    (void)setenv("AWS_SESSION_TOKEN", "", 1);
    (void)setenv("AWS_REGION", "eu-west-1", 1);
    (void)unsetenv("AWS_ENDPOINT_URL");
    (void)unsetenv("AWS_ENDPOINT_URL_S3");
    must_sign = object.is_honest = true;
    for (size_t len = 0; len < KEY_MOST; len++) {
        key[len] = 'K';
        (void)setenv("AWS_ACCESS_KEY_ID", key, 1);
        for (size_t n = 1; n < ALLOCATIONS; n++) {
            th_remote *remote = NULL;
            th_buffer bytes = { 0 };
            assert_int_equal(th_remote_new(&options, &remote, &err), TH_OK);
            fail_allocation(n);
            (void)th_remote_fetch(remote, "s3://b/k", 1000, &bytes, &err);
            fail_allocation(0);
            th_buffer_done(&bytes);
            th_remote_free(remote);
        }
    }
    must_sign = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(one_digest_for_all),
                                        cmocka_unit_test(no_request_is_sent_unsigned) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
