/*
 * File of `thresher robots build`: the rules of each host, as JSON lines sorted by origin.
 *
 *     {"host":"https://a.example","robots":{"date":"...","status":200,"rules":"..."}}
 *     {"schema":"thresher-robots/1","hosts":1,"xxh3":"..."}
 *
 * docs/usage.md describes the members. The last line has the number of hosts and the
 * checksum of the lines before it.
 */
#ifndef TH_ROBOTS_FILE_H
#define TH_ROBOTS_FILE_H

#include <stdint.h>

#include "base/buffer.h"
#include "thresher/status.h"

#define TH_ROBOTS_SCHEMA "thresher-robots/1"

typedef struct th_robots_file th_robots_file;

/**
 * Maps a file, and compares its checksum: O(length). Any number of threads may read it.
 * @return TH_OK; TH_USAGE: it is not such a file; TH_DAMAGED; TH_IO; TH_NOMEM; the path is
 *         in err
 */
th_status th_robots_file_open(const char *path, th_robots_file **out, th_error *err);

/** NULL is legal. */
void th_robots_file_free(th_robots_file *file);

/** Returns the checksum of the last line. */
uint64_t th_robots_file_checksum(const th_robots_file *file);

/** Returns the lines of hosts, each with its end. Borrowed. */
th_view th_robots_file_lines(const th_robots_file *file);

/** Returns the line of an origin without its end, absent if there is none. O(log hosts). */
th_view th_robots_file_find(const th_robots_file *file, th_view origin);

/** Appends the start of a line, up to the value of `host`. */
void th_robots_line_begin(th_view origin, th_buffer *out);

/** Appends the last line. */
void th_robots_line_end(uint64_t hosts, uint64_t checksum, th_buffer *out);

#endif
