"""The program, as `python -m thresher` and as the script `thresher`."""
import os
import sys

from ._records import program, program_environment


def main() -> None:
    path = program()
    os.execve(path, [path] + sys.argv[1:], program_environment())


if __name__ == '__main__':
    main()
