/** The views of a session as clients see them: schemas of the types in `core/status`, `core/chat`, `core/approvals`, `core/events`. */
import * as z from "zod";
import { agentConversationSchema } from "./conversation.ts";
import { APPROVAL_KINDS, APPROVAL_STATES, type Approval } from "../core/dialogs/approval.ts";
import { MESSAGE_ROLES, MESSAGE_SOURCES, TAKEN_BACK, type ChatMessage } from "../core/chat/message.ts";
import { DIGEST_TURNS, type Digest } from "../core/digest/digest.ts";
import { EVENT_DOUBTS, type TaggedEvent } from "../core/events/tagged-event.ts";
import { EVENT_CARRIERS, TRUST_LEVELS } from "../core/records.ts";
import { RECEIPT_STATES, type AnsweredReceipt, type Receipt } from "../core/acting/receipt.ts";
import type { ActTarget, TargetKind } from "../core/acting/target.ts";
import { SIGNAL_KINDS, STATUS_STATES, type SessionStatus } from "../core/status/status.ts";
import { CHANGE_KINDS, type ViewChange } from "../core/views/change.ts";
import type { UsageHour, UsageSum } from "../core/usage/usage-hours.ts";
import type { Intent } from "../core/intents/intent-fold.ts";
import { machineSchema, type MachineInfo } from "./machines.ts";
import { offsetSchema, sessionSchema, usageLimitSchema, usageSchema, type Session } from "./session.ts";

const timeUs = z.int();

export const statusStateSchema = z.enum(STATUS_STATES);
export const changeKindSchema = z.enum(CHANGE_KINDS);

/** The kinds of `sessions.updates`: changes of views, and receipts of prompts. */
const UPDATE_KINDS = [...CHANGE_KINDS, "receipt"] as const;
export type UpdateKind = (typeof UPDATE_KINDS)[number];
export const updateKindSchema = z.enum(UPDATE_KINDS);
export const roleSchema = z.enum(MESSAGE_ROLES);
export const trustSchema = z.enum(TRUST_LEVELS);

export const statusSchema = z.strictObject({
  state: statusStateSchema,
  summary: z.string(),
  sinceUs: timeUs,
  offset: offsetSchema,
  agent: z.string().nullable(),
  approval: z.string().nullable(),
  evidence: z
    .array(
      z.strictObject({
        signal: z.enum(SIGNAL_KINDS),
        says: statusStateSchema,
        text: z.string(),
        rule: z.string().nullable(),
        offset: offsetSchema,
        timeUs,
        isDecisive: z.boolean(),
      }),
    )
    .readonly(),
  limit: usageLimitSchema.exactOptional(),
}) satisfies z.ZodType<SessionStatus>;

export const messageSchema = z.strictObject({
  id: z.string(),
  order: z.number().exactOptional(),
  role: roleSchema,
  agent: z.string().nullable(),
  text: z.string(),
  /** The text with its event tags, if there are any. */
  rawText: z.string().exactOptional(),
  source: z.enum(MESSAGE_SOURCES),
  revision: z.int().exactOptional(),
  replaced: z.strictObject({ source: z.enum(MESSAGE_SOURCES), text: z.string() }).exactOptional(),
  isPartial: z.boolean(),
  isIncomplete: z.boolean(),
  doubts: z.array(z.string()).readonly().exactOptional(),
  offset: offsetSchema,
  end: offsetSchema,
  timeUs,
  endTimeUs: timeUs,
  tool: z.strictObject({ name: z.string(), input: z.string().nullable(), call: z.string().nullable() }).exactOptional(),
  shell: z.strictObject({ command: z.string(), exitCode: z.int().nullable() }).exactOptional(),
  approval: z.string().exactOptional(),
  subAgent: z.string().exactOptional(),
  takenBack: z.enum(TAKEN_BACK).exactOptional(),
}) satisfies z.ZodType<ChatMessage>;

export const approvalSchema = z.strictObject({
  id: z.string(),
  source: z.enum(["screen", "wire", "protocol"]),
  request: z.string().exactOptional(),
  kind: z.enum(APPROVAL_KINDS),
  agent: z.string().nullable(),
  question: z.string(),
  tool: z.string().nullable(),
  command: z.string().nullable(),
  change: z.string().nullable(),
  directory: z.string().nullable(),
  reason: z.string().nullable(),
  details: z.string(),
  options: z
    .array(
      z.strictObject({
        id: z.string(),
        label: z.string(),
        effect: z.enum(["allow", "allow-always", "deny", "other"]),
        checked: z.boolean().exactOptional(),
      }),
    )
    .readonly(),
  isComplete: z.boolean(),
  selected: z.string().nullable(),
  offset: offsetSchema,
  timeUs,
  state: z.enum(APPROVAL_STATES),
  whyHint: z.string().nullable(),
  digest: z.string().exactOptional(),
  answer: z.strictObject({ option: z.string().nullable(), by: z.string(), timeUs }).nullable(),
}) satisfies z.ZodType<Approval>;

const eventBase = {
  type: z.literal("tagged-event"),
  id: z.string(),
  name: z.string(),
  attributes: z.record(z.string(), z.string()).readonly(),
  carrier: z.enum(EVENT_CARRIERS),
  trust: trustSchema,
  doubt: z.enum(EVENT_DOUBTS).exactOptional(),
  offset: offsetSchema,
  end: offsetSchema,
};

export const taggedEventSchema = z.discriminatedUnion("valid", [
  z.strictObject({ ...eventBase, valid: z.literal(true), payload: z.unknown() }),
  z.strictObject({
    ...eventBase,
    valid: z.literal(false),
    error: z.strictObject({
      code: z.enum(["invalid-name", "unknown-name", "malformed-json", "schema-mismatch", "abandoned"]),
      message: z.string(),
    }),
    text: z.string(),
  }),
]) satisfies z.ZodType<TaggedEvent>;

export const promptKeySchema = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,63}$/, "letters, digits, dot, underscore and dash, at most 64");

const targetKindSchema = z.union([
  z.enum(["shell", "repl", "line question", "unknown"]),
  z.templateLiteral(["agent ", z.string()]),
  z.templateLiteral(["dialog ", z.string()]),
]) satisfies z.ZodType<TargetKind>;

/** A program in the foreground of a session when a prompt was accepted. */
const promptTargetSchema = z.strictObject({
  /** `shell`, `repl`, `agent NAME`, `dialog ID`, `line question` or `unknown`. */
  kind: targetKindSchema,
  /** Null at a shell and in an unknown program. */
  agent: z.string().nullable(),
  /** Counts the agents that ran in the session. */
  run: z.int(),
  program: z.string().nullable(),
  /** The process group; null if it is not known. */
  group: z.int().nullable(),
  /** The process that was last seen reading, or else the leader of the group; null if it is not known. */
  pid: z.int().nullable(),
  /** When it was started, in clock ticks since the start of the machine. */
  startTicks: z.number().nullable(),
  /** Of this process: changes with each `exec`. */
  image: z.number().nullable(),
  /** Processes of the group when the program was seen reading or at work: what was started later is another one. Null if it has yet to start. */
  members: z
    .array(z.strictObject({ pid: z.int(), startTicks: z.number().nullable(), image: z.number().nullable() }))
    .readonly()
    .nullable(),
}) satisfies z.ZodType<ActTarget>;

export const receiptSchema = z.strictObject({
  key: z.string(),
  session: z.string(),
  text: z.string(),
  state: z.enum(RECEIPT_STATES),
  reason: z.string().nullable(),
  steps: z.array(z.strictObject({ state: z.enum(RECEIPT_STATES), timeUs, offset: offsetSchema })).readonly(),
  /** Of a prompt that was scheduled for a time. */
  dueUs: timeUs.exactOptional(),
  /** Of a prompt that was scheduled for the end of the session's limit of usage. */
  afterLimit: z.literal(true).exactOptional(),
  /** It waits while the input box or the line holds what somebody has begun. */
  whenEmpty: z.literal(true).exactOptional(),
  /** It is text for the model even if it begins like a command of the agent. */
  isLiteral: z.literal(true).exactOptional(),
  /** It is typed although the program takes each key and shows no input line. */
  isForced: z.literal(true).exactOptional(),
  /** It may be typed for a shell, which runs it. */
  isForShell: z.literal(true).exactOptional(),
  /** For whom it was accepted: it is typed for one of these and for nobody else. Absent if nobody had read yet. */
  targets: z.array(promptTargetSchema).readonly().exactOptional(),
  /** The conversation of the agent that it is for, by the agent's id. Absent if that was not certain when it was accepted. */
  conversation: z.string().exactOptional(),
  /** Of a failed prompt: what the input box or the line holds. Absent if nothing does. */
  left: z.string().exactOptional(),
}) satisfies z.ZodType<Receipt>;

export const answeredReceiptSchema = receiptSchema.extend({
  asks: z
    .strictObject({
      approval: z.string().nullable(),
      question: z.string(),
      options: z.array(z.strictObject({ id: z.string(), label: z.string() })).readonly(),
      howToAnswer: z.string(),
    })
    .nullable(),
}) satisfies z.ZodType<AnsweredReceipt>;

/** A tool that a model has named in an unfinished turn; the call is not executed before it is complete and allowed. */
const intentSchema = z.strictObject({
  exchange: z.string(),
  call: z.string(),
  tool: z.string(),
  sinceUs: timeUs,
  /** A person is asked about it. */
  isHeld: z.boolean(),
}) satisfies z.ZodType<Intent>;

/** Tokens and cost of some answered requests. */
export const usageSumSchema = z.strictObject({
  requests: z.int(),
  input: z.int(),
  output: z.int(),
  cachedInput: z.int(),
  reasoning: z.int(),
  /** US dollars, of the requests with a known price. */
  costUsd: z.number(),
  /** Requests whose price is not known; they are not in `costUsd`. */
  unpriced: z.int(),
}) satisfies z.ZodType<UsageSum>;

const usageHourSchema = usageSumSchema.extend({
  hourUs: timeUs,
  agent: z.string().nullable(),
  model: z.string().nullable(),
}) satisfies z.ZodType<UsageHour>;

const changeBase = { offset: offsetSchema, timeUs };

export const changeSchema = z.discriminatedUnion("kind", [
  z.strictObject({ ...changeBase, kind: z.literal("status"), status: statusSchema }),
  z.strictObject({ ...changeBase, kind: z.literal("message"), message: messageSchema }),
  z.strictObject({ ...changeBase, kind: z.literal("approval"), approval: approvalSchema }),
  z.strictObject({ ...changeBase, kind: z.literal("event"), event: taggedEventSchema }),
  z.strictObject({ ...changeBase, kind: z.literal("usage"), usage: usageSchema, hour: usageHourSchema.optional() }),
  z.strictObject({ ...changeBase, kind: z.literal("intents"), intents: z.array(intentSchema).readonly() }),
  z.strictObject({ ...changeBase, kind: z.literal("conversation"), conversation: agentConversationSchema }),
]) satisfies z.ZodType<ViewChange>;

export const digestTurnSchema = z.enum(DIGEST_TURNS);

export const digestSchema = z.strictObject({
  turn: digestTurnSchema,
  offset: offsetSchema,
  startUs: timeUs,
  endUs: timeUs,
  agent: z.string().nullable(),
  state: statusStateSchema,
  stateMs: z.partialRecord(statusStateSchema, z.number()),
  request: z.string().nullable(),
  answer: z.strictObject({ message: z.string(), text: z.string(), isPartial: z.boolean() }).nullable(),
  question: z
    .strictObject({ approval: z.string().nullable(), text: z.string(), options: z.array(z.string()).readonly() })
    .nullable(),
  commands: z
    .array(
      z.strictObject({
        command: z.string(),
        exitCode: z.int().nullable(),
        by: z.enum(["shell", "agent"]),
        message: z.string(),
      }),
    )
    .readonly(),
  tools: z.array(z.strictObject({ name: z.string(), calls: z.int() })).readonly(),
  files: z.array(z.strictObject({ name: z.string(), times: z.int() })).readonly(),
  events: z.array(z.strictObject({ name: z.string(), trust: trustSchema, isValid: z.boolean() })).readonly(),
  decisions: z
    .array(
      z.strictObject({
        approval: z.string(),
        question: z.string(),
        option: z.string().nullable(),
        by: z.string().nullable(),
      }),
    )
    .readonly(),
  errors: z.array(z.string()).readonly(),
  tokens: usageSchema.nullable(),
  counts: z.strictObject({
    messages: z.int(),
    requests: z.int(),
    commands: z.int(),
    files: z.int(),
    events: z.int(),
    errors: z.int(),
  }),
}) satisfies z.ZodType<Digest>;

/** `offset` is the offset to resume at: earlier changes of the views have been sent. */
export interface ReceiptChange {
  readonly kind: "receipt";
  readonly offset: number;
  readonly timeUs: number;
  readonly receipt: Receipt;
}

/** One item of `sessions.updates`: a change of a view of the session, or of the receipt of a prompt. */
export type SessionUpdate = ViewChange | ReceiptChange;

/** A question with the id of its session and the digest that an answer needs. */
export type SessionApproval = Approval & { readonly session: string; readonly digest: string };

/** All open questions, and the hints: questions that nobody is known to read. */
interface ShownQuestions {
  readonly approvals: readonly SessionApproval[];
  readonly hints: readonly SessionApproval[];
}

/** The fields of a session that change with output and input. */
export type SessionActivity = Pick<Session, "end" | "viewers" | "writer" | "lastMessage" | "usage" | "gate">;

/**
 * One item of `daemon.updates`: a change of any session. `session`: it started, ended, or its name, size or labels changed; `view` is null
 * if it was removed. The last four need `list: true`: `list` comes first and once, `approvals` with all open questions and hints when one opens
 * or closes, `audit` when the audit log has grown, for callers that may read all of it. With `machines: true` there are those of other
 * machines, too, with the machine's name: their ids and names of sessions have it in front, as in `box/work`, so that they are references here.
 * `machine`: the state of a machine, at the start and when it changes; `view` is null if it was removed.
 */
export type DaemonUpdate =
  | (LocalUpdate & { readonly machine?: string })
  | { readonly kind: "machine"; readonly machine: string; readonly view: MachineInfo | null };

/** An update of a daemon's own sessions. */
export type LocalUpdate =
  | (ViewChange & { readonly session: string })
  | { readonly kind: "session"; readonly session: string; readonly view: Session | null }
  | ({
      readonly kind: "list";
      readonly sessions: readonly Session[];
      /** All other machines, with `machines: true`; not in the list of a machine. */
      readonly machines?: readonly MachineInfo[];
      /** What the reader may do, and in which session if it is limited to one; not in the list of a machine. */
      readonly access?: ReaderAccess;
    } & ShownQuestions)
  | ({ readonly kind: "approvals" } & ShownQuestions)
  | { readonly kind: "audit" }
  | ({ readonly kind: "activity"; readonly session: string } & SessionActivity);

const receiptChangeSchema = z.strictObject({ ...changeBase, kind: z.literal("receipt"), receipt: receiptSchema });

export const sessionUpdateSchema = z.discriminatedUnion("kind", [
  ...changeSchema.options,
  receiptChangeSchema,
]) satisfies z.ZodType<SessionUpdate>;

const readerAccessSchema = z.strictObject({
  scope: z.enum(["read", "write", "admin"]),
  session: z.string().nullable(),
});
/** The scope of a reader's token, and the id of the only session that it is for; null for all sessions. */
export type ReaderAccess = Readonly<z.infer<typeof readerAccessSchema>>;

const ofMachine = { machine: z.string().exactOptional() };
const ofSession = { session: z.string(), ...ofMachine };
const [statusChange, messageChange, approvalChange, eventChange, usageChange, intentsChange, conversationChange] =
  changeSchema.options;
export const sessionApprovalSchema = approvalSchema.extend({ session: z.string(), digest: z.string() });

const shownQuestions = {
  approvals: z.array(sessionApprovalSchema).readonly(),
  hints: z.array(sessionApprovalSchema).readonly(),
};

export const daemonUpdateSchema = z.discriminatedUnion("kind", [
  statusChange.extend(ofSession),
  messageChange.extend(ofSession),
  approvalChange.extend(ofSession),
  eventChange.extend(ofSession),
  usageChange.extend(ofSession),
  intentsChange.extend(ofSession),
  conversationChange.extend(ofSession),
  z.strictObject({ ...ofSession, kind: z.literal("session"), view: sessionSchema.nullable() }),
  z.strictObject({
    ...ofMachine,
    kind: z.literal("list"),
    sessions: z.array(sessionSchema).readonly(),
    machines: z.array(machineSchema).readonly().exactOptional(),
    access: readerAccessSchema.exactOptional(),
    ...shownQuestions,
  }),
  z.strictObject({ ...ofMachine, kind: z.literal("approvals"), ...shownQuestions }),
  z.strictObject({ ...ofMachine, kind: z.literal("audit") }),
  sessionSchema
    .pick({ end: true, viewers: true, writer: true, lastMessage: true, usage: true, gate: true })
    .extend({ ...ofSession, kind: z.literal("activity") }),
  z.strictObject({ kind: z.literal("machine"), machine: z.string(), view: machineSchema.nullable() }),
]) satisfies z.ZodType<DaemonUpdate>;
