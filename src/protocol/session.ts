/** A session as clients see it: schema and type. */
import * as z from "zod";
import { MESSAGE_ROLES } from "../core/chat/message.ts";
import { conversationSchema } from "./conversation.ts";
import { labelsSchema, nameSchema } from "./names.ts";
import { eventTagSchema, recordedOptionsSchema } from "./session-options.ts";
import type { SessionUsage } from "../core/usage/usage-fold.ts";
import { STATUS_STATES, type UsageLimit } from "../core/status/status.ts";

/** An id, a name, or the first four or more characters of an id. */
export const sessionReferenceSchema = nameSchema.describe(
  "Id, name, or a unique beginning of an id (4 characters or more)",
);

export const offsetSchema = z.int().nonnegative();

/** Who wanted the end; missing if the program ended by itself. */
const endedBy = z.enum(["request", "keyboard"]).optional();
const exitSchema = z.union([
  z.strictObject({ reason: z.literal("exited"), code: z.int(), signal: z.null(), endedBy }),
  z.strictObject({ reason: z.literal("signaled"), code: z.null(), signal: z.string(), endedBy }),
  z.strictObject({ reason: z.literal("lost"), code: z.null(), signal: z.null() }),
]);

/** `lost`: the exit was not observed. */
export const stateSchema = z.enum(["starting", "running", "exited", "lost"]);

/** The sum over all responses of models that the gateway saw. */
export const usageSchema = z.strictObject({
  requests: z.int(),
  input: z.int(),
  output: z.int(),
  cachedInput: z.int(),
  reasoning: z.int(),
  /** US dollars; null if the price of a model is unknown. */
  costUsd: z.number().nullable(),
}) satisfies z.ZodType<SessionUsage>;

/** The gateway of a session that runs with `wire`. */
export const gateSchema = z.strictObject({
  /** `not-gated`: the agent shows turns, and the gateway saw no request. */
  state: z.enum(["on", "not-gated"]),
  /** Why it is not gated. */
  evidence: z.string().nullable(),
  /** SHA-256 of the policy file; null without a policy: every call is allowed. */
  policyHash: z.string().nullable(),
  /** `log-only`: the policy decides and refuses nothing. */
  mode: z.enum(["enforce", "log-only"]),
  /** Requests for a turn since the session started. */
  requests: z.int(),
  /** Tool calls in the responses since the session started. */
  calls: z.int(),
  lastRequestAt: z.iso.datetime().nullable(),
});
export type SessionGate = Readonly<z.infer<typeof gateSchema>>;

/** Made or changed inside of a sandbox, and to be read before somebody uses the directory. */
const sandboxFindingSchema = z.strictObject({
  /**
   * `repository`: it runs nothing by its own settings. `link`: it leads out of the directories that the program may write. `settings`: something
   * executes them in their directory. `build`: a build or an installation executes other commands than before. `rest`: it was not searched.
   */
  what: z.enum(["repository", "link", "settings", "build", "rest"]),
  path: z.string(),
  /** Where a link leads, who executes it, or why it was not searched; may be empty. */
  detail: z.string(),
});
export type SandboxFinding = Readonly<z.infer<typeof sandboxFindingSchema>>;

/** The walls around a session, and what they hold. */
export const sessionSandboxSchema = z.strictObject({
  profile: z.string(),
  /** `none`: it was started with `--sandbox-optional` where there is no sandbox. */
  backend: z.enum(["bubblewrap", "none"]),
  /** What a program inside cannot get around: files, processes, network, sockets, terminal. */
  promises: z.array(z.string()),
  missing: z.array(z.string()),
  /** What the program has made that something would execute later, and directories of its repositories: renamed at the end; null before it. */
  setAside: z.array(z.string()).nullable().default([]),
  /** Found at the end, beside what was set aside. At most 201 for each directory that can be written. */
  findings: z.array(sandboxFindingSchema).default([]),
});
export type SessionSandbox = Readonly<z.infer<typeof sessionSandboxSchema>>;

/** The git worktree of a session that was started with one (`lectern run --worktree`), or in one. */
export const sessionWorktreeSchema = z.strictObject({
  /** The directory with its files. */
  path: z.string(),
  branch: z.string(),
  /** The commit from which the branch starts: changes are shown against it. */
  base: z.string(),
  /** The branch, tag or commit that was named or checked out then; null if none was. */
  baseName: z.string().nullable(),
  /** The main checkout, or the directory of a bare repository. */
  repository: z.string(),
  /** Where git keeps what belongs to this worktree alone. */
  gitDirectory: z.string(),
  /** The name that several agents with the same prompt have in common; null for one alone. */
  group: z.string().nullable(),
  /** Files of the checkout with changes that were not committed then: the worktree does not have them. */
  leftOut: z.int(),
});
export type SessionWorktree = Readonly<z.infer<typeof sessionWorktreeSchema>>;

/** The agent waits because a limit of usage is reached; `untilUs` is null if its end is not known. */
export const usageLimitSchema = z.strictObject({
  untilUs: z.int().nullable(),
  text: z.string(),
}) satisfies z.ZodType<UsageLimit>;

export const sessionSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  state: stateSchema,
  /** An imported recording, without a program. */
  isImported: z.boolean(),
  /**
   * What it was started with, under its current name, labels, size and directory. The texts of a policy, of the settings of a sandbox and of
   * event schemas are only in the answer of `sessions.get`.
   */
  options: recordedOptionsSchema,
  /** `options.mine`: a person's own workplace, whose programs act as that person. */
  isMine: z.boolean(),
  /** Id of the session that it was started from; null if it was started from outside. */
  parent: z.string().nullable(),
  /** Id of the session that it was resumed from; null if it was started anew. */
  continues: z.string().nullable(),
  /** Id of the session in which it was resumed; null if it was not. */
  continuedBy: z.string().nullable(),
  /** The conversation of its agent, once it is known. */
  conversation: conversationSchema.nullable(),
  /** `options.trustText`. */
  trustsText: z.boolean(),
  /** `options.eventTag`, or the default one. */
  eventTag: eventTagSchema,
  /** `options.summaries`. */
  summaries: z.boolean(),
  command: z.array(z.string()),
  /** The coding agent that the command starts, by its program name; null for anything else. */
  agent: z.string().nullable(),
  workingDirectory: z.string(),
  labels: labelsSchema,
  columns: z.int(),
  rows: z.int(),
  pid: z.int().nullable(),
  createdAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
  exit: exitSchema.nullable(),
  /** The journal has the offsets from `start` to `end`. */
  start: offsetSchema,
  end: offsetSchema,
  /** Readers that are attached now. */
  viewers: z.int(),
  /** Its status, in short; null until known. */
  status: z
    .strictObject({
      state: z.enum(STATUS_STATES),
      summary: z.string(),
      sinceUs: z.int(),
      agent: z.string().nullable(),
      limit: usageLimitSchema.exactOptional(),
    })
    .nullable(),
  /** The last line of the last message; null without messages. */
  lastMessage: z.strictObject({ role: z.enum(MESSAGE_ROLES), text: z.string(), timeUs: z.int() }).nullable(),
  /** Tokens and cost; null until the gateway has seen a response. */
  usage: usageSchema.nullable(),
  /** Null without `wire`. */
  gate: gateSchema.nullable(),
  /** Null for a session that was started without a sandbox. */
  sandbox: sessionSandboxSchema.nullable(),
  /** Null for a session without a worktree of its own. */
  worktree: sessionWorktreeSchema.nullable(),
  /** Who types now: "keyboard", the name of a reader, or a prompt; null if nobody does. */
  writer: z.string().nullable(),
  /** Set while the journal cannot be written, for example because the disk is full. */
  degraded: z.string().nullable(),
  /** The reason while the program runs and its pty host is unreachable; recording continues. */
  unreachable: z.string().nullable(),
  /** The problem and the next step if files of the session are damaged; otherwise null. */
  damaged: z.string().nullable(),
});

/** A session: its command, state, size, journal offsets, status and usage. Times are ISO 8601. */
export type Session = z.infer<typeof sessionSchema>;
/** Whether the program of a session runs; `lost`: its exit was not observed. */
export type SessionState = z.infer<typeof stateSchema>;
