/* `thresher summary`: reports the progress of the shards of a run, from their markers. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/manifest_set.h"
#include "app/program.h"
#include "app/progress.h"
#include "app/say.h"
#include "app/shard.h"
#include "app/state.h"
#include "base/file_name.h"
#include "base/json.h"
#include "thresher/page.h"

const char th_summary_usage[] =
    "usage: thresher summary [--json] DIR...\n"
    "       thresher summary --sha256 DIR...\n"
    "       thresher summary --croissant [--name TEXT] [--license URL] [--url URL]\n"
    "                        [--date YYYY-MM-DD] [--creator TEXT] DIR...\n\n"
    "Prints the totals of all inputs that `thresher run --shard` has written to these\n"
    "folders, and the number of inputs in progress. It reads the marker files next to "
    "the\n"
    "outputs.\n"
    "--sha256 and --croissant read the manifests of `thresher run -O`: they print a "
    "list for\n"
    "sha256sum -c, and a description of the outputs in Croissant 1.1.\n"
    "Exit codes: 0 success, 1 an input or a marker is damaged, 2 wrong usage, 74 a "
    "folder\n"
    "cannot be read.\n";

struct sums {
    uint64_t done, under_way, bad;
    bool has_other; /* the state of a run without --shard */
    th_source_counts source;
    th_counts counts;
};

static th_status add_marker(struct sums *sums, const char *folder, const char *name,
                            th_error *err)
{
    char *path = NULL;
    bool found = false;
    th_state state;
    th_error why = { .text = "" };
    if (asprintf(&path, "%s/%s", folder, name) < 0)
        return th_fail(err, TH_NOMEM, "out of memory");
    const th_status status = th_state_load(&state, path, &found, &why);
    if (status != TH_OK) {
        if (status == TH_USAGE)
            th_say("'%s' is not a marker of a run", path);
        else
            th_say("%s", why.text);
        sums->bad++;
    } else if (found) {
        sums->done++;
        sums->source.bytes_read += state.source.bytes_read;
        sums->source.damaged += state.source.damaged;
        sums->source.unreadable += state.source.unreadable;
        th_counts_add(&sums->counts, &state.counts);
    }
    free(path);
    return TH_OK;
}

static th_status add_folder(struct sums *sums, const char *folder, th_error *err)
{
    DIR *names = opendir(folder);
    if (!names)
        return th_fail(err, TH_IO, "cannot read folder '%s': %s", folder,
                       strerror(errno));
    th_status status = TH_OK;
    const struct dirent *entry;
    while (status == TH_OK && (entry = readdir(names))) {
        if (th_file_name_ends(entry->d_name, TH_DONE_SUFFIX))
            status = add_marker(sums, folder, entry->d_name, err);
        else if (strcmp(entry->d_name, TH_FOLDER_STATE) == 0)
            sums->has_other = true;
        else if (th_file_name_ends(entry->d_name, ".state"))
            sums->under_way++;
    }
    closedir(names);
    return status;
}

static void print_names(th_json *json, const char *key, const uint64_t *numbers,
                        unsigned count, const char *(*name)(unsigned))
{
    th_json_key(json, key);
    th_json_open_object(json);
    for (unsigned i = 0; i < count; i++)
        if (numbers[i])
            th_json_member_uint(json, name(i), numbers[i]);
    th_json_close_object(json);
}

static const char *status_name(unsigned status)
{
    return th_status_name((th_status)status);
}

static th_status print_json(const struct sums *sums, th_error *err)
{
    th_json json;
    th_buffer out = { 0 };
    th_json_begin(&json, &out);
    th_json_open_object(&json);
    th_json_member_uint(&json, "done", sums->done);
    th_json_member_uint(&json, "under_way", sums->under_way);
    th_json_member_uint(&json, "read", sums->counts.read);
    th_json_member_uint(&json, "emitted", sums->counts.emitted);
    print_names(&json, "refused", sums->counts.refused, TH_STATUS_COUNT, status_name);
    print_names(&json, "flagged", sums->counts.flagged, TH_FLAG_COUNT, th_flag_name);
    th_json_member_uint(&json, "damaged", sums->source.damaged);
    th_json_member_uint(&json, "bytes_read", sums->source.bytes_read);
    th_json_member_uint(&json, "html_bytes", sums->counts.html_bytes);
    th_json_member_uint(&json, "tokens", sums->counts.tokens);
    th_json_key(&json, "crawl_languages");
    th_json_open_object(&json);
    th_json_member_uint(&json, "same", sums->counts.crawl_languages[TH_SAME_LANGUAGE]);
    th_json_member_uint(&json, "other", sums->counts.crawl_languages[TH_OTHER_LANGUAGE]);
    th_json_member_uint(&json, "unsure", sums->counts.crawl_languages[TH_NOT_COMPARED]);
    th_json_close_object(&json);
    th_json_close_object(&json);
    const th_status status = th_json_end(&json);
    if (status == TH_OK)
        (void)fwrite(out.data, 1, out.len, stdout);
    th_buffer_done(&out);
    return status == TH_OK ? TH_OK : th_fail(err, status, "out of memory");
}

static void print_text(const struct sums *sums)
{
    printf("inputs   %" PRIu64 " done, %" PRIu64 " in progress\n", sums->done,
           sums->under_way);
    th_progress_counts(stdout, &sums->source, &sums->counts, NULL);
    printf("bytes    %.1f MB read, %.1f MB of HTML, %" PRIu64 " tokens\n",
           (double)sums->source.bytes_read / 1e6, (double)sums->counts.html_bytes / 1e6,
           sums->counts.tokens);
}

/* The words of the command line. */
struct wanted {
    bool is_json, is_sums, is_croissant;
    th_data_set about;
};

/* Reads an option with its value. @return false if it is unknown, or has no value */
static bool take_option(struct wanted *wanted, const char *option, const char *value,
                        int *used)
{
    const struct {
        const char *name;
        bool *flag;
        const char **text;
    } rows[] = {
        { "--json", &wanted->is_json, NULL },
        { "--sha256", &wanted->is_sums, NULL },
        { "--croissant", &wanted->is_croissant, NULL },
        { "--name", NULL, &wanted->about.name },
        { "--license", NULL, &wanted->about.license },
        { "--url", NULL, &wanted->about.url },
        { "--date", NULL, &wanted->about.date },
        { "--creator", NULL, &wanted->about.creator },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(option, rows[i].name) != 0)
            continue;
        *used = rows[i].text ? 2 : 1;
        if (rows[i].flag)
            *rows[i].flag = true;
        if (rows[i].text)
            *rows[i].text = value;
        return rows[i].flag || value;
    }
    return false;
}

static th_status print_manifests(const struct wanted *wanted, char **folders, int count,
                                 th_error *err)
{
    th_manifest_set *set = th_manifest_set_new();
    th_status status = set ? TH_OK : th_fail(err, TH_NOMEM, "out of memory");
    for (int i = 0; i < count && status == TH_OK; i++)
        status = th_manifest_set_add(set, folders[i], err);
    if (status == TH_OK)
        status = wanted->is_croissant
                     ? th_manifest_set_croissant(set, &wanted->about, err)
                     : th_manifest_set_sums(set, err);
    th_manifest_set_free(set);
    return status;
}

static th_status print_markers(const struct wanted *wanted, char **folders, int count,
                               struct sums *sums, th_error *err)
{
    th_status status = TH_OK;
    for (int i = 0; i < count && status == TH_OK; i++)
        status = add_folder(sums, folders[i], err);
    if (status == TH_OK && sums->has_other && !sums->done && !sums->under_way)
        return th_fail(err, TH_USAGE,
                       "no run with --shard wrote to these folders; the totals of other "
                       "runs are in thresher.manifest.json");
    if (status == TH_OK && wanted->is_json)
        status = print_json(sums, err);
    else if (status == TH_OK)
        print_text(sums);
    return status;
}

int th_command_summary(const th_program *program, int argc, char **argv)
{
    (void)program;
    struct sums sums = { 0 };
    struct wanted wanted = { .is_json = false };
    th_error err = { .text = "" };
    int folders = 0, used = 1;
    th_exit_on_sigpipe();
    for (int i = 1; i < argc; i += used) {
        used = 1;
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            fputs(th_summary_usage, stdout);
            return TH_EXIT_OK;
        }
        if (argv[i][0] != '-') {
            argv[folders++] = argv[i];
        } else if (!take_option(&wanted, argv[i], i + 1 < argc ? argv[i + 1] : NULL,
                                &used)) {
            (void)th_fail(&err, TH_USAGE,
                          used == 2 ? "option '%.80s' needs a value"
                                    : "unknown option '%.80s'",
                          argv[i]);
            return th_complain(&err);
        }
    }
    if (!folders) {
        fputs(th_summary_usage, stderr);
        return TH_EXIT_USAGE;
    }
    const th_status status = wanted.is_sums || wanted.is_croissant
                                 ? print_manifests(&wanted, argv, folders, &err)
                                 : print_markers(&wanted, argv, folders, &sums, &err);
    if (status != TH_OK)
        return th_complain(&err);
    return sums.source.damaged || sums.bad ? TH_EXIT_INPUT : TH_EXIT_OK;
}
