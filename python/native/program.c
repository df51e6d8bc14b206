/* The program of the Python package: its code is in the library beside it. */
#include "thresher_python.h"

int main(int argc, char **argv)
{
    return thresher_program(argc, argv);
}
