/* The program of the Python package. Its code is in the library in the same folder. */
#include "thresher_python.h"

int main(int argc, char **argv)
{
    return thresher_program(argc, argv);
}
