"""What a session reports, in the order of its journal."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass, field, replace
from typing import Any, Dict, List, Mapping, Optional, Union

from ._errors import malformed


@dataclass(frozen=True)
class Output:
    """Bytes that the program wrote. ``next`` is the offset to resume at; times are microseconds since the Unix epoch."""

    offset: int
    next: int
    data: bytes
    time_us: Optional[int] = None


@dataclass(frozen=True)
class Input:
    """Somebody typed so many bytes."""

    offset: int
    next: int
    byte_count: int
    is_secret: bool
    time_us: Optional[int] = None


@dataclass(frozen=True)
class Resize:
    offset: int
    next: int
    columns: int
    rows: int
    time_us: Optional[int] = None


@dataclass(frozen=True)
class Mark:
    """An event about the session, see PROTOCOL.md: marks."""

    offset: int
    next: int
    event: Dict[str, Any]
    time_us: Optional[int] = None


@dataclass(frozen=True)
class Exit:
    """The program has ended: the last item. ``reason`` is ``exited``, ``signaled`` or ``lost``."""

    offset: int
    next: int
    reason: str
    code: Optional[int]
    signal: Optional[str]
    time_us: Optional[int] = None


@dataclass(frozen=True)
class Gap:
    """What is between ``offset`` and ``next`` is missing."""

    offset: int
    next: int
    reason: str
    time_us: Optional[int] = None


@dataclass(frozen=True)
class Snapshot:
    """Draw ``text`` in place of the screen: it is the screen at ``offset``, as escape sequences."""

    offset: int
    next: int
    columns: int
    rows: int
    text: str
    time_us: Optional[int] = None


@dataclass(frozen=True)
class Disconnected:
    """The connection broke; the next items follow without a loss when it is back."""

    message: str


@dataclass(frozen=True)
class Reconnected:
    """The connection is back."""


@dataclass(frozen=True)
class Writer:
    """Who types now, for an attachment with a name."""

    writer: Optional[str]
    is_mine: bool


@dataclass(frozen=True)
class Refused:
    """Something that was sent is refused, such as a key while another writer types."""

    code: str
    message: str
    details: Mapping[str, Any] = field(default_factory=dict)


Record = Union[Output, Input, Resize, Mark, Exit, Gap, Snapshot]
AttachmentItem = Union[Record, Disconnected, Reconnected, Writer, Refused]


def number(document: Mapping[str, Any], name: str) -> int:
    value = document.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise malformed(f'"{name}" is not a whole number')
    return value


def text(document: Mapping[str, Any], name: str) -> str:
    value = document.get(name)
    if not isinstance(value, str):
        raise malformed(f'"{name}" is not a text')
    return value


def record_of(document: Any) -> Optional[Record]:
    """A record of ``sessions.follow``, ``sessions.records`` or an attachment; None for a type of a later version."""
    if not isinstance(document, dict):
        raise malformed("a record is not an object")
    kind = document.get("type")
    offset, end = number(document, "offset"), number(document, "next")
    time_us = document.get("timeUs")
    if kind == "output":
        return Output(offset, end, _bytes_of(document.get("data")), time_us)
    if kind == "input":
        return Input(offset, end, number(document, "bytes"), document.get("secret") is True, time_us)
    if kind == "resize":
        return Resize(offset, end, number(document, "columns"), number(document, "rows"), time_us)
    if kind == "mark":
        return Mark(offset, end, _part(document, "event"), time_us)
    if kind == "gap":
        return Gap(offset, end, text(_part(document, "gap"), "reason"), time_us)
    if kind == "exit":
        exit_ = _part(document, "exit")
        return Exit(offset, end, text(exit_, "reason"), exit_.get("code"), exit_.get("signal"), time_us)
    return None


def _part(document: Mapping[str, Any], name: str) -> Dict[str, Any]:
    value = document.get(name)
    if not isinstance(value, dict):
        raise malformed(f'"{name}" is not an object')
    return value


def _bytes_of(data: Any) -> bytes:
    try:
        return base64.b64decode(data, validate=True)
    except (TypeError, ValueError, binascii.Error) as error:
        raise malformed('"data" is not base64') from error


def record_of_frame(frame: bytes) -> Optional[Record]:
    """A binary frame of an attachment; None for a type of a later version."""
    if len(frame) < 9:
        return None
    kind, offset = frame[0], int.from_bytes(frame[1:9], "big")
    if kind == 0:
        return Output(offset, offset + len(frame) - 9, frame[9:])
    if kind == 1 and len(frame) >= 13:
        columns, rows = int.from_bytes(frame[9:11], "big"), int.from_bytes(frame[11:13], "big")
        return Snapshot(offset, offset, columns, rows, frame[13:].decode("utf-8", "replace"))
    if kind == 2 and len(frame) >= 17:
        return Gap(offset, int.from_bytes(frame[9:17], "big"), frame[17:].decode("utf-8", "replace"))
    return None


class StreamPosition:
    """Across connections: items have rising offsets, no byte comes twice, and what is missing is a ``Gap``."""

    def __init__(self, start: Optional[int]) -> None:
        self.next = start

    def take(self, record: Record) -> List[Record]:
        if isinstance(record, Snapshot):
            self.next = record.next
            return [record]
        start = record.offset if self.next is None else self.next
        before: List[Record] = []
        if record.offset > start and not isinstance(record, Gap):
            before.append(Gap(start, record.offset, "missing"))
            start = record.offset
        if record.next < start or (record.next == start and record.offset < start):
            return before
        if record.offset < start:
            record = self._rest(record, start)
        self.next = record.next
        return [*before, record]

    @staticmethod
    def _rest(record: Record, start: int) -> Record:
        if isinstance(record, Output):
            return replace(record, offset=start, data=record.data[start - record.offset :])
        return replace(record, offset=start)
