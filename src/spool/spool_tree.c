/* See the header: the folders of a spool. */
#include "spool/spool_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file_name.h"
#include "base/io_status.h"
#include "spool/spool_ledger.h"

enum {
    MAX_DEPTH = 16,        /* folders below one another */
    MAX_FOLDERS = 1 << 16, /* read in one walk */
    MAX_PATH = TH_SPOOL_NAME + sizeof TH_SPOOL_CLAIMED
};

/* Why a folder is not read. */
enum reason { LINK, OFF, DEEP, LONG, MANY, DEVICE, UNREADABLE };

static const char *const reasons[] = {
    [LINK] = "links to folders are not followed",
    [OFF] = "folder skipped because subfolders are off",
    [DEEP] = "folder skipped because it is too deep",
    [LONG] = "skipped because its path is too long",
    [MANY] = "folder skipped because there are too many folders",
    [DEVICE] = "folder skipped because it is not on the file system of the spool",
    [UNREADABLE] = "the folder cannot be read",
};

struct folder {
    char *path; /* owned; "" for the spool */
    unsigned depth;
};

struct walk {
    th_spool_tree *tree;
    const th_spool_visitor *visitor;
    int dir_fd;
    struct stat spool;
    struct stat excluded[TH_SPOOL_EXCLUDED];
    size_t excluded_count;
    struct folder *folders; /* in the order in which they were found */
    size_t count, capacity;
};

static bool is_one_folder(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_dev == b->st_dev;
}

/* ---- what is not read ---- */

static void pass_over(struct walk *walk, const char *path, enum reason why)
{
    const th_spool_tree_options *options = &walk->tree->options;
    walk->tree->passed_over += why != LINK; /* what it leads to has its own name */
    if (walk->tree->said >> why & 1)
        return;
    walk->tree->said |= 1u << why;
    if (options->warn)
        options->warn(options->context, path, reasons[why]);
}

/* Finds the excluded folders. They may be removed and recreated while the daemon runs, so
 * each walk repeats this. */
static void look_at_excluded(struct walk *walk)
{
    for (size_t i = 0; i < TH_SPOOL_EXCLUDED; i++) {
        const char *path = walk->tree->options.excluded[i];
        if (path && stat(path, &walk->excluded[walk->excluded_count]) == 0)
            walk->excluded_count++;
    }
}

static bool is_excluded(const struct walk *walk, const struct stat *facts)
{
    for (size_t i = 0; i < walk->excluded_count; i++)
        if (is_one_folder(facts, &walk->excluded[i]))
            return true;
    return false;
}

/* ---- folders to come ---- */

static th_status add_folder(struct walk *walk, const char *path, unsigned depth)
{
    if (!TH_HAS_CAPACITY(walk->folders, walk->count, walk->capacity))
        return TH_NOMEM;
    struct folder *folder = &walk->folders[walk->count];
    *folder = (struct folder){ .path = strdup(path), .depth = depth };
    if (!folder->path)
        return TH_NOMEM;
    walk->count++;
    return TH_OK;
}

/* Adds a folder to the walk, or reports why it is skipped. */
static th_status meet_folder(struct walk *walk, size_t parent, const char *path,
                             const struct stat *facts)
{
    const unsigned depth = walk->folders[parent].depth + 1;
    if (is_excluded(walk, facts))
        return TH_OK;
    if (!walk->tree->options.has_subfolders)
        pass_over(walk, path, OFF);
    else if (facts->st_dev != walk->spool.st_dev)
        pass_over(walk, path, DEVICE); /* its files cannot be moved in one step */
    else if (depth > MAX_DEPTH)
        pass_over(walk, path, DEEP);
    else if (walk->count == MAX_FOLDERS)
        pass_over(walk, path, MANY);
    else
        return add_folder(walk, path, depth);
    return TH_OK;
}

/* ---- one folder ---- */

static bool is_link_to_folder(const struct walk *walk, const char *path)
{
    struct stat facts;
    return fstatat(walk->dir_fd, path, &facts, 0) == 0 && S_ISDIR(facts.st_mode);
}

/* Bytes of a path with its NUL: a file that may be claimed leaves room for that. */
static size_t longest(const char *name)
{
    return th_file_name_ends(name, TH_SPOOL_CLAIMED) ? MAX_PATH : TH_SPOOL_NAME;
}

static th_status meet_name(struct walk *walk, size_t parent, const struct dirent *entry)
{
    const char *folder = walk->folders[parent].path;
    char path[MAX_PATH];
    struct stat facts;
    unsigned char kind = entry->d_type;
    if (entry->d_name[0] == '.')
        return TH_OK;
    const int len =
        snprintf(path, sizeof path, "%s%s%s", folder, *folder ? "/" : "", entry->d_name);
    if (len < 0 || (size_t)len >= longest(entry->d_name)) {
        pass_over(walk, path, LONG);
        return TH_OK;
    }
    if (kind == DT_UNKNOWN || kind == DT_DIR) {
        if (fstatat(walk->dir_fd, path, &facts, AT_SYMLINK_NOFOLLOW) != 0)
            return TH_OK; /* gone since */
        kind = S_ISDIR(facts.st_mode) ? DT_DIR : S_ISLNK(facts.st_mode) ? DT_LNK : DT_REG;
    }
    if (kind == DT_DIR)
        return meet_folder(walk, parent, path, &facts);
    if (kind == DT_LNK && is_link_to_folder(walk, path))
        pass_over(walk, path, LINK);
    return walk->visitor->file(walk->visitor->context, path, entry->d_name);
}

/* Opens a new descriptor for each folder, because a shared one would have to be
 * rewound. */
static DIR *open_folder(const struct walk *walk, const char *path)
{
    const int fd = openat(walk->dir_fd, *path ? path : ".",
                          O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (!dir && fd >= 0) {
        const int error = errno;
        (void)close(fd);
        errno = error;
    }
    return dir;
}

static th_status cannot_read(struct walk *walk, const char *path, th_error *err)
{
    const int error = errno;
    if (th_io_status(error) == TH_NO_ROOM)
        return th_fail(err, TH_NO_ROOM, "cannot list the spool '%s': %s",
                       walk->tree->options.dir, strerror(error));
    if (error == ENOMEM)
        return th_fail(err, TH_NOMEM, "cannot list the spool '%s'",
                       walk->tree->options.dir);
    if (!*path)
        return th_fail(err, TH_IO, "cannot read the spool '%s': %s",
                       walk->tree->options.dir, strerror(error));
    if (error != ENOENT && error != ENOTDIR) /* gone, or no folder any more */
        pass_over(walk, path, UNREADABLE);
    return TH_OK;
}

static th_status visit(struct walk *walk, size_t index, th_error *err)
{
    /* Its watch comes first, so that nothing is missed between the two. */
    walk->visitor->folder(walk->visitor->context, walk->folders[index].path);
    DIR *dir = open_folder(walk, walk->folders[index].path);
    if (!dir)
        return cannot_read(walk, walk->folders[index].path, err);
    th_status status = TH_OK;
    const struct dirent *entry;
    walk->tree->folders++;
    while (status == TH_OK && (entry = readdir(dir)))
        status = meet_name(walk, index, entry);
    (void)closedir(dir);
    return status == TH_OK ? TH_OK
                           : th_fail(err, status, "cannot list the spool '%s'",
                                     walk->tree->options.dir);
}

th_status th_spool_tree_walk(th_spool_tree *tree, int dir_fd,
                             const th_spool_visitor *visitor, th_error *err)
{
    struct walk walk = { .tree = tree, .visitor = visitor, .dir_fd = dir_fd };
    tree->folders = 0;
    tree->passed_over = 0;
    if (fstat(dir_fd, &walk.spool) != 0 || walk.spool.st_nlink == 0)
        return th_fail(err, TH_IO, "the spool '%s' has been removed", tree->options.dir);
    look_at_excluded(&walk);
    th_status status = add_folder(&walk, "", 0);
    if (status != TH_OK)
        (void)th_fail(err, status, "cannot list the spool '%s'", tree->options.dir);
    for (size_t i = 0; i < walk.count && status == TH_OK; i++)
        status = visit(&walk, i, err);
    for (size_t i = 0; i < walk.count; i++)
        free(walk.folders[i].path);
    free(walk.folders);
    return status;
}
