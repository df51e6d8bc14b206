/* thresher, the program. */
#include "app/program.h"

int main(int argc, char **argv)
{
    return th_program_main(&th_thresher_program, argc, argv);
}
