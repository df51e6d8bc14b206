/*
 * What passes between intake and outlet when results are made durable: the one place
 * where anything is acknowledged.
 */
#ifndef TH_HANDOVER_H
#define TH_HANDOVER_H

#include "traffic/intake.h"
#include "traffic/outlet.h"

/**
 * Flushes the outlet with the intake's receipt, and acknowledges the receipt.
 * @param mark  goes with the position, so that both are found after a crash; 0: none
 * @return TH_OK: durable and acknowledged; TH_BLOCKED: not now, try again, nothing is
 * lost; TH_ABORTED: what was staged is void, and the intake was rewound; TH_IO, TH_NOMEM:
 * an end
 */
th_status th_hand_over(th_intake *intake, th_outlet *outlet, uint64_t mark,
                       th_error *err);

#endif
