/** Sessions come and go. */
import { waits } from "../../core/waits.ts";
import { truncate } from "node:fs/promises";
import { LecternError } from "../../core/errors.ts";
import { listFiles } from "../../journal/segments.ts";
import { LABELS_MAX } from "../../protocol/names.ts";
import type { ParsedInputOf } from "../../protocol/operations.ts";
import type { Session } from "../../protocol/session.ts";
import { isRunning } from "../../pty/proc-files.ts";
import { startFor } from "../callers/child-sessions.ts";
import { createSession } from "../parts/create-session.ts";
import type { Caller, Handlers } from "../service.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import { endPrograms } from "../sessions/end-programs.ts";
import { removeForGood } from "../sessions/unregistered.ts";
import type { SessionRegistry } from "../sessions/session-registry.ts";
import { currentOptions } from "../store/stored-session.ts";
import type { Daemon } from "./context.ts";
import { signalName } from "./signal-name.ts";
import { endLeftovers } from "../../host/tagged-processes.ts";

type LifecycleHandlers = Pick<
  Handlers,
  | "sessions.list"
  | "sessions.create"
  | "sessions.get"
  | "sessions.update"
  | "sessions.remove"
  | "sessions.kill"
  | "sessions.signal"
>;

export function lifecycleHandlers(daemon: Daemon): LifecycleHandlers {
  const { registry } = daemon;
  return {
    "sessions.list": async (input, { caller }) => ({ sessions: await listSessions(registry, input, caller) }),
    "sessions.create": async (input, { caller }) => await createSession(daemon, startFor(input, caller, daemon)),
    "sessions.get": async ({ session }) => {
      const entry = registry.resolve(session);
      await entry.refresh();
      // Where the journal begins is known when it is open, and changes when it is trimmed. One that cannot be opened says so to who reads it.
      const feed = await entry.feed().catch(() => undefined);
      feed?.reader.refreshStart();
      return { ...entry.view, options: currentOptions(entry.stored) };
    },
    "sessions.update": async ({ session, name, labels }, { caller }) => {
      const entry = registry.resolve(session);
      if (labels !== undefined) daemon.callers.permitLabels(caller, entry);
      if (name !== undefined) registry.assertNameFree(name, entry);
      entry.stored = {
        ...entry.stored,
        name: name ?? entry.stored.name,
        labels: mergeLabels(entry.stored.labels, labels ?? {}),
      };
      await registry.save(entry);
      return entry.view;
    },
    "sessions.remove": async ({ session, force }) => {
      const entry = registry.resolve(session);
      if (entry.live && !force && !isWaitingForSpace(entry)) {
        const { name } = entry.stored;
        throw new LecternError(
          "SESSION_RUNNING",
          `Cannot remove session "${name}": it is running; end it with "lectern kill ${name}" or use "lectern rm --force ${name}"`,
        );
      }
      if (entry.live && !(await endPrograms(entry, waits.forcedGraceMs))) await freeJournal(entry);
      await daemon.parts.end(entry);
      await daemon.views.forget(entry);
      await daemon.prompts.forget(entry.id);
      await entry.close();
      await removeForGood(entry, registry);
      return { id: entry.id };
    },
    "sessions.kill": async ({ session, graceMs }) => {
      const entry = registry.resolve(session);
      // Programs that ignore the hang-up outlive their session.
      if (!entry.live && (await endLeftovers(entry.id, daemon.paths, graceMs))) return entry.view;
      entry.requireSeat();
      await endPrograms(entry, graceMs);
      return entry.view;
    },
    "sessions.signal": async ({ session, signal }) => {
      const entry = registry.resolve(session);
      const { client, handle } = entry.requireSeat();
      await client.call("signal", { handle, signal: signalName(signal) });
      return entry.view;
    },
  };
}

/** The newest first; those that the caller may see. */
export async function listSessions(
  registry: SessionRegistry,
  { state, label }: ParsedInputOf<"sessions.list">,
  caller: Caller,
): Promise<Session[]> {
  const entries = [...registry.all].filter(
    (entry) =>
      (caller.session === null || caller.session === entry.id) &&
      (state === undefined || entry.stored.state === state) &&
      (label === undefined || hasLabel(entry.stored.labels, label)),
  );
  await Promise.all(entries.map((entry) => entry.refresh()));
  const newestFirst = entries.toSorted((a, b) => (a.stored.createdAt < b.stored.createdAt ? 1 : -1));
  return newestFirst.map((entry) => entry.view);
}

/** Its program has ended, and its journal waits for space to record that. */
const isWaitingForSpace = ({ degraded, stored: { pid } }: SessionEntry): boolean =>
  degraded !== null && pid !== null && !isRunning(pid);

/**
 * Gives the space of a session that is about to be removed back at once: its host has the files open and tries to write the end, so
 * removing them would free nothing.
 */
async function freeJournal(entry: SessionEntry): Promise<void> {
  for (const { path } of listFiles(entry.directory)) await truncate(path);
  await entry.untilEnd(AbortSignal.timeout(waits.answerMs));
}

function hasLabel(labels: Readonly<Record<string, string>>, wanted: string): boolean {
  const [key = "", ...value] = wanted.split("=");
  return value.length === 0 ? Object.hasOwn(labels, key) : labels[key] === value.join("=");
}

function mergeLabels(
  labels: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, string | null>>,
): Record<string, string> {
  const merged = new Map(Object.entries(labels));
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) merged.delete(key);
    else merged.set(key, value);
  }
  if (merged.size > LABELS_MAX)
    throw new LecternError("INVALID_INPUT", `Cannot set labels: a session has at most ${LABELS_MAX}`);
  return Object.fromEntries(merged);
}
