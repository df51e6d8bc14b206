/* Writes the manifest of a run. See the header. */
#include "app/manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <warc/warc_digest.h>

#include "app/job_identity.h"
#include "app/output_path.h"
#include "base/file_name.h"
#include "base/file_sink.h"
#include "base/json.h"
#include "content/content_scores.h"
#include "ingest/archive_place.h"
#include "language/fasttext.h"
#include "robots/robots_file.h"
#include "segment/segment_model.h"
#include "thresher/classifier.h"
#include "thresher/page.h"
#include "thresher/version.h"

enum { PIECE = 1 << 16 };

char *th_manifest_path(const th_settings *settings)
{
    char *path = NULL, name[16] = "";
    if (th_format_find(settings->format)->is_sharded)
        (void)snprintf(name, sizeof name, "%05u", (unsigned)settings->rank);
    else if (th_output_is_folder(settings->output))
        (void)snprintf(name, sizeof name, "thresher");
    return asprintf(&path, "%s%s" TH_MANIFEST_SUFFIX, settings->output, name) < 0 ? NULL
                                                                                  : path;
}

/* ---- digests ---- */

struct hashing {
    const th_manifest *manifest;
    warc_digest *digest;
    uint64_t done; /* bytes of all files */
};

static void show_progress(const struct hashing *hashing)
{
    th_progress_bar *bar = hashing->manifest->bar;
    const th_progress_view view = { .step = "digests",
                                    .done = hashing->done,
                                    .is_bytes = true,
                                    .words = "for the manifest" };
    if (bar && th_progress_bar_is_due(bar))
        th_progress_bar_show(bar, &view);
}

/* Hashes a regular file. TH_ABSENT if it is not one. */
static th_status hash_file(struct hashing *hashing, const char *path, uint64_t *len,
                           char hex[WARC_DIGEST_HEX_MAX], th_error *err)
{
    const th_input_list *inputs = hashing->manifest->inputs;
    const atomic_int *stop = inputs ? inputs->stop : NULL;
    warc_digest *digest = hashing->digest;
    static const char failed[] = "manifest: cannot read '%s': %s";
    char piece[PIECE];
    struct stat facts;
    warc_digest_value value;
    if (stat(path, &facts) != 0)
        return errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG
                   ? TH_ABSENT
                   : th_fail(err, TH_IO, failed, path, strerror(errno));
    if (!S_ISREG(facts.st_mode))
        return TH_ABSENT;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return th_fail(err, TH_IO, failed, path, strerror(errno));
    ssize_t got = 0;
    *len = 0;
    if (warc_digest_begin(digest, WARC_DIGEST_SHA256) != WARC_OK) {
        (void)close(fd);
        return th_fail(err, TH_IO, "manifest: libcrypto does not provide SHA-256");
    }
    while (!(stop && atomic_load(stop)) &&
           ((got = read(fd, piece, sizeof piece)) > 0 || (got < 0 && errno == EINTR)))
        if (got > 0) {
            warc_digest_update(digest, (warc_view){ piece, (size_t)got });
            *len += (uint64_t)got;
            hashing->done += (uint64_t)got;
            show_progress(hashing);
        }
    const int reason = errno;
    warc_digest_end(digest, &value);
    (void)close(fd);
    if (stop && atomic_load(stop))
        return th_fail(err, TH_INTERRUPTED, "interrupted in the manifest's digests");
    if (got < 0)
        return th_fail(err, TH_IO, failed, path, strerror(reason));
    (void)warc_digest_hex(&value, hex);
    return TH_OK;
}

/* "sha256:..." without the label. */
static const char *without_label(const char *hex)
{
    const char *colon = strchr(hex, ':');
    return colon ? colon + 1 : hex;
}

static void print_file(th_json *json, const char *name, const char *kind,
                       th_status status, uint64_t len, const char *hex)
{
    th_json_open_object(json);
    th_json_member_text(json, "name", name);
    if (kind)
        th_json_member_text(json, "kind", kind);
    if (status == TH_OK) {
        th_json_member_uint(json, "bytes", len);
        th_json_member_text(json, "sha256", without_label(hex));
    }
    th_json_close_object(json);
}

/* Inputs of an index name records. Records of one file that follow each other are one
 * entry. */
static th_status print_inputs(th_json *json, struct hashing *hashing, th_error *err)
{
    const th_manifest *manifest = hashing->manifest;
    const char *last = NULL;
    size_t last_len = 0;
    th_status status = TH_OK;
    th_json_key(json, "inputs");
    th_json_open_array(json);
    for (uint32_t i = 0; i < manifest->inputs->count && status == TH_OK; i++) {
        char hex[WARC_DIGEST_HEX_MAX] = "";
        uint64_t len = 0;
        th_archive_place place;
        const char *path = manifest->inputs->paths[i];
        const size_t path_len = th_archive_file_len(path);
        if (last && path_len == last_len && memcmp(last, path, path_len) == 0)
            continue;
        char *file = strndup(path, path_len);
        if (!file) {
            status = th_fail(err, TH_NOMEM, "out of memory for the manifest");
            break;
        }
        status = th_archive_place_read(path, &place)
                     ? TH_ABSENT
                     : hash_file(hashing, file, &len, hex, err);
        print_file(json, file, NULL, status, len, hex);
        free(file);
        status = status == TH_ABSENT ? TH_OK : status;
        last = path;
        last_len = path_len;
    }
    th_json_close_array(json);
    return status;
}

/* Outputs are named relative to the manifest's folder. */
static const char *output_name(const th_settings *settings, const char *path)
{
    const size_t folder =
        th_output_is_folder(settings->output) ? strlen(settings->output) : 0;
    if (settings->output_name && strcmp(path, settings->output) == 0)
        return th_last_name(settings->output_name);
    return folder && strncmp(path, settings->output, folder) == 0 ? path + folder
                                                                  : th_last_name(path);
}

static th_status print_outputs(th_json *json, struct hashing *hashing, th_error *err)
{
    const th_manifest *manifest = hashing->manifest;
    th_status status = TH_OK;
    th_json_key(json, "outputs");
    th_json_open_array(json);
    for (uint32_t i = 0; i < manifest->output_count && status == TH_OK; i++) {
        char hex[WARC_DIGEST_HEX_MAX] = "";
        uint64_t len = 0;
        status = hash_file(hashing, manifest->outputs[i], &len, hex, err);
        if (status == TH_OK)
            print_file(json, output_name(manifest->settings, manifest->outputs[i]),
                       i < manifest->record_files ? "records" : "lines", status, len,
                       hex);
        status = status == TH_ABSENT ? TH_OK : status;
    }
    th_json_close_array(json);
    return status;
}

/* ---- how it was made ---- */

static void print_checksum(th_json *json, const char *key, uint64_t checksum)
{
    char text[17];
    (void)snprintf(text, sizeof text, "%016" PRIx64, checksum);
    th_json_member_text(json, key, text);
}

static void print_models(th_json *json, const th_settings *settings)
{
    const th_classifier *classifier = th_classifier_find(settings->page.classifier);
    const th_content_model *model = settings->page.content_model
                                        ? settings->page.content_model
                                        : th_content_model_shipped();
    th_json_key(json, "models");
    th_json_open_object(json);
    if (classifier && classifier->judge && model)
        print_checksum(json, "content", model->checksum);
    if (settings->page.segment_model)
        print_checksum(json, "segmenter", settings->page.segment_model->checksum);
    if (settings->fasttext)
        print_checksum(json, "language_fasttext",
                       th_fasttext_checksum(settings->fasttext));
    if (settings->robots)
        print_checksum(json, "robots", th_robots_file_checksum(settings->robots));
    if (settings->sites.checksum)
        print_checksum(json, "sites", settings->sites.checksum);
    th_json_close_object(json);
}

/* Options that shape the output and differ from their defaults. */
static th_status print_options(th_json *json, const th_settings *settings, th_error *err)
{
    th_settings defaults;
    th_buffer ours = { 0 }, theirs = { 0 };
    th_status status = th_settings_init(&defaults, NULL);
    th_json_key(json, "options");
    th_json_open_object(json);
    for (const th_option *option = th_option_table; status == TH_OK && option->key;
         option++) {
        if (!(option->commands & TH_FOR_RUN) || th_job_option_is_neutral(option->key))
            continue;
        th_buffer_reset(&ours);
        th_buffer_reset(&theirs);
        th_settings_print(settings, option, &ours);
        th_settings_print(&defaults, option, &theirs);
        if (ours.has_failed || theirs.has_failed)
            status = TH_NOMEM;
        else if (ours.len != theirs.len ||
                 (ours.len && memcmp(ours.data, theirs.data, ours.len) != 0))
            th_json_member_buffer(json, option->key, &ours);
    }
    th_json_close_object(json);
    th_buffer_done(&ours);
    th_buffer_done(&theirs);
    th_settings_done(&defaults);
    return status == TH_OK ? TH_OK
                           : th_fail(err, status, "out of memory for the manifest");
}

static void print_counts(th_json *json, const th_state *state)
{
    th_json_key(json, "counts");
    th_json_open_object(json);
    th_json_member_uint(json, "read", state->counts.read);
    th_json_member_uint(json, "emitted", state->counts.emitted);
    th_json_key(json, "refused");
    th_json_open_object(json);
    for (unsigned i = 0; i < TH_STATUS_COUNT; i++)
        if (state->counts.refused[i])
            th_json_member_uint(json, th_status_name((th_status)i),
                                state->counts.refused[i]);
    th_json_close_object(json);
    th_json_key(json, "flagged");
    th_json_open_object(json);
    for (unsigned i = 0; i < TH_FLAG_COUNT; i++)
        if (state->counts.flagged[i])
            th_json_member_uint(json, th_flag_name(i), state->counts.flagged[i]);
    th_json_close_object(json);
    th_json_member_uint(json, "damaged", state->source.damaged);
    th_json_member_uint(json, "unreadable", state->source.unreadable);
    th_json_close_object(json);
}

th_status th_manifest_write(const th_manifest *manifest, const char *path, th_error *err)
{
    th_json json;
    th_buffer out = { 0 };
    struct hashing hashing = { .manifest = manifest };
    if (warc_digest_new(&hashing.digest) != WARC_OK)
        return th_fail(err, TH_NOMEM, "out of memory for the manifest");
    th_json_begin(&json, &out);
    th_json_open_object(&json);
    th_json_member_text(&json, "schema", TH_MANIFEST_SCHEMA);
    th_json_member_text(&json, "program", "thresher");
    th_json_member_text(&json, "version", TH_VERSION);
    th_json_member_text(&json, "format", manifest->settings->format);
    print_models(&json, manifest->settings);
    th_status status = print_options(&json, manifest->settings, err);
    if (status == TH_OK && manifest->inputs)
        status = print_inputs(&json, &hashing, err);
    if (status == TH_OK)
        status = print_outputs(&json, &hashing, err);
    if (manifest->state)
        print_counts(&json, manifest->state);
    th_json_close_object(&json);
    const th_status end = th_json_end(&json);
    if (status == TH_OK && end != TH_OK)
        status = th_fail(err, end, "out of memory for the manifest");
    if (status == TH_OK)
        status = th_file_replace(path, th_buffer_view(&out), err);
    warc_digest_free(hashing.digest);
    th_buffer_done(&out);
    return status;
}
