/*
 * memchr() for the x86-64 wheel of musl, whose own compares 8 bytes at once, and single
 * bytes before and after. An aligned load of 16 bytes never crosses a page, so bytes
 * outside of the range may be loaded. They are not compared.
 */
#include <emmintrin.h>
#include <stddef.h>
#include <stdint.h>

/* Returns a bit for each byte of the 16 at `at` that equals `wanted`. */
static unsigned equal_16(uintptr_t at, __m128i wanted)
{
    return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(*(const __m128i *)at, wanted));
}

void *memchr(const void *bytes, int byte, size_t len)
{
    const __m128i wanted = _mm_set1_epi8((char)byte);
    const uintptr_t begin = (uintptr_t)bytes;
    /* len may exceed the object if the byte is in it */
    const uintptr_t end = len > UINTPTR_MAX - begin ? UINTPTR_MAX : begin + len;
    uintptr_t at = begin & ~(uintptr_t)15;
    if (len == 0)
        return NULL;
    unsigned found = equal_16(at, wanted) & (~0U << (begin - at));
    while (found == 0 && end - at > 16) {
        at += 16;
        found = equal_16(at, wanted);
    }
    at += found > 0 ? (unsigned)__builtin_ctz(found) : 16;
    return at < end ? (void *)at : NULL;
}
