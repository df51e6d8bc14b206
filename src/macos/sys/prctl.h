/* Linux's sys/prctl.h for macOS, which has no prctl(2): every call fails. */
#ifndef TH_MACOS_PRCTL_H
#define TH_MACOS_PRCTL_H

#define PR_SET_PDEATHSIG 1
#define PR_SET_NAME 15
#define prctl(...) (errno = ENOSYS, -1)

#endif
