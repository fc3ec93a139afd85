/** A `DaemonService` without processes or files: sessions are lists in memory, and their program is an echo. */
import { Readable } from "node:stream";
import { Buffer } from "node:buffer";
import { noSubject, type Approval } from "../../src/core/dialogs/approval.ts";
import { LecternError } from "../../src/core/errors.ts";
import type { ByteBody, CallContext, Caller, DaemonService, Handlers, ItemStream } from "../../src/daemon/service.ts";
import { recordStream } from "../../src/daemon/operations/reading.ts";
import { operationNames, type OperationName } from "../../src/protocol/operations.ts";
import { MemoryCursor, MemorySession } from "./memory-session.ts";

/** Tokens that are good from the start. */
export const tokens = {
  admin: "admin-token-0000000000000000000000000000000",
  write: "write-token-0000000000000000000000000000000",
  read: "read-token-00000000000000000000000000000000",
  /** For the session "one" only. */
  one: "one-token-000000000000000000000000000000000",
} as const;

export class MemoryService implements DaemonService {
  readonly sessions: MemorySession[] = [];
  readonly #callers = new Map<string, Caller>();
  /** Every recording that was imported, as it came. */
  readonly imported: Buffer[] = [];
  /** Each input of `sessions.create`, as the handler got it. */
  readonly created: unknown[] = [];

  constructor() {
    const one = this.add("one");
    this.#callers.set(tokens.admin, { scope: "admin", session: null });
    this.#callers.set(tokens.write, { scope: "write", session: null });
    this.#callers.set(tokens.read, { scope: "read", session: null });
    this.#callers.set(tokens.one, { scope: "write", session: one.id });
  }

  add(name: string): MemorySession {
    const number = String(this.sessions.length + 1);
    const session = new MemorySession(`s${number.padStart(11, "0")}`, name);
    this.sessions.unshift(session);
    return session;
  }

  find(reference: string): MemorySession {
    const found = this.sessions.find(({ id, name }) => id === reference || name === reference);
    if (found !== undefined) return found;
    throw new LecternError("SESSION_NOT_FOUND", `Cannot find session "${reference}": list sessions with "lectern ls"`);
  }

  readonly answerLink: DaemonService["answerLink"] = () =>
    Promise.resolve({ type: "end", status: 404, text: "This link is unknown" });
  readonly machineTransport: DaemonService["machineTransport"] = (name) =>
    Promise.reject(new LecternError("MACHINE_NOT_FOUND", `Cannot find machine "${name}"`));
  readonly resolve = (reference: string): string => this.find(reference).id;
  readonly originOf: DaemonService["originOf"] = () => ({ type: "unchecked" });
  readonly permit: DaemonService["permit"] = () => undefined;
  readonly authenticate = (token: string): Caller | undefined => this.#callers.get(token);

  /** Reasons of the requests that were refused. */
  readonly rejections: string[] = [];
  readonly metrics: DaemonService["metrics"] = {
    rejected: (reason) => void this.rejections.push(reason),
    render: (format) => Promise.resolve(`# ${format}\n`),
  };

  /** True for an operation that is refused here. */
  needsDaemon(name: OperationName): boolean {
    return (this.handlers as Readonly<Partial<Record<OperationName, unknown>>>)[name] === refuse;
  }

  readonly handlers: Handlers = {
    ...unsupported(),
    "sessions.follow": async ({ session, from, types }, { signal }) => {
      const found = this.find(session);
      return recordStream(new MemoryCursor(found, from ?? found.end), types, signal);
    },
    "sessions.attach": async ({ session, from, tailBytes }) => {
      const found = this.find(session);
      const cursor = new MemoryCursor(found, from ?? Math.max(0, found.end - (tailBytes ?? 65_536)));
      return {
        sessionId: found.id,
        cursor,
        columns: found.columns,
        rows: found.rows,
        initial: undefined,
        input: async (bytes) => void (await found.type(bytes)),
        take: () => undefined,
        watchNotices: () => undefined,
        watchWriter: () => ({ [Symbol.dispose]: () => undefined }),
        setWindow: async () => undefined,
        resize: async ({ columns, rows }) => found.resize(columns, rows),
        signal: async (name) => found.finish({ reason: "signaled", code: null, signal: name }),
        snapshot: async () => found.snapshot?.(),
        [Symbol.dispose]: () => cursor[Symbol.dispose](),
      };
    },
    "sessions.output": async ({ session, from = 0, follow }, { signal }) =>
      bytesOf(outputChunks(this.find(session), from, follow ? signal : undefined), "application/octet-stream"),
    "blobs.get": async ({ hash }) => bytesOf(Readable.from([Buffer.from(`blob ${hash}`)]), "application/octet-stream"),
    "sessions.export": async ({ session, format }) =>
      bytesOf(outputChunks(this.find(session), 0, undefined), `application/x-${format}`),
    "sessions.import": async ({ name }, { body }) => {
      const session = this.add(name ?? "imported");
      const chunks: Uint8Array[] = [];
      for await (const chunk of body) chunks.push(chunk);
      this.imported.push(Buffer.concat(chunks));
      session.finish();
      return session.toSession();
    },
    "sessions.updates": async () => none(),
    "daemon.updates": async () => none(),
    "daemon.info": async () => ({
      version: "0.1.0",
      protocolVersion: 1,
      pid: 1,
      startedAt: "2026-01-01T00:00:00.000Z",
      dataDirectory: "/data",
      listen: [],
      sessions: { live: this.sessions.length, ended: 0 },
      hosts: [],
      problems: [],
    }),
    "daemon.reload": async () => ({
      file: null,
      exists: false,
      changed: [],
      needRestart: [],
      notes: [],
      failures: [],
      problems: [],
    }),
    "daemon.agents": async () => ({ agents: [] }),
    "daemon.stop": async () => ({ pid: 1 }),
    "machines.list": async () => ({ machines: [] }),
    "hosts.drain": async () => ({ hosts: [] }),
    "sessions.list": async () => ({ sessions: this.sessions.map((session) => session.toSession()) }),
    "sessions.create": async (input) => {
      this.created.push(input);
      return this.add(input.name ?? "new").toSession();
    },
    "sessions.get": async ({ session }) => this.find(session).toSession(),
    "sessions.update": async ({ session, name }) => {
      const found = this.find(session);
      found.name = name ?? found.name;
      return found.toSession();
    },
    "sessions.remove": async ({ session }) => {
      const found = this.find(session);
      this.sessions.splice(this.sessions.indexOf(found), 1);
      return { id: found.id };
    },
    "sessions.input": async ({ session, text = "", data, enter }) => {
      const bytes = data === undefined ? Buffer.from(`${text}${enter ? "\r" : ""}`) : Buffer.from(data, "base64");
      const record = await this.find(session).type(bytes);
      return { offset: record.offset, next: record.offset + record.payload.length };
    },
    "sessions.keys": async ({ session, keys }) => {
      const record = await this.find(session).type(Buffer.from(keys.join("")));
      return { offset: record.offset, next: record.offset + record.payload.length };
    },
    "sessions.resize": async ({ session, columns, rows }) => {
      this.find(session).resize(columns, rows);
      return this.find(session).toSession();
    },
    "sessions.signal": async ({ session }) => this.find(session).toSession(),
    "sessions.kill": async ({ session }) => {
      this.find(session).finish({ reason: "signaled", code: null, signal: "SIGKILL" });
      return this.find(session).toSession();
    },
    "sessions.wait": async ({ session }, { signal }) => {
      const found = this.find(session);
      if (found.exit === null) await aborted(signal);
      return { reason: "exit", ready: null, offset: found.end, match: null, session: found.toSession() };
    },
    "sessions.events": async ({ from }) => ({ events: [], next: from, ended: false }),
    "sessions.logs": async ({ session }) => {
      const found = this.find(session);
      return {
        text: found.outputFrom(0).toString(),
        from: 0,
        next: found.end,
        more: false,
        omittedBytes: 0,
        trimmedBytes: 0,
        damagedBytes: 0,
        tags: 0,
      };
    },
    "sessions.records": async ({ session, from, bytesMax }) => {
      using cursor = new MemoryCursor(this.find(session), from);
      const records = (await cursor.read(bytesMax)).map(({ record, next }) => {
        const { type, offset, timeUs, payload } = record;
        return type === "output"
          ? { type, offset, next, timeUs, data: base64(payload) }
          : { type, offset, next, timeUs };
      });
      return { records, next: cursor.offset, end: cursor.end };
    },
    "approvals.list": async () => ({ version: 0, approvals: [], hints: [] }),
    "approvals.answer": async ({ approval, option, session }) => ({
      ...askedApproval(approval),
      session: this.find(session).id,
      digest: "0123456789abcdef",
      state: "answered",
      answer: { option, by: "somebody", timeUs: 1 },
    }),
    "audit.list": async () => ({ rows: [], next: 0, end: 0 }),
    "audit.open": async () => ({ calls: [] }),
    "audit.find": async () => ({ call: null }),
    "audit.verify": async () => ({ intact: true, rows: 0, keptHeads: 0, head: { sequence: 0, hash: "0".repeat(64) } }),
    "audit.append": async () => ({}),
    "tokens.create": async ({ scope, label }) => {
      const token = `made-token-${String(this.#callers.size).padStart(32, "0")}`;
      this.#callers.set(token, { scope, session: null });
      return { ...tokenFacts(scope, label), token };
    },
    "tokens.list": async () => ({ tokens: [tokenFacts("admin", "owner")] }),
    "tokens.revoke": async ({ token }) => ({ id: token }),
  };
}

const askedApproval = (id: string): Approval => ({
  id,
  source: "wire",
  kind: "permission",
  agent: null,
  question: "May it?",
  details: "",
  options: [],
  ...noSubject,
  selected: null,
  isComplete: true,
  whyHint: null,
  offset: 0,
  timeUs: 0,
  state: "open",
  answer: null,
});

const tokenFacts = (scope: Caller["scope"], label: string) => ({
  id: "t1",
  scope,
  session: null,
  label,
  createdAt: "2026-01-01T00:00:00.000Z",
  expiresAt: null,
  lastUsedAt: null,
});

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

const bytesOf = (chunks: AsyncIterable<Uint8Array>, contentType: string): ByteBody => ({
  contentType,
  headers: { "x-lectern-from": "0" },
  chunks,
});

async function* outputChunks(session: MemorySession, from: number, follow: CallContext["signal"] | undefined) {
  using cursor = new MemoryCursor(session, from);
  while (true) {
    const items = await cursor.read();
    for (const { record } of items) if (record.type === "output") yield record.payload;
    if (items.length > 0) continue;
    if (cursor.done || follow === undefined || follow.aborted) return;
    await new Promise<void>((resolve) => {
      cursor.onAdvance = resolve;
      follow.addEventListener("abort", () => resolve(), { once: true });
    });
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = (): void => reject(new LecternError("CANCELLED", "Cannot wait any longer: the caller went away"));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}

const none = (): ItemStream<never> => ({
  isOver: false,
  batches: (async function* () {})(),
  [Symbol.dispose]: () => undefined,
});

const refuse = async (): Promise<never> => {
  throw new LecternError("NOT_AVAILABLE", "Cannot do this without a daemon");
};

/** What needs a real daemon is refused. */
const unsupported = (): Handlers =>
  Object.fromEntries(operationNames.map((name) => [name, refuse])) as unknown as Handlers;
