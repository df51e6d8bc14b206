/* The digest of a file in slices. See the header. */
#include "spool/spool_digest.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <xxhash.h>

enum { PIECE = 256 << 10 };

struct th_spool_digest {
    XXH3_state_t *state;
    uint64_t at;
    char *bytes; /* PIECE */
};

th_spool_digest *th_spool_digest_new(void)
{
    th_spool_digest *digest = calloc(1, sizeof *digest);
    if (!digest)
        return NULL;
    digest->state = XXH3_createState();
    digest->bytes = malloc(PIECE);
    if (digest->state && digest->bytes)
        return digest;
    th_spool_digest_free(digest);
    return NULL;
}

void th_spool_digest_free(th_spool_digest *digest)
{
    if (!digest)
        return;
    (void)XXH3_freeState(digest->state);
    free(digest->bytes);
    free(digest);
}

void th_spool_digest_begin(th_spool_digest *digest)
{
    (void)XXH3_128bits_reset(digest->state);
    digest->at = 0;
}

th_status th_spool_digest_step(th_spool_digest *digest, int fd, uint64_t size,
                               bool (*should_pause)(void *context), void *context,
                               uint64_t out[2])
{
    while (digest->at < size) {
        const uint64_t rest = size - digest->at;
        const ssize_t got = pread(fd, digest->bytes, rest < PIECE ? (size_t)rest : PIECE,
                                  (off_t)digest->at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return TH_IO;
        (void)XXH3_128bits_update(digest->state, digest->bytes, (size_t)got);
        digest->at += (uint64_t)got;
        if (digest->at < size && should_pause(context))
            return TH_PAUSED;
    }
    const XXH128_hash_t hash = XXH3_128bits_digest(digest->state);
    out[0] = hash.low64;
    /* 0 0 means not computed */
    out[1] = hash.high64 | (hash.low64 == 0 && hash.high64 == 0);
    return TH_OK;
}
