/* A folder that crawlers fill and a spool that reads it, shared by the spool's tests. */
#ifndef TH_SPOOL_SCENE_H
#define TH_SPOOL_SCENE_H

#include "base/buffer.h"
#include "spool/spool_source.h"

enum { SCENE_PATH = 4096 };

/** A new folder in /dev/shm or /tmp. */
struct scene {
    char root[64];
    char spool[SCENE_PATH]; /* root/spool */
    char ledger[SCENE_PATH];
    th_spool_options options; /* fast ones: settle 20 ms, quiet 60, min_age 150 */
};

void scene_begin(struct scene *scene);
void scene_end(struct scene *scene); /* removes it all */

/** Writes root/spool/NAME, or root/FOLDER/NAME, to a buffer of the caller. */
const char *scene_path(const struct scene *scene, const char *name,
                       char path[SCENE_PATH]);
bool scene_has(const struct scene *scene, const char *name);

/** Writes a WARC of `count` records whose ids are "NAME-0", "NAME-1", ...; `name` tells
 * the ids, `as` the file in the spool. */
void scene_archive(const struct scene *scene, const char *as, const char *name,
                   unsigned count);

/** The same bytes, for tests that write them in parts. */
void scene_archive_bytes(const char *name, unsigned count, th_buffer *out);

void scene_write(const struct scene *scene, const char *as, th_view bytes);
void scene_append(const struct scene *scene, const char *as, th_view bytes);
void scene_rename(const struct scene *scene, const char *from, const char *to);

th_stream_source *scene_open(struct scene *scene);

/** Ids of the records read, one per line. */
typedef struct scene_reading {
    th_buffer ids;
    unsigned records;
} scene_reading;

/**
 * Polls for at most `ms`, until `records` are read; each batch is done and, if wanted,
 * acknowledged.
 */
void scene_read(th_stream_source *source, unsigned records, int ms, bool acknowledges,
                scene_reading *reading);

/** Acknowledges all that is done. */
void scene_acknowledge(th_stream_source *source, th_view note);

/** scene_read for a time in which nothing is to come. */
void scene_expect_nothing(th_stream_source *source, int ms);

void scene_sleep(int ms);

/** Open descriptors of this process, to find descriptors that are never closed. */
int scene_descriptors(void);

#endif
