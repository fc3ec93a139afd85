"""A live terminal over a WebSocket: frames of PROTOCOL.md section 5.

No thread of its own: whoever reads or waits for an acknowledgement reads the connection for all, one at a time.
"""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from typing import Any, Callable, Deque, Dict, Optional, Union

from ._errors import LecternError, malformed, unreachable
from ._http import Place
from ._items import (
    AttachmentItem,
    Disconnected,
    Exit,
    Output,
    Reconnected,
    Refused,
    StreamPosition,
    Writer,
    number,
    record_of,
    record_of_frame,
    text,
)
from ._stream import ATTEMPTS_MAX, reconnect_seconds
from ._websocket import Closed, WebSocket

INPUT_FRAME_BYTES_MAX = 32 * 1024
#: An acknowledgement lets the daemon send another 1 MiB.
ACK_BYTES = 256 * 1024
#: What waits for a reader while a writer waits for its acknowledgement.
UNREAD_BYTES_MAX = 64 * 1024 * 1024
_BROKEN = (1000, 1001, 1005, 1006, 1012, 1013)


class Attachment:
    """A live session: iterate it for its items, from an offset on, and ``write`` to type. ``Lectern.attach`` makes one.

    It reconnects by itself at the offset that it reached: items have rising offsets, no byte comes twice, and what is missing is a ``Gap``.
    Leave it with ``with`` or ``detach``: the session keeps running.
    """

    def __init__(
        self,
        place: Place,
        path: Callable[[Optional[int]], str],
        *,
        start: Optional[int],
        reconnect: Callable[[], None],
        timeout: float,
    ) -> None:
        self._place = place
        self._path = path
        self._reconnect = reconnect
        self._timeout = timeout
        self._position = StreamPosition(start)
        self._items: Deque[AttachmentItem] = deque()
        self._unread_bytes = 0
        self._state = threading.Condition()
        self._is_reading = False
        self._is_detached = False
        self._error: Optional[LecternError] = None
        self._last_refusal: Optional[LecternError] = None
        self._exit: Optional[Exit] = None
        self._writing = threading.Lock()
        self._number = 0
        #: Writes without an acknowledgement; an error for those that failed.
        self._open_writes: Dict[int, Optional[LecternError]] = {}
        self._used: Optional[int] = start
        self._acknowledged = start or 0
        self._window: Optional[Dict[str, Any]] = None
        self._confirms_input = False
        self._socket: Optional[WebSocket] = None
        self._connect()

    def __enter__(self) -> Attachment:
        return self

    def __exit__(self, *_: object) -> None:
        self.detach()

    def __iter__(self) -> Attachment:
        return self

    def __next__(self) -> AttachmentItem:
        item = self.read()
        if item is None:
            raise StopIteration
        return item

    @property
    def offset(self) -> Optional[int]:
        """The offset to resume at after the items that were read."""
        return self._used

    @property
    def exit(self) -> Optional[Exit]:
        """How the program ended; None while it runs, or if the ``Exit`` was not read."""
        return self._exit

    def read(self, timeout: Optional[float] = None) -> Optional[AttachmentItem]:
        """The next item; None after ``timeout`` seconds, after the ``Exit``, and when it is detached. Raises why it failed."""
        deadline = None if timeout is None else time.monotonic() + timeout
        with self._state:
            self._acknowledge()
        while True:
            with self._state:
                if self._is_detached:
                    return None
                if self._items:
                    item = self._take()
                    break
                if self._error is not None:
                    raise self._error
                if self._exit is not None:
                    return None
            if not self._pump(deadline):
                return None
        if isinstance(item, Exit) and self._socket is not None:
            self._socket.close()
        return item

    def write(self, data: Union[bytes, str]) -> None:
        """Types, and returns when it is in the journal.

        Raises the error of the daemon if it is refused, such as ``CONFLICT`` while another writer types, and ``DAEMON_UNREACHABLE`` if the
        connection broke before the acknowledgement: what was typed may have been typed then.
        """
        payload = data.encode("utf-8") if isinstance(data, str) else bytes(data)
        deadline = time.monotonic() + self._timeout
        with self._writing:
            socket = self._connected(deadline)
            with self._state:
                self._number = (self._number + 1) % 2**32
                sent = self._number
                if self._confirms_input:
                    self._open_writes[sent] = None
            head = b"\x01" + sent.to_bytes(4, "big") if self._confirms_input else b"\x00"
            for at in range(0, len(payload), INPUT_FRAME_BYTES_MAX):
                if self._open_writes.get(sent) is not None:
                    break
                self._send(socket, head + payload[at : at + INPUT_FRAME_BYTES_MAX])
        self._until_taken(sent, deadline)

    def set_window(self, columns: int, rows: int) -> None:
        """Reports the size of the window that shows the session: the session gets it when this attachment types."""
        self._report({"type": "window", "columns": columns, "rows": rows})

    def resize(self, columns: int, rows: int) -> None:
        """As ``set_window``, and the session gets the size now, until this attachment leaves."""
        self._report({"type": "resize", "columns": columns, "rows": rows})

    def signal(self, name: str) -> None:
        """Signals the foreground job of the session, such as ``INT``."""
        self._say({"type": "signal", "name": name})

    def take(self) -> None:
        """Takes over the input from another writer, and types nothing."""
        self._say({"type": "take"})

    def detach(self) -> None:
        """Ends the attachment; the session keeps running. Another thread may call this."""
        with self._state:
            self._is_detached = True
            socket, self._socket = self._socket, None
            self._fail_writes(LecternError("CANCELLED", "Detached before the input was acknowledged"))
            self._state.notify_all()
        if socket is not None:
            socket.close()

    def _take(self) -> AttachmentItem:
        item = self._items.popleft()
        if isinstance(item, Output):
            self._unread_bytes -= len(item.data)
        end = getattr(item, "next", None)
        if end is not None:
            self._used = end
        if isinstance(item, Exit):
            self._exit = item
        return item

    def _acknowledge(self) -> None:
        """The caller asks for the next item: it has used the last one."""
        if self._used is None or self._used - self._acknowledged < ACK_BYTES:
            return
        self._acknowledged = self._used
        self._say({"type": "ack", "offset": self._used})

    def _connected(self, deadline: float) -> WebSocket:
        while True:
            with self._state:
                if self._error is not None:
                    raise self._error
                if self._is_detached or self._exit is not None:
                    raise LecternError("SESSION_ENDED", "Cannot write: the attachment has ended")
                if self._socket is not None:
                    return self._socket
            if not self._pump(deadline):
                raise unreachable(f'Cannot write: the daemon at "{self._place.name}" is away')

    def _until_taken(self, sent: int, deadline: float) -> None:
        while True:
            with self._state:
                if sent not in self._open_writes:
                    return
                error = self._open_writes[sent]
                if error is not None:
                    del self._open_writes[sent]
                    raise error
                if self._unread_bytes > UNREAD_BYTES_MAX:
                    del self._open_writes[sent]
                    raise LecternError("LIMIT_EXCEEDED", "Cannot wait for the acknowledgement: too much output was not read")
            if not self._pump(deadline):
                with self._state:
                    if self._open_writes.pop(sent, None) is None:
                        raise unreachable("The input was not acknowledged in time: it may have been typed")

    def _fail_writes(self, error: LecternError) -> None:
        for sent in self._open_writes:
            self._open_writes[sent] = self._open_writes[sent] or error

    def _pump(self, deadline: Optional[float]) -> bool:
        """Reads one message, or waits while another thread does. False when the time is over."""
        with self._state:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                return False
            if self._is_reading:
                self._state.wait(left)
                return True
            self._is_reading = True
        try:
            self._read_once(left)
        except LecternError as error:
            with self._state:
                self._error = self._error or error
                self._fail_writes(error)
        finally:
            with self._state:
                self._is_reading = False
                self._state.notify_all()
        return True

    def _read_once(self, seconds_max: Optional[float]) -> None:
        socket = self._socket
        if socket is None:
            if not self._is_detached:
                self._connect_again(seconds_max)
            return
        try:
            message = socket.receive(seconds_max)
        except Closed as closed:
            self._lost(socket, closed)
            return
        if message is None:
            return
        if isinstance(message, bytes):
            record = record_of_frame(message)
            if record is not None:
                self._append(record)
        else:
            self._receive(_object(message))

    def _receive(self, message: Dict[str, Any]) -> None:
        kind = message.get("type")
        if kind == "taken":
            with self._state:
                self._open_writes.pop(number(message, "input"), None)
        elif kind == "error":
            self._refused(message)
        elif kind == "writer":
            writer = message.get("writer")
            self._append(Writer(writer if isinstance(writer, str) else None, message.get("isMine") is True))
        elif kind == "attached":
            raise malformed("it greets twice")
        else:
            record = record_of(message)
            if record is not None:
                self._append(record)

    def _refused(self, message: Dict[str, Any]) -> None:
        error = LecternError(text(message, "code"), text(message, "message"))  # type: ignore[arg-type]
        with self._state:
            self._last_refusal = error
            sent = message.get("input")
            if isinstance(sent, int) and sent in self._open_writes:
                self._open_writes[sent] = error
                return
        self._append(Refused(error.code, error.message))

    def _append(self, item: Any) -> None:
        with self._state:
            placed = self._position.take(item) if hasattr(item, "offset") else [item]
            for part in placed:
                self._items.append(part)
                if isinstance(part, Output):
                    self._unread_bytes += len(part.data)

    def _lost(self, socket: WebSocket, closed: Closed) -> None:
        socket.close()
        with self._state:
            if self._is_detached or self._socket is not socket:
                return
            self._socket = None
            self._fail_writes(unreachable(f"The connection broke before the acknowledgement: {closed}"))
            if any(isinstance(item, Exit) for item in self._items):
                return
        if closed.code not in _BROKEN:
            raise self._last_refusal or LecternError("FORBIDDEN", f"The daemon ended the attachment: {closed}")
        self._append(Disconnected(str(closed)))

    def _connect_again(self, seconds_max: Optional[float]) -> None:
        deadline = None if seconds_max is None else time.monotonic() + seconds_max
        for attempt in range(ATTEMPTS_MAX):
            try:
                self._reconnect()
                self._connect()
            except LecternError as error:
                if not error.is_passing or attempt + 1 == ATTEMPTS_MAX:
                    raise
                pause = reconnect_seconds(attempt)
                with self._state:
                    if deadline is not None and time.monotonic() + pause > deadline:
                        return
                    self._state.wait(pause)
                    if self._is_detached:
                        return
            else:
                self._append(Reconnected())
                return

    def _connect(self) -> None:
        """Resolves when the daemon has accepted the reader."""
        socket = WebSocket(self._place, self._path(self._position.next), self._timeout)
        try:
            greeting = socket.receive(self._timeout)
            if not isinstance(greeting, str):
                raise unreachable("The daemon did not accept the attachment in time") if greeting is None else malformed(
                    "it does not greet"
                )
            message = _object(greeting)
            if message.get("type") == "error":
                raise LecternError(text(message, "code"), text(message, "message"))  # type: ignore[arg-type]
            if message.get("type") != "attached":
                raise malformed("it does not greet")
            offset = number(message, "offset")
        except Closed as closed:
            socket.close()
            raise unreachable(f"The daemon closed the connection: {closed}") from closed
        except BaseException:
            socket.close()
            raise
        with self._state:
            self._confirms_input = message.get("confirmsInput") is True
            if self._position.next is None:
                self._position.next = offset
            if self._used is None:
                self._used = self._acknowledged = offset
            is_detached = self._is_detached
            if not is_detached:
                self._socket = socket
        if is_detached:
            socket.close()
        elif self._window is not None:
            # The size is asked for only once: a connection that is back takes it from nobody.
            self._say({**self._window, "type": "window"})

    def _report(self, message: Dict[str, Any]) -> None:
        self._window = message
        self._say(message)

    def _say(self, message: Dict[str, Any]) -> None:
        socket = self._socket
        if socket is None:
            return
        try:
            socket.send_text(json.dumps(message))
        except Closed:
            # Whoever reads finds out.
            pass

    def _send(self, socket: WebSocket, data: bytes) -> None:
        try:
            socket.send_bytes(data)
        except Closed as closed:
            with self._state:
                self._fail_writes(unreachable(f"The connection broke before the acknowledgement: {closed}"))


def _object(message: str) -> Dict[str, Any]:
    try:
        value = json.loads(message)
    except (ValueError, RecursionError) as error:
        raise malformed("a text frame is not JSON") from error
    if not isinstance(value, dict):
        raise malformed("a text frame is not an object")
    return value
