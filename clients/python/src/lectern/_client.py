"""The client of a daemon."""

from __future__ import annotations

import json
import os
import ssl
import time
import uuid
import weakref
from typing import Any, Dict, Iterable, Iterator, Mapping, Optional, Tuple, Union
from urllib.parse import quote, urlencode, urlsplit

from . import _types
from ._attachment import Attachment
from ._daemon import Command, refuse_if_stopped, start_daemon
from ._errors import LecternError, malformed
from ._http import Answer, Connections, Place, request
from ._items import Exit, Record, record_of
from ._operations import OPERATIONS, Groups, Operation
from ._paths import Paths, check_socket, lectern_paths
from ._stream import Stream, end_of_bytes, follow_events, reconnect_seconds

__all__ = ["Lectern"]

TIMEOUT_SECONDS = 60.0
#: How long a request is repeated while the daemon is away, where that can be done without doing it twice.
AWAY_SECONDS_MAX = 30.0
LONG_POLL_MS = 30_000
RECORDING_TYPE = "application/x-asciicast"


class Lectern(Groups):
    """A client of the daemon. ``connect`` makes one; each method raises ``LecternError``.

    The operations are in groups: ``client.sessions.create(["bash"])``, ``client.approvals.list()``. Values are those of PROTOCOL.md
    section 4, as dictionaries with types. A client may be used by several threads.
    """

    def __init__(self, place: Place, *, paths: Optional[Paths], starter: Optional[Starter], timeout: float) -> None:
        super().__init__(self)
        self._place = place
        self._paths = paths
        self._starter = starter
        self._timeout = timeout
        self._machine: Optional[str] = None
        self._has_answered = False
        self._connections = Connections()
        weakref.finalize(self, self._connections.close)

    @classmethod
    def connect(
        cls,
        url: Optional[str] = None,
        *,
        token: Optional[str] = None,
        home: Optional[str] = None,
        start: bool = True,
        command: Command = "lectern",
        timeout: float = TIMEOUT_SECONDS,
        tls: Optional[ssl.SSLContext] = None,
    ) -> Lectern:
        """Connects to the daemon of this user, as the ``lectern`` command does, or with ``url`` and ``token`` to one over TCP.

        ``home`` is the data directory instead of ``LECTERN_HOME``. With ``start`` a daemon is started by ``command`` if none is running, and
        again if it dies. ``timeout`` is in seconds, for each request, without the time that the request asks the daemon to wait.
        """
        if url is not None:
            client = cls(_place_of(url, token, tls), paths=None, starter=None, timeout=timeout)
        else:
            paths = lectern_paths(os.environ, home)
            check_socket(paths.daemon_socket)
            starter = Starter(paths, command, home) if start else None
            place = Place(paths.daemon_socket, token=token)
            client = cls(place, paths=paths, starter=starter, timeout=timeout)
        client._check_version()
        return client

    def __enter__(self) -> Lectern:
        return self

    def __exit__(self, *_: object) -> None:
        """Closes the connections that are kept for the next requests."""
        self._connections.close()

    def on(self, machine: str) -> Lectern:
        """A client of the daemon on another machine, through this one. Its sessions are also reached as ``box/work`` by this client."""
        other = type(self)(self._place, paths=self._paths, starter=self._starter, timeout=self._timeout)
        other._machine = machine
        return other

    def call(self, name: str, given: Mapping[str, Any]) -> Any:
        """Calls an operation by its name, with its input as in PROTOCOL.md, and returns its document.

        While the daemon is away, a request that only reads, that has a ``key``, or that was not sent is repeated.
        """
        operation = OPERATIONS[name]
        values = {key: value for key, value in given.items() if value is not None}
        if name == "sessions.prompt":
            # Typed once, also if the answer is lost.
            values.setdefault("key", uuid.uuid4().hex)
        wait_ms = _wait_ms(operation, values)
        started = time.monotonic()
        attempt = 0
        while True:
            if operation.wait is not None and attempt > 0:
                values[operation.wait] = max(0, wait_ms - int((time.monotonic() - started) * 1000))
            try:
                seconds_max = self._timeout + _wait_ms(operation, values) / 1000
                with self._request(name, values, seconds_max=seconds_max, kept=self._connections) as answer:
                    if answer.status != 200:
                        raise answer.refusal()
                    document = answer.document()
                    self._has_answered = True
                    return document
            except LecternError as error:
                may_repeat = not error.was_sent or operation.scope == "read" or "key" in values
                if error.code != "DAEMON_UNREACHABLE" or not may_repeat:
                    raise
                if attempt > 0 and time.monotonic() - started > AWAY_SECONDS_MAX + wait_ms / 1000:
                    raise
                self._return(error)
            time.sleep(reconnect_seconds(min(attempt, 4)))
            attempt += 1

    def upload(self, name: str, given: Mapping[str, Any], content: Union[bytes, Iterable[bytes]]) -> Any:
        """Calls an operation whose request has a body of bytes."""
        values = {key: value for key, value in given.items() if value is not None}
        with self._request(name, values, content=content, seconds_max=self._timeout) as answer:
            if answer.status != 200:
                raise answer.refusal()
            return answer.document()

    def read_bytes(self, name: str, given: Mapping[str, Any]) -> Stream[bytes]:
        """Calls an operation that answers with bytes, and streams them."""
        values = {key: value for key, value in given.items() if value is not None}

        def chunks(stream: Stream[Any]) -> Iterator[bytes]:
            with stream.holds(self._request(name, values, seconds_max=self._timeout)) as answer:
                yield from end_of_bytes(answer)

        return Stream(chunks)

    def read_items(self, name: str, given: Mapping[str, Any]) -> Stream[Any]:
        """Calls an operation that answers with server-sent events, and streams their documents; it resumes after a broken connection."""
        values = {key: value for key, value in given.items() if value is not None}

        def open_answer(last_id: Optional[str]) -> Answer:
            headers = {"Accept": "text/event-stream", **({} if last_id is None else {"Last-Event-ID": last_id})}
            return self._request(name, values, headers=headers, seconds_max=self._timeout)

        def is_over(last_id: Optional[str]) -> bool:
            session = values.get("session")
            return isinstance(session, str) and self._has_ended(session, None if name == "sessions.updates" else last_id)

        return Stream(
            lambda stream: follow_events(stream, open_answer=open_answer, is_over=is_over, reconnect=self._return)
        )

    def follow(self, session: str, *, from_: Optional[int] = None) -> Stream[Record]:
        """The records of a session from an offset (default: from its beginning), then live ones, until the exit.

        Nothing is lost or comes twice if the daemon dies: the stream resumes at its offset.
        """
        items = self.read_items("sessions.follow", {"session": session, "from": from_})

        def records(stream: Stream[Any]) -> Iterator[Record]:
            for document in items:
                record = record_of(document)
                if record is not None:
                    yield record
                if isinstance(record, Exit):
                    return

        return Joined(records, items)

    def events(
        self,
        session: str,
        *,
        from_: int = 0,
        name: Optional[str] = None,
        trust: _types.EventTrust = "unverified",
    ) -> Iterator[_types.TaggedEvent]:
        """The typed events of a session, from an offset, then live ones, until it has ended."""
        place = from_
        while True:
            page = self.sessions.events(session, from_=place, name=name, trust=trust, wait_ms=LONG_POLL_MS)
            yield from page["events"]
            if page["ended"]:
                return
            place = page["next"]

    def attach(
        self,
        session: str,
        *,
        from_: Optional[int] = None,
        tail_bytes: Optional[int] = None,
        read_only: bool = False,
        lossless: bool = False,
        name: Optional[str] = None,
        take: bool = False,
    ) -> Attachment:
        """Attaches to a live terminal: iterate it for what the session prints, ``write`` to type. It reconnects at its offset.

        ``from_``: an offset to start at; default: the current screen. ``name``: of this reader as a writer. ``take``: each key takes over
        the input from another writer.
        """
        given: Dict[str, Any] = {
            "session": session,
            "tailBytes": tail_bytes,
            "readOnly": read_only or None,
            "lossless": lossless or None,
            "name": name,
            "take": take or None,
        }

        def path(start: Optional[int]) -> str:
            values = {key: value for key, value in {**given, "from": start}.items() if value is not None}
            return self._address("sessions.attach", values)[1]

        return Attachment(self._place, path, start=from_, reconnect=self._return, timeout=self._timeout)

    def _check_version(self) -> None:
        info: Any = self.daemon.info()
        if not isinstance(info, dict) or not isinstance(info.get("protocolVersion"), int):
            raise malformed("it does not report its version")
        if info["protocolVersion"] != _types.PROTOCOL_VERSION:
            raise LecternError(
                "VERSION_MISMATCH",
                f"Cannot talk to the daemon of version {info.get('version')}: it speaks protocol "
                f"{info['protocolVersion']}, wanted {_types.PROTOCOL_VERSION}; install the client of the same version",
            )

    def _has_ended(self, session: str, last_id: Optional[str]) -> bool:
        found = self.sessions.get(session)
        if found["state"] in ("starting", "running"):
            return False
        return last_id is None or not last_id.isdigit() or int(last_id) >= found["end"]

    def _return(self, error: Optional[LecternError] = None) -> None:
        """Before another attempt: starts a daemon that died."""
        if self._starter is not None:
            self._starter.start(is_first=not self._has_answered)
        elif error is not None and not self._has_answered:
            raise error

    def _address(self, name: str, values: Mapping[str, Any]) -> Tuple[str, str, Dict[str, Any]]:
        method, path, *_ = OPERATIONS[name]
        rest = dict(values)
        machine = self._machine
        session = rest.get("session")
        if isinstance(session, str) and "/" in session:
            machine, _, rest["session"] = session.partition("/")
        for key in [key for key in rest if "{" + key + "}" in path]:
            path = path.replace("{" + key + "}", quote(str(rest.pop(key)), safe=""))
        if machine is not None:
            path = f"/v1/machines/{quote(machine, safe='')}{path[len('/v1'):]}"
        if method not in ("GET", "DELETE"):
            return method, path, rest
        query = urlencode([(key, _query_text(value)) for key, value in rest.items()])
        return method, path + (f"?{query}" if query else ""), {}

    def _request(
        self,
        name: str,
        values: Mapping[str, Any],
        *,
        content: Union[bytes, Iterable[bytes], None] = None,
        headers: Optional[Mapping[str, str]] = None,
        seconds_max: float,
        kept: Optional[Connections] = None,
    ) -> Answer:
        method, path, rest = self._address(name, values)
        sent = dict(headers) if headers is not None else {"Accept": "application/json"}
        body = content
        if content is not None:
            query = urlencode([(key, _query_text(value)) for key, value in rest.items()])
            path += f"?{query}" if query else ""
            sent["Content-Type"] = RECORDING_TYPE
        elif method not in ("GET", "DELETE"):
            body = json.dumps(rest, default=list).encode("utf-8")
            sent["Content-Type"] = "application/json"
        return request(self._place, method, path, headers=sent, body=body, seconds_max=seconds_max, kept=kept)


class Joined(Stream[Record]):
    """A stream over another one, which it closes with itself."""

    def __init__(self, make: Any, inner: Stream[Any]) -> None:
        super().__init__(make)
        self._inner = inner

    def close(self) -> None:
        super().close()
        self._inner.close()


class Starter:
    """Starts the daemon when it is away; after ``lectern down`` only if the client never reached one."""

    def __init__(self, paths: Paths, command: Command, home: Optional[str]) -> None:
        self._paths = paths
        self._command = command
        self._home = home

    def start(self, *, is_first: bool) -> None:
        if not is_first:
            refuse_if_stopped(self._paths)
        start_daemon(self._paths, self._command, self._home)


def _wait_ms(operation: Operation, values: Mapping[str, Any]) -> int:
    if operation.wait is None:
        return 0
    return int(values.get(operation.wait, operation.wait_ms))


def _query_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(str(part) for part in value)
    return str(value)


def _place_of(url: str, token: Optional[str], tls: Optional[ssl.SSLContext]) -> Place:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or parts.hostname is None or parts.path not in ("", "/"):
        raise LecternError("USAGE", f'Cannot connect to "{url}": wanted a URL such as http://127.0.0.1:7433')
    if parts.scheme == "http":
        return Place(None, parts.hostname, parts.port or 80, None, token)
    return Place(None, parts.hostname, parts.port or 443, tls or ssl.create_default_context(), token)
