/*
 * Gives a file a name that no other file has. Claimed, moved and published files use
 * this, because rename(2) would destroy any file that has the name.
 */
#ifndef TH_UNIQUE_NAME_H
#define TH_UNIQUE_NAME_H

/**
 * Like renameat(2), but never replaces a file.
 * @return 0; -1 with errno: EEXIST if the name is taken, else as renameat(2)
 * One step if the file system supports RENAME_NOREPLACE. Otherwise (NFS) a link and an
 * unlink: a crash in between leaves the file under both names. Without links, an empty
 * file first reserves the name and is then replaced.
 */
int th_rename_to_free(int from_dir, const char *from, int to_dir, const char *to);

#endif
