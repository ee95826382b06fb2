"""The command line: ``meshjudge …`` and ``python -m meshjudge …``."""

import os
import signal
import sys

from ._native import command_line


def main() -> None:
    """Run the command line with the process's arguments, and exit with its code."""
    # Python's own handler only takes a note, and nobody would look at it while a command runs.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # A layer of Mesa's asks the desktop which card it prefers, and complains where there is none.
    if sys.platform == "linux":
        os.environ.setdefault("NODEVICE_SELECT", "1")
    sys.exit(command_line(["meshjudge", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
