"""Where the daemon of this user listens: the same rules as those of the ``lectern`` command."""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from typing import Mapping, NamedTuple, Optional

from ._errors import LecternError

#: The longest path of a unix socket without its final zero.
SOCKET_PATH_BYTES_MAX = 103 if sys.platform == "darwin" else 107
#: As long as the longest name of a socket of the daemon and its hosts.
SOCKET_NAME_BYTES = 22
HASH_CHARS = 16


class Paths(NamedTuple):
    data_directory: str
    daemon_socket: str
    token_file: str


def lectern_paths(environment: Mapping[str, str], home: Optional[str] = None) -> Paths:
    """The data directory is ``home``, else ``LECTERN_HOME``, else ``$XDG_DATA_HOME/lectern`` (``~/.local/share/lectern``)."""
    given = home or environment.get("LECTERN_HOME")
    data = environment.get("XDG_DATA_HOME") or os.path.join(
        environment.get("HOME") or os.path.expanduser("~"), ".local", "share"
    )
    directory = os.path.abspath(given) if given else os.path.join(data, "lectern")
    return Paths(
        data_directory=directory,
        daemon_socket=os.path.join(_socket_directory(directory), "daemon.sock"),
        token_file=os.path.join(directory, "token"),
    )


def _socket_directory(data_directory: str) -> str:
    directory = os.path.join(data_directory, "run")
    if len(os.fsencode(directory)) + 1 + SOCKET_NAME_BYTES <= SOCKET_PATH_BYTES_MAX:
        return directory
    name = hashlib.sha256(os.fsencode(os.path.realpath(data_directory))).hexdigest()[:HASH_CHARS]
    return os.path.join(f"/tmp/lectern-{os.getuid()}", name)


def check_socket(socket: str) -> None:
    """Below ``/tmp`` anybody can create a directory: one of somebody else is refused."""
    shared = f"/tmp/lectern-{os.getuid()}"
    directory = os.path.dirname(socket)
    if os.path.dirname(directory) != shared:
        return
    for path in (shared, directory):
        try:
            status = os.lstat(path)
        except FileNotFoundError:
            return
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o077:
            raise LecternError(
                "UNSAFE_PERMISSIONS", f'Cannot use "{path}": wanted your own directory with mode 0700', {"path": path}
            )
