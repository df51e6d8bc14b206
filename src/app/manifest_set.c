/* Reads manifests, and prints lists and descriptions of them. See the header. */
#include "app/manifest_set.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/manifest.h"
#include "base/array.h"
#include "base/buffer.h"
#include "base/file_name.h"
#include "base/json.h"
#include "base/json_reader.h"
#include "base/whole_file.h"
#include "thresher/arena.h"
#include "write/record_field.h"

enum {
    FILE_MAX = 256 << 20, /* bytes of a manifest */
    SHA256_HEX = 64,
};

struct output {
    const char *folder, *name, *sha256, *format;
    uint64_t bytes;
    bool has_records;
};

struct th_manifest_set {
    th_arena *arena;
    struct output *outputs;
    size_t count;
    uint32_t capacity;
    uint64_t read, emitted;
    uint64_t input_count;
    const char *version, *options; /* of the first manifest */
    bool has_redaction;            /* in each manifest */
};

th_manifest_set *th_manifest_set_new(void)
{
    th_manifest_set *set = calloc(1, sizeof *set);
    if (!set)
        return NULL;
    set->has_redaction = true;
    set->arena = th_arena_new(0);
    if (set->arena)
        return set;
    free(set);
    return NULL;
}

void th_manifest_set_free(th_manifest_set *set)
{
    if (!set)
        return;
    th_arena_free(set->arena);
    free(set);
}

/* ---- reading ---- */

/* Returns a copy of the string just read, ended by NUL. NULL if it is not valid. */
static const char *text_of(th_manifest_set *set, const th_json_reader *reader)
{
    size_t len = 0;
    char *out = th_arena_alloc(set->arena, reader->text.len + 1);
    if (!out || !th_json_text(reader, out, &len) || memchr(out, '\0', len))
        return NULL;
    out[len] = '\0';
    return out;
}

static uint64_t number_of(const th_json_reader *reader)
{
    uint64_t number = 0;
    for (size_t i = 0; i < reader->text.len && number < UINT64_MAX / 16; i++)
        number = number * 10 + (uint64_t)(reader->text.data[i] - '0');
    return number;
}

/* A name of a file below the manifest's folder, without line ends and backslashes, which
 * sha256sum would read in another way. */
static bool is_name_below(const char *name)
{
    for (const char *part = name;; part++) {
        const size_t len = strcspn(part, "/");
        if (!len || strncmp(part, "..", len) == 0)
            return false;
        part += len;
        if (!*part)
            return !strpbrk(name, "\n\r\\");
    }
}

static bool is_sum(const char *text)
{
    return strspn(text, "0123456789abcdef") == SHA256_HEX && !text[SHA256_HEX];
}

static bool add_output(th_manifest_set *set, const struct output *output)
{
    if (!TH_ARENA_HAS_CAPACITY(set->arena, set->outputs, set->count, set->capacity))
        return false;
    set->outputs[set->count++] = *output;
    return true;
}

/* Reads the objects of `outputs`. */
static bool read_outputs(th_manifest_set *set, th_json_reader *reader, const char *folder)
{
    if (th_json_read(reader) != TH_JSON_OPEN_ARRAY)
        return false;
    while (th_json_read(reader) == TH_JSON_OPEN_OBJECT) {
        struct output output = { .folder = folder, .name = "", .sha256 = "" };
        th_json_token token;
        while ((token = th_json_read(reader)) == TH_JSON_KEY) {
            const bool is_name = th_json_text_is(reader, "name");
            const bool is_hash = th_json_text_is(reader, "sha256");
            const bool is_bytes = th_json_text_is(reader, "bytes");
            const bool is_kind = th_json_text_is(reader, "kind");
            if (!is_name && !is_hash && !is_bytes && !is_kind) {
                if (!th_json_skip(reader))
                    return false;
                continue;
            }
            token = th_json_read(reader);
            if (token != (is_bytes ? TH_JSON_NUMBER : TH_JSON_STRING))
                return false;
            if (is_bytes)
                output.bytes = number_of(reader);
            else if (is_kind)
                output.has_records = th_json_text_is(reader, "records");
            else
                *(is_name ? &output.name : &output.sha256) = text_of(set, reader);
            if (!output.name || !output.sha256)
                return false;
        }
        if (token != TH_JSON_CLOSE_OBJECT || !is_name_below(output.name) ||
            !is_sum(output.sha256) || !add_output(set, &output))
            return false;
    }
    return true;
}

static bool read_counts(th_manifest_set *set, th_json_reader *reader)
{
    if (th_json_read(reader) != TH_JSON_OPEN_OBJECT)
        return false;
    while (th_json_read(reader) == TH_JSON_KEY) {
        uint64_t *sum = th_json_text_is(reader, "read")      ? &set->read
                        : th_json_text_is(reader, "emitted") ? &set->emitted
                                                             : NULL;
        if (!sum) {
            if (!th_json_skip(reader))
                return false;
            continue;
        }
        if (th_json_read(reader) != TH_JSON_NUMBER)
            return false;
        *sum += number_of(reader);
    }
    return true;
}

/* Notes the options as text. */
static bool read_options(th_manifest_set *set, th_json_reader *reader)
{
    th_buffer text = { 0 };
    bool has_redaction = false, is_valid = th_json_read(reader) == TH_JSON_OPEN_OBJECT;
    while (is_valid && th_json_read(reader) == TH_JSON_KEY) {
        const char *key = text_of(set, reader);
        is_valid = th_json_read(reader) == TH_JSON_STRING;
        const char *value = is_valid ? text_of(set, reader) : NULL;
        is_valid = key && value;
        if (!is_valid)
            break;
        has_redaction |= strcmp(key, "redact") == 0;
        th_buffer_printf(&text, "%s%s = %s", text.len ? "; " : "", key, value);
    }
    if (is_valid && !set->options) {
        th_buffer_append_char(&text, '\0');
        set->options = th_arena_copy(set->arena, th_buffer_view(&text)).data;
        is_valid = !text.has_failed && set->options;
    }
    set->has_redaction &= has_redaction;
    th_buffer_done(&text);
    return is_valid;
}

static bool read_inputs(th_manifest_set *set, th_json_reader *reader)
{
    if (th_json_read(reader) != TH_JSON_OPEN_ARRAY)
        return false;
    while (th_json_read(reader) == TH_JSON_OPEN_OBJECT) {
        set->input_count++;
        while (th_json_read(reader) == TH_JSON_KEY)
            if (!th_json_skip(reader))
                return false;
    }
    return true;
}

/* Reads the members of a manifest. */
static bool read_manifest(th_manifest_set *set, th_view text, const char *folder)
{
    th_json_reader reader;
    const size_t first = set->count;
    const char *format = NULL;
    bool has_schema = false, is_valid = true;
    th_json_reader_init(&reader, text);
    if (th_json_read(&reader) != TH_JSON_OPEN_OBJECT)
        return false;
    while (is_valid && th_json_read(&reader) == TH_JSON_KEY) {
        if (th_json_text_is(&reader, "schema")) {
            is_valid = th_json_read(&reader) == TH_JSON_STRING &&
                       th_json_text_is(&reader, TH_MANIFEST_SCHEMA);
            has_schema = is_valid;
        } else if (th_json_text_is(&reader, "version")) {
            is_valid = th_json_read(&reader) == TH_JSON_STRING;
            const char *version = is_valid ? text_of(set, &reader) : NULL;
            if (!set->version)
                set->version = version;
        } else if (th_json_text_is(&reader, "format")) {
            is_valid = th_json_read(&reader) == TH_JSON_STRING &&
                       (format = text_of(set, &reader));
        } else if (th_json_text_is(&reader, "options")) {
            is_valid = read_options(set, &reader);
        } else if (th_json_text_is(&reader, "inputs")) {
            is_valid = read_inputs(set, &reader);
        } else if (th_json_text_is(&reader, "outputs")) {
            is_valid = read_outputs(set, &reader, folder);
        } else if (th_json_text_is(&reader, "counts")) {
            is_valid = read_counts(set, &reader);
        } else {
            is_valid = th_json_skip(&reader);
        }
    }
    for (size_t i = first; i < set->count; i++)
        set->outputs[i].format = format;
    return is_valid && has_schema && format && th_json_read(&reader) == TH_JSON_DONE;
}

static th_status add_file(th_manifest_set *set, const char *folder, const char *name,
                          th_error *err)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s", folder, name) < 0)
        return th_fail(err, TH_NOMEM, "out of memory");
    th_buffer text = { 0 };
    th_status status = th_whole_file_read(path, "", FILE_MAX, TH_USAGE, &text, err);
    const char *kept =
        th_arena_copy(set->arena, (th_view){ folder, strlen(folder) + 1 }).data;
    if (status == TH_OK && (!kept || !read_manifest(set, th_buffer_view(&text), kept)))
        status = th_fail(err, TH_USAGE,
                         "'%s' is not a manifest (expected " TH_MANIFEST_SCHEMA
                         ", as thresher run writes it)",
                         path);
    th_buffer_done(&text);
    free(path);
    return status;
}

static int is_manifest(const struct dirent *entry)
{
    return th_file_name_ends(entry->d_name, TH_MANIFEST_SUFFIX);
}

/* In the order of bytes, not of the locale. */
static int compare(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

th_status th_manifest_set_add(th_manifest_set *set, const char *folder, th_error *err)
{
    struct dirent **names = NULL;
    const int count = scandir(folder, &names, is_manifest, compare);
    if (count < 0)
        return th_fail(err, TH_IO, "cannot read folder '%s': %s", folder,
                       strerror(errno));
    th_status status = TH_OK;
    for (int i = 0; i < count; i++) {
        if (status == TH_OK)
            status = add_file(set, folder, names[i]->d_name, err);
        free(names[i]);
    }
    free(names);
    return status;
}

/* ---- sums ---- */

th_status th_manifest_set_sums(const th_manifest_set *set, th_error *err)
{
    for (size_t i = 0; i < set->count; i++) {
        const struct output *output = &set->outputs[i];
        const size_t len = strlen(output->folder);
        const bool has_slash = len && output->folder[len - 1] == '/';
        printf("%s  %s%s%s\n", output->sha256, output->folder, has_slash ? "" : "/",
               output->name);
    }
    return set->count ? TH_OK
                      : th_fail(err, TH_USAGE,
                                "no output found: summary needs folders with files of "
                                "thresher run -O");
}

/* ---- Croissant ---- */

/* The context of the standard, as mlcroissant 1.1.1 writes it. */
static const char context[] =
    "{\"@context\":{\"@language\":\"en\",\"@vocab\":\"https://schema.org/\","
    "\"arrayShape\":\"cr:arrayShape\",\"citeAs\":\"cr:citeAs\",\"column\":\"cr:column\","
    "\"conformsTo\":\"dct:conformsTo\",\"containedIn\":\"cr:containedIn\","
    "\"cr\":\"http://mlcommons.org/croissant/\","
    "\"rai\":\"http://mlcommons.org/croissant/RAI/\","
    "\"data\":{\"@id\":\"cr:data\",\"@type\":\"@json\"},"
    "\"dataType\":{\"@id\":\"cr:dataType\",\"@type\":\"@vocab\"},"
    "\"dct\":\"http://purl.org/dc/terms/"
    "\",\"description\":{\"@container\":\"@language\"},"
    "\"equivalentProperty\":\"cr:equivalentProperty\","
    "\"examples\":{\"@id\":\"cr:examples\",\"@type\":\"@json\"},"
    "\"extract\":\"cr:extract\",\"field\":\"cr:field\","
    "\"fileProperty\":\"cr:fileProperty\",\"fileObject\":\"cr:fileObject\","
    "\"fileSet\":\"cr:fileSet\",\"format\":\"cr:format\",\"includes\":\"cr:includes\","
    "\"isArray\":\"cr:isArray\",\"isLiveDataset\":\"cr:isLiveDataset\","
    "\"jsonPath\":\"cr:jsonPath\",\"key\":\"cr:key\",\"md5\":\"cr:md5\","
    "\"name\":{\"@container\":\"@language\"},\"parentField\":\"cr:parentField\","
    "\"path\":\"cr:path\",\"recordSet\":\"cr:recordSet\","
    "\"references\":\"cr:references\",\"regex\":\"cr:regex\","
    "\"repeated\":\"cr:repeated\",\"replace\":\"cr:replace\","
    "\"samplingRate\":\"cr:samplingRate\",\"sc\":\"https://schema.org/\","
    "\"separator\":\"cr:separator\",\"source\":\"cr:source\","
    "\"subField\":\"cr:subField\",\"transform\":\"cr:transform\"},";

static bool is_table(const struct output *output)
{
    return output->has_records && (strcmp(output->format, "jsonl") == 0 ||
                                   strcmp(output->format, "parquet") == 0);
}

static const char *media_of(const struct output *output)
{
    if (strcmp(output->format, "parquet") == 0 && output->has_records)
        return "application/x-parquet";
    return th_file_name_ends(output->name, ".gz")     ? "application/gzip"
           : th_file_name_ends(output->name, ".zst")  ? "application/zstd"
           : is_table(output) || !output->has_records ? "application/jsonlines"
                                                      : "application/octet-stream";
}

static void print_id(th_json *json, const char *key, const char *id)
{
    if (key)
        th_json_key(json, key);
    th_json_open_object(json);
    th_json_member_text(json, "@id", id);
    th_json_close_object(json);
}

static void print_file(th_json *json, const struct output *output)
{
    th_json_open_object(json);
    th_json_member_text(json, "@type", "cr:FileObject");
    th_json_member_text(json, "@id", output->name);
    th_json_member_text(json, "name", output->name);
    th_json_member_text(json, "contentUrl", output->name);
    char size[32];
    (void)snprintf(size, sizeof size, "%" PRIu64 " B", output->bytes);
    th_json_member_text(json, "contentSize", size);
    th_json_member_text(json, "encodingFormat", media_of(output));
    th_json_member_text(json, "sha256", output->sha256);
    th_json_close_object(json);
}

/* The type of a field of the top level that each record may have, or NULL. */
static const char *type_of(const th_record_field *field)
{
    if (field->depth || field->is_list || field->emit || field->request ||
        field->option_at)
        return NULL;
    switch (field->kind) {
    case TH_PARQUET_TEXT: /* readers of JSON lines also convert `date` */
        return strcmp(field->path, "date") == 0 ? "sc:DateTime" : "sc:Text";
    case TH_PARQUET_INT:
    case TH_PARQUET_UINT:
        return "sc:Integer";
    case TH_PARQUET_REAL:
        return "sc:Float";
    case TH_PARQUET_BOOL:
        return "sc:Boolean";
    default:
        return NULL;
    }
}

/* Whether a file of JSON lines has the field even if it has few records. Readers of
 * Croissant fail if a column is missing. A Parquet file has every column. */
static bool is_in_lines(const th_record_field *field)
{
    static const char *const names[] = { "id", "url", "date", "text" };
    bool is_found = field->presence == TH_ALWAYS;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        is_found |= strcmp(field->path, names[i]) == 0;
    return is_found;
}

static void print_record_set(th_json *json, const struct output *output)
{
    char id[512];
    (void)snprintf(id, sizeof id, "records/%.300s", output->name);
    th_json_open_object(json);
    th_json_member_text(json, "@type", "cr:RecordSet");
    th_json_member_text(json, "@id", id);
    th_json_member_text(json, "name", id);
    th_json_key(json, "field");
    th_json_open_array(json);
    for (uint32_t i = 0; i < th_record_field_count; i++) {
        const th_record_field *field = &th_record_fields[i];
        const char *type = type_of(field);
        const char *name = th_record_field_name(field);
        if (!type || (strcmp(output->format, "jsonl") == 0 && !is_in_lines(field)))
            continue;
        (void)snprintf(id, sizeof id, "records/%.300s/%s", output->name, name);
        th_json_open_object(json);
        th_json_member_text(json, "@type", "cr:Field");
        th_json_member_text(json, "@id", id);
        th_json_member_text(json, "name", name);
        if (field->meaning)
            th_json_member_text(json, "description", field->meaning);
        th_json_member_text(json, "dataType", type);
        th_json_key(json, "source");
        th_json_open_object(json);
        print_id(json, "fileObject", output->name);
        th_json_key(json, "extract");
        th_json_open_object(json);
        th_json_member_text(json, "column", name);
        th_json_close_object(json);
        th_json_close_object(json);
        th_json_close_object(json);
    }
    th_json_close_array(json);
    th_json_close_object(json);
}

/* Statements of the extension for responsible AI, as far as the manifests show them. */
static void print_rai(th_json *json, const th_manifest_set *set)
{
    char text[512];
    (void)snprintf(text, sizeof text,
                   "Pages of web archives: %" PRIu64 " input files with %" PRIu64
                   " records, of which %" PRIu64 " became records of this data set.",
                   set->input_count, set->read, set->emitted);
    th_json_member_text(json, "rai:dataCollection", text);
    th_json_member_text(json, "rai:dataCollectionType", "Web Scraping");
    th_buffer options = { 0 };
    th_buffer_printf(&options,
                     "thresher %s separated the main text of each page from boilerplate. "
                     "Options: %s.",
                     set->version ? set->version : "",
                     set->options && *set->options ? set->options : "the defaults");
    th_json_member_buffer(json, "rai:dataPreprocessingProtocol", &options);
    th_buffer_done(&options);
    th_json_member_text(
        json, "rai:personalSensitiveInformation",
        set->has_redaction
            ? "Matches of the kinds in the option redact were replaced by markers. Other "
              "personal data of the pages is contained."
            : "Not removed. The texts contain the personal data of the pages.");
    th_json_member_text(json, "rai:dataLimitations",
                        "The texts are those of the archives. Main text was found "
                        "automatically, and can miss words or contain boilerplate.");
}

static void print_about(th_json *json, const th_manifest_set *set,
                        const th_data_set *about)
{
    char text[256];
    th_json_member_text(json, "@type", "sc:Dataset");
    th_json_key(json, "conformsTo");
    th_json_open_array(json);
    th_json_string(json, TH_VIEW("http://mlcommons.org/croissant/1.1"));
    th_json_string(json, TH_VIEW("http://mlcommons.org/croissant/RAI/1.0"));
    th_json_close_array(json);
    th_json_member_text(json, "name", about->name ? about->name : "thresher-records");
    (void)snprintf(text, sizeof text,
                   "Annotated records of %" PRIu64 " web pages, made by thresher %s.",
                   set->emitted, set->version ? set->version : "");
    th_json_member_text(json, "description", text);
    if (about->license)
        th_json_member_text(json, "license", about->license);
    if (about->url)
        th_json_member_text(json, "url", about->url);
    if (about->date)
        th_json_member_text(json, "datePublished", about->date);
    if (about->creator) {
        th_json_key(json, "creator");
        th_json_open_object(json);
        th_json_member_text(json, "@type", "sc:Organization");
        th_json_member_text(json, "name", about->creator);
        th_json_close_object(json);
    }
}

th_status th_manifest_set_croissant(const th_manifest_set *set, const th_data_set *about,
                                    th_error *err)
{
    th_json json;
    th_buffer out = { 0 };
    if (!set->count)
        return th_fail(err, TH_USAGE,
                       "no output found: --croissant needs folders with files of "
                       "thresher run -O");
    th_json_begin(&json, &out);
    th_json_open_object(&json);
    print_about(&json, set, about);
    print_rai(&json, set);
    th_json_key(&json, "distribution");
    th_json_open_array(&json);
    for (size_t i = 0; i < set->count; i++)
        print_file(&json, &set->outputs[i]);
    th_json_close_array(&json);
    th_json_key(&json, "recordSet");
    th_json_open_array(&json);
    for (size_t i = 0; i < set->count; i++)
        if (is_table(&set->outputs[i]))
            print_record_set(&json, &set->outputs[i]);
    th_json_close_array(&json);
    th_json_close_object(&json);
    const th_status status = th_json_end(&json);
    if (status == TH_OK) { /* the context precedes the members */
        fputs(context, stdout);
        (void)fwrite(out.data + 1, 1, out.len - 1, stdout);
    }
    th_buffer_done(&out);
    return status == TH_OK ? TH_OK : th_fail(err, status, "out of memory");
}
