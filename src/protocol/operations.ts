/**
 * The operation table. CLI, HTTP with OpenAPI, WebSocket, MCP and the typed client are projections of it.
 * An input is one flat object: its path parameters stand in the path, the rest in the query (GET, DELETE) or the JSON body.
 */
import * as z from "zod";
import { auditedCallSchema, auditRowSchema, chainHeadSchema, chainedRowSchema, verificationSchema } from "./audit.ts";
import type { OperationName } from "./routes.ts";
import {
  labelsSchema,
  nameSchema,
  offsetSchema,
  sessionReferenceSchema,
  sessionSchema,
  sideSchema,
  stateSchema,
} from "./session.ts";
import {
  approvalSchema,
  changeKindSchema,
  changeSchema,
  digestSchema,
  digestTurnSchema,
  eventNameSchema,
  messageSchema,
  roleSchema,
  statusSchema,
  statusStateSchema,
  taggedEventSchema,
  trustSchema,
} from "./views.ts";

/** One operation: its address and what goes in and out. `output` is null where the answer is not JSON. */
export interface Operation {
  readonly summary: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodType | null;
}

const session = sessionReferenceSchema;
const signalName = z.string().regex(/^(SIG)?[A-Z]{2,8}[0-9]{0,2}$/, 'a signal name such as "INT" or "SIGTERM"');
/** A number in a query: text that is a plain decimal integer. */
const queryInt = (schema: z.ZodType<number, number>) =>
  z
    .union([
      z.int(),
      z
        .string()
        .regex(/^\d{1,15}$/)
        .transform(Number),
    ])
    .pipe(schema);
const queryFlag = z.union([z.boolean(), z.enum(["true", "false"]).transform((text) => text === "true")]);
/** Several names in a query: an array, or one text with commas. */
const queryList = <Name extends string>(names: z.ZodType<Name, Name>) =>
  z.union([
    z.array(names),
    z
      .string()
      .transform((text) => text.split(","))
      .pipe(z.array(names as z.ZodType<Name, string>)),
  ]);
const recordTypes = z.enum(["output", "input", "resize", "mark", "exit", "gap"]);
const recordTypesQuery = queryList(recordTypes);

/** One record as JSON; `data` is base64 and stands only in `output`. */
const recordSchema = z.looseObject({
  type: z.string(),
  offset: offsetSchema,
  next: offsetSchema,
  timeUs: z.int(),
  data: z.string().optional(),
});

/** What a program waits for, see `Asks` in `core/readiness`. */
const asksSchema = z.enum(["command", "more", "line", "password", "keys"]);

const written = z.strictObject({
  /** Where the input stands in the journal; output that answers it comes after `next`. */
  offset: offsetSchema,
  next: offsetSchema,
  /** Input with this key was typed before, and this is where it stands. */
  already: z.literal(true).optional(),
});

const tokenSchema = z.strictObject({
  id: z.string(),
  scope: z.enum(["read", "write", "admin"]),
  session: z.string().nullable(),
  label: z.string(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().nullable(),
});

const hostSchema = z.strictObject({
  name: z.string(),
  pid: z.int(),
  version: z.string(),
  backend: z.string(),
  sessions: z.int(),
  draining: z.boolean(),
});

const define = <Input extends z.ZodObject, Output extends z.ZodType | null>(
  summary: string,
  input: Input,
  output: Output,
): { readonly summary: string; readonly input: Input; readonly output: Output } => ({ summary, input, output });

export const operations = {
  "daemon.info": define(
    "What runs here: version, listeners, hosts",
    z.strictObject({}),
    z.strictObject({
      version: z.string(),
      protocolVersion: z.int(),
      pid: z.int(),
      startedAt: z.iso.datetime(),
      dataDirectory: z.string(),
      listen: z.array(z.string()),
      sessions: z.strictObject({ live: z.int(), ended: z.int() }),
      hosts: z.array(hostSchema),
    }),
  ),
  "daemon.stop": define(
    "Ends the daemon; programs go on in their host unless `programs` is true",
    z.strictObject({ programs: z.boolean().default(false) }),
    z.strictObject({ pid: z.int() }),
  ),
  "hosts.drain": define(
    "Lets the hosts of now take no new sessions: the next session starts a new host",
    z.strictObject({}),
    z.strictObject({ hosts: z.array(hostSchema) }),
  ),
  "daemon.updates": define(
    "Changes of all sessions as server-sent events: status, approvals, and sessions that start or end. From now on only",
    z.strictObject({ kinds: queryList(changeKindSchema).optional() }),
    null,
  ),
  "sessions.search": define(
    "Words in messages, events and commands of all sessions, newest first",
    z.strictObject({
      /** Words that must all be there; "several words" as a phrase, word* as a beginning, OR and NOT between them. */
      words: z.string().min(1).max(1024),
      session: session.optional(),
      role: z.string().max(32).optional(),
      /** Microseconds since the Unix epoch. */
      sinceUs: queryInt(z.int().nonnegative()).optional(),
      hitsMax: queryInt(z.int().min(1).max(1000)).default(20),
    }),
    z.strictObject({
      hits: z.array(
        z.strictObject({
          session: z.string(),
          name: z.string(),
          kind: changeKindSchema,
          /** Id of the message, event or approval. */
          id: z.string(),
          role: z.string(),
          offset: offsetSchema,
          timeUs: z.int(),
          /** What was looked for stands between U+0002 and U+0003. */
          snippet: z.string(),
        }),
      ),
    }),
  ),
  "sessions.list": define(
    "Sessions, the newest first",
    z.strictObject({
      state: stateSchema.optional(),
      /** `key=value`, or `key` for any value. */
      label: z.string().max(321).optional(),
    }),
    z.strictObject({ sessions: z.array(sessionSchema) }),
  ),
  "sessions.create": define(
    "Starts a program in a new session",
    z.strictObject({
      command: z
        .tuple([z.string().min(1).max(4096)], z.string().max(131_072))
        .refine((words) => words.length <= 4096, "at most 4,096 words"),
      name: nameSchema.optional(),
      labels: labelsSchema.default({}),
      workingDirectory: z.string().max(4096).optional(),
      /** The whole environment to start from; the daemon's own where it is left out. Never recorded. */
      environment: z.record(z.string().max(1024), z.string().max(131_072)).optional(),
      columns: sideSchema.default(80),
      rows: sideSchema.default(24),
      mode: z.enum(["interactive", "exec"]).default("interactive"),
      /** The agent talks to its models through the gateway. */
      wire: z
        .strictObject({
          /** The text of a policy file; default: every call is allowed, and written down. */
          policy: z.string().max(262_144).optional(),
          /** Base URLs of the true servers, by route. */
          upstreams: z
            .strictObject({
              anthropic: z.string().max(2048).optional(),
              openai: z.string().max(2048).optional(),
              gemini: z.string().max(2048).optional(),
              "code-assist": z.string().max(2048).optional(),
            })
            .optional(),
          /** How long a question waits for an answer before it is denied. */
          approvalMs: z.int().min(1000).max(86_400_000).default(600_000),
        })
        .optional(),
      /** Oldest output goes when the journal grows beyond this. */
      retainBytesMax: z.int().min(1_048_576).optional(),
      /** JSON Schemas by event name: an event that does not match is kept as invalid, with the error. */
      eventSchemas: z
        .record(eventNameSchema, z.unknown())
        .refine((schemas) => Object.keys(schemas).length <= 64, "at most 64 schemas")
        .optional(),
      /** Asks bash, zsh and fish for marks, without touching the user's files. */
      shellIntegration: z.boolean().default(true),
    }),
    sessionSchema,
  ),
  "sessions.import": define(
    "Makes an ended session of an asciicast v2 or v3 recording in the body",
    z.strictObject({ name: nameSchema.optional() }),
    sessionSchema,
  ),
  "sessions.get": define("One session", z.strictObject({ session }), sessionSchema),
  "sessions.update": define(
    "Renames a session or changes its labels; a label with the value null is removed",
    z.strictObject({
      session,
      name: nameSchema.optional(),
      labels: z.record(nameSchema, z.string().max(256).nullable()).optional(),
    }),
    sessionSchema,
  ),
  "sessions.remove": define(
    "Removes an ended session with its journal; a running one only with `force`",
    z.strictObject({ session, force: queryFlag.default(false) }),
    z.strictObject({ id: z.string() }),
  ),
  "sessions.input": define(
    "Types into a session",
    z.strictObject({
      session,
      text: z.string().max(1_048_576).optional(),
      /** Exact bytes, base64. Either this or `text`. */
      data: z.base64().max(1_398_104).optional(),
      /** Adds a carriage return, as the Enter key does. */
      enter: z.boolean().default(false),
      /** As a bracketed paste. */
      paste: z.boolean().default(false),
      /** Recorded masked. Input at a prompt without echo is masked without being asked. */
      secret: z.boolean().default(false),
      /** Idempotency key: input of a session with the same key is typed once, however often it is sent. */
      key: z.string().min(1).max(256).optional(),
    }),
    written,
  ),
  "sessions.keys": define(
    "Presses keys by name, such as C-c, Up, Enter",
    z.strictObject({ session, keys: z.array(z.string().min(1).max(64)).min(1).max(256) }),
    written,
  ),
  "sessions.resize": define(
    "Changes the size of the terminal",
    z.strictObject({ session, columns: sideSchema, rows: sideSchema }),
    sessionSchema,
  ),
  "sessions.signal": define(
    "Sends a signal to the foreground job of a session",
    z.strictObject({ session, signal: signalName }),
    sessionSchema,
  ),
  "sessions.kill": define(
    "Ends a session with all its processes; resolves when it has ended",
    z.strictObject({ session, graceMs: z.int().min(0).max(60_000).default(2000) }),
    sessionSchema,
  ),
  "sessions.exec": define(
    "Runs a command in a session at its prompt: exact output and exit code where the shell gives marks",
    z.strictObject({
      session,
      command: z.string().max(131_072),
      timeoutMs: z.int().min(0).max(86_400_000).default(60_000),
      /** Of a longer output head and tail are given; the journal has all of it from `offset` to `next`. */
      outputBytesMax: z.int().min(2).max(16_777_216).default(1_048_576),
      /** Types also into a program that is no shell and stands in front of it, such as `ssh` or a REPL. */
      inside: z.boolean().default(false),
    }),
    z.strictObject({
      /** False: nothing was typed, because the session was not at a prompt. */
      ran: z.boolean(),
      reason: z.enum(["mark", "foreground", "marker", "quiet", "timeout", "exit", "limit"]),
      /** The command is over, as far as is known. */
      ended: z.boolean(),
      /** What the program waits for now. */
      asks: asksSchema.nullable(),
      output: z.string(),
      /** By the marks of the shell; else echo and prompt were cut off by their looks. */
      exact: z.boolean(),
      exitCode: z.int().nullable(),
      durationMs: z.number(),
      omitted: z.strictObject({ bytes: z.int(), totalBytes: z.int(), sha256: z.string() }).nullable(),
      program: z.string().nullable(),
      /** In the journal, the command and all that came of it. */
      offset: offsetSchema,
      next: offsetSchema,
      session: sessionSchema,
    }),
  ),
  "sessions.wait": define(
    "Waits for the exit, until the program is ready, for output, quiet, a status or an event; a time-out is an answer, not an error",
    z.strictObject({
      session,
      for: z.discriminatedUnion("type", [
        z.strictObject({ type: z.literal("exit") }),
        z.strictObject({ type: z.literal("ready") }),
        z.strictObject({ type: z.literal("output"), pattern: z.string().min(1).max(1024) }),
        z.strictObject({ type: z.literal("quiet"), quietMs: z.int().min(10).max(3_600_000) }),
        z.strictObject({ type: z.literal("status"), states: z.array(statusStateSchema).min(1).max(7) }),
        /** A valid event of this name that is trusted so far: an unverified one triggers nothing unless it is asked for. */
        z.strictObject({ type: z.literal("event"), name: eventNameSchema, trust: trustSchema.default("text") }),
      ]),
      /** Only output from here on counts; by default what came after the last input. */
      from: offsetSchema.optional(),
      timeoutMs: z.int().min(0).max(86_400_000).default(60_000),
    }),
    z.strictObject({
      reason: z.enum(["exit", "ready", "output", "quiet", "status", "event", "timeout"]),
      /** Why it counts as ready, and what it asks for; null for other waits. */
      ready: z
        .strictObject({ reason: z.enum(["mark", "foreground", "marker", "quiet"]), asks: asksSchema.nullable() })
        .nullable(),
      /** The end of what was read when the wait ended. */
      offset: offsetSchema,
      match: z.string().nullable(),
      /** The event that ended the wait. */
      event: taggedEventSchema.optional(),
      session: sessionSchema,
    }),
  ),
  "sessions.logs": define(
    "The end of the output as text without escape sequences",
    z.strictObject({
      session,
      tail: queryInt(z.int().min(0).max(1_000_000)).optional(),
      from: queryInt(offsetSchema).optional(),
      bytesMax: queryInt(z.int().min(1).max(16_777_216)).default(1_048_576),
    }),
    z.strictObject({ text: z.string(), from: offsetSchema, next: offsetSchema, omittedBytes: z.int() }),
  ),
  "sessions.records": define(
    "Records from an offset, at most `bytesMax` of payload",
    z.strictObject({
      session,
      from: queryInt(offsetSchema).default(0),
      bytesMax: queryInt(z.int().min(1).max(4_194_304)).default(262_144),
      types: recordTypesQuery.optional(),
    }),
    z.strictObject({ records: z.array(recordSchema), next: offsetSchema, end: offsetSchema }),
  ),
  "sessions.output": define(
    "Output bytes as they were recorded, from an offset or of the tail; with `follow` until the exit",
    z.strictObject({
      session,
      from: queryInt(offsetSchema).optional(),
      tailBytes: queryInt(z.int().min(0)).optional(),
      follow: queryFlag.default(false),
    }),
    null,
  ),
  "sessions.export": define(
    "The whole recording in another format",
    z.strictObject({
      session,
      format: z.enum(["asciicast-v3", "asciicast-v2", "raw", "text"]).default("asciicast-v3"),
    }),
    null,
  ),
  "sessions.screen": define(
    "What the terminal shows now",
    z.strictObject({
      session,
      /** With the lines that left the top of the normal screen. */
      scrollback: queryFlag.default(false),
      /** With the screen as escape sequences, for a terminal of the same size that was just reset. */
      ansi: queryFlag.default(false),
    }),
    z.strictObject({
      /** The output before it is on the screen. */
      offset: offsetSchema,
      columns: z.int(),
      rows: z.int(),
      title: z.string(),
      cursor: z.strictObject({
        column: z.int(),
        row: z.int(),
        isVisible: z.boolean(),
        shape: z.enum(["block", "underline", "bar"]).nullable(),
      }),
      isAlternate: z.boolean(),
      /** Rows that the terminal wrapped are joined; lines are separated by line feeds. */
      text: z.string(),
      ansi: z.string().nullable(),
      /** Output that is not on the screen, because it broke the emulator or was far too much. */
      bytesSkipped: z.int(),
    }),
  ),
  "sessions.status": define(
    "What the program does, since when, and what says so",
    z.strictObject({ session }),
    z.strictObject({ session: z.string(), status: statusSchema.nullable(), approvals: z.array(approvalSchema) }),
  ),
  "sessions.messages": define(
    "The conversation as messages, oldest first",
    z.strictObject({
      session,
      /** Only messages that changed at this offset or later. */
      after: queryInt(offsetSchema).default(0),
      /** Only the last so many. */
      last: queryInt(z.int().min(1).max(10_000)).optional(),
      roles: queryList(roleSchema).optional(),
    }),
    z.strictObject({ messages: z.array(messageSchema), next: offsetSchema }),
  ),
  "sessions.digest": define(
    "What happened in a session or in its last turn, in short: answer, commands, tools, files, times, tokens, open question",
    z.strictObject({ session, turn: digestTurnSchema.default("all") }),
    digestSchema.extend({ session: z.string() }),
  ),
  "sessions.changes": define(
    "What the views of a session told, in the order of the last change; read on from `next`",
    z.strictObject({
      session,
      from: queryInt(offsetSchema).default(0),
      kinds: queryList(changeKindSchema).optional(),
      changesMax: queryInt(z.int().min(1).max(10_000)).default(1000),
    }),
    z.strictObject({ changes: z.array(changeSchema), next: offsetSchema }),
  ),
  "sessions.updates": define(
    "The same as server-sent events, and on as they come; `id:` is where to resume, and what changed just there comes again",
    z.strictObject({ session, from: queryInt(offsetSchema).optional(), kinds: queryList(changeKindSchema).optional() }),
    null,
  ),
  "sessions.reindex": define(
    "Reads the journal again from its start with the rules of now",
    z.strictObject({ session }),
    z.strictObject({ session: z.string(), offset: offsetSchema }),
  ),
  "sessions.events": define(
    "Records as server-sent events; `id:` is where to resume, `Last-Event-ID` resumes",
    z.strictObject({ session, from: queryInt(offsetSchema).optional(), types: recordTypesQuery.optional() }),
    null,
  ),
  "sessions.tagged": define(
    "Typed events that programs of a session sent; with `waitMs` it waits for the next one",
    z.strictObject({
      session,
      from: queryInt(offsetSchema).default(0),
      name: eventNameSchema.optional(),
      /** At least this far. `unverified` gives all. */
      trust: trustSchema.default("unverified"),
      limit: queryInt(z.int().min(1).max(10_000)).default(1000),
      /** Where there is none yet: how long to wait for the first one. */
      waitMs: queryInt(z.int().min(0).max(60_000)).default(0),
    }),
    z.strictObject({
      events: z.array(taggedEventSchema),
      /** Where to go on. */
      next: offsetSchema,
      /** Nothing comes after these. */
      ended: z.boolean(),
    }),
  ),
  "sessions.attach": define(
    "Live terminal over a WebSocket, subprotocol lectern.v1",
    z.strictObject({
      session,
      /** Resume here. Where it is left out: the screen as it is now, and what follows it. */
      from: queryInt(offsetSchema).optional(),
      /** Instead of the screen the last so many bytes of output, from the start of a line. */
      tailBytes: queryInt(z.int().min(0).max(16_777_216)).optional(),
      readOnly: queryFlag.default(false),
      /** Never skip: a reader that is too slow is sent everything all the same, as fast as it reads. */
      lossless: queryFlag.default(false),
    }),
    null,
  ),
  "approvals.list": define(
    "Questions that wait for a person, of all sessions or of one",
    z.strictObject({
      session: session.optional(),
      /** With `waitMs`: answers when the version is another, or when the time is over. */
      version: queryInt(z.int().min(0)).optional(),
      waitMs: queryInt(z.int().min(0).max(60_000)).default(0),
    }),
    z.strictObject({
      version: z.int(),
      approvals: z.array(approvalSchema.extend({ session: z.string() })),
    }),
  ),
  "approvals.answer": define(
    "Answers a question with the id of an option, or with allow or deny",
    z.strictObject({
      session,
      approval: z.string().min(1).max(64),
      option: z.string().min(1).max(64),
      /** Who answers, for the audit log; default: what the token may do. */
      by: z.string().min(1).max(64).optional(),
    }),
    approvalSchema.extend({ session: z.string() }),
  ),
  "audit.list": define(
    "Rows of the audit log from a place on, or the last ones",
    z.strictObject({
      /** Also one that is removed, by its id. */
      session: z.string().min(1).max(256).optional(),
      from: queryInt(offsetSchema).optional(),
      limit: queryInt(z.int().min(1).max(1000)).default(200),
      /** Where there is no row from `from` on, wait so long for one. */
      waitMs: queryInt(z.int().min(0).max(60_000)).default(0),
    }),
    z.strictObject({ rows: z.array(chainedRowSchema), next: offsetSchema, end: offsetSchema }),
  ),
  "audit.open": define(
    "Calls that nobody has decided, that may begin, or that began and have no outcome",
    z.strictObject({ limit: queryInt(z.int().min(1).max(1000)).default(200) }),
    z.strictObject({ calls: z.array(auditedCallSchema) }),
  ),
  "audit.find": define(
    "What the audit log knows of one call",
    z.strictObject({ session: z.string().min(1).max(256), call: z.string().min(1).max(256) }),
    z.strictObject({ call: auditedCallSchema.nullable() }),
  ),
  "audit.verify": define(
    "Checks the chain of the audit log and names the first row that was changed, removed or inserted",
    z.strictObject({ head: chainHeadSchema.optional() }),
    verificationSchema,
  ),
  "audit.append": define(
    "Appends rows of an executor that is no part of the daemon; answers when they are on disk",
    z.strictObject({ rows: z.array(auditRowSchema).min(1).max(100) }),
    z.strictObject({}),
  ),
  "blobs.get": define(
    "The whole of an output that was cut, by its SHA-256 or the first 8 or more characters of it",
    z.strictObject({ hash: z.string().regex(/^[0-9a-f]{8,64}$/, "8 to 64 characters of a SHA-256 in lower-case hex") }),
    null,
  ),
  "tokens.create": define(
    "Makes a token; its text is in this answer only",
    z.strictObject({
      scope: z.enum(["read", "write", "admin"]).default("read"),
      session: session.optional(),
      label: z.string().max(64).default(""),
      expiresInSeconds: z.int().min(1).max(31_536_000).optional(),
    }),
    tokenSchema.extend({ token: z.string() }),
  ),
  "tokens.list": define(
    "Tokens, without their texts",
    z.strictObject({}),
    z.strictObject({ tokens: z.array(tokenSchema) }),
  ),
  "tokens.revoke": define(
    "Ends a token",
    z.strictObject({ token: z.string().min(1).max(64) }),
    z.strictObject({ id: z.string() }),
  ),
} as const satisfies Record<OperationName, Operation>;

/** What a caller gives, before defaults. */
export type InputOf<Name extends OperationName> = z.input<(typeof operations)[Name]["input"]>;
/** What a handler gets, after defaults. */
export type ParsedInputOf<Name extends OperationName> = z.output<(typeof operations)[Name]["input"]>;
export type OutputOf<Name extends OperationName> = (typeof operations)[Name]["output"] extends z.ZodType
  ? z.output<Exclude<(typeof operations)[Name]["output"], null>>
  : never;
