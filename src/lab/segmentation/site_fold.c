/* A host's digest decides its fold, regardless of the page's position in a corpus. */
#include "lab/segmentation/site_fold.h"

#include <openssl/evp.h>

#include "base/ascii.h"
#include "parse/url/url.h"

unsigned th_site_fold(th_view url)
{
    const th_view host = th_url_host(url);
    char lower[256];
    unsigned char sha1[EVP_MAX_MD_SIZE] = { 0 };
    unsigned len = 0;
    size_t count = 0;
    for (; count < host.len && count < sizeof lower; count++)
        lower[count] = th_lower(host.data[count]);
    if (!count || !EVP_Digest(lower, count, sha1, &len, EVP_sha1(), NULL) || !len)
        return 0;
    return sha1[len - 1] & (TH_SITE_FOLDS - 1);
}
