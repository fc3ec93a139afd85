"""One method for each operation of the daemon; ``attach`` is in the client.

Written by ``npm run docs:protocol`` (scripts/write-python.ts): do not edit.
"""

from __future__ import annotations

from typing import Any, Dict, Iterable, Iterator, Literal, Mapping, NamedTuple, Optional, Protocol, Sequence, Union

from . import _types


class Caller(Protocol):
    """What the methods need of the client."""

    def call(self, name: str, given: Mapping[str, Any]) -> Any: ...

    def upload(self, name: str, given: Mapping[str, Any], content: Union[bytes, Iterable[bytes]]) -> Any: ...

    def read_bytes(self, name: str, given: Mapping[str, Any]) -> Iterator[bytes]: ...

    def read_items(self, name: str, given: Mapping[str, Any]) -> Iterator[Any]: ...


class Operation(NamedTuple):
    """A row of the operation table. ``wait``: the field that says how long the daemon may wait, with its default."""

    method: str
    path: str
    scope: str
    wait: Optional[str]
    wait_ms: int


OPERATIONS: Mapping[str, Operation] = {
    "daemon.info": Operation("GET", "/v1/daemon", "read", None, 0),
    "daemon.agents": Operation("GET", "/v1/agents", "read", None, 0),
    "daemon.reload": Operation("POST", "/v1/daemon/reload", "admin", None, 0),
    "daemon.stop": Operation("POST", "/v1/daemon/stop", "admin", None, 0),
    "hosts.drain": Operation("POST", "/v1/hosts/drain", "admin", None, 0),
    "machines.list": Operation("GET", "/v1/machines", "read", None, 0),
    "tokens.create": Operation("POST", "/v1/tokens", "admin", None, 0),
    "tokens.list": Operation("GET", "/v1/tokens", "admin", None, 0),
    "tokens.revoke": Operation("DELETE", "/v1/tokens/{token}", "admin", None, 0),
    "sessions.list": Operation("GET", "/v1/sessions", "read", None, 0),
    "sessions.create": Operation("POST", "/v1/sessions", "write", None, 0),
    "sessions.import": Operation("POST", "/v1/sessions/import", "write", None, 0),
    "sessions.get": Operation("GET", "/v1/sessions/{session}", "read", None, 0),
    "sessions.update": Operation("PATCH", "/v1/sessions/{session}", "write", None, 0),
    "sessions.remove": Operation("DELETE", "/v1/sessions/{session}", "write", None, 0),
    "sessions.resize": Operation("POST", "/v1/sessions/{session}/resize", "write", None, 0),
    "sessions.signal": Operation("POST", "/v1/sessions/{session}/signal", "write", None, 0),
    "sessions.kill": Operation("POST", "/v1/sessions/{session}/kill", "write", "graceMs", 2000),
    "sessions.input": Operation("POST", "/v1/sessions/{session}/input", "write", None, 0),
    "sessions.keys": Operation("POST", "/v1/sessions/{session}/keys", "write", None, 0),
    "sessions.prompt": Operation("POST", "/v1/sessions/{session}/prompts", "write", "waitMs", 0),
    "sessions.cancel": Operation("DELETE", "/v1/sessions/{session}/prompts/{key}", "write", None, 0),
    "sessions.receipts": Operation("GET", "/v1/sessions/{session}/prompts", "read", None, 0),
    "sessions.receipt": Operation("GET", "/v1/sessions/{session}/prompts/{key}", "read", "waitMs", 0),
    "sessions.exec": Operation("POST", "/v1/sessions/{session}/exec", "write", "timeoutMs", 60000),
    "sessions.abort": Operation("DELETE", "/v1/sessions/{session}/exec/{key}", "write", None, 0),
    "sessions.wait": Operation("POST", "/v1/sessions/{session}/wait", "read", "timeoutMs", 60000),
    "sessions.converse": Operation("POST", "/v1/sessions/{session}/converse", "write", "timeoutMs", 20000),
    "sessions.logs": Operation("GET", "/v1/sessions/{session}/logs", "read", None, 0),
    "sessions.records": Operation("GET", "/v1/sessions/{session}/records", "read", None, 0),
    "sessions.output": Operation("GET", "/v1/sessions/{session}/output", "read", None, 0),
    "sessions.export": Operation("GET", "/v1/sessions/{session}/export", "read", None, 0),
    "sessions.follow": Operation("GET", "/v1/sessions/{session}/follow", "read", None, 0),
    "sessions.events": Operation("GET", "/v1/sessions/{session}/events", "read", "waitMs", 0),
    "sessions.attach": Operation("GET", "/v1/sessions/{session}/attach", "read", None, 0),
    "daemon.updates": Operation("GET", "/v1/updates", "read", None, 0),
    "sessions.search": Operation("GET", "/v1/search", "read", None, 0),
    "sessions.screen": Operation("GET", "/v1/sessions/{session}/screen", "read", None, 0),
    "sessions.status": Operation("GET", "/v1/sessions/{session}/status", "read", None, 0),
    "sessions.messages": Operation("GET", "/v1/sessions/{session}/messages", "read", None, 0),
    "sessions.digest": Operation("GET", "/v1/sessions/{session}/digest", "read", None, 0),
    "sessions.changes": Operation("GET", "/v1/sessions/{session}/changes", "read", None, 0),
    "sessions.updates": Operation("GET", "/v1/sessions/{session}/updates", "read", None, 0),
    "sessions.reindex": Operation("POST", "/v1/sessions/{session}/reindex", "write", None, 0),
    "approvals.list": Operation("GET", "/v1/approvals", "read", "waitMs", 0),
    "approvals.answer": Operation("POST", "/v1/sessions/{session}/approvals/{approval}", "write", None, 0),
    "audit.list": Operation("GET", "/v1/audit", "read", "waitMs", 0),
    "audit.open": Operation("GET", "/v1/audit/open", "read", None, 0),
    "audit.find": Operation("GET", "/v1/audit/call", "read", None, 0),
    "audit.verify": Operation("POST", "/v1/audit/verify", "read", None, 0),
    "audit.append": Operation("POST", "/v1/audit", "admin", None, 0),
    "policy.get": Operation("GET", "/v1/sessions/{session}/policy", "read", None, 0),
    "policy.check": Operation("POST", "/v1/policy/check", "read", None, 0),
    "policy.replay": Operation("POST", "/v1/sessions/{session}/policy/replay", "read", None, 0),
    "blobs.get": Operation("GET", "/v1/blobs/{hash}", "read", None, 0),
    "files.put": Operation("POST", "/v1/sessions/{session}/files", "write", None, 0),
    "files.list": Operation("GET", "/v1/sessions/{session}/files", "read", None, 0),
    "files.remove": Operation("DELETE", "/v1/sessions/{session}/files/{file}", "write", None, 0),
    "cluster.status": Operation("GET", "/v1/cluster", "read", None, 0),
    "cluster.read": Operation("POST", "/v1/cluster/read", "admin", None, 0),
    "notify.list": Operation("GET", "/v1/notices", "read", None, 0),
    "notify.test": Operation("POST", "/v1/notices/test", "admin", None, 0),
    "notify.retry": Operation("POST", "/v1/notices/retry", "admin", None, 0),
    "notify.remove": Operation("DELETE", "/v1/notices/{notice}", "admin", None, 0),
    "sessions.seen": Operation("POST", "/v1/sessions/{session}/seen", "write", None, 0),
    "push.list": Operation("GET", "/v1/push/devices", "admin", None, 0),
    "push.subscribe": Operation("POST", "/v1/push/devices", "admin", None, 0),
    "push.unsubscribe": Operation("DELETE", "/v1/push/devices/{device}", "admin", None, 0),
    "sessions.resume": Operation("POST", "/v1/sessions/{session}/resume", "write", None, 0),
    "sessions.resumable": Operation("GET", "/v1/resumable", "read", None, 0),
    "tasks.list": Operation("GET", "/v1/tasks", "read", None, 0),
    "tasks.changes": Operation("GET", "/v1/sessions/{session}/task/changes", "read", None, 0),
    "tasks.diff": Operation("GET", "/v1/sessions/{session}/task/diff", "read", None, 0),
    "tasks.commit": Operation("POST", "/v1/sessions/{session}/task/commit", "write", None, 0),
    "tasks.discard": Operation("POST", "/v1/sessions/{session}/task/discard", "write", None, 0),
    "tasks.ignored": Operation("GET", "/v1/sessions/{session}/task/ignored", "read", None, 0),
    "tasks.merge": Operation("POST", "/v1/sessions/{session}/task/merge", "write", None, 0),
    "tasks.push": Operation("POST", "/v1/sessions/{session}/task/push", "write", None, 0),
    "tasks.remove": Operation("DELETE", "/v1/sessions/{session}/task", "write", None, 0),
    "usage.list": Operation("GET", "/v1/usage", "read", None, 0),
}


class DaemonOperations:
    """The operations ``daemon.*``."""

    def __init__(self, client: Caller) -> None:
        self._client = client

    def info(self) -> _types.DaemonInfo:
        """Show the daemon's version, listeners, hosts and problems.

        Needs the scope "read".
        """
        result: _types.DaemonInfo = self._client.call("daemon.info", {})
        return result

    def agents(self) -> _types.DaemonAgentsResult:
        """List known coding agents and where each is installed on the daemon's PATH.

        Needs the scope "read".
        """
        result: _types.DaemonAgentsResult = self._client.call("daemon.agents", {})
        return result

    def reload(self) -> _types.DaemonReloadResult:
        """Read the configuration again; a file with errors changes nothing.

        Needs the scope "admin" and a caller outside of all sessions.
        """
        result: _types.DaemonReloadResult = self._client.call("daemon.reload", {})
        return result

    def stop(self, *, programs: Optional[bool] = None) -> _types.DaemonStopResult:
        """Stop the daemon; programs keep running in their host unless ``programs`` is true.

        ``programs``: default False.

        Needs the scope "admin" and a caller outside of all sessions.
        """
        result: _types.DaemonStopResult = self._client.call("daemon.stop", {"programs": programs})
        return result

    def updates(
        self,
        *,
        kinds: Optional[Sequence[_types.ChangeKind]] = None,
        list: Optional[bool] = None,
        machines: Optional[bool] = None,
    ) -> Iterator[_types.DaemonUpdate]:
        """Stream changes of all sessions from now on: status, approvals, sessions that start or end.

        Needs the scope "read".
        """
        result: Iterator[_types.DaemonUpdate] = self._client.read_items(
            "daemon.updates",
            {"kinds": kinds, "list": list, "machines": machines},
        )
        return result


class HostsOperations:
    """The operations ``hosts.*``."""

    def __init__(self, client: Caller) -> None:
        self._client = client

    def drain(self) -> _types.HostsDrainResult:
        """Drain the current hosts: they take no new sessions, and the next session starts a new host.

        Needs the scope "admin" and a caller outside of all sessions.
        """
        result: _types.HostsDrainResult = self._client.call("hosts.drain", {})
        return result


class MachinesOperations:
    """The operations ``machines.*``."""

    def __init__(self, client: Caller) -> None:
        self._client = client

    def list(self) -> _types.MachinesListResult:
        """List the other machines that this daemon reaches, without asking any.

        Needs the scope "read".
        """
        result: _types.MachinesListResult = self._client.call("machines.list", {})
        return result


class TokensOperations:
    """The operations ``tokens.*``."""

    def __init__(self, client: Caller) -> None:
        self._client = client

    def create(
        self,
        *,
        scope: Optional[Literal["read", "write", "admin"]] = None,
        session: Optional[str] = None,
        label: Optional[str] = None,
        expires_in_seconds: Optional[int] = None,
    ) -> _types.TokensCreateResult:
        """Create a token; the response is the only place that contains its text.

        ``scope``: default "read", ``label``: default "".

        Needs the scope "admin" and a caller outside of all sessions.
        """
        result: _types.TokensCreateResult = self._client.call(
            "tokens.create",
            {"scope": scope, "session": session, "label": label, "expiresInSeconds": expires_in_seconds},
        )
        return result

    def list(self) -> _types.TokensListResult:
        """List tokens without their text.

        Needs the scope "admin".
        """
        result: _types.TokensListResult = self._client.call("tokens.list", {})
        return result

    def revoke(self, token: str) -> _types.Removed:
        """Revoke a token.

        Needs the scope "admin" and a caller outside of all sessions.
        """
        result: _types.Removed = self._client.call("tokens.revoke", {"token": token})
        return result


class SessionsOperations:
    """The operations ``sessions.*``."""

    def __init__(self, client: Caller) -> None:
        self._client = client

    def list(
        self,
        *,
        state: Optional[_types.SessionState] = None,
        label: Optional[str] = None,
    ) -> _types.SessionsListResult:
        """List sessions, newest first.

        Needs the scope "read".
        """
        result: _types.SessionsListResult = self._client.call("sessions.list", {"state": state, "label": label})
        return result

    def create(
        self,
        command: Sequence[str],
        *,
        name: Optional[str] = None,
        labels: Optional[Mapping[str, str]] = None,
        working_directory: Optional[str] = None,
        environment: Optional[Mapping[str, str]] = None,
        columns: Optional[int] = None,
        rows: Optional[int] = None,
        mode: Optional[Literal["interactive", "exec", "acp"]] = None,
        wire: Optional[_types.SessionsCreateWire] = None,
        sandbox: Optional[_types.SessionsCreateSandbox] = None,
        mine: Optional[bool] = None,
        retain_bytes_max: Optional[int] = None,
        worktree: Optional[_types.SessionOptionsWorktree] = None,
        prompt: Optional[str] = None,
        event_schemas: Optional[Mapping[str, Any]] = None,
        trust_text: Optional[bool] = None,
        event_tag: Optional[_types.SessionsCreateEventTag] = None,
        summaries: Optional[bool] = None,
        on_blocked: Optional[Sequence[str]] = None,
        agent: Optional[str] = None,
        shell_integration: Optional[bool] = None,
    ) -> _types.Session:
        """Start a program in a new session.

        ``labels``: default {}, ``columns``: default 120, ``rows``: default 40, ``mode``: default "interactive", ``mine``: default False, ``trust_text``: default False, ``summaries``: default False, ``shell_integration``: default True.

        Needs the scope "write".
        """
        result: _types.Session = self._client.call(
            "sessions.create",
            {"command": command, "name": name, "labels": labels, "workingDirectory": working_directory, "environment": environment, "columns": columns, "rows": rows, "mode": mode, "wire": wire, "sandbox": sandbox, "mine": mine, "retainBytesMax": retain_bytes_max, "worktree": worktree, "prompt": prompt, "eventSchemas": event_schemas, "trustText": trust_text, "eventTag": event_tag, "summaries": summaries, "onBlocked": on_blocked, "agent": agent, "shellIntegration": shell_integration},
        )
        return result

    def import_(self, content: Union[bytes, Iterable[bytes]], *, name: Optional[str] = None) -> _types.Session:
        """Create an ended session from the asciicast v2 or v3 recording in the body.

        Needs the scope "write".
        """
        result: _types.Session = self._client.upload("sessions.import", {"name": name}, content)
        return result

    def get(self, session: str) -> _types.Session:
        """Show one session.

        Needs the scope "read".
        """
        result: _types.Session = self._client.call("sessions.get", {"session": session})
        return result

    def update(
        self,
        session: str,
        *,
        name: Optional[str] = None,
        labels: Optional[Mapping[str, Optional[str]]] = None,
    ) -> _types.Session:
        """Rename a session or change its labels; a label set to null is removed.

        Needs the scope "write".
        """
        result: _types.Session = self._client.call(
            "sessions.update",
            {"session": session, "name": name, "labels": labels},
        )
        return result

    def remove(self, session: str, *, force: Optional[bool] = None) -> _types.Removed:
        """Remove an ended session and its journal; a running session only with ``force``.

        Needs the scope "write".
        """
        result: _types.Removed = self._client.call("sessions.remove", {"session": session, "force": force})
        return result

    def resize(self, session: str, columns: int, rows: int) -> _types.Session:
        """Resize the terminal of a session.

        Needs the scope "write".
        """
        result: _types.Session = self._client.call(
            "sessions.resize",
            {"session": session, "columns": columns, "rows": rows},
        )
        return result

    def signal(self, session: str, signal: str) -> _types.Session:
        """Send a signal to the foreground job of a session.

        Needs the scope "write".
        """
        result: _types.Session = self._client.call("sessions.signal", {"session": session, "signal": signal})
        return result

    def kill(self, session: str, *, grace_ms: Optional[int] = None) -> _types.Session:
        """End a session and all its processes; responds when it has ended.

        ``grace_ms``: default 2000.

        Needs the scope "write".
        """
        result: _types.Session = self._client.call("sessions.kill", {"session": session, "graceMs": grace_ms})
        return result

    def input(
        self,
        session: str,
        *,
        text: Optional[str] = None,
        data: Optional[str] = None,
        enter: Optional[bool] = None,
        paste: Optional[bool] = None,
        secret: Optional[bool] = None,
        key: Optional[str] = None,
        take: Optional[bool] = None,
    ) -> _types.Written:
        """Type text or bytes into a session.

        ``enter``: default False, ``paste``: default False, ``secret``: default False, ``take``: default False.

        Needs the scope "write".
        """
        result: _types.Written = self._client.call(
            "sessions.input",
            {"session": session, "text": text, "data": data, "enter": enter, "paste": paste, "secret": secret, "key": key, "take": take},
        )
        return result

    def keys(self, session: str, keys: Sequence[str], *, take: Optional[bool] = None) -> _types.Written:
        """Press keys by name, such as C-c, Up, Enter.

        ``take``: default False.

        Needs the scope "write".
        """
        result: _types.Written = self._client.call("sessions.keys", {"session": session, "keys": keys, "take": take})
        return result

    def prompt(
        self,
        session: str,
        text: str,
        *,
        key: Optional[str] = None,
        when_empty: Optional[bool] = None,
        due_us: Optional[int] = None,
        after_limit: Optional[bool] = None,
        literal: Optional[bool] = None,
        force: Optional[bool] = None,
        shell: Optional[bool] = None,
        wait_ms: Optional[int] = None,
        through_questions: Optional[bool] = None,
    ) -> _types.AnsweredReceipt:
        """Type a prompt once when the program is at its prompt, press Enter, and return its receipt.

        ``when_empty``: default False, ``after_limit``: default False, ``literal``: default False, ``force``: default False, ``shell``: default False, ``wait_ms``: default 0, ``through_questions``: default False.

        Needs the scope "write".
        """
        result: _types.AnsweredReceipt = self._client.call(
            "sessions.prompt",
            {"session": session, "text": text, "key": key, "whenEmpty": when_empty, "dueUs": due_us, "afterLimit": after_limit, "literal": literal, "force": force, "shell": shell, "waitMs": wait_ms, "throughQuestions": through_questions},
        )
        return result

    def cancel(self, session: str, key: str) -> _types.Receipt:
        """Cancel a prompt that is scheduled or waiting to be typed; refused if part of it may have been typed.

        Needs the scope "write".
        """
        result: _types.Receipt = self._client.call("sessions.cancel", {"session": session, "key": key})
        return result

    def receipts(self, session: str) -> _types.SessionsReceiptsResult:
        """List the receipts of the prompts of a session, oldest first.

        Needs the scope "read".
        """
        result: _types.SessionsReceiptsResult = self._client.call("sessions.receipts", {"session": session})
        return result

    def receipt(
        self,
        session: str,
        key: str,
        *,
        wait_ms: Optional[int] = None,
        through_questions: Optional[bool] = None,
    ) -> _types.AnsweredReceipt:
        """Show the receipt of one prompt; with ``waitMs`` wait until it is done or failed, or the session asks a question.

        Needs the scope "read".
        """
        result: _types.AnsweredReceipt = self._client.call(
            "sessions.receipt",
            {"session": session, "key": key, "waitMs": wait_ms, "throughQuestions": through_questions},
        )
        return result

    def exec(
        self,
        session: str,
        command: str,
        *,
        timeout_ms: Optional[int] = None,
        output_bytes_max: Optional[int] = None,
        inside: Optional[bool] = None,
        prompt: Optional[str] = None,
        raw: Optional[bool] = None,
        key: Optional[str] = None,
    ) -> _types.CommandResult:
        """Run a command at the prompt of a session and return its output; exact output and exit code if the shell sends marks.

        ``timeout_ms``: default 60000, ``output_bytes_max``: default 1048576, ``inside``: default False, ``raw``: default False.

        Needs the scope "write".
        """
        result: _types.CommandResult = self._client.call(
            "sessions.exec",
            {"session": session, "command": command, "timeoutMs": timeout_ms, "outputBytesMax": output_bytes_max, "inside": inside, "prompt": prompt, "raw": raw, "key": key},
        )
        return result

    def abort(self, session: str, key: str) -> _types.SessionsAbortResult:
        """Abort a command of ``sessions.exec``: it is not typed, or it gets Ctrl-C if it was typed.

        Needs the scope "write".
        """
        result: _types.SessionsAbortResult = self._client.call("sessions.abort", {"session": session, "key": key})
        return result

    def wait(
        self,
        session: str,
        for_: Union[_types.SessionsWaitForExit, _types.SessionsWaitForReady, _types.SessionsWaitForOutput, _types.SessionsWaitForQuiet, _types.SessionsWaitForStatus, _types.SessionsWaitForEvent],
        *,
        from_: Optional[int] = None,
        timeout_ms: Optional[int] = None,
    ) -> _types.SessionsWaitResult:
        """Wait for the exit, readiness, output, quiet, a status or an event; a timeout is a result, not an error.

        ``timeout_ms``: default 60000.

        Needs the scope "read".
        """
        result: _types.SessionsWaitResult = self._client.call(
            "sessions.wait",
            {"session": session, "for": for_, "from": from_, "timeoutMs": timeout_ms},
        )
        return result

    def converse(
        self,
        session: str,
        for_: _types.SessionsWaitForReady,
        from_: int,
        *,
        text: Optional[str] = None,
        key: Optional[str] = None,
        take: Optional[bool] = None,
        bytes_max: Optional[int] = None,
        timeout_ms: Optional[int] = None,
    ) -> _types.SessionsConverseResult:
        """Type text, wait until the program is ready, and read what it printed: one request for each line of a conversation.

        ``take``: default False, ``bytes_max``: default 2097152, ``timeout_ms``: default 20000.

        Needs the scope "write".
        """
        result: _types.SessionsConverseResult = self._client.call(
            "sessions.converse",
            {"session": session, "text": text, "key": key, "take": take, "for": for_, "from": from_, "bytesMax": bytes_max, "timeoutMs": timeout_ms},
        )
        return result

    def logs(
        self,
        session: str,
        *,
        tail: Optional[int] = None,
        from_: Optional[int] = None,
        bytes_max: Optional[int] = None,
        raw: Optional[bool] = None,
    ) -> _types.SessionsLogsResult:
        """Read the end of the output, or a page from an offset on, as text without escape sequences.

        Needs the scope "read".
        """
        result: _types.SessionsLogsResult = self._client.call(
            "sessions.logs",
            {"session": session, "tail": tail, "from": from_, "bytesMax": bytes_max, "raw": raw},
        )
        return result

    def records(
        self,
        session: str,
        *,
        from_: Optional[int] = None,
        bytes_max: Optional[int] = None,
        types: Optional[Sequence[Literal["output", "input", "resize", "mark", "exit", "gap"]]] = None,
    ) -> _types.SessionsRecordsResult:
        """Read records from an offset, at most ``bytesMax`` of payload.

        Needs the scope "read".
        """
        result: _types.SessionsRecordsResult = self._client.call(
            "sessions.records",
            {"session": session, "from": from_, "bytesMax": bytes_max, "types": types},
        )
        return result

    def output(
        self,
        session: str,
        *,
        from_: Optional[int] = None,
        tail_bytes: Optional[int] = None,
        follow: Optional[bool] = None,
    ) -> Iterator[bytes]:
        """Read the recorded output bytes from an offset or the last ``tailBytes``; with ``follow`` until the exit; header ``lectern-trimmed`` if some are missing, trailer ``lectern-damaged`` if some are damaged.

        Needs the scope "read".
        """
        result: Iterator[bytes] = self._client.read_bytes(
            "sessions.output",
            {"session": session, "from": from_, "tailBytes": tail_bytes, "follow": follow},
        )
        return result

    def export(
        self,
        session: str,
        *,
        format: Optional[Literal["asciicast-v3", "asciicast-v2", "raw", "text", "otlp-json"]] = None,
        content: Optional[bool] = None,
    ) -> Iterator[bytes]:
        """Export the whole recording in another format, or its turns, requests and tool calls as spans of OpenTelemetry; header ``lectern-trimmed`` if its start is missing, trailer ``lectern-damaged`` if parts are damaged.

        ``format``: default "asciicast-v3".

        Needs the scope "read".
        """
        result: Iterator[bytes] = self._client.read_bytes(
            "sessions.export",
            {"session": session, "format": format, "content": content},
        )
        return result

    def follow(
        self,
        session: str,
        *,
        from_: Optional[int] = None,
        types: Optional[Sequence[Literal["output", "input", "resize", "mark", "exit", "gap"]]] = None,
    ) -> Iterator[_types.SessionRecord]:
        """Stream records from an offset until the exit.

        Needs the scope "read".
        """
        result: Iterator[_types.SessionRecord] = self._client.read_items(
            "sessions.follow",
            {"session": session, "from": from_, "types": types},
        )
        return result

    def events(
        self,
        session: str,
        *,
        from_: Optional[int] = None,
        name: Optional[str] = None,
        trust: Optional[Literal["unverified", "text", "nonce", "encoded", "wire", "socket", "derived"]] = None,
        limit: Optional[int] = None,
        wait_ms: Optional[int] = None,
    ) -> _types.SessionsEventsResult:
        """List the typed events that programs of a session sent; with ``waitMs`` wait for the next one.

        ``trust``: default "unverified".

        Needs the scope "read".
        """
        result: _types.SessionsEventsResult = self._client.call(
            "sessions.events",
            {"session": session, "from": from_, "name": name, "trust": trust, "limit": limit, "waitMs": wait_ms},
        )
        return result

    def search(
        self,
        words: str,
        *,
        session: Optional[str] = None,
        role: Optional[str] = None,
        since_us: Optional[int] = None,
        hits_max: Optional[int] = None,
    ) -> _types.SessionsSearchResult:
        """Search messages, events and commands of all sessions, newest first.

        Needs the scope "read".
        """
        result: _types.SessionsSearchResult = self._client.call(
            "sessions.search",
            {"words": words, "session": session, "role": role, "sinceUs": since_us, "hitsMax": hits_max},
        )
        return result

    def screen(
        self,
        session: str,
        *,
        scrollback: Optional[bool] = None,
        ansi: Optional[bool] = None,
    ) -> _types.SessionsScreenResult:
        """Show the current screen of the terminal.

        Needs the scope "read".
        """
        result: _types.SessionsScreenResult = self._client.call(
            "sessions.screen",
            {"session": session, "scrollback": scrollback, "ansi": ansi},
        )
        return result

    def status(self, session: str) -> _types.SessionsStatusResult:
        """Show a session's status and the evidence for it.

        Needs the scope "read".
        """
        result: _types.SessionsStatusResult = self._client.call("sessions.status", {"session": session})
        return result

    def messages(
        self,
        session: str,
        *,
        after: Optional[int] = None,
        last: Optional[int] = None,
        roles: Optional[Sequence[_types.Role]] = None,
    ) -> _types.SessionsMessagesResult:
        """Show the conversation as messages, oldest first.

        Needs the scope "read".
        """
        result: _types.SessionsMessagesResult = self._client.call(
            "sessions.messages",
            {"session": session, "after": after, "last": last, "roles": roles},
        )
        return result

    def digest(self, session: str, *, turn: Optional[Literal["last", "all"]] = None) -> _types.SessionsDigestResult:
        """Summarize a session or its last turn: answer, commands, tools, files, times, tokens, open question.

        ``turn``: default "all".

        Needs the scope "read".
        """
        result: _types.SessionsDigestResult = self._client.call("sessions.digest", {"session": session, "turn": turn})
        return result

    def changes(
        self,
        session: str,
        *,
        from_: Optional[int] = None,
        kinds: Optional[Sequence[_types.ChangeKind]] = None,
        changes_max: Optional[int] = None,
    ) -> _types.SessionsChangesResult:
        """List the changes of a session's views in order; continue from ``next``.

        Needs the scope "read".
        """
        result: _types.SessionsChangesResult = self._client.call(
            "sessions.changes",
            {"session": session, "from": from_, "kinds": kinds, "changesMax": changes_max},
        )
        return result

    def updates(
        self,
        session: str,
        *,
        from_: Optional[int] = None,
        kinds: Optional[Sequence[_types.UpdateKind]] = None,
    ) -> Iterator[_types.SessionUpdate]:
        """Stream the changes of a session's views and prompts, by default from the beginning; changes at the resume offset are sent again.

        Needs the scope "read".
        """
        result: Iterator[_types.SessionUpdate] = self._client.read_items(
            "sessions.updates",
            {"session": session, "from": from_, "kinds": kinds},
        )
        return result

    def reindex(self, session: str) -> _types.SessionsReindexResult:
        """Rebuild status, messages, events and search from the journal.

        Needs the scope "write".
        """
        result: _types.SessionsReindexResult = self._client.call("sessions.reindex", {"session": session})
        return result

    def seen(self, session: str) -> _types.Removed:
        """Report that a person has a session in front, so that notices about it are not needed.

        Needs the scope "write" and a caller outside of all sessions.
        """
        result: _types.Removed = self._client.call("sessions.seen", {"session": session})
        return result

    def resume(
        self,
        session: str,
        *,
        conversation: Optional[str] = None,
        name: Optional[str] = None,
        environment: Optional[Mapping[str, str]] = None,
        columns: Optional[int] = None,
        rows: Optional[int] = None,
        restart: Optional[bool] = None,
    ) -> _types.Session:
        """Start the agent of an ended session again with its own conversation, in a new session.

        ``restart``: default False.

        Needs the scope "write" and a caller outside of all sessions.
        """
        result: _types.Session = self._client.call(
            "sessions.resume",
            {"session": session, "conversation": conversation, "name": name, "environment": environment, "columns": columns, "rows": rows, "restart": restart},
        )
        return result

    def resumable(
        self,
        *,
        lost: Optional[bool] = None,
        restart: Optional[bool] = None,
        home: Optional[str] = None,
    ) -> _types.SessionsResumableResult:
        """List ended sessions with what resuming each would do, newest first, at most 500.

        Needs the scope "read".
        """
        result: _types.SessionsResumableResult = self._client.call(
            "sessions.resumable",
            {"lost": lost, "restart": restart, "home": home},
        )
        return result


class ApprovalsOperations:
    """The operations ``approvals.*``."""

    def __init__(self, client: Caller) -> None:
        self._client = client

    def list(
        self,
        *,
        session: Optional[str] = None,
        version: Optional[int] = None,
        wait_ms: Optional[int] = None,
    ) -> _types.ApprovalsListResult:
        """List open questions, of all sessions or of one.

        Needs the scope "read".
        """
        result: _types.ApprovalsListResult = self._client.call(
            "approvals.list",
            {"session": session, "version": version, "waitMs": wait_ms},
        )
        return result

    def answer(
        self,
        session: str,
        approval: str,
        option: str,
        digest: str,
        *,
        by: Optional[str] = None,
    ) -> _types.SessionApproval:
        """Answer a question with the id of an option, or with allow or deny; refused if the question has changed since it was read.

        Needs the scope "write" and a caller outside of all sessions.
        """
        result: _types.SessionApproval = self._client.call(
            "approvals.answer",
            {"session": session, "approval": approval, "option": option, "digest": digest, "by": by},
        )
        return result


class AuditOperations:
    """The operations ``audit.*``."""

    def __init__(self, client: Caller) -> None:
        self._client = client

    def list(
        self,
        *,
        session: Optional[str] = None,
        call: Optional[str] = None,
        from_: Optional[int] = None,
        limit: Optional[int] = None,
        wait_ms: Optional[int] = None,
    ) -> _types.AuditListResult:
        """Read rows of the audit log from a position, or the last ones.

        Needs the scope "read".
        """
        result: _types.AuditListResult = self._client.call(
            "audit.list",
            {"session": session, "call": call, "from": from_, "limit": limit, "waitMs": wait_ms},
        )
        return result

    def open(self, *, limit: Optional[int] = None) -> _types.AuditOpenResult:
        """List calls without a final row: undecided, allowed but not started, or started without an outcome.

        Needs the scope "read".
        """
        result: _types.AuditOpenResult = self._client.call("audit.open", {"limit": limit})
        return result

    def find(self, session: str, call: str) -> _types.AuditFindResult:
        """Show what the audit log contains about one call.

        Needs the scope "read".
        """
        result: _types.AuditFindResult = self._client.call("audit.find", {"session": session, "call": call})
        return result

    def verify(self, *, head: Optional[_types.AuditVerificationIntactHead] = None) -> _types.AuditVerification:
        """Verify the hash chain of the audit log and report the first row that was changed, removed or inserted.

        Needs the scope "read".
        """
        result: _types.AuditVerification = self._client.call("audit.verify", {"head": head})
        return result

    def append(
        self,
        rows: Sequence[Union[_types.AuditAppendRowsItemDecision, _types.AuditAppendRowsItemAnswer, _types.AuditAppendRowsItemStart, _types.AuditAppendRowsItemOutcome]],
    ) -> Dict[str, Any]:
        """Append rows of an executor outside the daemon; responds when they are on disk.

        Needs the scope "admin".
        """
        result: Dict[str, Any] = self._client.call("audit.append", {"rows": rows})
        return result


class PolicyOperations:
    """The operations ``policy.*``."""

    def __init__(self, client: Caller) -> None:
        self._client = client

    def get(self, session: str) -> _types.PolicyGetResult:
        """Show the policy that decides about the calls of a session.

        Needs the scope "read".
        """
        result: _types.PolicyGetResult = self._client.call("policy.get", {"session": session})
        return result

    def check(self, policy: str) -> _types.PolicyCheckResult:
        """Check the text of a policy and list its problems by line; an invalid policy is a result, not an error.

        Needs the scope "read".
        """
        result: _types.PolicyCheckResult = self._client.call("policy.check", {"policy": policy})
        return result

    def replay(self, session: str, policy: str) -> _types.PolicyReplayResult:
        """Apply a policy to the tool calls in a session's journal; nothing is executed.

        Needs the scope "read".
        """
        result: _types.PolicyReplayResult = self._client.call("policy.replay", {"session": session, "policy": policy})
        return result


class BlobsOperations:
    """The operations ``blobs.*``."""

    def __init__(self, client: Caller) -> None:
        self._client = client

    def get(self, hash: str) -> Iterator[bytes]:
        """Read the full bytes of truncated output by SHA-256, or by its first 8 or more characters.

        Needs the scope "read".
        """
        result: Iterator[bytes] = self._client.read_bytes("blobs.get", {"hash": hash})
        return result


class FilesOperations:
    """The operations ``files.*``."""

    def __init__(self, client: Caller) -> None:
        self._client = client

    def put(
        self,
        session: str,
        name: str,
        content: Union[bytes, Iterable[bytes]],
        *,
        paste: Optional[bool] = None,
    ) -> _types.FilesPutResult:
        """Put the file in the body beside a session, for its program; 50 MiB at most.

        Needs the scope "write".
        """
        result: _types.FilesPutResult = self._client.upload(
            "files.put",
            {"session": session, "name": name, "paste": paste},
            content,
        )
        return result

    def list(self, session: str) -> _types.FilesListResult:
        """List the files that were put beside a session.

        Needs the scope "read".
        """
        result: _types.FilesListResult = self._client.call("files.list", {"session": session})
        return result

    def remove(self, session: str, file: str) -> _types.FilesRemoveResult:
        """Remove a file that was put beside a session.

        Needs the scope "write".
        """
        result: _types.FilesRemoveResult = self._client.call("files.remove", {"session": session, "file": file})
        return result


class ClusterOperations:
    """The operations ``cluster.*``."""

    def __init__(self, client: Caller) -> None:
        self._client = client

    def status(self) -> _types.ClusterStatusResult:
        """Show the connection to the cluster, and its machines.

        Needs the scope "read".
        """
        result: _types.ClusterStatusResult = self._client.call("cluster.status", {})
        return result

    def read(self) -> _types.ClusterStatusResult:
        """Read the token of the cluster again: connect, or leave if there is none any more.

        Needs the scope "admin" and a caller outside of all sessions.
        """
        result: _types.ClusterStatusResult = self._client.call("cluster.read", {})
        return result


class NotifyOperations:
    """The operations ``notify.*``."""

    def __init__(self, client: Caller) -> None:
        self._client = client

    def list(
        self,
        *,
        state: Optional[Literal["pending", "sent", "dead", "withdrawn"]] = None,
        limit: Optional[int] = None,
    ) -> _types.NotifyListResult:
        """List notices, newest first, and the channels, without secrets.

        Needs the scope "read".
        """
        result: _types.NotifyListResult = self._client.call("notify.list", {"state": state, "limit": limit})
        return result

    def test(self, channel: str) -> _types.NotifyTestResult:
        """Send a test notice to a channel now, and return its answer.

        Needs the scope "admin" and a caller outside of all sessions.
        """
        result: _types.NotifyTestResult = self._client.call("notify.test", {"channel": channel})
        return result

    def retry(self, *, ids: Optional[Sequence[str]] = None) -> _types.NotifyRetryResult:
        """Send notices again now; without ids, all dead ones.

        Needs the scope "admin" and a caller outside of all sessions.
        """
        result: _types.NotifyRetryResult = self._client.call("notify.retry", {"ids": ids})
        return result

    def remove(self, notice: str) -> _types.Removed:
        """Remove a notice; one that is pending is not sent.

        Needs the scope "admin" and a caller outside of all sessions.
        """
        result: _types.Removed = self._client.call("notify.remove", {"notice": notice})
        return result


class PushOperations:
    """The operations ``push.*``."""

    def __init__(self, client: Caller) -> None:
        self._client = client

    def list(self) -> _types.PushListResult:
        """List the devices that get notices, and the key that a browser subscribes with.

        Needs the scope "admin" and a caller outside of all sessions.
        """
        result: _types.PushListResult = self._client.call("push.list", {})
        return result

    def subscribe(
        self,
        endpoint: str,
        keys: _types.PushSubscribeKeys,
        *,
        label: Optional[str] = None,
        replaces: Optional[str] = None,
    ) -> _types.PushListResultDevicesItem:
        """Send notices to a browser by its push subscription; the same browser again replaces itself.

        ``label``: default "".

        Needs the scope "admin" and a caller outside of all sessions.
        """
        result: _types.PushListResultDevicesItem = self._client.call(
            "push.subscribe",
            {"endpoint": endpoint, "keys": keys, "label": label, "replaces": replaces},
        )
        return result

    def unsubscribe(self, device: str) -> _types.Removed:
        """Send no more notices to a device.

        Needs the scope "admin" and a caller outside of all sessions.
        """
        result: _types.Removed = self._client.call("push.unsubscribe", {"device": device})
        return result


class TasksOperations:
    """The operations ``tasks.*``."""

    def __init__(self, client: Caller) -> None:
        self._client = client

    def list(self) -> _types.TasksListResult:
        """List the worktrees of sessions, newest first.

        Needs the scope "read".
        """
        result: _types.TasksListResult = self._client.call("tasks.list", {})
        return result

    def changes(self, session: str) -> _types.TasksChangesResult:
        """List the files that differ in the worktree of a session from the base of its branch.

        Needs the scope "read".
        """
        result: _types.TasksChangesResult = self._client.call("tasks.changes", {"session": session})
        return result

    def diff(
        self,
        session: str,
        *,
        path: Optional[str] = None,
        from_: Optional[str] = None,
        context_lines: Optional[int] = None,
        bytes_max: Optional[int] = None,
    ) -> _types.TasksDiffResult:
        """Show the patch of one file, or of all, against the base of the branch.

        Needs the scope "read".
        """
        result: _types.TasksDiffResult = self._client.call(
            "tasks.diff",
            {"session": session, "path": path, "from": from_, "contextLines": context_lines, "bytesMax": bytes_max},
        )
        return result

    def commit(
        self,
        session: str,
        message: str,
        *,
        confirm: Optional[str] = None,
        hooks: Optional[bool] = None,
    ) -> _types.TasksCommitResult:
        """Commit everything that differs in the worktree of a session on its branch; hooks run only if asked for.

        ``hooks``: default False.

        Needs the scope "write" and a caller outside of all sessions.
        """
        result: _types.TasksCommitResult = self._client.call(
            "tasks.commit",
            {"session": session, "message": message, "confirm": confirm, "hooks": hooks},
        )
        return result

    def discard(self, session: str, confirm: str, *, path: Optional[str] = None) -> _types.TasksDiscardResult:
        """Discard what is not committed in the worktree of a session: everything, or one file.

        Needs the scope "write" and a caller outside of all sessions.
        """
        result: _types.TasksDiscardResult = self._client.call(
            "tasks.discard",
            {"session": session, "path": path, "confirm": confirm},
        )
        return result

    def ignored(self, session: str) -> _types.TasksChangesResultUncommitted:
        """List the ignored files in the worktree of a session, which are removed with it.

        Needs the scope "read".
        """
        result: _types.TasksChangesResultUncommitted = self._client.call("tasks.ignored", {"session": session})
        return result

    def merge(
        self,
        session: str,
        *,
        into: Optional[str] = None,
        confirm: Optional[str] = None,
    ) -> _types.TasksMergeResult:
        """Merge the branch of a session's worktree into the branch it came from; conflicts are named, and change nothing.

        Needs the scope "write" and a caller outside of all sessions.
        """
        result: _types.TasksMergeResult = self._client.call(
            "tasks.merge",
            {"session": session, "into": into, "confirm": confirm},
        )
        return result

    def push(
        self,
        session: str,
        *,
        remote: Optional[str] = None,
        pull_request: Optional[bool] = None,
        confirm: Optional[str] = None,
    ) -> _types.TasksPushResult:
        """Push the branch of a session's worktree to a remote, and open a pull request there if asked for.

        ``remote``: default "origin", ``pull_request``: default False.

        Needs the scope "write" and a caller outside of all sessions.
        """
        result: _types.TasksPushResult = self._client.call(
            "tasks.push",
            {"session": session, "remote": remote, "pullRequest": pull_request, "confirm": confirm},
        )
        return result

    def remove(
        self,
        session: str,
        *,
        force: Optional[bool] = None,
        branch: Optional[Literal["keep", "merged", "delete"]] = None,
    ) -> _types.TasksRemoveResult:
        """Remove the worktree of ended sessions; the branch stays unless it is merged.

        ``branch``: default "merged".

        Needs the scope "write" and a caller outside of all sessions.
        """
        result: _types.TasksRemoveResult = self._client.call(
            "tasks.remove",
            {"session": session, "force": force, "branch": branch},
        )
        return result


class UsageOperations:
    """The operations ``usage.*``."""

    def __init__(self, client: Caller) -> None:
        self._client = client

    def list(
        self,
        *,
        by: Optional[Literal["session", "agent", "model", "day", "label"]] = None,
        label: Optional[str] = None,
        since: Optional[str] = None,
        time_zone: Optional[str] = None,
    ) -> _types.UsageListResult:
        """Add up tokens and cost of all sessions with the gateway, by session, agent, model, day or label.

        ``by``: default "day", ``time_zone``: default "UTC".

        Needs the scope "read".
        """
        result: _types.UsageListResult = self._client.call(
            "usage.list",
            {"by": by, "label": label, "since": since, "timeZone": time_zone},
        )
        return result


class Groups:
    """All operations, by group."""

    def __init__(self, client: Caller) -> None:
        self.daemon = DaemonOperations(client)
        self.hosts = HostsOperations(client)
        self.machines = MachinesOperations(client)
        self.tokens = TokensOperations(client)
        self.sessions = SessionsOperations(client)
        self.approvals = ApprovalsOperations(client)
        self.audit = AuditOperations(client)
        self.policy = PolicyOperations(client)
        self.blobs = BlobsOperations(client)
        self.files = FilesOperations(client)
        self.cluster = ClusterOperations(client)
        self.notify = NotifyOperations(client)
        self.push = PushOperations(client)
        self.tasks = TasksOperations(client)
        self.usage = UsageOperations(client)
