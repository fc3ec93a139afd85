"""AGTerm does what its description says, on real terminals."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import threading
import unittest
from typing import Any, List

from lectern import AGTerm, Lectern, LecternError

from .support import BASH, WAIT_MS_MAX, DaemonTest, until

QUICK_START = '''
from lectern import AGTerm

env = AGTerm("bash", True, ready_markers=["$ ", "# ", "__AGPROMPT__ "])

# Wait for the initial shell prompt
print(env.read_until_ready(timeout_ms=8000))

# Make the prompt deterministic for robust parsing
print(env.send_and_read_until_ready('export PS1="__AGPROMPT__ "', timeout_ms=8000))

# Now round-trip commands
print(env.send_and_read_until_ready("echo hello", timeout_ms=8000))

env.close()
'''

QUIET_EXAMPLE = '''
from lectern import AGTerm

env = AGTerm("bash", False)  # interactive=False => quiet-based reads by default
print(env.send_and_read_until_ready("echo hi", timeout_ms=8000, quiet_ms=80))
env.close()
'''


def printed(program: str) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(program, {})
    return out.getvalue()


class AGTermTest(DaemonTest):
    def open(self, command: object, interactive: bool, markers: "List[str] | None" = None, **more: object) -> AGTerm:
        env = AGTerm(command, interactive, markers, client=self.client, **more)  # type: ignore[arg-type]
        self.addCleanup(env.close)
        return env

    def test_a_line_is_one_request_on_the_connection_of_the_line_before(self) -> None:
        client = Lectern.connect()
        asked: List[str] = []
        call = client.call

        def counted(name: str, given: Any) -> Any:
            asked.append(name)
            return call(name, given)

        with AGTerm(BASH, True, client=client) as terminal:
            terminal.read_until_ready()
            client.call = counted  # type: ignore[method-assign]
            self.assertIn("one\n", terminal.send_and_read_until_ready("echo one"))
            self.assertIn("two\n", terminal.send_and_read_until_ready("echo two"))
            self.assertEqual(asked, ["sessions.converse", "sessions.converse"])
            self.assertEqual(len(client._connections._kept), 1)
        client.__exit__()

    def test_the_quick_start_runs_unchanged_but_for_the_import(self) -> None:
        self.open(BASH, True).read_until_ready(timeout_ms=WAIT_MS_MAX)
        self.assertIn("echo hello\nhello\n__AGPROMPT__ \n", printed(QUICK_START))
        self.assertIn("hi", printed(QUIET_EXAMPLE))

    def test_commands_go_around_with_a_deterministic_prompt(self) -> None:
        env = self.open(BASH, True, ["$ ", "# ", "__AGPROMPT__ "])
        env.read_until_ready(timeout_ms=WAIT_MS_MAX)
        env.send_and_read_until_ready('export PS1="__AGPROMPT__ "')
        self.assertEqual(env.send_and_read_until_ready("echo hello"), "echo hello\nhello\n__AGPROMPT__ ")
        self.assertEqual((env.reason, env.asks), ("mark", "command"))
        self.assertEqual(env.get_initial_command(), "bash --norc --noprofile")

    def test_python_answers_and_asks(self) -> None:
        env = self.open(["python3", "-q"], True, [">>> ", "... "])
        self.assertEqual(env.read_until_ready(timeout_ms=WAIT_MS_MAX), ">>> ")
        self.assertEqual(env.send_and_read_until_ready("6 * 7"), "6 * 7\n42\n>>> ")
        self.assertTrue(env.send_and_read_until_ready("name = input('Name? ')").endswith("\nName? "))
        self.assertEqual(env.send_and_read_until_ready("Ann"), "Ann\n>>> ")
        self.assertEqual(env.send_and_read_until_ready("name"), "name\n'Ann'\n>>> ")

    def test_a_limit_that_is_refused_types_nothing(self) -> None:
        env = self.open(BASH, True)
        env.read_until_ready(timeout_ms=WAIT_MS_MAX)
        limits = {"max_output_bytes": 16 * 1024 * 1024 + 1, "timeout_ms": -1, "settle_ms": 600_001, "quiet_ms": -1}
        for name, value in limits.items():
            with self.assertRaisesRegex(LecternError, f"{name} is {value}, .* nothing was typed"):
                env.send_and_read_until_ready("echo typed", **{name: value})
        self.assertEqual(env.send_and_read_until_ready("true").count("typed"), 0)
        self.assertNotIn("typed", env.get_history())

    @unittest.skipUnless(shutil.which("gdb"), "gdb is not installed")
    def test_gdb_is_ready_at_its_prompt_by_default(self) -> None:
        env = self.open("gdb", True)
        self.assertTrue(env.read_until_ready(timeout_ms=WAIT_MS_MAX).endswith("(gdb) "))
        self.assertIn("$1 = 42\n(gdb) ", env.send_and_read_until_ready("print 6 * 7"))

    def test_without_interactive_the_shell_stays_alive_and_keeps_its_state(self) -> None:
        env = self.open(BASH, False)
        env.send_and_read_until_ready("x=5", quiet_ms=2000)
        self.assertEqual(env.reason, "quiet")
        self.assertIn("\nx is 5\n", env.send_and_read_until_ready("echo x is $x", quiet_ms=2000))
        self.assertEqual((env.is_alive(), env.is_interactive()), (True, False))

    def test_a_prompt_counts_at_the_end_of_the_output_and_a_time_out_gives_what_came(self) -> None:
        script = r"printf 'costs 5 $ '; sleep 0.1; echo each; printf '\033[1mme\033[0m> '; read x; echo $x; sleep 1000"
        env = self.open(["sh", "-c", script], True, ["$ ", "me> "])
        self.assertEqual(env.read_until_ready(settle_ms=3000, timeout_ms=WAIT_MS_MAX), "costs 5 $ each\nme> ")
        env.set_ready_markers(["never> "])
        self.assertEqual(env.send_and_read_until_ready("partial", timeout_ms=3000), "partial\npartial\n")
        self.assertEqual(env.reason, "timeout")

    def test_a_read_ends_at_its_limit_and_the_next_one_continues_there(self) -> None:
        env = self.open(["sh", "-c", "echo '€uro'; seq 1 2000; sleep 1000"], False)
        first = env.read_until_ready(max_output_bytes=1000, quiet_ms=3000)
        self.assertEqual(env.reason, "limit")
        rest = env.read_until_ready(quiet_ms=3000)
        self.assertLessEqual(len(first.encode()), 1000)
        self.assertEqual(first + rest, "€uro\n" + "".join(f"{number}\n" for number in range(1, 2001)))
        self.assertEqual(env.get_history(), first + rest)

    def test_no_character_is_cut_at_any_limit(self) -> None:
        env = self.open(["sh", "-c", "printf 'a€bü😀c'; sleep 1000"], False)
        until(lambda: env.get_history() == "a€bü😀c")
        parts = []
        while True:
            part = env.read_available(max_bytes=2)
            if not part:
                break
            parts.append(part)
        self.assertEqual([part for part in parts if "�" in part], [part for part in parts if part == "�"])
        again = self.open(["sh", "-c", "printf 'a€bü😀c'; sleep 1000"], False)
        until(lambda: again.get_history() == "a€bü😀c")
        whole = [again.read_available(max_bytes=4) for _ in range(5)]
        self.assertEqual(whole, ["a€", "bü", "😀", "c", ""])

    def test_read_available_does_not_wait(self) -> None:
        env = self.open(["sh", "-c", "printf abcdef; sleep 1000"], True)
        until(lambda: env.get_history() == "abcdef")
        self.assertEqual([env.read_available(4), env.read_available(), env.read_available()], ["abcd", "ef", ""])

    def test_ctrl_c_interrupts_and_a_second_read_is_refused(self) -> None:
        env = self.open(BASH, True)
        env.read_until_ready(timeout_ms=WAIT_MS_MAX)
        # bash loses a Ctrl-C between its fork and the child's exec: here the child itself says that it has the terminal.
        hangs = "sh -c 'echo begun; exec sleep 1000'"
        results: List[str] = []
        reading = threading.Thread(
            target=lambda: results.append(env.send_and_read_until_ready(hangs, timeout_ms=WAIT_MS_MAX))
        )
        reading.start()
        until(lambda: "\nbegun\n" in env.get_history())
        for read in (env.read_until_ready, env.read_available, env.reset, lambda: env.send_and_read_until_ready("x")):
            with self.assertRaises(LecternError) as refused:
                read()
            self.assertEqual(refused.exception.code, "CONFLICT")
        env.send_ctrl_c()
        reading.join(WAIT_MS_MAX / 1000)
        self.assertIn("^C", results[0])

    def test_reset_begins_again_with_the_markers_and_keeps_the_history(self) -> None:
        env = self.open(BASH, True, ["first> "], environment={**os.environ, "PS1": "first> "})
        env.read_until_ready(timeout_ms=WAIT_MS_MAX)
        env.send_and_read_until_ready("x=5")
        env.set_ready_markers(["second> ", "first> "])
        before = env.session
        env.reset()
        self.assertNotEqual(env.session, before)
        self.assertEqual(self.client.sessions.get(before)["state"], "exited")
        env.read_until_ready(timeout_ms=WAIT_MS_MAX)
        self.assertIn("\nx is -\n", env.send_and_read_until_ready("echo x is $x-"))
        self.assertIn("x=5", env.get_history())

    def test_close_ends_the_program_and_an_end_is_seen(self) -> None:
        env = self.open(["sh", "-c", "echo last; exit 3"], True)
        self.assertEqual((env.read_until_ready(timeout_ms=WAIT_MS_MAX), env.reason), ("last\n", "exit"))
        self.assertFalse(env.is_alive())
        with self.assertRaises(LecternError) as refused:
            env.send_and_read_until_ready("more")
        self.assertEqual(refused.exception.code, "SESSION_ENDED")
        with self.open(BASH, True, keep=False) as other:
            self.assertTrue(other.is_alive())
            gone = other.session
        with self.assertRaises(LecternError):
            self.client.sessions.get(gone)
        self.assertFalse(other.is_alive())

    def test_there_is_no_attribute_assignment_and_no_shell(self) -> None:
        env = self.open(BASH, True)
        with self.assertRaises(AttributeError):
            env.foo = 1  # type: ignore[attr-defined]
        with self.assertRaises(LecternError) as refused:
            AGTerm("no such program", True, client=self.client)
        self.assertEqual(refused.exception.code, "COMMAND_NOT_FOUND")

    def test_a_line_is_typed_once_though_the_daemon_dies(self) -> None:
        env = self.open(BASH, True)
        env.read_until_ready(timeout_ms=WAIT_MS_MAX)
        results: List[str] = []
        reading = threading.Thread(
            target=lambda: results.append(
                env.send_and_read_until_ready("echo on''ce; sleep 3; echo e''nd", timeout_ms=WAIT_MS_MAX)
            )
        )
        reading.start()
        until(lambda: "\nonce\n" in env.get_history())
        self.kill_daemon()
        reading.join(2 * WAIT_MS_MAX / 1000)
        self.assertEqual((env.reason, results[0].count("\nonce\n")), ("mark", 1))
        self.assertIn("\nend\n", results[0])


if __name__ == "__main__":
    unittest.main()
