/* Credentials by environment, file and endpoint. See the header. */
#include "remote/credential_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/file_name.h"
#include "remote/remote_name.h"

enum { MAX_BODY = 64 << 10, MAX_TOKEN = 16 << 10, RENEW_S = 300 };

const char *const th_credentials_names[] = { "auto",    "env",       "web-identity",
                                             "profile", "container", "instance",
                                             "none",    NULL };

static const char *env(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

static th_status check(const th_credentials *found, const char *where, th_error *err)
{
    return *found->access_key && *found->secret
               ? TH_OK
               : th_fail(err, TH_IO, "%s: incomplete credentials", where);
}

/* ---- environment and file ---- */

static bool put(char *out, size_t capacity, const char *name)
{
    return th_credential_put(out, capacity, (th_view){ env(name), strlen(env(name)) });
}

/* Returns TH_ABSENT if there are no credentials of this kind. */
static th_status from_env(th_credentials *out, th_error *err)
{
    if (!*env("AWS_ACCESS_KEY_ID"))
        return TH_ABSENT;
    if (!put(out->access_key, sizeof out->access_key, "AWS_ACCESS_KEY_ID") ||
        !put(out->secret, sizeof out->secret, "AWS_SECRET_ACCESS_KEY") ||
        !put(out->token, sizeof out->token, "AWS_SESSION_TOKEN"))
        return th_fail(err, TH_IO,
                       "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY or AWS_SESSION_TOKEN is "
                       "too long, or has a control character");
    return check(out, "the environment", err);
}

static th_status from_profile(th_credentials *out, th_error *err)
{
    char path[4096];
    const char *named = env("AWS_SHARED_CREDENTIALS_FILE");
    const char *profile = *env("AWS_PROFILE") ? env("AWS_PROFILE") : "default";
    const int len = *named
                        ? snprintf(path, sizeof path, "%s", named)
                        : snprintf(path, sizeof path, "%s/.aws/credentials", env("HOME"));
    FILE *file = len > 0 && (size_t)len < sizeof path ? fopen(path, "re") : NULL;
    if (!file)
        return *named || *env("AWS_PROFILE")
                   ? th_fail(err, TH_IO, "cannot read the credentials in '%.200s': %s",
                             path, strerror(errno))
                   : TH_ABSENT;
    const th_status status = th_credential_profile_read(file, profile, out);
    (void)fclose(file);
    if (status == TH_TOO_LARGE)
        return th_fail(err, TH_IO,
                       "'%.200s': a value is too long or has a control character", path);
    if (status == TH_ABSENT)
        return *env("AWS_PROFILE")
                   ? th_fail(err, TH_IO, "'%.200s' has no profile '%.100s'", path,
                             profile)
                   : TH_ABSENT;
    return check(out, path, err);
}

/* ---- endpoints ---- */

/* Reads the body of an answer. */
static th_status read_body(th_http *http, const char *url, th_buffer *body, th_error *err)
{
    char part[4096];
    size_t got = 0;
    th_status status = TH_OK;
    while (status == TH_OK &&
           (status = th_http_read(http, part, sizeof part, &got, err)) == TH_OK) {
        th_buffer_append(body, part, got);
        if (body->has_failed || body->len > MAX_BODY)
            status = th_fail(err, TH_IO, "%.200s: the answer is too long", url);
    }
    return status == TH_END ? TH_OK : status;
}

/* Reads a short body completely. */
static th_status fetch(th_http *http, const th_http_request *request, th_buffer *body,
                       th_error *err)
{
    th_status status = th_http_start(http, request, err);
    if (status == TH_OK && th_http_answer_of(http)->status != 200)
        status = th_fail(err, TH_NOT_YET, "%.200s answered %d", request->url,
                         th_http_answer_of(http)->status);
    if (status == TH_OK)
        status = read_body(http, request->url, body, err);
    th_http_stop(http);
    return status;
}

static th_status fetch_keys(th_http *http, const th_http_request *request,
                            th_credentials *out, th_error *err)
{
    th_buffer body = { 0 };
    th_status status = fetch(http, request, &body, err);
    if (status == TH_OK && !th_credential_json_read(th_buffer_view(&body), out))
        status = th_fail(err, TH_IO, "%.200s returned no credentials", request->url);
    th_buffer_done(&body);
    return status == TH_OK ? check(out, request->url, err) : status;
}

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Returns whether a URL may get the container's token: only trusted hosts may. */
static bool is_near(const char *url)
{
    return starts(url, "https://") || starts(url, "http://127.0.0.1:") ||
           starts(url, "http://127.0.0.1/") || starts(url, "http://localhost:") ||
           starts(url, "http://localhost/") || starts(url, "http://169.254.170.2/") ||
           starts(url, "http://169.254.170.23/") || starts(url, "http://[fd00:ec2::23]/");
}

/* Writes "Authorization: TOKEN" from the environment or a file; "" if there is no
 * token. */
static th_status container_header(char *out, size_t capacity, th_error *err)
{
    char token[4096] = "";
    const char *path = env("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
    out[0] = '\0';
    if (*path) {
        FILE *file = fopen(path, "re");
        if (!file)
            return th_fail(err, TH_IO, "cannot open '%.200s': %s", path, strerror(errno));
        if (!fgets(token, sizeof token, file))
            token[0] = '\0';
        (void)fclose(file);
        token[strcspn(token, "\r\n")] = '\0';
    } else if (!put(token, sizeof token, "AWS_CONTAINER_AUTHORIZATION_TOKEN")) {
        return th_fail(err, TH_IO,
                       "AWS_CONTAINER_AUTHORIZATION_TOKEN is too long, or has a control "
                       "character");
    }
    if (*token)
        (void)snprintf(out, capacity, "Authorization: %s", token);
    return TH_OK;
}

static th_status from_container(th_http *http, th_credentials *out, th_error *err)
{
    char url[2048], header[4200];
    const char *relative = env("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
    const char *full = env("AWS_CONTAINER_CREDENTIALS_FULL_URI");
    if (!*relative && !*full)
        return TH_ABSENT;
    (void)snprintf(url, sizeof url, "%s%s", *relative ? "http://169.254.170.2" : "",
                   *relative ? relative : full);
    if (!is_near(url))
        return th_fail(err, TH_IO,
                       "AWS_CONTAINER_CREDENTIALS_FULL_URI must use https or an address "
                       "of this machine");
    const th_status status = container_header(header, sizeof header, err);
    if (status != TH_OK)
        return status;
    const char *headers[] = { *header ? header : NULL, NULL };
    const th_http_request request = {
        .method = "GET", .url = url, .headers = headers, .is_local = true
    };
    return fetch_keys(http, &request, out, err);
}

static th_status from_instance(th_http *http, th_credentials *out, th_error *err)
{
    char url[1024], header[600];
    const char *base = *env("AWS_EC2_METADATA_SERVICE_ENDPOINT")
                           ? env("AWS_EC2_METADATA_SERVICE_ENDPOINT")
                           : "http://169.254.169.254";
    const char *ttl[] = { "X-aws-ec2-metadata-token-ttl-seconds: 21600", NULL };
    const char *token[] = { header, NULL };
    th_http_request request = {
        .method = "PUT", .url = url, .headers = ttl, .is_local = true
    };
    static const char role_path[] = "latest/meta-data/iam/security-credentials/";
    const char *slash = th_file_name_ends(base, "/") ? "" : "/";
    th_buffer body = { 0 };
    if (strcmp(env("AWS_EC2_METADATA_DISABLED"), "true") == 0)
        return TH_ABSENT;
    (void)snprintf(url, sizeof url, "%.400s%slatest/api/token", base, slash);
    th_status status = fetch(http, &request, &body, err);
    if (status == TH_OK) {
        /* Takes only the first line, because the rest could be a separate header. */
        const th_view token_text = th_buffer_view(&body);
        size_t len = 0;
        while (len < token_text.len && len < 512 && token_text.data[len] > ' ')
            len++;
        (void)snprintf(header, sizeof header, "X-aws-ec2-metadata-token: %.*s", (int)len,
                       token_text.data);
        (void)snprintf(url, sizeof url, "%.400s%s%s", base, slash, role_path);
        request.method = "GET";
        request.headers = token;
        th_buffer_reset(&body);
        status = fetch(http, &request, &body, err);
    }
    if (status == TH_OK) {
        th_buffer_append_char(&body, '\0');
        const char *text = th_buffer_view(&body).data;
        const char *role = text + strspn(text, " \t");
        const size_t len = strcspn(role, " \t\r\n");
        (void)snprintf(url, sizeof url, "%.400s%s%s%.*s", base, slash, role_path,
                       (int)(len < 200 ? len : 200), role);
        status = fetch_keys(http, &request, out, err);
    }
    th_buffer_done(&body);
    return status;
}

/* ---- a token of the cluster ---- */

/* Makes the body of a form: the token of the file, and the parameters of the request. */
static th_status make_form(th_buffer *form, th_error *err)
{
    const char *path = env("AWS_WEB_IDENTITY_TOKEN_FILE"), *role = env("AWS_ROLE_ARN");
    const char *session =
        *env("AWS_ROLE_SESSION_NAME") ? env("AWS_ROLE_SESSION_NAME") : "thresher";
    char token[MAX_TOKEN];
    if (!*role)
        return th_fail(err, TH_IO,
                       "AWS_WEB_IDENTITY_TOKEN_FILE is set, but AWS_ROLE_ARN is not");
    FILE *file = fopen(path, "re");
    if (!file)
        return th_fail(err, TH_IO, "cannot open '%.200s': %s", path, strerror(errno));
    size_t len = fread(token, 1, sizeof token, file);
    const bool is_read = !ferror(file) && len < sizeof token;
    (void)fclose(file);
    while (len && (unsigned char)token[len - 1] <= ' ')
        len--;
    if (!is_read || !len)
        return th_fail(err, TH_IO,
                       "'%.200s' does not contain a token of at most %d bytes", path,
                       (int)MAX_TOKEN - 1);
    th_buffer_append_text(form,
                          "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=");
    th_remote_encode((th_view){ role, strlen(role) }, false, form);
    th_buffer_append_text(form, "&RoleSessionName=");
    th_remote_encode((th_view){ session, strlen(session) }, false, form);
    th_buffer_append_text(form, "&WebIdentityToken=");
    th_remote_encode((th_view){ token, len }, false, form);
    return form->has_failed ? th_fail(err, TH_NOMEM, "out of memory") : TH_OK;
}

/* Returns the endpoint that exchanges tokens: the configured one, or Amazon's of the
 * region. */
static th_status find_sts(char *url, size_t capacity, th_error *err)
{
    const char *named = *env("AWS_ENDPOINT_URL_STS") ? env("AWS_ENDPOINT_URL_STS")
                                                     : env("AWS_ENDPOINT_URL");
    const char *region =
        *env("AWS_REGION") ? env("AWS_REGION") : env("AWS_DEFAULT_REGION");
    const bool is_china = strncmp(region, "cn-", 3) == 0;
    if (strspn(region, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(region))
        return th_fail(err, TH_IO, "'%.64s' is not a region", region);
    if (*named)
        (void)snprintf(url, capacity, "%s%s", named,
                       th_file_name_ends(named, "/") ? "" : "/");
    else
        (void)snprintf(url, capacity, "https://sts.%s%samazonaws.com%s/", region,
                       *region ? "." : "", is_china ? ".cn" : "");
    return is_near(url)
               ? TH_OK
               : th_fail(
                     err, TH_IO,
                     "the token endpoint must use https or an address of this machine");
}

/* Returns why a token was not exchanged. One error of status 400 is temporary.
 * [AWS STS API] */
static th_status refuse_token(int status, th_view body, th_error *err)
{
    static const char begin[] = "<Code>", busy[] = "IDPCommunicationError";
    const char *code = body.len ? memmem(body.data, body.len, begin, 6) : NULL;
    size_t len = 0;
    if (code) {
        code += 6;
        while (code + len < body.data + body.len && len < 64 && code[len] > ' ' &&
               code[len] != '<' && code[len] != 0x7f)
            len++;
    }
    const bool is_passing = status >= 500 || status == 429 ||
                            (len == sizeof busy - 1 && memcmp(code, busy, len) == 0);
    return th_fail(err, is_passing ? TH_NOT_YET : TH_IO,
                   "cannot exchange the web identity token: status %d%s%.*s", status,
                   len ? " " : "", (int)len, len ? code : "");
}

static th_status from_web_identity(th_http *http, th_credentials *out, th_error *err)
{
    static const char *const headers[] = {
        "Content-Type: application/x-www-form-urlencoded", NULL
    };
    char url[2048];
    th_buffer form = { 0 }, body = { 0 };
    if (!*env("AWS_WEB_IDENTITY_TOKEN_FILE"))
        return TH_ABSENT;
    th_status status = find_sts(url, sizeof url, err);
    if (status == TH_OK)
        status = make_form(&form, err);
    const th_http_request request = { .method = "POST",
                                      .url = url,
                                      .headers = headers,
                                      .has_body = true,
                                      .body = th_buffer_view(&form) };
    if (status == TH_OK)
        status = th_http_start(http, &request, err);
    if (status == TH_OK)
        status = read_body(http, url, &body, err);
    const int answer = th_http_answer_of(http)->status;
    th_http_stop(http);
    if (status == TH_OK && answer != 200)
        status = refuse_token(answer, th_buffer_view(&body), err);
    else if (status == TH_OK && !th_credential_xml_read(th_buffer_view(&body), out))
        status = th_fail(err, TH_IO, "%.200s returned no credentials", url);
    th_buffer_done(&form);
    th_buffer_done(&body);
    return status;
}

/* ---- all ways ---- */

static bool is_way(const char *way, const char *name)
{
    return strcmp(way, "auto") == 0 || strcmp(way, name) == 0;
}

th_status th_credentials_find(const char *way, th_http *http, th_credentials *out,
                              th_error *err)
{
    th_credentials found = { 0 };
    th_error why = { .text = "" };
    th_status status = TH_ABSENT;
    if (strcmp(way, "none") == 0) {
        *out = (th_credentials){ .is_unsigned = true };
        return TH_OK;
    }
    if (is_way(way, "env"))
        status = from_env(&found, err);
    if (status == TH_ABSENT && is_way(way, "web-identity"))
        status = from_web_identity(http, &found, err);
    if (status == TH_ABSENT && is_way(way, "profile"))
        status = from_profile(&found, err);
    if (status == TH_ABSENT && is_way(way, "container"))
        status = from_container(http, &found, err);
    if (status == TH_ABSENT && is_way(way, "instance"))
        status = from_instance(http, &found, &why);
    if (status == TH_OK)
        *out = found;
    if (status == TH_INTERRUPTED || status == TH_NOMEM)
        return th_fail(err, status, "%s", th_status_text(status));
    return status == TH_ABSENT || why.text[0]
               ? th_fail(err, TH_IO,
                         "no credentials found%s%.150s; for public objects set "
                         "remote.credentials = none",
                         why.text[0] ? ": " : "", why.text)
               : status;
}

static bool end_within(const th_credentials *credentials, int64_t seconds)
{
    return credentials->expires_at &&
           th_clock_ms(CLOCK_REALTIME) / 1000 > credentials->expires_at - seconds;
}

bool th_credentials_are_old(const th_credentials *credentials)
{
    return end_within(credentials, RENEW_S);
}

bool th_credentials_have_ended(const th_credentials *credentials)
{
    return end_within(credentials, 0);
}
