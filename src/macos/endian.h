/* Linux's endian.h for macOS, whose processors are little-endian. */
#ifndef TH_MACOS_ENDIAN_H
#define TH_MACOS_ENDIAN_H

#define htobe64(number) __builtin_bswap64(number)
#define be64toh(number) __builtin_bswap64(number)
#define htole32(number) (number)
#define le32toh(number) (number)
#define htole64(number) (number)
#define le64toh(number) (number)

#endif
