/*
 * Makes results durable, with intake and outlet. This is the only place that acknowledges
 * input.
 */
#ifndef TH_HANDOVER_H
#define TH_HANDOVER_H

#include "traffic/intake.h"
#include "traffic/outlet.h"

/**
 * Flushes the outlet with the intake's receipt, and acknowledges the receipt.
 * @param mark  goes with the position, so that both are found after a crash; 0: none
 * @return TH_OK if durable and acknowledged. TH_BLOCKED if not possible now: try again,
 *         no data is lost. TH_ABORTED if staged results are void, and the intake was
 *         rewound. TH_IO and TH_NOMEM end the daemon
 */
th_status th_hand_over(th_intake *intake, th_outlet *outlet, uint64_t mark,
                       th_error *err);

#endif
