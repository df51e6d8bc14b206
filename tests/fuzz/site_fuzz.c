/*
 * The files of sites with any bytes. The first byte selects the part for the rest: a site's
 * bytes, a file of sites, a journal of a growing memory, its state. All except the state are
 * tried unchanged and with correct checksums, because damage rarely passes the checksum.
 */
#include "fuzz_target.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "site/site_file.h"
#include "site/site_memory.h"

enum { SITE_HEAD = 48, FILE_HEAD = 64, EPOCH = 2, RECORDS = 8, PATH_ROOM = 200 };

static char folder[] = "/tmp/thresher-fuzz-site-XXXXXX";
static const th_site_limits limits = { 100, 100, 1 };

static void expect(bool holds)
{
    if (!holds)
        abort();
}

static void path_of(const char *name, char out[PATH_ROOM])
{
    (void)snprintf(out, PATH_ROOM, "%s/%s", folder, name);
}

static void write_file(const char *path, const void *bytes, size_t len)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    expect(fd >= 0 && write(fd, bytes, len) == (ssize_t)len);
    (void)close(fd);
}

/* Reads all data of a site that passed its check, counts it again, and joins it with
 * itself. */
static void use_site(const th_site *site)
{
    th_buffer scratch = { 0 };
    th_site again;
    uint64_t sum = 0;
    for (size_t i = 0; i < site->name.len; i++)
        sum += (unsigned char)site->name.data[i];
    for (uint32_t i = 0; i < site->hash_count; i++)
        sum += th_site_count(site, site->hashes[i]);
    if (site->url_count && site->text_count)
        sum +=
            th_site_has_page(site, site->urls[0] + (uint32_t)(sum & 1), site->texts[0]);
    expect(th_site_add(site, NULL, 0, &limits, &scratch) == TH_OK);
    expect(th_site_read(th_buffer_view(&scratch), &again, NULL) == TH_OK);
    expect(again.pages <= limits.pages && again.hash_count <= limits.hashes);
    th_buffer_reset(&scratch);
    expect(th_site_join(site, site, &limits, &scratch) == TH_OK);
    expect(th_site_read(th_buffer_view(&scratch), &again, NULL) == TH_OK);
    expect(again.pages <= limits.pages && again.hash_count <= limits.hashes);
    th_buffer_done(&scratch);
}

/* Sets the checksum of a site right that says how long it is. */
static void set_site_checksum(char *bytes, size_t size)
{
    uint32_t len = 0;
    if (size < SITE_HEAD)
        return;
    memcpy(&len, bytes, sizeof len);
    if (len < SITE_HEAD || len > size)
        return;
    const uint32_t checksum = (uint32_t)XXH3_64bits(bytes + 8, len - 8);
    memcpy(bytes + 4, &checksum, sizeof checksum);
}

static void try_site(char *data, size_t size)
{
    th_site site;
    size_t len = 0;
    if (size && data[0] & 1)
        set_site_checksum(data + (size > 8 ? 8 : 0), size - (size > 8 ? 8 : 0));
    const size_t at = size > 8 ? 8 : 0;
    if (th_site_read((th_view){ data + at, size - at }, &site, &len) != TH_OK)
        return;
    expect(len <= size - at);
    use_site(&site);
}

/* A head and an index of one or two sites at locations from the bytes, then a body. */
static void try_file(char *data, size_t size)
{
    char path[PATH_ROOM];
    th_site_file *file = NULL;
    path_of("file", path);
    if (size >= FILE_HEAD && data[40] & 1) {
        uint64_t at = 0;
        memcpy(data, "thresher sites\n", 16);
        memcpy(data + 16, &(uint32_t){ 1 }, 4);
        const uint64_t count = 1 + (data[24] & 1);
        const uint64_t index_len = 16 * count;
        at = (size - index_len) & ~(uint64_t)7;
        size = at + index_len;
        if (at < FILE_HEAD)
            return;
        for (uint64_t i = 0; i < count; i++) {
            uint64_t place = 0;
            memcpy(&place, data + at + 16 * i + 8, 8);
            place %= at + 8;
            memcpy(data + at + 16 * i + 8, &place, 8);
            if (place % 8 == 0 && place + SITE_HEAD <= at && place >= FILE_HEAD) {
                set_site_checksum(data + place, at - place);
                memcpy(data + at + 16 * i, data + place + 8, 8);
            }
        }
        const uint64_t index_sum = XXH3_64bits(data + at, index_len);
        memcpy(data + 24, &count, 8);
        memcpy(data + 40, &at, 8);
        memcpy(data + 48, &index_sum, 8);
        const uint64_t checksum = XXH3_64bits(data, 56);
        memcpy(data + 56, &checksum, 8);
    }
    write_file(path, data, size);
    if (th_site_file_open(path, NULL, NULL, &file, NULL) != TH_OK)
        return;
    for (uint64_t i = 0; i < th_site_file_count(file); i++) {
        th_site site, found;
        if (th_site_file_at(file, i, &site) != TH_OK)
            continue;
        use_site(&site);
        th_site_name name = { .number = site.number };
        expect(th_site_file_find(file, &name, &found) != TH_NOMEM);
    }
    th_site_file_close(file);
}

/* ---- a memory ---- */

static th_site_memory *open_memory(const char *dir, th_status *status)
{
    const th_site_memory_options options = { .dir = dir,
                                             .limits = limits,
                                             .epoch = EPOCH,
                                             .memory = 1 << 20,
                                             .journal_bytes = 1 << 20 };
    th_site_memory *memory = NULL;
    *status = th_site_memory_open(&options, &memory, NULL);
    return memory;
}

static void add_entry(th_buffer *out, uint64_t number)
{
    const th_site_entry entry = { .site = 5,
                                  .when = number + 1,
                                  .url = (uint32_t)number,
                                  .text = (uint32_t)number,
                                  .hash_count = 2,
                                  .name_len = 3 };
    const uint64_t hashes[2] = { 17, 18 + number };
    th_buffer_append(out, (const char *)&entry, sizeof entry);
    th_buffer_append(out, (const char *)hashes, sizeof hashes);
    th_buffer_append(out, "a.b\0\0\0\0\0", 8);
}

/* A folder whose journal holds eight records. */
static void make_memory(const char *dir)
{
    th_status status;
    uint64_t mark = 0;
    th_site_memory *memory = open_memory(dir, &status);
    expect(memory && th_site_memory_rewind(memory, 0, NULL, NULL) == TH_OK);
    const th_site_turn turn = th_site_memory_take(memory, RECORDS);
    for (uint64_t i = 0; i < RECORDS; i++) {
        th_buffer entry = { 0 };
        add_entry(&entry, i);
        expect(th_site_memory_note(memory, &turn, 1, th_buffer_view(&entry)) == TH_OK &&
               th_site_memory_keep(memory, 1, th_buffer_view(&entry), NULL) == TH_OK);
        th_buffer_done(&entry);
    }
    expect(th_site_memory_prepare(memory, 0, &mark, NULL) == TH_OK);
    th_site_memory_commit(memory);
    th_site_memory_close(memory);
}

static int remove_one(const char *path, const struct stat *facts, int kind,
                      struct FTW *place)
{
    (void)facts;
    (void)kind;
    (void)place;
    return remove(path);
}

/* For any file content, the memory is refused, or works like an intact one. */
static void open_with(const char *name, const char *data, size_t size, bool is_over)
{
    char dir[PATH_ROOM], path[PATH_ROOM + 100];
    th_status status;
    path_of("memory", dir);
    make_memory(dir);
    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    const int fd = open(path, O_WRONLY | (is_over ? 0 : O_TRUNC));
    expect(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    (void)close(fd);
    th_site_memory *memory = open_memory(dir, &status);
    if (memory) {
        th_site_memory_stats facts;
        status = th_site_memory_rewind(memory, 0, NULL, NULL);
        expect(status == TH_OK || status == TH_DAMAGED);
        th_site_memory_facts_get(memory, &facts);
        expect(status != TH_OK || facts.records <= RECORDS);
        th_site_memory_close(memory);
    } else {
        expect(status == TH_DAMAGED || status == TH_USAGE);
    }
    (void)nftw(dir, remove_one, 4, FTW_DEPTH | FTW_PHYS);
}

/* Frames: length, checksum, an entry. */
static void try_journal(char *data, size_t size)
{
    static const char name[] = "journal-00000000000000000000";
    for (size_t at = 0; size && data[0] & 1 && at + 8 + sizeof(th_site_entry) <= size;) {
        th_site_entry entry;
        memcpy(&entry, data + at + 8, sizeof entry);
        entry.hash_count %= 8;
        entry.name_len %= 16;
        memcpy(data + at + 8, &entry, sizeof entry);
        const size_t len = th_site_entry_len(&entry);
        if (len > size - at - 8)
            break;
        const uint32_t head[2] = { (uint32_t)len,
                                   (uint32_t)XXH3_64bits(data + at + 8, len) };
        memcpy(data + at, head, sizeof head);
        at += 8 + len;
    }
    open_with(name, data, size, true);
}

static void try_state(char *data, size_t size)
{
    open_with("state", data, size, false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const tries[])(char *, size_t) = { try_site, try_file, try_journal,
                                                     try_state };
    static bool has_folder; /* its random name may also end with 'X' */
    expect(has_folder || mkdtemp(folder) != NULL);
    has_folder = true;
    if (!size)
        return 0;
    /* Aligned, exact, and its own: the checksums are written into it. */
    char *copy = malloc(size);
    expect(copy != NULL);
    memcpy(copy, data + 1, size - 1);
    tries[data[0] % 4](copy, size - 1);
    free(copy);
    return 0;
}
