/* CRCs by ISA-L, or by zlib with more than ten times as many instructions. */
#include "parquet/page_crc.h"

#ifdef TH_WITH_ISAL
#include <isa-l/crc.h>
#else
#include <zlib.h>
#endif

int32_t th_page_crc(th_view packed)
{
    const unsigned char *bytes = (const unsigned char *)packed.data;
#ifdef TH_WITH_ISAL
    return (int32_t)crc32_gzip_refl(0, bytes, packed.len);
#else
    return (int32_t)crc32_z(0, bytes, packed.len);
#endif
}
