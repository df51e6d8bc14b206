/* The laboratory: measures of segmentation and density, and training, for research. */
#ifndef TH_LAB_H
#define TH_LAB_H

#include "app/program.h"

int th_command_reproduce(const th_program *program, int argc, char **argv);
int th_command_train(const th_program *program, int argc, char **argv);

/** thresher with the lab's commands, kinds of measure and segmenters. */
extern const th_program th_lab_program;

#endif
