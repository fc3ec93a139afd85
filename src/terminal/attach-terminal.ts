/**
 * Terminals on a session of the daemon, over a client. Only types of the client are named here, so that this floor does not depend on it.
 *
 * Output comes over an attachment, which survives the daemon; input is sent in requests of its own, whose answer is where the input is in
 * the journal. Commands are run by the daemon, which knows the nonce of the shell's marks; for reads the marks of any shell count.
 */
import { checkOptions } from "../core/option-names.ts";
import type { InputOf, OutputOf } from "../protocol/operations.ts";
import { execInput, toRunResult } from "./exec-result.ts";
import type { RunResult } from "./run-command.ts";
import { TERMINAL_LOOK_BACK_BYTES, SessionSource, type SessionItem, type SessionLink } from "./session-source.ts";
import type { RunOptions } from "./terminal-options.ts";
import type { SourceItem, TerminalSource } from "./terminal-source.ts";
import { Terminal } from "./terminal.ts";
import { settingsNames, type TerminalSettings } from "./terminal-link.ts";

type Called = "sessions.get" | "sessions.input" | "sessions.exec" | "sessions.kill" | "sessions.create";

/** What is needed of a `LecternClient`. */
export interface SessionClient {
  call<Name extends Called>(
    name: Name,
    input: InputOf<Name>,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<OutputOf<Name>>;
  attach(session: string, options: { readonly from?: number; readonly lossless?: boolean }): Promise<SessionItems>;
}

interface SessionItems extends AsyncIterable<SessionItem>, AsyncDisposable {}

/**
 * Opens a terminal on a session of the daemon. `close` detaches and leaves the session running; `reset` ends the session and starts its
 * command again under the same name.
 *
 * @example
 * ```ts
 * await using terminal = await attachTerminal(client, "work");
 * await terminal.run("make test", { timeoutMs: 600_000 });
 * ```
 */
export async function attachTerminal(
  client: SessionClient,
  session: string,
  settings: TerminalSettings = {},
): Promise<Terminal> {
  checkOptions("attachTerminal", settings, settingsNames);
  const found = await client.call("sessions.get", { session });
  let id: string | undefined;
  const open = async (receive: (item: SourceItem) => void): Promise<TerminalSource> => {
    id = id === undefined ? found.id : await restarted(client, id);
    return openAttachedSource(client, id, receive);
  };
  return Terminal.over(open, found.command, settings);
}

async function restarted(client: SessionClient, id: string): Promise<string> {
  const old = await client.call("sessions.get", { session: id });
  const { name, command, labels, workingDirectory, columns, rows, options, state } = old;
  if (state === "running" || state === "starting") await client.call("sessions.kill", { session: id });
  const [program = "", ...words] = command;
  const created = await client.call("sessions.create", {
    ...options,
    // It starts in the worktree of the old one.
    worktree: undefined,
    command: [program, ...words],
    name,
    labels,
    workingDirectory,
    columns,
    rows,
  });
  return created.id;
}

async function openAttachedSource(
  client: SessionClient,
  session: string,
  receive: (item: SourceItem) => void,
): Promise<TerminalSource> {
  const { start, end, columns, rows } = await client.call("sessions.get", { session });
  const from = Math.max(start, end - TERMINAL_LOOK_BACK_BYTES);
  const items = await client.attach(session, { from, lossless: true });
  const link: SessionLink = {
    nonce: null,
    actDirectory: null,
    leaderPid: null,
    // Commands are typed by the daemon.
    size: () => ({ columns, rows }),
    items,
    start: from,
    end,
    write: async (bytes) => {
      const data = Buffer.from(bytes).toString("base64");
      return await client.call("sessions.input", { session, data });
    },
    close: async () => await items[Symbol.asyncDispose](),
  };
  const source = await SessionSource.open(link, receive);
  const run = async (command: string, options: RunOptions): Promise<RunResult> => {
    const ran = await client.call("sessions.exec", execInput(session, command, options), { signal: options.signal });
    await source.readTo(ran.next);
    return toRunResult(ran, source.lastProbe);
  };
  return Object.assign(source, { run });
}
