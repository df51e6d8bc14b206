/*
 * The state file, replaced atomically at each prepare. It has two states, because the
 * process may have ended before or after the newest one was acknowledged.
 */
#include "index/index_state.h"

#include <string.h>

#include "base/state_folder.h"

enum { VERSION = 1 };
#define MAGIC 0x3174617368726574u

struct file {
    uint64_t magic, version;
    th_index_states states;
    uint64_t checksum; /* of the bytes before it */
};

th_status th_index_states_save(const th_index_states *states, const char *path,
                               th_error *err)
{
    struct file file;
    memset(&file, 0, sizeof file); /* also the padding: the checksum covers it */
    file.magic = MAGIC;
    file.version = VERSION;
    file.states = *states;
    return th_state_file_save(path, &file, sizeof file, err);
}

th_status th_index_states_load(th_index_states *states, const char *path, th_error *err)
{
    struct file file;
    const th_status status = th_state_file_load(path, &file, sizeof file, err);
    if (status != TH_OK)
        return status;
    if (file.magic != MAGIC || file.version != VERSION)
        return TH_DAMAGED;
    *states = file.states;
    return TH_OK;
}
