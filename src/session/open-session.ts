import type { LecternClient } from "../client/client.ts";
import { checkOptions } from "../core/option-names.ts";
import { LecternError } from "../core/errors.ts";
import { requireNode } from "../pty/needs-node.ts";
import { LiveSession } from "./live-session.ts";
import { sessionNames, type SessionOptions } from "./session-options.ts";

/**
 * Starts a program in a terminal and gives back one object for everything about it. Without `client` it runs in this process, and ends with
 * `close()`; with it in the daemon, and keeps running. A string is the name of the program; with arguments it is a list. No shell reads it.
 * Rejects with `COMMAND_NOT_FOUND`, `COMMAND_NOT_EXECUTABLE`, `WORKING_DIRECTORY_NOT_FOUND`, `PTY_FAILED`, or an error of the daemon.
 *
 * @example
 * ```ts
 * await using session = await openSession("claude");
 * const { state, asks } = await session.prompt("Fix the test.", { waitMs: 600_000 });
 * for (const { role, text } of await session.messages()) console.log(role, text);
 * ```
 */
export async function openSession(
  command: string | readonly [string, ...string[]],
  options: SessionOptions = {},
): Promise<LiveSession> {
  checkOptions("openSession", options, sessionNames);
  const words: readonly [string, ...string[]] = typeof command === "string" ? [command] : command;
  if (options.client !== undefined) return await startInDaemon(options.client, words, options);
  requireNode("open a session");
  if (options.wire !== undefined)
    throw new LecternError(
      "INVALID_INPUT",
      'Cannot use "wire" in this process: a daemon has the gateway, give its client',
    );
  // Loaded here: who only attaches needs nothing of a daemon.
  const { startLocalSession } = await import("./local-session.ts");
  const { calls, id, end } = await startLocalSession(words, options);
  return new LiveSession(calls, id, end);
}

/**
 * A session of a daemon, by its name or id, as an object. `close` ends its streams and leaves it running. Rejects with `SESSION_NOT_FOUND`.
 *
 * @example
 * ```ts
 * await using session = await attachSession(client, "work");
 * for await (const { name, payload } of session.events()) console.log(name, payload);
 * ```
 */
export async function attachSession(client: LecternClient, session: string): Promise<LiveSession> {
  const { id } = await client.call("sessions.get", { session });
  return new LiveSession(client, id);
}

async function startInDaemon(
  client: LecternClient,
  [program, ...words]: readonly [string, ...string[]],
  { client: _, journal, agents, env, environment = env, cwd, ...options }: SessionOptions,
): Promise<LiveSession> {
  if (journal !== undefined || agents !== undefined) {
    const name = journal === undefined ? "agents" : "journal";
    throw new LecternError("INVALID_INPUT", `Cannot give "${name}" to a session of a daemon: the daemon has its own`);
  }
  const given = {
    ...(environment !== undefined && { environment: withoutUndefined(environment) }),
    ...(cwd !== undefined && { workingDirectory: options.workingDirectory ?? cwd }),
  };
  const { id } = await client.call("sessions.create", { command: [program, ...words], ...options, ...given });
  return new LiveSession(client, id);
}

const withoutUndefined = (environment: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
