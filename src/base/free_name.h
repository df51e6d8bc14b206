/*
 * Gives a file a name that no other file has. What is claimed, moved or published uses
 * this: rename(2) would destroy any file that has the name.
 */
#ifndef TH_FREE_NAME_H
#define TH_FREE_NAME_H

/**
 * renameat(2) that never replaces a file.
 * @return 0; -1 with errno: EEXIST when the name is taken, else as renameat(2)
 * One step where the file system knows RENAME_NOREPLACE. Where it does not (NFS), a link
 * and an unlink: a crash in between leaves the file under both names. Where there are no
 * links either, the name is first taken by an empty file, which is then replaced.
 */
int th_rename_to_free(int from_dir, const char *from, int to_dir, const char *to);

#endif
