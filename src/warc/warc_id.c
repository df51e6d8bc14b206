/* Ids that follow from names: UUIDs of version 5.  [RFC 4122 §4.3] */
#include "warc/warc_writer.h"

#include <stdio.h>
#include <string.h>

warc_status warc_derive_id(warc_view name, const char *type, char out[WARC_ID_SIZE])
{
    /* The URL name space of RFC 4122 Appendix C. */
    static const char name_space[] = "\x6b\xa7\xb8\x11\x9d\xad\x11\xd1"
                                     "\x80\xb4\x00\xc0\x4f\xd4\x30\xc8";
    warc_digest *digest = NULL;
    warc_status status = warc_digest_new(&digest);
    if (status == WARC_OK)
        status = warc_digest_begin(digest, WARC_DIGEST_SHA1);
    if (status == WARC_OK) {
        warc_digest_value value;
        warc_digest_update(digest, (warc_view){ name_space, sizeof name_space - 1 });
        warc_digest_update(digest, name);
        warc_digest_update(digest, (warc_view){ " ", 1 });
        warc_digest_update(digest, (warc_view){ type, strlen(type) });
        warc_digest_end(digest, &value);
        unsigned char *b = value.bytes;
        b[6] = (unsigned char)((b[6] & 0x0f) | 0x50); /* version 5 */
        b[8] = (unsigned char)((b[8] & 0x3f) | 0x80); /* variant */
        snprintf(out, WARC_ID_SIZE,
                 "<urn:uuid:%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-"
                 "%02x%02x%02x%02x%02x%02x>",
                 b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11],
                 b[12], b[13], b[14], b[15]);
    }
    warc_digest_free(digest);
    return status;
}
