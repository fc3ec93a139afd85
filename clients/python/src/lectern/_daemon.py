"""Starts the daemon of this user by its own command."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import List, Optional, Sequence, Union

from ._errors import LecternError, unreachable
from ._paths import Paths

#: The command waits as long itself.
START_SECONDS_MAX = 90.0
Command = Union[str, Sequence[str]]


def start_daemon(paths: Paths, command: Command, home: Optional[str]) -> None:
    """Runs ``lectern info``, which starts a daemon unless one is running. Raises ``DAEMON_UNREACHABLE``."""
    words = _words(command)
    environment = dict(os.environ)
    if home is not None:
        environment["LECTERN_HOME"] = paths.data_directory
    try:
        done = subprocess.run(
            [*words, "info", "--json"],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=START_SECONDS_MAX,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise unreachable(f'Cannot start the daemon by "{words[0]}": {error}') from error
    if done.returncode != 0:
        reason = done.stderr.decode("utf-8", "replace").strip()[-2000:]
        raise unreachable(f'Cannot start the daemon by "{words[0]} info": {reason}')


def _words(command: Command) -> List[str]:
    if not isinstance(command, str):
        return list(command)
    found = shutil.which(command)
    if found is None:
        raise unreachable(
            f'Cannot find the command "{command}" to start the daemon: install Lectern as its README says, '
            'or name it: connect(command="/path/to/lectern")'
        )
    return [found]


def refuse_if_stopped(paths: Paths) -> None:
    """A client that lost its daemon starts none after ``lectern down``."""
    if os.path.exists(os.path.join(os.path.dirname(paths.daemon_socket), "ended")):
        raise LecternError(
            "NOT_AVAILABLE",
            'The daemon was stopped with "lectern down"; programs keep running, and the next command resumes them',
        )
