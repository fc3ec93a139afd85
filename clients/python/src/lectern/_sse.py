"""Server-sent events as they come (https://html.spec.whatwg.org/multipage/server-sent-events.html)."""

from __future__ import annotations

import re
from typing import List, NamedTuple, Optional

from ._errors import LecternError

#: The longest record, 16 MiB, as base64 in JSON.
EVENT_BYTES_MAX = 32 * 1024 * 1024

_LINE_END = re.compile(b"\r\n|\n|\r")


class SentEvent(NamedTuple):
    """``data`` is None for an event that has only an id."""

    id: Optional[str]
    data: Optional[str]


class SseReader:
    """Bytes in, events out, at any chunking. Raises ``TOO_LARGE``."""

    def __init__(self, event_bytes_max: int = EVENT_BYTES_MAX) -> None:
        self._bytes_max = event_bytes_max
        self._parts: List[bytes] = []
        self._waiting = 0
        self._data: List[str] = []
        self._data_bytes = 0
        self._id: Optional[str] = None
        self._skips_line_feed = False

    def feed(self, chunk: bytes) -> List[SentEvent]:
        if self._skips_line_feed and chunk:
            self._skips_line_feed = False
            chunk = chunk[1:] if chunk.startswith(b"\n") else chunk
        # A carriage return at the end may be half of a line end.
        if chunk.endswith(b"\r"):
            self._skips_line_feed = True
        if b"\n" not in chunk and b"\r" not in chunk:
            self._keep(chunk)
            return []
        lines = _LINE_END.split(b"".join(self._parts) + chunk)
        self._parts = []
        self._waiting = 0
        self._keep(lines.pop())
        events = (self._line(line) for line in lines)
        return [event for event in events if event is not None]

    def _keep(self, part: bytes) -> None:
        self._waiting += len(part)
        self._check(self._waiting + self._data_bytes)
        self._parts.append(part)

    def _check(self, size: int) -> None:
        if size > self._bytes_max:
            raise LecternError("TOO_LARGE", f"Cannot read an event of more than {self._bytes_max} bytes")

    def _line(self, line: bytes) -> Optional[SentEvent]:
        if line == b"":
            return self._end()
        name, _, value = line.partition(b":")
        text = value[1:] if value.startswith(b" ") else value
        if name == b"data":
            self._data_bytes += len(text)
            self._check(self._data_bytes)
            self._data.append(text.decode("utf-8", "replace"))
        elif name == b"id" and b"\0" not in text:
            self._id = text.decode("utf-8", "replace")
        return None

    def _end(self) -> Optional[SentEvent]:
        data = "\n".join(self._data) if self._data else None
        event = None if data is None and self._id is None else SentEvent(self._id, data)
        self._data = []
        self._data_bytes = 0
        self._id = None
        return event
