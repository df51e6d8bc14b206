/* The tables of thresher-lab. */
#include "lab/lab.h"

#include "lab/density/eval_density.h"
#include "lab/features/eval_features.h"
#include "lab/segment/lab_segmenters.h"
#include "lab/segmentation/eval_segmentation.h"
#include "settings/settings.h"

static const th_command commands[] = {
    { "train", "learn a segmenter's parameters from pages with known segments",
      TH_FOR_TRAIN, NULL, th_command_train,
      "gcuts cclus cclus-without-tree boundary-graph boundary-graph-slack" },
    { .name = "reproduce",
      .help = "repeat the experiments of the papers, and write a report",
      .usage =
          "usage: thresher-lab reproduce [options]\n\n"
          "Repeats the experiments of five papers, and writes report.md, report.html "
          "and\n"
          "figures. Needs Python with numpy, scipy, scikit-learn and xxhash. --help "
          "lists the\n"
          "options.\n",
      .run = th_command_reproduce },
    { .name = NULL },
};

static const th_eval_kind *const kinds[] = {
    &th_eval_extraction,
    &th_eval_lines,
    &th_eval_segmentation,
    &th_eval_density,
    &th_eval_duplicates,
    &th_eval_features,
    NULL,
};

const th_program th_lab_program = {
    .name = "thresher-lab",
    .commands = th_commands,
    .more_commands = commands,
    .eval_kinds = kinds,
    .segmenters = th_lab_segmenters,
    .more_eval_options = TH_FOR_LAB,
};
