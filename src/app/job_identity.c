/* Digests of options and inputs. See the header. */
#include "app/job_identity.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "content/content_model.h"
#include "ingest/archive_place.h"
#include "language/fasttext.h"
#include "pipeline/page_filter.h"
#include "robots/robots_file.h"
#include "segment/segment_model.h"
#include "xxhash.h"

/* Options of `run` that change no byte of its output, and the output's own name: a folder
 * of outputs may be moved with its state. */
bool th_job_option_is_neutral(const char *key)
{
    static const char *const keys[] = {
        "output",           "jobs",         "resume",       "quiet",   "checkpoint-ms",
        "max-in-flight",    "sites.memory", "sites.temp",   "shard",   "isolation",
        "isolation-memory", "isolation-ms", "index.repair", "manifest"
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    /* How a store is reached changes nothing; which one it is does. */
    return strncmp(key, "remote.", 7) == 0 && strcmp(key, "remote.endpoint") != 0;
}

static void describe_options(const th_settings *settings, th_buffer *out)
{
    for (const th_option *option = th_option_table; option->key; option++) {
        if (!(option->commands & TH_FOR_RUN) || th_job_option_is_neutral(option->key))
            continue;
        th_buffer_append_text(out, option->key);
        th_buffer_append_char(out, '=');
        th_settings_print(settings, option, out);
        th_buffer_append_char(out, '\n');
    }
    if (settings->page.filter)
        th_buffer_printf(out, "%016" PRIx64 "\n",
                         th_page_filter_checksum(settings->page.filter));
    if (settings->page.segment_model) /* the file may have changed */
        th_buffer_printf(out, "%016" PRIx64 "\n", settings->page.segment_model->checksum);
    if (settings->page.content_model) /* the same */
        th_buffer_printf(out, "%016" PRIx64 "\n", settings->page.content_model->checksum);
    if (settings->fasttext) /* the same */
        th_buffer_printf(out, "%016" PRIx64 "\n",
                         th_fasttext_checksum(settings->fasttext));
    if (settings->robots) /* the same */
        th_buffer_printf(out, "%016" PRIx64 "\n",
                         th_robots_file_checksum(settings->robots));
    if (settings->sites.checksum)
        th_buffer_printf(out, "%016" PRIx64 "\n", settings->sites.checksum);
}

static void describe_file(const char *path, th_buffer *out)
{
    struct stat facts;
    uint64_t numbers[4] = {
        0
    }; /* no device: its number changes when it is mounted again */
    char *file = strndup(path, th_archive_file_len(path));
    out->has_failed |= !file;
    if (file && stat(file, &facts) == 0 && S_ISREG(facts.st_mode)) {
        numbers[0] = (uint64_t)facts.st_ino;
        numbers[1] = (uint64_t)facts.st_size;
        numbers[2] = (uint64_t)facts.st_mtim.tv_sec;
        numbers[3] = (uint64_t)facts.st_mtim.tv_nsec;
    }
    free(file);
    th_buffer_append(out, (const char *)numbers, sizeof numbers);
}

/* Digest of the buffer, which is freed. */
static uint64_t digest(th_buffer *text, th_status *status)
{
    const uint64_t hash = XXH3_64bits(text->data ? text->data : "", text->len);
    if (text->has_failed)
        *status = TH_NOMEM;
    th_buffer_done(text);
    return hash;
}

th_status th_job_identify(const th_settings *settings, const th_input_list *inputs,
                          th_job_identity *out)
{
    th_status status = TH_OK;
    th_buffer options = { 0 }, names = { 0 }, files = { 0 };
    describe_options(settings, &options);
    for (uint32_t i = 0; i < inputs->count; i++) {
        th_buffer_append(&names, inputs->paths[i], strlen(inputs->paths[i]) + 1);
        describe_file(inputs->paths[i], &files);
    }
    *out = (th_job_identity){ .options = digest(&options, &status),
                              .names = digest(&names, &status),
                              .files = digest(&files, &status) };
    return status;
}

th_status th_job_identity_compare(const th_job_identity *then, const th_job_identity *now,
                                  const char *what, th_error *err)
{
    const char *differs =
        then->options != now->options ? "with other options"
        : then->names != now->names ? "with other inputs, with another order of inputs, "
                                      "or with a WACZ file that could not be listed"
        : then->files != now->files ? "with an input that has changed since then"
                                    : NULL;
    return differs ? th_fail(err, TH_USAGE,
                             "resume: '%.200s' is the state of a run %s. To overwrite "
                             "its output, omit --resume",
                             what, differs)
                   : TH_OK;
}
