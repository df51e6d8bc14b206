/* Linux's malloc.h for macOS, whose allocator has no such settings. */
#ifndef TH_MACOS_MALLOC_H
#define TH_MACOS_MALLOC_H

#endif
