/* The function of a fuzz target. libFuzzer or replay_main.c calls it. */
#ifndef TH_FUZZ_TARGET_H
#define TH_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

/** Runs one input; aborts when a property does not hold. Always 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
