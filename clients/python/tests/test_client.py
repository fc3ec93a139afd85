"""The client against a real daemon: typed operations, streams that outlive it, an attached terminal."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import unittest
import urllib.parse
from typing import Any, List

import lectern
from lectern import Disconnected, Exit, Input, Lectern, LecternError, Output, Reconnected, Resize, types

from .support import BASH, WAIT_MS_MAX, DaemonTest, until

LINES = 60
COUNT = f"for i in $(seq {LINES}); do echo line $i; sleep 0.05; done"
COUNTED = "".join(f"line {number}\n" for number in range(1, LINES + 1))


def text_of(items: List[Any]) -> str:
    return b"".join(item.data for item in items if isinstance(item, Output)).decode().replace("\r\n", "\n")


class ClientTest(DaemonTest):
    def start(self, *command: str, **more: Any) -> str:
        return self.client.sessions.create(command, **more)["id"]

    def test_each_operation_has_a_method(self) -> None:
        with self.client._request("daemon.info", {}, seconds_max=60) as answer:  # noqa: SLF001
            self.assertEqual(answer.status, 200)
        from lectern._operations import OPERATIONS

        missing = [
            name
            for name in OPERATIONS
            for group, _, method in [name.partition(".")]
            if not hasattr(getattr(self.client, group), method if method != "import" else "import_")
        ]
        self.assertEqual(missing, ["sessions.attach"])
        self.assertTrue(callable(self.client.attach))

    def test_operations_are_called_with_their_names_in_python(self) -> None:
        session = self.client.sessions.create(
            BASH, name="typed", labels={"team": "core"}, working_directory="/", columns=100, rows=30
        )
        self.assertEqual((session["columns"], session["labels"]), (100, {"team": "core"}))
        ran = self.client.sessions.exec("typed", "pwd; (exit 3)", timeout_ms=WAIT_MS_MAX)
        self.assertEqual((ran["output"], ran["exitCode"], ran["exact"]), ("/\n", 3, True))
        self.assertEqual([found["name"] for found in self.client.sessions.list(label="team=core")["sessions"]], ["typed"])
        self.client.sessions.update("typed", labels={"team": None}, name="renamed")
        self.assertEqual(self.client.sessions.get("renamed")["labels"], {})
        written = self.client.sessions.input("renamed", text="echo a''b", enter=True, key="k1")
        self.assertNotIn("already", written)
        self.assertTrue(self.client.sessions.input("renamed", text="echo a''b", enter=True, key="k1")["already"])
        found = self.client.sessions.wait("renamed", {"type": "output", "pattern": "^ab"}, timeout_ms=WAIT_MS_MAX)
        self.assertEqual((found["reason"], found["match"]), ("output", "ab"))
        self.assertIn("ab\n", self.client.sessions.logs("renamed", tail=2)["text"])
        self.assertEqual(self.client.sessions.kill("renamed", grace_ms=0)["state"], "exited")
        exported = b"".join(self.client.sessions.export("renamed", format="asciicast-v2"))
        self.assertEqual(json.loads(exported.splitlines()[0])["version"], 2)
        again = self.client.sessions.import_([exported[:100], exported[100:]], name="copy")
        self.assertEqual((again["name"], again["isImported"]), ("copy", True))

    def test_errors_have_a_code_a_message_and_details(self) -> None:
        with self.assertRaises(LecternError) as missing:
            self.client.sessions.get("nobody")
        self.assertEqual(missing.exception.code, "SESSION_NOT_FOUND")
        self.assertRegex(missing.exception.message, '^Cannot find session "nobody"')
        with self.assertRaises(LecternError) as invalid:
            self.client.sessions.resize("nobody", 0, 10)
        self.assertEqual(invalid.exception.code, "INVALID_INPUT")
        with self.assertRaises(LecternError) as refused:
            self.client.sessions.create(["no such program"])
        self.assertEqual(refused.exception.code, "COMMAND_NOT_FOUND")

    def test_a_follower_loses_nothing_when_the_daemon_is_killed_twice(self) -> None:
        session = self.start("sh", "-c", COUNT)
        items: List[Any] = []
        kills = [5, 30]
        with self.client.follow(session) as records:
            for record in records:
                items.append(record)
                if kills and text_of(items).count("\n") >= kills[0]:
                    kills.pop(0)
                    self.kill_daemon()
        self.assertEqual(text_of(items), COUNTED)
        self.assertEqual(kills, [])
        self.assertIsInstance(items[-1], Exit)
        self.assertEqual((items[-1].reason, items[-1].code), ("exited", 0))
        for before, after in zip(items, items[1:]):
            self.assertEqual(after.offset, before.next)
        later = list(self.client.follow(session, from_=items[3].offset))
        self.assertEqual(text_of(later), text_of(items[3:]))
        self.assertEqual(b"".join(self.client.sessions.output(session)), text_of(items).replace("\n", "\r\n").encode())

    def test_an_attachment_types_and_goes_on_after_a_kill(self) -> None:
        session = self.start(*BASH)
        with self.client.attach(session, from_=0) as terminal:
            terminal.resize(132, 40)
            terminal.write("echo b''efore\n")
            items = self.read_until(terminal, "before\n")
            self.kill_daemon()
            items += self.read_until(terminal, None, Reconnected)
            terminal.write(b"echo a''fter\n")
            items += self.read_until(terminal, "after\n")
            terminal.write("exit 4\n")
            items += list(terminal)
            self.assertEqual(terminal.exit, items[-1])
        placed = [item for item in items if hasattr(item, "offset")]
        for before, after in zip(placed, placed[1:]):
            self.assertEqual(after.offset, before.next)
        self.assertEqual(len([item for item in items if isinstance(item, Disconnected)]), 1)
        self.assertTrue(any(isinstance(item, Resize) and item.columns == 132 for item in items))
        self.assertTrue(any(isinstance(item, Input) for item in items))
        self.assertEqual((items[-1].reason, items[-1].code), ("exited", 4))
        text = text_of(items)
        self.assertEqual((text.count("before\n"), text.count("after\n")), (1, 1))

    def read_until(self, terminal: lectern.Attachment, text: "str | None", kind: Any = Output) -> List[Any]:
        items: List[Any] = []
        while True:
            item = terminal.read(timeout=WAIT_MS_MAX / 1000)
            self.assertIsNotNone(item, "nothing came in time")
            items.append(item)
            if isinstance(item, kind) and (text is None or text in text_of(items)):
                return items

    def test_a_large_input_is_acknowledged_while_its_output_waits(self) -> None:
        session = self.start("sh", "-c", "stty raw -echo; echo on; head -c 400000 | wc -c")
        with self.client.attach(session, from_=0, lossless=True) as terminal:
            self.read_until(terminal, "on\n")
            terminal.write(b"x" * 400_000)
            self.assertIn("400000", text_of(list(terminal)))
            with self.assertRaises(LecternError) as refused:
                terminal.write("more")
            self.assertEqual(refused.exception.code, "SESSION_ENDED")

    def test_an_attachment_that_only_reads_is_refused_and_one_is_detached_by_another_thread(self) -> None:
        session = self.start(*BASH)
        with self.client.attach(session, read_only=True) as terminal:
            with self.assertRaises(LecternError) as refused:
                terminal.write("x")
            self.assertEqual(refused.exception.code, "FORBIDDEN")
        terminal = self.client.attach(session)
        detaching = threading.Timer(0.2, terminal.detach)
        detaching.start()
        for _ in terminal:
            pass
        detaching.join()
        with self.assertRaises(LecternError) as missing:
            self.client.attach("nobody")
        self.assertEqual(missing.exception.code, "SESSION_NOT_FOUND")

    def test_updates_and_a_follower_are_closed_by_another_thread(self) -> None:
        session = self.start("sh", "-c", "sleep 1000")
        for stream in (self.client.daemon.updates(list=True), self.client.follow(session)):
            has_come = threading.Event()

            def close(stream: Any = stream, has_come: threading.Event = has_come) -> None:
                has_come.wait(WAIT_MS_MAX / 1000)
                stream.close()

            closing = threading.Thread(target=close)
            closing.start()
            kinds: List[Any] = []
            for item in stream:
                kinds.append(item)
                has_come.set()
            closing.join()
            self.assertNotEqual(kinds, [])

    def test_events_of_a_program_are_followed_until_its_end(self) -> None:
        tag = '<FORGE_EVENT name="TASK_COMPLETE">{\\"ok\\": %s}</FORGE_EVENT>\\n'
        script = f'printf "{tag % "true"}"; sleep 0.3; printf "{tag % "false"}"'
        session = self.start("bash", "-c", script, trust_text=True)
        found = list(self.client.events(session, name="TASK_COMPLETE"))
        self.assertEqual([event["valid"] and event["payload"] for event in found], [{"ok": True}, {"ok": False}])
        changes = list(self.client.sessions.updates(session))
        self.assertIn("event", [change["kind"] for change in changes])

    def test_a_daemon_is_reached_over_tcp_with_a_token_of_less_scope(self) -> None:
        token = self.client.tokens.create(scope="read", label="test")
        urls = [place for place in self.client.daemon.info()["listen"] if place.startswith("http")]
        if not urls:
            self.skipTest("this daemon was started again by a client, on its socket only")
        remote = Lectern.connect(urls[0], token=token["token"])
        session = self.start(*BASH)
        self.assertEqual(remote.sessions.get(session)["id"], session)
        with remote.attach(session, read_only=True) as terminal:
            self.assertIsNotNone(terminal.offset)
        with self.assertRaises(LecternError) as refused:
            remote.sessions.kill(session)
        self.assertEqual(refused.exception.code, "FORBIDDEN")
        with self.assertRaises(LecternError) as unknown:
            Lectern.connect(urls[0], token="wrong")
        self.assertEqual(unknown.exception.code, "UNAUTHENTICATED")
        with self.assertRaises(LecternError) as usage:
            Lectern.connect("ftp://127.0.0.1")
        self.assertEqual(usage.exception.code, "USAGE")

    def test_the_paths_are_those_of_the_command(self) -> None:
        from lectern._paths import lectern_paths

        place = urllib.parse.urlsplit(next(p for p in self.client.daemon.info()["listen"] if p.startswith("unix")))
        self.assertEqual(lectern_paths(os.environ).daemon_socket, place.path)
        long = lectern_paths({"LECTERN_HOME": "/" + "x" * 100})
        self.assertRegex(long.daemon_socket, rf"^/tmp/lectern-{os.getuid()}/[0-9a-f]{{16}}/daemon\.sock$")
        self.assertEqual(lectern_paths({"HOME": "/h"}).data_directory, "/h/.local/share/lectern")


class StartTest(unittest.TestCase):
    """Last, because it stops the daemon."""

    def test_a_daemon_is_started_and_not_again_after_a_person_stopped_it(self) -> None:
        client = Lectern.connect()
        subprocess.run(["lectern", "down"], check=True, stdout=subprocess.DEVNULL, timeout=WAIT_MS_MAX / 1000)
        until(lambda: self.is_away(client))
        with self.assertRaises(LecternError) as stopped:
            client.daemon.info()
        self.assertEqual(stopped.exception.code, "NOT_AVAILABLE")
        with self.assertRaises(LecternError) as away:
            Lectern.connect(start=False)
        self.assertEqual(away.exception.code, "DAEMON_UNREACHABLE")
        with self.assertRaises(LecternError) as unknown:
            Lectern.connect(command="no-such-lectern")
        self.assertRegex(unknown.exception.message, "install Lectern as its README says")
        self.assertEqual(Lectern.connect().daemon.info()["protocolVersion"], types.PROTOCOL_VERSION)

    @staticmethod
    def is_away(client: Lectern) -> bool:
        from lectern._http import connect

        try:
            connect(client._place, 5).shut()  # noqa: SLF001
        except LecternError:
            return True
        return False


if __name__ == "__main__":
    unittest.main()
