"""A program in a terminal for programs that talk to it line by line: the interface of AGTerm over a session of the daemon."""

from __future__ import annotations

import os
import threading
import uuid
import weakref
from typing import Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import _types
from ._client import Lectern
from ._errors import LecternError

DEFAULT_TIMEOUT_MS = 20_000
DEFAULT_SETTLE_MS = 200
DEFAULT_QUIET_MS = 80
DEFAULT_MAX_OUTPUT_BYTES = 2 * 1024 * 1024
DEFAULT_MAX_HISTORY_BYTES = 4 * 1024 * 1024
DEFAULT_READY_MARKERS = ("pwndbg> ", "(gdb) ")
GRACE_MS = 500
#: Silence says nothing about a program that has not begun: before the first line is typed it gets this long.
START_MS_MAX = 5000
#: The least and the greatest value of each limit that the daemon takes.
LIMITS = {
    "timeout_ms": (0, 86_400_000),
    "max_output_bytes": (1, 16 * 1024 * 1024),
    "settle_ms": (0, 600_000),
    "quiet_ms": (0, 3_600_000),
}


class AGTerm:
    """A program in a terminal: send a line, read until the program is ready for the next one.

    ``command`` is a program, or a list of a program and its arguments; no shell reads it. It runs in the current directory with the
    current environment, in a session of the daemon, where others can watch it: ``lectern attach``.

    With ``interactive`` a read ends when the program is ready: as its shell or the kernel reports, or at a marker at the end of the output.
    Without it, when nothing came for ``quiet_ms``. All output is text as a person would read it: without escape sequences, carriage
    returns and controls other than line feeds and tabs.

    Keyword arguments: ``client`` (default: ``Lectern.connect()``), ``working_directory``, ``environment`` and ``keep``: with False the
    recording of the session is removed by ``close``.

    One read at a time: another one raises ``LecternError`` with the code ``CONFLICT``.
    """

    __slots__ = (
        "__weakref__",
        "_asks",
        "_client",
        "_command",
        "_end",
        "_environment",
        "_has_begun",
        "_history",
        "_interactive",
        "_keep",
        "_markers",
        "_position",
        "_reading",
        "_reason",
        "_session",
        "_working_directory",
    )

    def __init__(
        self,
        command: Union[str, Sequence[str]],
        interactive: bool,
        ready_markers: Optional[Sequence[str]] = None,
        *,
        client: Optional[Lectern] = None,
        working_directory: Optional[str] = None,
        environment: Optional[Mapping[str, str]] = None,
        keep: bool = True,
    ) -> None:
        self._command: Tuple[str, ...] = (command,) if isinstance(command, str) else tuple(command)
        self._interactive = bool(interactive)
        self._markers: List[str] = list(DEFAULT_READY_MARKERS if ready_markers is None else ready_markers)
        self._client = Lectern.connect() if client is None else client
        self._working_directory = os.getcwd() if working_directory is None else working_directory
        self._environment = _environment() if environment is None else dict(environment)
        self._keep = keep
        self._history = ""
        self._reading = threading.Lock()
        self._reason: Optional[str] = None
        self._asks: Optional[str] = None
        self._start()

    def __enter__(self) -> AGTerm:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def set_ready_markers(self, ready_markers: Sequence[str]) -> None:
        """Replaces the texts at the end of the output that mean "ready"."""
        self._markers = list(ready_markers)

    def read_until_ready(
        self,
        timeout_ms: Optional[int] = None,
        max_output_bytes: Optional[int] = None,
        settle_ms: Optional[int] = None,
        quiet_ms: Optional[int] = None,
    ) -> str:
        """Reads what came since the last read, until the program is ready; after ``timeout_ms`` what came so far.

        ``timeout_ms``: default 20000. ``max_output_bytes``: the read ends at this many bytes (default 2 MiB), and the next one continues
        there. ``settle_ms``: how long nothing may follow a marker, default 200. ``quiet_ms``: default 80.
        """
        with _Exclusively(self._reading):
            return self._read(None, timeout_ms, max_output_bytes, settle_ms, quiet_ms)

    def send_and_read_until_ready(
        self,
        input: str,
        timeout_ms: Optional[int] = None,
        max_output_bytes: Optional[int] = None,
        settle_ms: Optional[int] = None,
        quiet_ms: Optional[int] = None,
    ) -> str:
        """Types ``input`` and a line feed, and reads until the program is ready again."""
        _check_limits(
            timeout_ms=timeout_ms, max_output_bytes=max_output_bytes, settle_ms=settle_ms, quiet_ms=quiet_ms
        )
        with _Exclusively(self._reading):
            self._until_begun(timeout_ms)
            return self._read(input + "\n", timeout_ms, max_output_bytes, settle_ms, quiet_ms)

    def read_available(self, max_bytes: Optional[int] = None) -> str:
        """What came since the last read, at most ``max_bytes`` of it; "" if nothing did. Does not wait."""
        with _Exclusively(self._reading):
            return self._take(max_bytes)

    def send_ctrl_c(self) -> None:
        """Types Ctrl-C."""
        self._type("\x03")

    def get_history(self) -> str:
        """All output so far, also of programs before ``reset``; of more than 4 MiB the newest."""
        return (self._history + self._recorded())[-DEFAULT_MAX_HISTORY_BYTES:]

    def is_alive(self) -> bool:
        """Whether the program runs."""
        try:
            return self._client.sessions.get(self._session)["state"] in ("starting", "running")
        except LecternError as error:
            if error.code == "SESSION_NOT_FOUND":
                return False
            raise

    def is_interactive(self) -> bool:
        return self._interactive

    def get_initial_command(self) -> str:
        return " ".join(self._command)

    def reset(self) -> None:
        """Ends the program, and starts it again with the same command, flag and current markers."""
        with _Exclusively(self._reading):
            self._history = self.get_history()
            self._end()
            self._start()

    def close(self) -> None:
        """Ends the program and all that it started."""
        self._end()

    @property
    def session(self) -> str:
        """The id of the session, for the methods of ``client.sessions`` and the ``lectern`` command."""
        return self._session

    @property
    def reason(self) -> Optional[str]:
        """Why the last read ended: mark, foreground, marker, quiet, timeout, exit or limit."""
        return self._reason

    @property
    def asks(self) -> Optional[str]:
        """What the program waits for since the last read: command, more, line, password or keys; None if unknown."""
        return self._asks

    def _start(self) -> None:
        session = self._client.sessions.create(
            self._command,
            working_directory=self._working_directory,
            environment=self._environment,
            columns=200,
            rows=50,
        )
        self._session: str = session["id"]
        self._position = 0
        self._has_begun = self._interactive
        #: Also called when nobody has the terminal any more, and at the end of this process.
        self._end = weakref.finalize(self, _end, self._client, self._session, self._keep, os.getpid())

    def _until_begun(self, timeout_ms: Optional[int]) -> None:
        if self._has_begun:
            return
        limit_ms = min(START_MS_MAX, DEFAULT_TIMEOUT_MS if timeout_ms is None else timeout_ms)
        self._client.sessions.wait(self._session, {"type": "ready"}, timeout_ms=limit_ms)
        self._has_begun = True

    def _type(self, text: str) -> None:
        # Typed once, also if the daemon dies before it answers.
        self._client.sessions.input(self._session, text=text, key=uuid.uuid4().hex)

    def _read(
        self,
        text: Optional[str],
        timeout_ms: Optional[int],
        max_output_bytes: Optional[int],
        settle_ms: Optional[int],
        quiet_ms: Optional[int],
    ) -> str:
        """Types ``text`` and reads, in one request."""
        bytes_max = DEFAULT_MAX_OUTPUT_BYTES if max_output_bytes is None else max_output_bytes
        condition: _types.SessionsWaitForReady = {
            "type": "ready",
            "strategy": "auto" if self._interactive else "quiet",
            "markers": self._markers,
            "settleMs": DEFAULT_SETTLE_MS if settle_ms is None else settle_ms,
            "quietMs": DEFAULT_QUIET_MS if quiet_ms is None else quiet_ms,
            "outputBytesMax": bytes_max,
        }
        outcome = self._client.sessions.converse(
            self._session,
            condition,
            self._position,
            text=text,
            # Typed once, also if the daemon dies before it answers.
            key=uuid.uuid4().hex,
            bytes_max=bytes_max,
            timeout_ms=DEFAULT_TIMEOUT_MS if timeout_ms is None else timeout_ms,
        )
        ready = outcome["ready"]
        self._reason = outcome["reason"] if ready is None else ready["reason"]
        self._asks = None if ready is None else ready["asks"]
        self._position = outcome["next"]
        return outcome["text"]

    def _take(self, max_bytes: Optional[int]) -> str:
        bytes_max = DEFAULT_MAX_OUTPUT_BYTES if max_bytes is None else max_bytes
        page = self._client.sessions.logs(self._session, from_=self._position, bytes_max=bytes_max, raw=True)
        self._position = page["next"]
        return page["text"]

    def _recorded(self) -> str:
        try:
            return self._client.sessions.logs(self._session, bytes_max=DEFAULT_MAX_HISTORY_BYTES, raw=True)["text"]
        except LecternError as error:
            if error.code == "SESSION_NOT_FOUND":
                return ""
            raise


class _Exclusively:
    def __init__(self, lock: threading.Lock) -> None:
        self._lock = lock

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            raise LecternError("CONFLICT", "Cannot read: another read of this terminal is under way; wait for its end")

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def _check_limits(**given: Optional[int]) -> None:
    """Before anything is typed: what the daemon refuses afterwards was typed all the same."""
    for name, value in given.items():
        least, most = LIMITS[name]
        if value is not None and not least <= value <= most:
            raise LecternError("INVALID_INPUT", f"{name} is {value}, wanted {least} to {most}; nothing was typed")


def _environment() -> Dict[str, str]:
    """That of this process, without values that are not UTF-8."""
    return {name: value for name, value in os.environ.items() if _is_text(name + value)}


def _is_text(value: str) -> bool:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _end(client: Lectern, session: str, keep: bool, pid: int) -> None:
    # A forked child ends nothing of its parent.
    if os.getpid() != pid:
        return
    try:
        client.sessions.kill(session, grace_ms=GRACE_MS)
    except LecternError as error:
        if error.code not in ("SESSION_ENDED", "SESSION_NOT_FOUND"):
            raise
    if not keep:
        client.sessions.remove(session)
