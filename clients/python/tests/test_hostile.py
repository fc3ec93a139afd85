"""What a broken or hostile server sends ends in an error, in bounded time and memory; no daemon is needed."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import socket
import unittest
from typing import Any, Callable, List, Optional

from lectern import Exit, Gap, Lectern, LecternError, Output, Reconnected, Snapshot, _http, _sse, _stream, _websocket, types
from lectern._items import StreamPosition, record_of

from .support import HostileServer, answer, info

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
BINARY, TEXT, CLOSE, PING = 2, 1, 8, 9


def drip(connection: socket.socket, _: bytes) -> None:
    """One byte after the other, for ever."""
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    for number in range(100_000):
        connection.sendall(b"x" if number % 2 else b"-")


def frame(opcode: int, payload: bytes, *, first: int = 0x80, size: Optional[int] = None, mask: int = 0) -> bytes:
    length = len(payload) if size is None else size
    if length < 126:
        head = bytes([first | opcode, mask | length])
    elif length < 65_536:
        head = bytes([first | opcode, mask | 126]) + length.to_bytes(2, "big")
    else:
        head = bytes([first | opcode, mask | 127]) + length.to_bytes(8, "big")
    return head + payload


def message(**fields: Any) -> bytes:
    return frame(TEXT, json.dumps(fields).encode())


GREETING = message(type="attached", offset=0, confirmsInput=True)
EXIT = message(type="exit", offset=9, next=10, timeUs=1, exit={"reason": "exited", "code": 0, "signal": None})


def output(offset: int, data: bytes) -> bytes:
    return frame(BINARY, b"\0" + offset.to_bytes(8, "big") + data)


def upgrade(*frames: bytes, protocol: str = "lectern.v1", accept: Optional[str] = None, more: str = "") -> Any:
    """A server's function that accepts a WebSocket, sends these frames, and waits for the end of the connection."""

    def send(connection: socket.socket, head: bytes) -> None:
        key = next(line for line in head.decode().split("\r\n") if line.lower().startswith("sec-websocket-key"))
        hashed = base64.b64encode(hashlib.sha1((key.split(":", 1)[1].strip() + GUID).encode()).digest()).decode()
        lines = [
            "HTTP/1.1 101 Switching Protocols",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Accept: {hashed if accept is None else accept}",
            f"Sec-WebSocket-Protocol: {protocol}{more}",
        ]
        connection.sendall("\r\n".join([*lines, "", ""]).encode() + b"".join(frames))
        if not frames or frames[-1] is not LEAVE:
            while connection.recv(65536):
                pass
        connection.close()

    return send


LEAVE = b""


class HostileTest(unittest.TestCase):
    def refused(self, code: str, call: Callable[[], Any]) -> LecternError:
        with self.assertRaises(LecternError) as refused:
            call()
        self.assertEqual(refused.exception.code, code, str(refused.exception))
        return refused.exception

    def test_answers_that_are_not_those_of_a_daemon(self) -> None:
        cases = [
            ("MALFORMED", answer(b"<html>")),
            ("MALFORMED", answer(b"[" * 200_000)),
            ("MALFORMED", answer(b"\xff\xfe")),
            ("MALFORMED", answer(b"no", status="418 Teapot", kind="text/plain")),
            ("MALFORMED", answer(b"{}", status="500 Oops", kind="application/problem+json")),
            ("MALFORMED", answer(b"[]")),
            ("MALFORMED", answer(b"{}")),
            ("DAEMON_UNREACHABLE", answer(b"{}", length=50)),
            ("DAEMON_UNREACHABLE", answer(b"", status="503 Away", kind="text/plain")),
            ("DAEMON_UNREACHABLE", lambda connection, _: connection.sendall(b"SSH-2.0-OpenSSH\r\n" * 3) or connection.close()),
            ("DAEMON_UNREACHABLE", lambda connection, _: connection.close()),
        ]
        for code, reply in cases:
            with HostileServer(reply) as url:
                self.refused(code, lambda: Lectern.connect(url))
        with HostileServer(answer(b'{"protocolVersion": 99, "version": "9.9"}')) as url:
            self.refused("VERSION_MISMATCH", lambda: Lectern.connect(url))

    def test_an_answer_that_drips_or_never_comes_ends_in_time(self) -> None:
        for reply in (drip, lambda connection, _: connection.recv(1)):
            with HostileServer(reply) as url:
                self.refused("DAEMON_UNREACHABLE", lambda: Lectern.connect(url, timeout=0.5))

    def test_requests_share_a_connection_until_the_server_ends_it(self) -> None:
        heads: List[bytes] = []
        body = json.dumps({"protocolVersion": types.PROTOCOL_VERSION, "version": "0"}).encode()
        kept = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body

        def serve(requests: int, last: bytes = kept) -> Any:
            """Answers so many requests of one connection, and closes it."""

            def send(connection: socket.socket, head: bytes) -> None:
                for number in range(requests):
                    heads.append(head if number == 0 else HostileServer._head(connection))
                    connection.sendall(last if number == requests - 1 else kept)
                connection.close()

            return send

        surplus = kept + b"HTTP/1.1 200 OK\r\n"
        with HostileServer(serve(3), serve(2, surplus), serve(1)) as url:
            with Lectern.connect(url) as client:
                for _ in range(2):
                    client.daemon.info()
                # The server has closed it, and afterwards sent what nobody asked for: neither is used again.
                for _ in range(3):
                    self.assertEqual(client.daemon.info()["version"], "0")
        self.assertEqual(len(heads), 6)
        self.assertTrue(all(b"keep-alive" in head.lower() for head in heads))

    def test_a_connection_that_was_idle_too_long_or_has_another_process_is_not_used(self) -> None:
        connections = _http.Connections()
        ours, theirs = socket.socketpair()
        place = _http.Place("/nowhere/at/all.sock")
        with ours, theirs:
            timed = _http.TimedSocket(ours, 1)
            connections.keep(timed)
            self.assertIs(connections.take(place, 1), timed)
            connections.keep(timed)
            connections._kept = [(timed, since - _http.KEPT_SECONDS_MAX) for timed, since in connections._kept]
            self.refused("DAEMON_UNREACHABLE", lambda: connections.take(place, 1))
            self.assertEqual(theirs.recv(1), b"")
        ours, theirs = socket.socketpair()
        with ours, theirs:
            connections.keep(_http.TimedSocket(ours, 1))
            # As in a forked child: the parent still has its connection.
            copy = ours.dup()
            connections._pid = 0
            self.refused("DAEMON_UNREACHABLE", lambda: connections.take(place, 1))
            copy.sendall(b"x")
            self.assertEqual(theirs.recv(1), b"x")
            copy.close()

    def test_an_answer_that_is_too_large_is_not_read(self) -> None:
        def flood(connection: socket.socket, _: bytes) -> None:
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + b" " * 1024 * 1024)
            while True:
                connection.sendall(b" " * 65536)

        before = _http.ANSWER_BYTES_MAX
        self.addCleanup(setattr, _http.Answer.document, "__defaults__", _http.Answer.document.__defaults__)
        _http.Answer.document.__defaults__ = (2 * 1024 * 1024,)
        with HostileServer(flood) as url:
            self.refused("TOO_LARGE", lambda: Lectern.connect(url))
        self.assertEqual(before, 64 * 1024 * 1024)

    def test_an_error_keeps_what_it_does_not_know(self) -> None:
        problem = json.dumps({"code": "FROM_LATER", "detail": "new", "details": {"a": 1}}).encode()
        with HostileServer(info(), answer(problem, status="409 C", kind="application/problem+json")) as url:
            client = Lectern.connect(url)
            error = self.refused("FROM_LATER", lambda: client.sessions.kill("x"))
            self.assertEqual((error.message, error.details), ("new", {"a": 1}))

    def test_websockets_that_break_the_protocol(self) -> None:
        long = _websocket.MESSAGE_BYTES_MAX
        head_only = [
            upgrade(accept="wrong"),
            upgrade(protocol="other"),
            upgrade(more="\r\nSec-WebSocket-Extensions: permessage-deflate"),
            upgrade(frame(BINARY, b"x")),
            upgrade(message(type="later")),
            upgrade(message(type="attached", offset="7")),
        ]
        for reply in head_only:
            with HostileServer(info(), reply) as url:
                client = Lectern.connect(url)
                self.refused("MALFORMED", lambda: client.attach("x"))
        frames = [
            ("MALFORMED", frame(BINARY, b"xxxx", mask=0x80)),
            ("MALFORMED", frame(BINARY, b"x", first=0xC0)),
            ("MALFORMED", frame(3, b"x")),
            ("MALFORMED", frame(PING, b"x" * 200)),
            ("MALFORMED", frame(PING, b"", first=0)),
            ("MALFORMED", frame(0, b"continues nothing")),
            ("MALFORMED", frame(TEXT, b"a", first=0) + frame(TEXT, b"b")),
            ("MALFORMED", frame(TEXT, b"\xff")),
            ("MALFORMED", frame(TEXT, b"not JSON")),
            ("MALFORMED", frame(TEXT, b"[1]")),
            ("MALFORMED", GREETING),
            ("MALFORMED", message(type="resize", offset=0, next=4, columns=-1, rows=True)),
            ("TOO_LARGE", frame(BINARY, b"", size=long + 1)),
            ("TOO_LARGE", frame(BINARY, b"", size=2**63 - 1)),
            ("TOO_LARGE", frame(TEXT, b"x" * 1000, first=0) + frame(0, b"", size=long - 500)),
            ("FORBIDDEN", frame(CLOSE, (1008).to_bytes(2, "big") + b"no")),
            ("CONFLICT", message(type="error", code="CONFLICT", message="m") + frame(CLOSE, (4000).to_bytes(2, "big"))),
        ]
        for code, bad in frames:
            with HostileServer(info(), upgrade(GREETING, bad)) as url:
                with Lectern.connect(url).attach("x") as terminal:
                    self.refused(code, lambda: [item for item in terminal])

    def test_a_refused_upgrade_is_the_error_of_the_daemon(self) -> None:
        problem = b'{"code": "SESSION_NOT_FOUND", "detail": "Cannot find session \\"x\\""}'
        with HostileServer(info(), answer(problem, status="404 Not Found", kind="application/problem+json")) as url:
            client = Lectern.connect(url)
            self.refused("SESSION_NOT_FOUND", lambda: client.attach("x"))
        with HostileServer(info(), lambda connection, _: connection.sendall(b"HTTP/1.1 101 " + b"x" * 100_000)) as url:
            client = Lectern.connect(url)
            self.refused("MALFORMED", lambda: client.attach("x"))

    def test_an_attachment_asks_for_what_it_has_not_got_after_each_break(self) -> None:
        asked: List[str] = []

        def noted(reply: Any) -> Any:
            def send(connection: socket.socket, head: bytes) -> None:
                asked.append(head.split(b" ")[1].decode())
                reply(connection, head)

            return send

        parts = b"".join([frame(BINARY, b"\0" + bytes(8) + b"ab", first=0), frame(PING, b"p"), frame(0, b"c")])
        with HostileServer(
            info(),
            noted(upgrade(GREETING, parts, LEAVE)),
            noted(upgrade(message(type="attached", offset=3), output(1, b"bcd"), LEAVE)),
            noted(answer(b"", status="503 Away", kind="text/plain")),
            noted(upgrade(message(type="attached", offset=4), output(6, b"gh"), EXIT)),
        ) as url:
            items = list(Lectern.connect(url).attach("x"))
        placed = [item for item in items if hasattr(item, "offset")]
        self.assertEqual(
            placed,
            [
                Output(0, 3, b"abc"),
                Output(3, 4, b"d"),
                Gap(4, 6, "missing"),
                Output(6, 8, b"gh"),
                Gap(8, 9, "missing"),
                Exit(9, 10, "exited", 0, None, 1),
            ],
        )
        self.assertEqual(len([item for item in items if isinstance(item, Reconnected)]), 2)
        self.assertEqual([path.rpartition("from=")[2] for path in asked], ["/v1/sessions/x/attach", "3", "4", "4"])

    def test_a_write_fails_when_its_acknowledgement_is_lost_or_refused(self) -> None:
        refusal = message(type="error", code="CONFLICT", message="taken", input=1)
        with HostileServer(info(), upgrade(GREETING, refusal)) as url:
            with Lectern.connect(url).attach("x") as terminal:
                self.refused("CONFLICT", lambda: terminal.write("x"))
        with HostileServer(info(), upgrade(GREETING)) as url:
            with Lectern.connect(url, timeout=0.5).attach("x") as terminal:
                self.refused("DAEMON_UNREACHABLE", lambda: terminal.write("x"))

    def test_a_follower_resumes_at_the_last_id_also_of_events_without_data(self) -> None:
        asked: List[bytes] = []

        def noted(reply: Any) -> Any:
            def send(connection: socket.socket, head: bytes) -> None:
                lines = head.lower().split(b"\r\n")
                asked.append(next((line for line in lines if line.startswith(b"last-event-id")), b"none"))
                reply(connection, head)

            return send

        def events(*texts: str) -> Any:
            return answer("".join(texts).encode(), kind="text/event-stream", length=10_000)

        one = {"type": "output", "offset": 0, "next": 2, "timeUs": 5, "data": base64.b64encode(b"ab").decode()}
        end = {"type": "exit", "offset": 7, "next": 9, "timeUs": 6, "exit": {"reason": "exited", "code": 0}}
        with HostileServer(
            info(),
            noted(events(": alive\n\n", f"id: 2\nevent: output\ndata: {json.dumps(one)}\n\n", "id: 7\n\n")),
            noted(events("data: never fini")),
            noted(events(f"id: 9\r\ndata: {json.dumps(end)}\r\n\r\n")),
        ) as url:
            items = list(Lectern.connect(url).follow("x"))
        self.assertEqual(items, [Output(0, 2, b"ab", 5), Exit(7, 9, "exited", 0, None, 6)])
        self.assertEqual(asked, [b"none", b"last-event-id: 7", b"last-event-id: 7"])
        for bad in ("data: {\n\n", "data: []\n\n", 'data: {"type":"output","offset":1,"next":2,"data":"?"}\n\n'):
            with HostileServer(info(), events(bad)) as url:
                stream = Lectern.connect(url).follow("x")
                self.refused("MALFORMED", lambda: next(stream))

    def test_events_are_the_same_at_any_chunking_and_bounded(self) -> None:
        text = "id: 1\ndata: a\ndata:b\r\n\r\n: c\ndata: {\"x\": 1}\r\rid: 4\n\nevent: e\ndata: ü\n\n".encode()
        whole = _sse.SseReader().feed(text)
        self.assertEqual([event.data for event in whole], ["a\nb", '{"x": 1}', None, "ü"])
        chance = random.Random(7)
        for _ in range(300):
            reader, found, at = _sse.SseReader(), [], 0
            while at < len(text):
                size = chance.randint(1, 6)
                found += reader.feed(text[at : at + size])
                at += size
            self.assertEqual(found, whole)
        self.refused("TOO_LARGE", self.flood)

    def flood(self) -> None:
        reader = _sse.SseReader(100)
        for _ in range(100):
            reader.feed(b"data: " + b"x" * 10)

    def test_items_rise_and_no_byte_comes_twice_wherever_the_connection_breaks(self) -> None:
        chance = random.Random(11)
        data = bytes(range(200))
        for _ in range(300):
            position, seen = StreamPosition(0), b""
            while position.next is not None and position.next < len(data):
                start = max(0, position.next - chance.randint(0, 20))
                end = min(len(data), start + chance.randint(1, 40))
                for item in position.take(Output(start, end, data[start:end])):
                    self.assertIsInstance(item, Output)
                    self.assertEqual(getattr(item, "offset"), len(seen))
                    seen += getattr(item, "data")
            self.assertEqual(seen, data)
        self.assertEqual(StreamPosition(50).take(Snapshot(9, 9, 80, 24, "x")), [Snapshot(9, 9, 80, 24, "x")])
        self.assertIsNone(record_of({"type": "later", "offset": 1, "next": 2}))

    def test_attempts_are_spread_and_bounded(self) -> None:
        delays = [_stream.reconnect_seconds(attempt) for attempt in range(200)]
        self.assertLessEqual(max(delays), _stream.RECONNECT_SECONDS_MAX)
        self.assertGreater(min(delays), 0)


if __name__ == "__main__":
    unittest.main()
