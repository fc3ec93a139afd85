/**
 * A session of this process. It is made of the parts of the daemon: one pty with its journal, the views that are read off it, prompts and
 * questions. So it says and does what a session of a daemon does; only registry, search and audit log are missing, and nothing
 * outlives the process but the journal, if it is kept.
 */
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Agent } from "../core/agents/agent.ts";
import { builtInAgents } from "../core/agents/built-in-agents.ts";
import { waits } from "../core/waits.ts";
import { QuestionList } from "../daemon/approvals/question-list.ts";
import { schemaEvents } from "../daemon/parts/event-schemas-part.ts";
import { threadJobs } from "../daemon/jobs/thread-jobs.ts";
import { Prompts } from "../daemon/acting/prompts.ts";
import { defaultTimes } from "../daemon/times.ts";
import { SessionEntry } from "../daemon/sessions/session-entry.ts";
import { SessionRegistry } from "../daemon/sessions/session-registry.ts";
import { makeActDirectory, removeActDirectory } from "../daemon/sessions/act-directory.ts";
import { keepNonce } from "../daemon/sessions/shell-nonce.ts";
import { questionScreens } from "../daemon/acting/screen-answers.ts";
import { Screens } from "../daemon/views/screens.ts";
import { SessionViews } from "../daemon/views/session-views.ts";
import { SESSION_VARIABLE } from "../host/tagged-processes.ts";
import { programStart } from "../terminal/program-start.ts";
import { TemporaryDirectory } from "../terminal/temporary-directory.ts";
import { LocalCalls, type LocalParts } from "./local-calls.ts";
import { LocalHost } from "./local-host.ts";
import type { SessionCalls } from "./session-calls.ts";
import type { SessionOptions } from "./session-options.ts";
import { readOptions } from "../protocol/session-options.ts";
import { LecternError } from "../core/errors.ts";
import type { ViewChange } from "../core/views/change.ts";
import type { KeptViews } from "../daemon/store/view-store.ts";
import {
  isMovedToEnd,
  toRows,
  type ChangeQuery,
  type ChangeRow,
  type ThingQuery,
} from "../daemon/store/view-schema.ts";

/** Beyond it the oldest things are forgotten. */
const ROWS_MAX = 20_000;

/** Of the journal, where its directory is not given and where it is. */
const TEMPORARY_BYTES_MAX = 256 * 1024 * 1024;
const KEPT_BYTES_MAX = 1024 * 1024 * 1024;
const GRACE_MS = 2000;

export interface LocalSession {
  readonly calls: SessionCalls;
  readonly id: string;
  /** Ends the program and releases everything. */
  readonly end: () => Promise<void>;
}

/** Throws `COMMAND_NOT_FOUND` and the other errors of a start; then nothing is left behind. */
export async function startLocalSession(
  command: readonly [string, ...string[]],
  options: SessionOptions,
): Promise<LocalSession> {
  const stack = new AsyncDisposableStack();
  let ending: Promise<void> | undefined;
  const end = (): Promise<void> => (ending ??= stack.disposeAsync());
  try {
    const { path: directory } = stack.use(new TemporaryDirectory());
    const { parts, entry } = await openParts(command, { ...options, directory }, stack);
    await startProgram(entry, { ...options, command, directory, parts }, stack);
    return { calls: new LocalCalls(parts, entry), id: entry.id, end };
  } catch (error) {
    await end();
    throw error;
  }
}

async function openParts(
  command: readonly [string, ...string[]],
  { agents = builtInAgents, directory, ...options }: SessionOptions & { readonly directory: string },
  stack: AsyncDisposableStack,
): Promise<{ readonly parts: LocalParts; readonly entry: SessionEntry }> {
  const registry = new SessionRegistry({ putSession: async () => {}, removeSession: async () => {} });
  const { columns = 80, rows = 24, agent } = options;
  const entry = SessionEntry.fresh(
    {
      id: registry.freshId(),
      name: options.name ?? registry.freeNameFor(command),
      command: [...command],
      agent: agent ?? agents.ofArguments(command),
      workingDirectory: options.workingDirectory ?? options.cwd ?? process.cwd(),
      columns,
      rows,
      options: readOptions({ command, trustText: options.trustText === true }).options,
    },
    options.journal === undefined ? join(directory, "journal") : resolve(options.journal),
  );
  await registry.add(entry);
  stack.defer(async () => await entry.close());
  const screens = stack.use(new Screens());
  const approvals = stack.use(new QuestionList());
  const shared = { onError: warn, times: defaultTimes, questions: approvals };
  const views = stack.use(new SessionViews(new MemoryViews(), shared));
  const isOwn = (given: Agent): boolean => builtInAgents.named(given.name) !== given;
  await views.setAgents(agents.agents.filter(isOwn).map(({ file }) => file));
  views.prepare();
  approvals.screens = questionScreens(views, (session) => registry.get(session));
  const store = { rows: { putReceipt: async () => {} }, removeReceipts: async () => {} };
  const conversationRules = (name: string | null) => agents.named(name)?.conversation ?? null;
  const prompts = new Prompts({ store, views, registry, conversationRules, times: defaultTimes, onError: warn }, []);
  stack.defer(() => prompts.close());
  return { parts: { registry, views, approvals, prompts, screens, callers: thisProcess }, entry };
}

interface Starting extends SessionOptions {
  readonly command: readonly [string, ...string[]];
  /** For the socket of events. */
  readonly directory: string;
  readonly parts: Pick<LocalParts, "views">;
}

async function startProgram(entry: SessionEntry, starting: Starting, stack: AsyncDisposableStack): Promise<void> {
  const { command, directory, parts, eventSchemas = {}, journal } = starting;
  await mkdir(entry.directory, { recursive: true, mode: 0o700 });
  const { environment, nonce, workingDirectory, columns, rows } = programStart(command, starting, {
    extra: { [SESSION_VARIABLE]: entry.id },
    makeActDirectory: () => makeActDirectory(entry.directory),
  });
  stack.defer(() => removeActDirectory(entry.directory));
  if (nonce !== null) await keepNonce(entry.directory, nonce);
  const host = await LocalHost.start(
    {
      session: entry.id,
      directory: entry.directory,
      command,
      environment,
      workingDirectory,
      columns,
      rows,
      mode: "interactive",
      retainBytesMax: journal === undefined ? TEMPORARY_BYTES_MAX : KEPT_BYTES_MAX,
      events: await schemaEvents(eventSchemas, threadJobs.schemas),
    },
    {
      eventSocketPath: join(directory, "events"),
      onAdvance: (end) => entry.advance(end),
      onDegraded: (message) => entry.degrade(host, message),
      onExit: (exit, end) => entry.end(exit, end, new Date()),
      onError: warn,
    },
  );
  stack.use(host);
  entry.settle(host, host.info);
  parts.views.follow(entry, { isNew: true });
  stack.defer(async () => {
    if (!entry.live) return;
    await host.call("kill", { handle: host.info.handle, graceMs: GRACE_MS });
    await entry.untilEnd(AbortSignal.timeout(waits.answerMs));
  });
}

/** Who answers questions here. */
const thisProcess = { nameOf: (): string => `process ${process.pid}` };

/** Errors that no caller waits for. */
const warn = (error: unknown): void => process.emitWarning(error instanceof Error ? error : String(error));

/** What the views of one session report, kept in memory: the last state of each thing, as the daemon keeps it in its database. */
export class MemoryViews implements KeptViews {
  /** By kind and key, in the order in which things were first reported, or last if they move to the end. */
  readonly #rows = new Map<string, ChangeRow>();

  put(_session: string, changes: readonly ViewChange[]): void {
    for (const row of changes.flatMap(toRows)) {
      const key = `${row.kind} ${row.key}`;
      if (isMovedToEnd(row)) this.#rows.delete(key);
      const { ordinal } = this.#rows.get(key) ?? row;
      this.#rows.set(key, { ...row, ordinal });
    }
    for (const key of this.#rows.keys()) {
      if (this.#rows.size <= ROWS_MAX) break;
      this.#rows.delete(key);
    }
  }

  async changes(query: ChangeQuery): Promise<ViewChange[]> {
    return this.#select({ ...query, last: null }, "offset");
  }

  async list(query: ThingQuery): Promise<ViewChange[]> {
    return this.#select(query, "ordinal");
  }

  #select({ from, kinds, last, changesMax }: ThingQuery, column: "offset" | "ordinal"): ViewChange[] {
    const found = [...this.#rows.values()]
      .filter(({ kind, offset }) => offset >= from && (kinds as readonly string[]).includes(kind))
      .toSorted((one, other) => one[column] - other[column]);
    const wanted = last === null ? found.slice(0, changesMax) : found.slice(-Math.min(last, changesMax));
    return wanted.map(({ change }) => JSON.parse(change) as ViewChange);
  }

  async forget(): Promise<void> {
    this.#rows.clear();
  }

  async search(): Promise<never> {
    throw new LecternError("NOT_AVAILABLE", "Cannot search a session of this process: only a daemon has an index");
  }

  /** A view that is lost reads the journal again from its beginning. */
  async putCheckpoint(): Promise<void> {}

  async checkpoint(): Promise<undefined> {}

  async checkpointOffsets(): Promise<ReadonlyMap<string, number>> {
    return new Map();
  }

  async lastWords(): Promise<[]> {
    return [];
  }

  async usageHours(): Promise<[]> {
    return [];
  }

  async close(): Promise<void> {}
}
