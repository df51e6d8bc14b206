/* Signs a text that has a part whose hashes are known. */
#ifndef TH_KNOWN_PART_H
#define TH_KNOWN_PART_H

#include "thresher/minhash.h"

/**
 * Does the same as th_minhash, but hashes only the shingles that are not within the part.
 * @param part   a slice of the text, from the start of a token to the end of one
 * @param known  the part's signature by the same signer
 */
th_status th_minhash_around(const th_minhash_signer *signer, th_view text, th_view part,
                            const th_signature *known, th_arena *arena,
                            th_signature *out);

#endif
