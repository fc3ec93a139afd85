"""The one error of this package."""

from __future__ import annotations

from typing import Any, Mapping, Optional

from ._types import ErrorCode

#: Codes that another attempt may not get.
PASSING = frozenset(
    ("DAEMON_UNREACHABLE", "DRAINING", "HOST_UNREACHABLE", "LIMIT_EXCEEDED", "MACHINE_AWAY", "INTERNAL")
)


class LecternError(Exception):
    """What the daemon refuses, or why it was not reached.

    ``code`` is one of PROTOCOL.md section 8, such as ``SESSION_NOT_FOUND``; ``details`` has what the message names, as data.
    """

    def __init__(self, code: ErrorCode, message: str, details: Optional[Mapping[str, Any]] = None) -> None:
        super().__init__(message)
        self.code: ErrorCode = code
        self.message = message
        self.details: Mapping[str, Any] = details if details is not None else {}
        #: False if the daemon cannot have got the request.
        self.was_sent = True

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"

    @property
    def is_passing(self) -> bool:
        """Whether the same request may succeed later."""
        return self.code in PASSING


def unreachable(message: str) -> LecternError:
    return LecternError("DAEMON_UNREACHABLE", message)


def malformed(what: str) -> LecternError:
    return LecternError("MALFORMED", f"Cannot read what the daemon sent: {what}")
