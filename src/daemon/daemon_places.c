/*
 * See the header. Folders are compared by device and inode. A folder that does not exist
 * yet is compared by its resolved path.
 */
#include "daemon/daemon_places.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_name.h"

/* A folder and its role. */
struct place {
    const char *role; /* for the message; NULL ends a row of them */
    const char *path; /* "" or NULL if not used */
};

enum relation { APART, SAME, BELOW };

static bool is_used(const struct place *place)
{
    return place->path && *place->path;
}

/*
 * Returns the absolute path of a folder, with links resolved. A part that does not exist
 * yet is appended unchanged. "" if the path is too long, and then it cannot be opened
 * either.
 */
static void resolve(const char *path, char out[PATH_MAX])
{
    char known[PATH_MAX], base[PATH_MAX];
    const char *rest = "";
    out[0] = '\0';
    if (snprintf(known, sizeof known, "%s", path) >= (int)sizeof known)
        return;
    size_t len = strlen(known);
    while (len > 1 && known[len - 1] == '/')
        known[--len] = '\0';
    while (!realpath(known, base)) {
        char *slash = strrchr(known, '/');
        const size_t cut = slash ? (size_t)(slash - known) : 0;
        rest = path + cut + (slash != NULL);
        if (!slash || cut == 0) {
            if (!realpath(slash ? "/" : ".", base))
                return;
            break;
        }
        known[cut] = '\0';
    }
    if (snprintf(out, PATH_MAX, "%s%s%s", base,
                 *rest && strcmp(base, "/") != 0 ? "/" : "", rest) >= PATH_MAX)
        out[0] = '\0';
    len = strlen(out);
    while (len > 1 && out[len - 1] == '/')
        out[--len] = '\0';
}

static enum relation relation_of(const char *path, const char *to)
{
    char a[PATH_MAX], b[PATH_MAX];
    resolve(path, a);
    resolve(to, b);
    const size_t len = strlen(b);
    if (!*a || !len)
        return APART;
    if (strcmp(a, b) == 0)
        return SAME;
    if (strcmp(b, "/") == 0)
        return BELOW;
    return strncmp(a, b, len) == 0 && a[len] == '/' ? BELOW : APART;
}

/* ---- rules ---- */

/* Checks that no file is written into a folder that is read. */
static th_status check_apart(const struct place *written, const struct place *read,
                             bool reads_below, th_error *err)
{
    if (!is_used(written) || !is_used(read))
        return TH_OK;
    const enum relation relation = relation_of(written->path, read->path);
    if (relation == SAME)
        return th_fail(err, TH_USAGE, "%s '%.150s' is %s, '%.150s'", written->role,
                       written->path, read->role, read->path);
    if (relation == BELOW && reads_below)
        return th_fail(err, TH_USAGE,
                       "%s '%.150s' is inside %s '%.150s', which serve reads",
                       written->role, written->path, read->role, read->path);
    return TH_OK;
}

/* A ledger in the spool, which is where it is by default, must not look like an
 * archive. */
static th_status check_ledger(const th_daemon_settings *daemon, th_error *err)
{
    const char *path = daemon->spool_ledger;
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX];
    if (!*path || !th_file_name_fits(slash ? slash + 1 : path, daemon->spool_patterns))
        return TH_OK;
    if (snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1,
                 slash ? path : ".") >= (int)sizeof folder ||
        relation_of(folder, daemon->spool_path) == APART)
        return TH_OK;
    return th_fail(
        err, TH_USAGE,
        "ledger '%.150s' is inside the spool '%.150s' and has the name of an archive",
        path, daemon->spool_path);
}

th_status th_daemon_check_places(const th_settings *settings, th_error *err)
{
    const th_daemon_settings *daemon = &settings->daemon;
    const struct place spool = { "the spool", daemon->spool_path };
    const struct place files = { "output folder", daemon->files_path };
    const struct place index = { "index folder", settings->index.path };
    const struct place done = { "folder of finished files", daemon->spool_done };
    const struct place failed = { "folder of failed files", daemon->spool_failed };
    const struct place archives = { "the folder of archives", daemon->kafka_archives };
    /* The written folder, the read one, and whether folders below the second count. */
    const struct {
        const struct place *written, *read;
        bool reads_below;
    } rules[] = {
        { &files, &spool, daemon->spool_subfolders },
        { &index, &spool, daemon->spool_subfolders },
        { &done, &spool, false }, /* not read if it is below */
        { &failed, &spool, false },
        { &files, &archives, false },
        { &index, &archives, false },
        { &index, &files, false },
        { &index, &done, false },
        { &index, &failed, false },
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const th_status status =
            check_apart(rules[i].written, rules[i].read, rules[i].reads_below, err);
        if (status != TH_OK)
            return status;
    }
    return is_used(&spool) ? check_ledger(daemon, err) : TH_OK;
}
