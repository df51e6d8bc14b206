/*
 * WACZ: archives of a crawl in one ZIP file [Webrecorder, WACZ]. Its members are read in
 * place, stored or deflated, ZIP64 or not, by libzip; of a remote object by ranges. A
 * member has the name FILE!MEMBER: `crawl.wacz!archive/rec-1.warc.gz`. A program built
 * without libzip refuses them.
 */
#ifndef TH_WACZ_H
#define TH_WACZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "remote/remote.h"
#include "thresher/status.h"
#include "warc/warc_input.h"

/** Maximum number of archives in a file. A file with more is refused. */
enum { TH_WACZ_MEMBERS_MAX = 100000 };

typedef struct th_wacz_member th_wacz_member;

/** Returns whether a name ends with .wacz, so it names a WACZ file. */
bool th_wacz_is_file(const char *name);

/** Returns the length of FILE in FILE.wacz!MEMBER; 0 for other names. If a file with the
 * whole name exists, the name denotes that file. */
size_t th_wacz_file_len(const char *name);

/** @param name  FILE!MEMBER, of the call only. @return TH_OK to continue */
typedef th_status (*th_wacz_found)(void *context, const char *name, th_error *err);

/**
 * Finds the archives of a WACZ file: members below archive/ whose names end as archives'
 * do, by name. Reads only the directory of the file.
 * @param remote  for remote names, NULL to refuse them
 * @return TH_OK. TH_IO, with words, if it cannot be opened, is not a ZIP file, has no
 * archive, or has too many. TH_NOT_YET and TH_INTERRUPTED for a remote file. TH_NOMEM. Or
 * the status that `found` returned.
 */
th_status th_wacz_list(const char *path, th_remote *remote, th_wacz_found found,
                       void *context, th_error *err);

/**
 * Opens an archive in a WACZ file as a stream of bytes that can be positioned: at once
 * where it is stored, in time linear in the place where it is deflated.
 * @param name   FILE!MEMBER; FILE alone is refused in the words of th_wacz_list
 * @param remote as above
 * @param input  out: its close closes the member
 * @param out    the same member, borrowed until then
 * @return TH_OK; TH_IO, with words; TH_NOT_YET, TH_INTERRUPTED: of a remote one; TH_NOMEM
 */
th_status th_wacz_open(const char *name, th_remote *remote, warc_input *input,
                       th_wacz_member **out, th_error *err);

/** Returns the remote object that a member is read from, borrowed, NULL for a local
 * file. */
th_remote_object *th_wacz_object(const th_wacz_member *member);

/**
 * Returns what was wrong with a member when its input ended, or failed, in words: its
 * checksum (all of it was read, and may be good in part), or its deflated data.
 * @return TH_OK if nothing was wrong; TH_IO; TH_NOT_YET if a remote object could not be
 * reached
 */
th_status th_wacz_failure(const th_wacz_member *member, th_error *err);

/** libzip's version; NULL in a program without it. */
const char *th_wacz_library_version(void);

#endif
