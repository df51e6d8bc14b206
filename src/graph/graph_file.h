/* Writes rows of text to a compressed file of the graph's folder. The file appears only
 * when complete. */
#ifndef TH_GRAPH_FILE_H
#define TH_GRAPH_FILE_H

#include "base/buffer.h"
#include "base/file_sink.h"

typedef struct th_graph_file {
    th_file_sink *sink; /* NULL if not open */
    th_buffer rows;     /* append a row here, then call th_graph_file_row */
    th_buffer packed;
    char path[4096]; /* "" when it is complete */
} th_graph_file;

/** Opens FOLDER/NAME, which ends with .gz. TH_OK; TH_IO; TH_NOMEM */
th_status th_graph_file_open(th_graph_file *file, const char *folder, const char *name,
                             th_error *err);

/** Ends a row. The gathered rows are written when they are large enough. */
th_status th_graph_file_row(th_graph_file *file, th_error *err);

/** Writes the remaining rows and renames the file to its final name. */
th_status th_graph_file_finish(th_graph_file *file, th_error *err);

/** Closes; an unfinished file is removed. { 0 } is legal. */
void th_graph_file_done(th_graph_file *file);

#endif
