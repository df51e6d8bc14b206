/* A bounded table of sites in memory, by number, each as its bytes. Not thread-safe. */
#ifndef TH_SITE_TABLE_H
#define TH_SITE_TABLE_H

#include "site/site_file.h"

typedef struct th_site_row {
    uint64_t number;
    char *bytes; /* owned; NULL if the slot is free */
    size_t len;
} th_site_row;

/** { 0 } is empty. */
typedef struct th_site_table {
    th_site_row *rows;
    size_t capacity; /* a power of two */
    size_t count;
    uint64_t bytes;
} th_site_table;

void th_site_table_done(th_site_table *table);

/** Finds a site. TH_OK or TH_ABSENT; valid until the table changes. O(1), and the site's
 * checksum. */
th_status th_site_table_find(const th_site_table *table, uint64_t number, th_site *out);

/** Stores or replaces a site's bytes. TH_OK or TH_NOMEM. */
th_status th_site_table_put(th_site_table *table, const th_site *site, th_view bytes);

/** Counts entries of any sites. TH_OK or TH_NOMEM. */
th_status th_site_table_add(th_site_table *table, th_view entries,
                            const th_site_limits *limits);

/** Forgets sites, the least recently seen first, until the rest takes at most `bytes`
 * bytes. TH_OK or TH_NOMEM. */
th_status th_site_table_bound(th_site_table *table, uint64_t bytes);

/** Writes all sites by number. TH_OK; TH_IO; TH_NOMEM. */
th_status th_site_table_write(const th_site_table *table, th_site_writer *writer,
                              th_error *err);

#endif
