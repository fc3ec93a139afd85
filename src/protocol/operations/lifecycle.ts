/** Operations that start, change and end sessions. */
import * as z from "zod";
import { defaultEventTag } from "../event-tag.ts";
import { eventTagSchema, labelsSchema, nameSchema, sessionSchema, sideSchema, stateSchema } from "../session.ts";
import { resumePlanSchema } from "../resume.ts";
import { eventNameSchema } from "../views.ts";
import { sandboxInputSchema } from "../sandbox-input.ts";
import { wireInputSchema } from "../wire-input.ts";
import { define, queryFlag, session } from "./define.ts";

const worktreeInputSchema = z.strictObject({
  /** Of the branch and of the directory. */
  name: nameSchema,
  /** The commit, branch or tag from which it starts. Default: the commit that is checked out. */
  base: z
    .string()
    .regex(/^[^-\s]\S*$/, "a commit, branch or tag")
    .max(256)
    .optional(),
  /** What several sessions with the same prompt have in common. */
  group: nameSchema.optional(),
});

const signalName = z.string().regex(/^(SIG)?[A-Z]{2,8}[0-9]{0,2}$/, 'a signal name such as "INT" or "SIGTERM"');

export const lifecycleOperations = {
  "sessions.list": define({
    summary: "List sessions, newest first",
    endpoint: "GET /v1/sessions",
    scope: "read",
    cli: ["ls"],
    mcp: ["list"],
    input: z.strictObject({
      state: stateSchema.optional(),
      /** `key=value`, or `key` for any value. */
      label: z.string().max(321).optional(),
    }),
    output: z.strictObject({ sessions: z.array(sessionSchema) }),
  }),
  "sessions.create": define({
    summary: "Start a program in a new session",
    endpoint: "POST /v1/sessions",
    scope: "write",
    cli: ["run"],
    mcp: ["open"],
    input: z.strictObject({
      command: z
        .tuple([z.string().min(1).max(4096)], z.string().max(131_072))
        .refine((words) => words.length <= 4096, "at most 4,096 words"),
      name: nameSchema.optional(),
      labels: labelsSchema.default({}),
      /** `~` and `~/...` are in the home directory of the daemon's user; default: where the daemon was started. */
      workingDirectory: z.string().max(4096).optional(),
      /** The complete environment to start from; default: that of the daemon. Never recorded. */
      environment: z.record(z.string().max(1024), z.string().max(131_072)).optional(),
      columns: sideSchema.default(80),
      rows: sideSchema.default(24),
      mode: z.enum(["interactive", "exec"]).default("interactive"),
      /** The agent sends its model requests through the gateway. */
      wire: wireInputSchema.optional(),
      /** Walls around the program: what it may write, see and reach. A policy with a `sandbox` block has them in any case. */
      sandbox: sandboxInputSchema.optional(),
      /** A person's own workplace: programs in it act as that person. Only from outside, without `wire`, and not for an agent. */
      mine: z.boolean().default(false),
      /** The oldest output is removed when the journal is larger than this, in steps of a quarter of it, at most 64 MiB. Default 1 GiB. */
      retainBytesMax: z.int().min(1_048_576).optional(),
      /** A git worktree with a branch of its own, in which the session starts. The repository is that of `workingDirectory`. */
      worktree: worktreeInputSchema.optional(),
      /** Typed once, when the program is at its prompt and asks nothing: its receipt has the key `first`. */
      prompt: z.string().min(1).max(262_144).optional(),
      /** JSON Schemas by event name: an event that does not match is kept as invalid, with the error. */
      eventSchemas: z
        .record(eventNameSchema, z.unknown())
        .refine((schemas) => Object.keys(schemas).length <= 64, "at most 64 schemas")
        .optional(),
      /** You trust everything that the program prints: plain tags in its output have the trust `text`, else `unverified`. */
      trustText: z.boolean().default(false),
      /** The tag of the events in its output. */
      eventTag: z
        .strictObject({
          name: eventTagSchema.shape.name.default(defaultEventTag.name),
          bytesMax: eventTagSchema.shape.bytesMax.default(defaultEventTag.bytesMax),
          msMax: eventTagSchema.shape.msMax.default(defaultEventTag.msMax),
        })
        .optional(),
      /** Adds an event `TURN_SUMMARY` at the end of each turn and `SESSION_SUMMARY` at the exit; the payload is a digest. */
      summaries: z.boolean().default(false),
      /** A command (program and arguments) that runs outside of the session for each question in it, with the question as JSON on its input. */
      onBlocked: z.array(z.string().min(1).max(4096)).min(1).max(64).optional(),
      /** The agent that the program is, if its command does not show it; `like:NAME` for a program that is read by the rules of NAME. */
      agent: z.string().max(64).optional(),
      /** Turns on marks of bash, zsh and fish, without changing files of the user. */
      shellIntegration: z.boolean().default(true),
    }),
    output: sessionSchema,
  }),
  "sessions.resume": define({
    summary: "Start the agent of an ended session again with its own conversation, in a new session",
    endpoint: "POST /v1/sessions/{session}/resume",
    scope: "write",
    person: true,
    cli: ["resume"],
    input: z.strictObject({
      session,
      /** Id of the conversation, as the agent writes it; default: the one that is known. */
      conversation: z.string().min(1).max(200).optional(),
      /** Default: that of the session, with a number if a running session has it. */
      name: nameSchema.optional(),
      /** As for `sessions.create`; default: that of the daemon. */
      environment: z.record(z.string().max(1024), z.string().max(131_072)).optional(),
      columns: sideSchema.optional(),
      rows: sideSchema.optional(),
      /** A program without a conversation, or one that has forgotten, is started again by its command. */
      restart: z.boolean().default(false),
    }),
    output: sessionSchema,
  }),
  "sessions.resumable": define({
    summary: "List ended sessions with what resuming each would do, newest first, at most 500",
    endpoint: "GET /v1/resumable",
    scope: "read",
    cli: ["resume"],
    input: z.strictObject({
      /** Only those whose end was not observed, for example because the machine was restarted. */
      lost: queryFlag.default(false),
      restart: queryFlag.default(false),
      /** The home directory of agents; default: that of the daemon. */
      home: z.string().max(4096).optional(),
    }),
    output: z.strictObject({ sessions: z.array(resumePlanSchema) }),
  }),
  "sessions.import": define({
    summary: "Create an ended session from the asciicast v2 or v3 recording in the body",
    endpoint: "POST /v1/sessions/import",
    scope: "write",
    cli: ["import"],
    upload: "asciicast",
    input: z.strictObject({ name: nameSchema.optional() }),
    output: sessionSchema,
  }),
  "sessions.get": define({
    summary: "Show one session",
    endpoint: "GET /v1/sessions/{session}",
    scope: "read",
    cli: ["info"],
    mcp: ["read", "list", "close"],
    input: z.strictObject({ session }),
    output: sessionSchema,
  }),
  "sessions.update": define({
    summary: "Rename a session or change its labels; a label set to null is removed",
    endpoint: "PATCH /v1/sessions/{session}",
    scope: "write",
    cli: ["rename", "label"],
    input: z.strictObject({
      session,
      name: nameSchema.optional(),
      labels: z.record(nameSchema, z.string().max(256).nullable()).optional(),
    }),
    output: sessionSchema,
  }),
  "sessions.remove": define({
    summary: "Remove an ended session and its journal; a running session only with `force`",
    endpoint: "DELETE /v1/sessions/{session}",
    scope: "write",
    cli: ["rm"],
    input: z.strictObject({ session, force: queryFlag.default(false) }),
    output: z.strictObject({ id: z.string() }),
  }),
  "sessions.resize": define({
    summary: "Resize the terminal of a session",
    endpoint: "POST /v1/sessions/{session}/resize",
    scope: "write",
    cli: ["resize"],
    input: z.strictObject({ session, columns: sideSchema, rows: sideSchema }),
    output: sessionSchema,
  }),
  "sessions.signal": define({
    summary: "Send a signal to the foreground job of a session",
    endpoint: "POST /v1/sessions/{session}/signal",
    scope: "write",
    cli: ["signal"],
    input: z.strictObject({ session, signal: signalName }),
    output: sessionSchema,
  }),
  "sessions.kill": define({
    summary: "End a session and all its processes; responds when it has ended",
    endpoint: "POST /v1/sessions/{session}/kill",
    scope: "write",
    cli: ["kill"],
    mcp: ["close"],
    input: z.strictObject({ session, graceMs: z.int().min(0).max(60_000).default(2000) }),
    output: sessionSchema,
  }),
} as const;
