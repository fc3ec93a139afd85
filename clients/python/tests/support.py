"""Tests run against a daemon of their own: ``LECTERN_HOME`` is empty and ``lectern`` is on the PATH (test/e2e/python.test.ts)."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
import unittest
from typing import Any, Callable, List, Optional

from lectern import Lectern

#: As long as anything may take on a busy machine; a wait that is not in vain ends long before.
WAIT_MS_MAX = 60_000
BASH = ["bash", "--norc", "--noprofile"]


class DaemonTest(unittest.TestCase):
    """Tests with a client of the daemon."""

    client: Lectern

    @classmethod
    def setUpClass(cls) -> None:
        cls.client = Lectern.connect()

    def kill_daemon(self) -> int:
        pid = self.client.daemon.info()["pid"]
        os.kill(pid, signal.SIGKILL)
        return pid


def until(condition: Callable[[], Any]) -> None:
    deadline = time.monotonic() + WAIT_MS_MAX / 1000
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError("it did not happen in time")
        time.sleep(0.02)


class HostileServer:
    """Answers each connection, in order, by one of the functions; it listens on loopback while it is open."""

    def __init__(self, *answers: Callable[[socket.socket, bytes], None]) -> None:
        self._answers = list(answers)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._connections: List[socket.socket] = []
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> str:
        self._thread.start()
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def __exit__(self, *_: object) -> None:
        self._listener.close()
        for connection in self._connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            connection.close()
        self._thread.join(10)

    def _serve(self) -> None:
        for answer in self._answers:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._connections.append(connection)
            try:
                answer(connection, self._head(connection))
            except OSError:
                pass

    @staticmethod
    def _head(connection: socket.socket) -> bytes:
        head = b""
        while b"\r\n\r\n" not in head:
            data = connection.recv(65536)
            if not data:
                break
            head += data
        return head


def answer(body: bytes, *, status: str = "200 OK", kind: str = "application/json", length: Optional[int] = None) -> Any:
    """A server's function that sends one answer and closes."""
    size = len(body) if length is None else length

    def send(connection: socket.socket, _: bytes) -> None:
        head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {size}\r\nConnection: close\r\n\r\n"
        connection.sendall(head.encode() + body)
        connection.close()

    return send


def info(**more: Any) -> Any:
    """The first answer to a client: a daemon of the right protocol."""
    import json

    from lectern import types

    return answer(json.dumps({"protocolVersion": types.PROTOCOL_VERSION, "version": "0", **more}).encode())
