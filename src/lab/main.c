/* thresher-lab, the program: a superset of thresher. */
#include "lab/lab.h"

int main(int argc, char **argv)
{
    return th_program_main(&th_lab_program, argc, argv);
}
