"""The console script `earwitness`: Ctrl-C ends it without a traceback, even while it is still being loaded."""

from __future__ import annotations

import sys

INTERRUPTED = 130


def main() -> None:
    """Run the command line."""
    try:
        from earwitness_plugins.terminal.group import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
