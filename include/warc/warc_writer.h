/*
 * Writer of WARC files. It writes records to a callback, a FILE or a growing buffer, as
 * plain bytes, one gzip member per record, or one zstd frame per record. The output
 * depends only on the calls: ids are passed by the caller or derived from names, and
 * dates come from the caller.
 *
 * Threads that format records in parallel each have a writer and a warc_buffer. The
 * concatenated buffers are an archive.
 */
#ifndef WARC_WRITER_H
#define WARC_WRITER_H

#include "warc/warc_record.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct warc_writer warc_writer;

/** The destination of the bytes. */
typedef struct warc_output {
    void *context;
    /* Writes all of `bytes` or fails. Returns WARC_OK, WARC_IO or WARC_NOMEM. */
    warc_status (*write)(void *context, warc_view bytes);
} warc_output;

/** A growing buffer; initialise it with {0}. The buffer owns data: see
 * warc_buffer_done. */
typedef struct warc_buffer {
    char *data;
    size_t len;
    size_t capacity;
} warc_buffer;

/** Returns an output that appends to `buffer`, which is borrowed for the writer's
 * life. */
WARC_API warc_output warc_output_to_buffer(warc_buffer *buffer);

/** Returns an output that writes to `file`, which is borrowed for the writer's life, not
 * closed and not flushed. */
WARC_API warc_output warc_output_to_file(FILE *file);

/** Frees the memory and resets the buffer to {0}. Set len = 0 to reuse the buffer without
 * this call. */
WARC_API void warc_buffer_done(warc_buffer *buffer);

typedef enum warc_packing {
    WARC_PACK_PLAIN,
    WARC_PACK_GZIP,
    WARC_PACK_ZSTD
} warc_packing;

/** Options of the writer. Start from warc_writer_options_init. New members are added at
 * the end, as in warc_reader_options. */
typedef struct warc_writer_options {
    size_t size; /* size of this struct for the caller; the init function sets it */
    warc_packing packing;
    int level;        /* gzip 1..9, zstd 1..22; 0 for the default: 6 and 3 */
    bool version_1_0; /* write WARC/1.0 instead of WARC/1.1 */
} warc_writer_options;

/** Like warc_writer_options_init, for a caller compiled with `size` bytes of the
 * struct. */
WARC_API void warc_writer_options_init_sized(warc_writer_options *options, size_t size);

/** Fills in the defaults: plain, the packing's default level, WARC/1.1. */
static inline void warc_writer_options_init(warc_writer_options *options)
{
    warc_writer_options_init_sized(options, sizeof *options);
}

/**
 * Creates a writer that appends records to `output`.
 * @param output   copied; its context is borrowed while the writer lives
 * @param options  NULL for the defaults
 * @param out      the writer, owned by the caller; untouched unless WARC_OK
 * @return WARC_OK; WARC_BAD_ARGUMENT (an unknown packing or level, or options that were
 *         not initialised or are of a newer library); WARC_NOMEM
 */
WARC_API warc_status warc_writer_new(const warc_output *output,
                                     const warc_writer_options *options,
                                     warc_writer **out, warc_error *error);

/** Frees the writer. NULL is legal. All records in the output are already complete. */
WARC_API void warc_writer_free(warc_writer *writer);

/**
 * Writes one record: version line, the fields in the order given, Content-Length, block,
 * terminator.
 * @param fields  names of visible ASCII without ':'; values without CR, LF and NUL. The
 *                writer adds only Content-Length, which must not be among them
 * @return WARC_OK; WARC_REFUSED_FIELD, with no bytes written; WARC_IO; WARC_NOMEM. If the
 *         output fails, the record may be incomplete, and each further call returns
 *         WARC_IO.
 */
WARC_API warc_status warc_writer_record(warc_writer *writer,
                                        const warc_header_field *fields,
                                        size_t field_count, warc_view block,
                                        warc_error *error);

/**
 * Writes a record whose header is complete, such as one of another file: header, block,
 * terminator.
 * @param header  from the version line to the blank line, as warc_record_header gives it.
 *                It is not checked; its Content-Length must be the block's
 * @return WARC_OK; WARC_NOMEM; WARC_TOO_LARGE; WARC_IO, as warc_writer_record
 */
WARC_API warc_status warc_writer_copy(warc_writer *writer, warc_view header,
                                      warc_view block, warc_error *error);

/** Bytes of an id: "<urn:uuid:" + 36 characters + ">" + NUL. */
enum { WARC_ID_SIZE = 48 };

/**
 * Derives an id from a name. The same name and type give the same id everywhere. A
 * version 5 UUID [RFC 4122 §4.3] in the URL name space, of `name`, a space and `type`.
 * @param name  as the id of the record that the new one refers to; may hold any byte
 * @param type  as "conversion"
 * @return WARC_OK; WARC_NOMEM
 */
WARC_API warc_status warc_derive_id(warc_view name, const char *type,
                                    char out[WARC_ID_SIZE]);

/** Fields of a record that is derived from another one. Absent views (data NULL) omit
 * their field. */
typedef struct warc_derived {
    warc_view target_uri; /* control characters are written as %XX */
    warc_view date;       /* WARC-Date, of the capture */
    /* Id of the source record, with <>; required if record_id is absent. */
    warc_view refers_to;
    /* With <>; if absent, derived from refers_to and the record's type. */
    warc_view record_id;
    warc_view warcinfo_id; /* id of the warcinfo record, with <> */
    /* If absent: text/plain (conversion), application/json (metadata). */
    warc_view content_type;
    warc_view languages; /* WARC-Identified-Content-Language, "spa,eng" */
} warc_derived;

/**
 * Writes a `conversion` record like Common Crawl's WET files: WARC-Type, WARC-Target-URI,
 * WARC-Date, WARC-Record-ID, WARC-Refers-To, WARC-Block-Digest (sha1, base32),
 * WARC-Identified-Content-Language, Content-Type, Content-Length. `block` is the text.
 * @return as warc_writer_record; WARC_BAD_ARGUMENT without record_id and refers_to
 */
WARC_API warc_status warc_writer_conversion(warc_writer *writer,
                                            const warc_derived *about, warc_view block,
                                            warc_error *error);

/** Writes a `metadata` record with the same fields. It describes the record that it
 * refers to. */
WARC_API warc_status warc_writer_metadata(warc_writer *writer, const warc_derived *about,
                                          warc_view body, warc_error *error);

/** A block too large to hold in memory: a callback generates it whenever it is needed. */
typedef struct warc_made_block {
    void *context;
    /* Writes the whole block to `to`, the same bytes each time. Returns WARC_OK, the
     * status of to->write, or WARC_NOMEM. */
    warc_status (*make)(void *context, const warc_output *to);
} warc_made_block;

/** Like warc_writer_metadata, with a block that is generated twice: for digest and
 * length, and to be written. */
WARC_API warc_status warc_writer_metadata_made(warc_writer *writer,
                                               const warc_derived *about,
                                               const warc_made_block *body,
                                               warc_error *error);

/**
 * Writes the `warcinfo` record that starts a file, with a body of
 * application/warc-fields.
 * @param filename  WARC-Filename; omitted if data is NULL
 * @param date      WARC-Date
 * @param record_id with <>; if data is NULL, derived from filename and date
 * @param fields    lines of the body, as {"software", "thresher/1.0"}
 * @return as warc_writer_record
 */
WARC_API warc_status warc_writer_warcinfo(warc_writer *writer, warc_view filename,
                                          warc_view date, warc_view record_id,
                                          const warc_header_field *fields,
                                          size_t field_count, warc_error *error);

#ifdef __cplusplus
}
#endif

#endif
