"""Requests to the daemon, over its unix socket or TCP. Each has a time limit for all of it; streams have connections of their own."""

from __future__ import annotations

import http.client
import io
import json
import os
import socket
import ssl
import time
from typing import Any, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Tuple, Union

from ._errors import LecternError, malformed, unreachable

#: Logs of 16 MiB, as text in JSON.
ANSWER_BYTES_MAX = 64 * 1024 * 1024
PROBLEM_BYTES_MAX = 1024 * 1024
CHUNK_BYTES = 64 * 1024
CONNECT_SECONDS_MAX = 10.0
#: The daemon sends a comment each 15 s on a quiet stream.
STREAM_IDLE_SECONDS_MAX = 60.0
#: The daemon closes a connection that is idle for 5 s: a request must not meet its end.
KEPT_SECONDS_MAX = 2.0
#: Of a client, for threads that request at the same time.
KEPT_MAX = 4


class Place(NamedTuple):
    """Where a daemon listens: at the path of a socket, or at ``host`` and ``port``."""

    socket: Optional[str]
    host: str = "lectern"
    port: int = 0
    tls: Optional[ssl.SSLContext] = None
    token: Optional[str] = None

    @property
    def name(self) -> str:
        return self.socket if self.socket is not None else f"{self.host}:{self.port}"

    @property
    def headers(self) -> Dict[str, str]:
        host = f"[{self.host}]" if ":" in self.host else self.host
        headers = {"Host": "lectern" if self.socket is not None else f"{host}:{self.port}"}
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        return headers


class TimedSocket:
    """A socket all of whose waits end at one time, or, once it is a stream, after a time without a byte."""

    def __init__(self, inner: socket.socket, seconds_max: float) -> None:
        self._inner = inner
        self._deadline: Optional[float] = time.monotonic() + seconds_max
        self._idle = STREAM_IDLE_SECONDS_MAX

    def renew(self, seconds_max: float) -> None:
        """For the next request."""
        self._deadline = time.monotonic() + seconds_max

    def is_quiet(self) -> bool:
        """Whether the other end has neither closed the connection nor sent what nobody asked for."""
        try:
            self._inner.settimeout(0)
            self._inner.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return True
        except (OSError, ValueError):
            pass
        return False

    def be_stream(self, idle_seconds_max: float = STREAM_IDLE_SECONDS_MAX) -> None:
        self._deadline = None
        self._idle = idle_seconds_max

    def _seconds(self) -> float:
        if self._deadline is None:
            return self._idle
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise socket.timeout("timed out")
        return left

    def recv_into(self, buffer: Any) -> int:
        self._inner.settimeout(self._seconds())
        return self._inner.recv_into(buffer)

    def recv(self, bytes_max: int, seconds_max: Optional[float] = None) -> bytes:
        seconds = self._seconds()
        self._inner.settimeout(seconds if seconds_max is None else max(0.001, min(seconds, seconds_max)))
        return self._inner.recv(bytes_max)

    def sendall(self, data: Any) -> None:
        self._inner.settimeout(self._seconds())
        self._inner.sendall(data)

    def makefile(self, *_: Any, **__: Any) -> io.BufferedReader:
        return io.BufferedReader(_SocketReader(self), CHUNK_BYTES)

    def close(self) -> None:
        """``http.client`` closes its socket before the answer was read: ``shut`` ends it."""

    def drop(self) -> None:
        """Closes the descriptor alone: a forked child leaves the connection of its parent as it is."""
        self._inner.close()

    def shut(self) -> None:
        try:
            # Wakes a thread that reads.
            self._inner.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._inner.close()


class _SocketReader(io.RawIOBase):
    def __init__(self, timed: TimedSocket) -> None:
        super().__init__()
        self._timed = timed

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._timed.recv_into(buffer)


def connect(place: Place, seconds_max: float) -> TimedSocket:
    """Raises ``DAEMON_UNREACHABLE``: nothing was sent then."""
    limit = min(CONNECT_SECONDS_MAX, seconds_max)
    started = time.monotonic()
    try:
        if place.socket is None:
            inner: socket.socket = socket.create_connection((place.host, place.port), limit)
            inner.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if place.tls is not None:
                inner = place.tls.wrap_socket(inner, server_hostname=place.host)
        else:
            inner = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                inner.settimeout(limit)
                inner.connect(place.socket)
            except OSError:
                inner.close()
                raise
    except OSError as error:
        failed = unreachable(f'Cannot reach the daemon at "{place.name}": {error}')
        failed.was_sent = False
        raise failed from error
    return TimedSocket(inner, max(0.001, seconds_max - (time.monotonic() - started)))


class Connections:
    """Connections of a client that no request uses now; with ``keep`` a document leaves its own here."""

    def __init__(self) -> None:
        self._kept: List[Tuple[TimedSocket, float]] = []
        self._pid = os.getpid()

    def take(self, place: Place, seconds_max: float) -> TimedSocket:
        """The newest that is still usable, or another one. Raises ``DAEMON_UNREACHABLE``: nothing was sent then."""
        self._leave_to_parent()
        while self._kept:
            try:
                timed, since = self._kept.pop()
            except IndexError:
                # Another thread was faster.
                break
            if time.monotonic() - since < KEPT_SECONDS_MAX and timed.is_quiet():
                timed.renew(seconds_max)
                return timed
            timed.shut()
        return connect(place, seconds_max)

    def keep(self, timed: TimedSocket) -> None:
        self._leave_to_parent()
        self._kept.append((timed, time.monotonic()))
        while len(self._kept) > KEPT_MAX:
            self._kept.pop(0)[0].shut()

    def close(self) -> None:
        self._leave_to_parent()
        while self._kept:
            self._kept.pop()[0].shut()

    def _leave_to_parent(self) -> None:
        if self._pid == os.getpid():
            return
        inherited, self._kept, self._pid = self._kept, [], os.getpid()
        for timed, _ in inherited:
            timed.drop()


class Answer:
    """The answer to one request. ``close`` ends it wherever it is, unless its connection is kept for the next one."""

    def __init__(
        self, timed: TimedSocket, response: http.client.HTTPResponse, place: Place, kept: Optional[Connections]
    ) -> None:
        self._timed = timed
        self._kept = kept
        self._is_whole = False
        self._response = response
        self._place = place
        self.status = response.status
        self.headers = response.headers

    def __enter__(self) -> Answer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._is_whole and self._kept is not None and not self._response.will_close:
            self._kept.keep(self._timed)
        else:
            self._timed.shut()
        self._response.close()

    def interrupt(self) -> None:
        """Ends the connection under a thread that reads: it closes the answer itself, which a second thread would take from under it."""
        self._timed.shut()

    def chunks(self) -> Iterator[bytes]:
        """What comes, as it comes. Raises ``DAEMON_UNREACHABLE`` if it breaks off."""
        self._timed.be_stream()
        while True:
            try:
                chunk = self._response.read1(CHUNK_BYTES)
            except (OSError, ValueError, http.client.HTTPException) as error:
                raise _broken(self._place, error) from error
            if not chunk:
                if self._response.length:
                    raise unreachable(f'The connection to the daemon at "{self._place.name}" broke')
                return
            yield chunk

    def document(self, bytes_max: int = ANSWER_BYTES_MAX) -> Any:
        """The JSON of the body."""
        body = bytearray()
        try:
            # Not `read`: before Python 3.11 that sets aside the memory for all that may come.
            while chunk := self._response.read1(CHUNK_BYTES):
                body += chunk
                if len(body) > bytes_max:
                    raise LecternError("TOO_LARGE", f"Cannot read an answer of more than {bytes_max} bytes")
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise _broken(self._place, error) from error
        if self._response.length:
            raise unreachable(f'The connection to the daemon at "{self._place.name}" broke')
        self._is_whole = True
        try:
            return json.loads(body)
        except (ValueError, RecursionError) as error:
            raise malformed("its answer is not valid JSON") from error

    def refusal(self) -> LecternError:
        """The error that an answer of another status than 200 is about."""
        return error_of(self.status, self.document(PROBLEM_BYTES_MAX) if self._is_json else None)

    @property
    def _is_json(self) -> bool:
        kind = self.headers.get("content-type", "").split(";", 1)[0].strip()
        return kind in ("application/problem+json", "application/json")


def error_of(status: int, problem: Any) -> LecternError:
    if isinstance(problem, dict) and isinstance(problem.get("code"), str):
        details = problem.get("details")
        text = problem.get("detail", problem.get("title", ""))
        return LecternError(problem["code"], str(text), details if isinstance(details, dict) else None)
    if status in (502, 503, 504):
        return unreachable(f"The daemon is out of reach: HTTP status {status}")
    return malformed(f"HTTP status {status} without a problem document")


def _broken(place: Place, error: Exception) -> LecternError:
    if isinstance(error, socket.timeout):
        return unreachable(f'The daemon at "{place.name}" did not answer in time')
    return unreachable(f'The connection to the daemon at "{place.name}" broke: {error!r}')


def request(
    place: Place,
    method: str,
    path: str,
    *,
    headers: Mapping[str, str],
    body: Union[bytes, Iterable[bytes], None],
    seconds_max: float,
    kept: Optional[Connections] = None,
) -> Answer:
    """Raises ``DAEMON_UNREACHABLE``, of which ``was_sent`` is known. With ``kept`` it uses a connection of these, and leaves it there."""
    timed = connect(place, seconds_max) if kept is None else kept.take(place, seconds_max)
    connection = http.client.HTTPConnection(place.host)
    connection.sock = timed
    try:
        all_headers = {**place.headers, **headers, "Connection": "close" if kept is None else "keep-alive"}
        connection.request(method, path, body=body, headers=all_headers, encode_chunked=body is not None and not isinstance(body, bytes))
        return Answer(timed, connection.getresponse(), place, kept)
    except (OSError, ValueError, http.client.HTTPException) as error:
        timed.shut()
        raise _broken(place, error) from error
    except BaseException:
        timed.shut()
        raise
