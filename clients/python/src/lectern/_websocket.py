"""A WebSocket (RFC 6455) to the daemon: what it sends is checked and bounded."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import socket
import threading
import time
from typing import List, NamedTuple, Optional, Tuple, Union

from ._errors import LecternError, malformed, unreachable
from ._http import PROBLEM_BYTES_MAX, Place, connect, error_of

PROTOCOL = "lectern.v1"
#: The longest record of a journal, and its head.
MESSAGE_BYTES_MAX = 17 * 1024 * 1024
HEAD_BYTES_MAX = 32 * 1024
#: The daemon pings each 20 s.
IDLE_SECONDS_MAX = 60.0
_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_CONTINUATION, _TEXT, _BINARY, _CLOSE, _PING, _PONG = 0, 1, 2, 8, 9, 10


class Closed(Exception):
    """The connection has ended."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"closed with code {code}: {reason}")
        self.code = code
        self.reason = reason


class _Frame(NamedTuple):
    is_last: bool
    opcode: int
    payload: bytes


class WebSocket:
    """One connection. ``receive`` by one thread at a time, ``send`` by any."""

    def __init__(self, place: Place, path: str, seconds_max: float) -> None:
        self._timed = connect(place, seconds_max)
        self._buffer = bytearray()
        self._parts: List[bytes] = []
        self._opcode: Optional[int] = None
        self._is_open = False
        self._size = 0
        self._sending = threading.Lock()
        self._is_closed = False
        self._heard = time.monotonic()
        try:
            self._shake_hands(place, path)
        except (OSError, ValueError) as error:
            self.close()
            raise unreachable(f'Cannot attach at "{place.name}": {error!r}') from error
        except BaseException:
            self.close()
            raise
        self._timed.be_stream(IDLE_SECONDS_MAX)
        self._is_open = True

    def _shake_hands(self, place: Place, path: str) -> None:
        key = base64.b64encode(os.urandom(16)).decode()
        headers = {
            **place.headers,
            "Connection": "Upgrade",
            "Upgrade": "websocket",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": key,
            "Sec-WebSocket-Protocol": PROTOCOL,
        }
        lines = [f"GET {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
        self._timed.sendall("\r\n".join(lines).encode("ascii"))
        status, answered = self._read_head()
        if status != 101:
            raise self._refusal(status, answered)
        wanted = base64.b64encode(hashlib.sha1((key + _GUID).encode()).digest()).decode()
        if answered.get("sec-websocket-accept") != wanted or answered.get("upgrade", "").lower() != "websocket":
            raise malformed("its answer to the upgrade is not that of a WebSocket server")
        if answered.get("sec-websocket-protocol") != PROTOCOL or "sec-websocket-extensions" in answered:
            raise malformed(f'its WebSocket does not have the subprotocol "{PROTOCOL}"')

    def _read_head(self) -> Tuple[int, "dict[str, str]"]:
        while b"\r\n\r\n" not in self._buffer:
            if len(self._buffer) > HEAD_BYTES_MAX:
                raise malformed("the head of its answer is too long")
            self._fill(None)
        head, _, rest = bytes(self._buffer).partition(b"\r\n\r\n")
        self._buffer = bytearray(rest)
        first, *lines = head.decode("latin-1").split("\r\n")
        words = first.split(" ", 2)
        if len(words) < 2 or not words[0].startswith("HTTP/1.") or not words[1].isdigit():
            raise malformed("its answer is not HTTP")
        pairs = (line.partition(":") for line in lines)
        return int(words[1]), {name.strip().lower(): value.strip() for name, _, value in pairs}

    def _refusal(self, status: int, headers: "dict[str, str]") -> LecternError:
        length = headers.get("content-length", "0")
        size = int(length) if length.isdigit() else 0
        if size > PROBLEM_BYTES_MAX:
            return error_of(status, None)
        while len(self._buffer) < size:
            self._fill(None)
        try:
            return error_of(status, json.loads(bytes(self._buffer[:size])))
        except (ValueError, RecursionError):
            return error_of(status, None)

    def _fill(self, seconds_max: Optional[float]) -> None:
        data = self._timed.recv(64 * 1024, seconds_max)
        if not data:
            raise Closed(1006, "the connection broke") if self._is_open else OSError("the connection broke")
        self._heard = time.monotonic()
        self._buffer += data

    def receive(self, seconds_max: Optional[float] = None) -> Union[str, bytes, None]:
        """The next message, or None after this time. Raises ``Closed``, and ``MALFORMED`` for what is not the protocol."""
        deadline = None if seconds_max is None else time.monotonic() + seconds_max
        while True:
            frame = self._take_frame()
            if frame is not None:
                message = self._take(frame)
                if message is not None:
                    return message
                continue
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                return None
            try:
                self._fill(left)
            except socket.timeout:
                if time.monotonic() - self._heard >= IDLE_SECONDS_MAX:
                    raise Closed(1006, f"nothing came for {IDLE_SECONDS_MAX:.0f} s") from None
                if deadline is None:
                    continue
                return None
            except OSError as error:
                raise Closed(1006, repr(error)) from error

    def _take_frame(self) -> Optional[_Frame]:
        buffer = self._buffer
        if len(buffer) < 2:
            return None
        first, second = buffer[0], buffer[1]
        opcode, size, at = first & 0x0F, second & 0x7F, 2
        if first & 0x70 or second & 0x80 or opcode not in (_CONTINUATION, _TEXT, _BINARY, _CLOSE, _PING, _PONG):
            raise malformed("a WebSocket frame has bits that it must not have")
        if opcode >= _CLOSE and (size > 125 or not first & 0x80):
            raise malformed("a control frame is too long or in parts")
        if size >= 126:
            length = 2 if size == 126 else 8
            if len(buffer) < at + length:
                return None
            size = int.from_bytes(buffer[at : at + length], "big")
            at += length
        if size + self._size > MESSAGE_BYTES_MAX:
            raise LecternError("TOO_LARGE", f"Cannot read a message of more than {MESSAGE_BYTES_MAX} bytes")
        if len(buffer) < at + size:
            return None
        payload = bytes(buffer[at : at + size])
        del buffer[: at + size]
        return _Frame(bool(first & 0x80), opcode, payload)

    def _take(self, frame: _Frame) -> Union[str, bytes, None]:
        if frame.opcode == _PING:
            self.send(_PONG, frame.payload)
            return None
        if frame.opcode == _PONG:
            return None
        if frame.opcode == _CLOSE:
            self._answer_close(frame.payload)
        if (frame.opcode == _CONTINUATION) == (self._opcode is None):
            raise malformed("the parts of a WebSocket message are out of order")
        if self._opcode is None:
            self._opcode = frame.opcode
        self._parts.append(frame.payload)
        self._size += len(frame.payload)
        if not frame.is_last:
            return None
        data, opcode = b"".join(self._parts), self._opcode
        self._parts, self._opcode, self._size = [], None, 0
        if opcode == _BINARY:
            return data
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise malformed("a text frame is not UTF-8") from error

    def _answer_close(self, payload: bytes) -> None:
        code = int.from_bytes(payload[:2], "big") if len(payload) >= 2 else 1005
        try:
            self.send(_CLOSE, payload[:2])
        except Closed:
            pass
        raise Closed(code, payload[2:].decode("utf-8", "replace"))

    def send_text(self, text: str) -> None:
        self.send(_TEXT, text.encode("utf-8"))

    def send_bytes(self, data: bytes) -> None:
        self.send(_BINARY, data)

    def send(self, opcode: int, payload: bytes) -> None:
        """Raises ``Closed``."""
        size = len(payload)
        head = bytearray([0x80 | opcode])
        if size < 126:
            head.append(0x80 | size)
        elif size < 65_536:
            head += bytes([0x80 | 126]) + size.to_bytes(2, "big")
        else:
            head += bytes([0x80 | 127]) + size.to_bytes(8, "big")
        mask = os.urandom(4)
        key = (mask * (size // 4 + 1))[:size]
        masked = (int.from_bytes(payload, "big") ^ int.from_bytes(key, "big")).to_bytes(size, "big")
        with self._sending:
            if self._is_closed:
                raise Closed(1006, "the connection is closed")
            try:
                self._timed.sendall(bytes(head) + mask + masked)
            except OSError as error:
                raise Closed(1006, repr(error)) from error

    def close(self) -> None:
        """Ends the connection, also for a thread that waits in ``receive``."""
        if self._is_closed:
            return
        try:
            self.send(_CLOSE, (1000).to_bytes(2, "big"))
        except Closed:
            pass
        self._is_closed = True
        self._timed.shut()
