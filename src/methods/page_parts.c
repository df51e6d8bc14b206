/* The parts of a page that its methods read. */
#include "methods/page_parts.h"

#include "thresher/classifier.h"

uint32_t th_options_reads(const th_options *options)
{
    const th_classifier *classifier = th_classifier_find(options->classifier);
    const uint32_t posts = options->emit & TH_EMIT_POSTS ? TH_READS_CLASSES : 0;
    const uint32_t rights = options->emit & TH_EMIT_RIGHTS ? TH_READS_RIGHTS : 0;
    const uint32_t structured =
        options->emit & TH_EMIT_STRUCTURED ? TH_READS_STRUCTURED : 0;
    return options->reads | posts | rights | structured |
           (classifier ? classifier->reads : 0);
}
