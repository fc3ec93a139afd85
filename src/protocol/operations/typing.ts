/** Operations that type into a session and wait for the result. */
import * as z from "zod";
import { READY_STRATEGIES } from "../../core/readiness/ready-wait.ts";
import { eventNameSchema } from "../names.ts";
import { offsetSchema, sessionSchema } from "../session.ts";
import {
  answeredReceiptSchema,
  promptKeySchema,
  receiptSchema,
  statusStateSchema,
  taggedEventSchema,
  trustSchema,
} from "../views.ts";
import { define, queryFlag, queryInt, session } from "./define.ts";

/** What a program waits for, see `Asks` in `core/readiness`. */
const asksSchema = z.enum(["command", "more", "line", "password", "keys"]);

const written = z.strictObject({
  /** The offsets of the input in the journal; output in response comes after `next`. */
  offset: offsetSchema,
  next: offsetSchema,
  /** Input with this key was typed before, at these offsets. */
  already: z.literal(true).optional(),
});

/** Readiness of a program, as a wait and a conversation end with it. */
const readyCondition = z.strictObject({
  type: z.literal("ready"),
  /** Which evidence counts. Default `auto`: the best that there is. */
  strategy: z.enum(READY_STRATEGIES).optional(),
  /** Texts at the end of the output that mean "ready", besides the evidence of shell and kernel. */
  markers: z.array(z.string().min(1).max(256)).max(64).optional(),
  /** How long nothing may follow a marker. Default 200. */
  settleMs: z.int().min(0).max(600_000).optional(),
  /** How long nothing may come, where the wait is for quiet. Default 80. */
  quietMs: z.int().min(0).max(3_600_000).optional(),
  /** The wait ends with `limit` at this many bytes of output from `from` on (default: from now on). Default 2 MiB. */
  outputBytesMax: z.int().min(1).max(16_777_216).optional(),
});

/** Why the program is ready, and what it waits for. */
const readySchema = z.strictObject({
  reason: z.enum(["mark", "foreground", "marker", "quiet"]),
  asks: asksSchema.nullable(),
});

/** Takes over the input lease. Without it, input is refused with `CONFLICT` while another writer types. */
const take = z.boolean().default(false);

export const typingOperations = {
  "sessions.input": define({
    summary: "Type text or bytes into a session",
    endpoint: "POST /v1/sessions/{session}/input",
    scope: "write",
    cli: ["send"],
    mcp: ["send"],
    input: z.strictObject({
      session,
      text: z.string().max(1_048_576).optional(),
      /** Exact bytes, base64. Either this or `text`. */
      data: z.base64().max(1_398_104).optional(),
      /** Adds a carriage return, as the Enter key does. */
      enter: z.boolean().default(false),
      /** As a bracketed paste. */
      paste: z.boolean().default(false),
      /** Recorded masked. Input at a prompt without echo is always masked. */
      secret: z.boolean().default(false),
      /** Idempotency key: input of a session with the same key is typed once, however often it is sent. */
      key: z.string().min(1).max(256).optional(),
      take,
    }),
    output: written,
  }),
  "sessions.keys": define({
    summary: "Press keys by name, such as C-c, Up, Enter",
    endpoint: "POST /v1/sessions/{session}/keys",
    scope: "write",
    cli: ["key"],
    mcp: ["send"],
    input: z.strictObject({ session, keys: z.array(z.string().min(1).max(64)).min(1).max(256), take }),
    output: written,
  }),
  "sessions.prompt": define({
    summary: "Type a prompt once when the program is at its prompt, press Enter, and return its receipt",
    endpoint: "POST /v1/sessions/{session}/prompts",
    scope: "write",
    cli: ["prompt"],
    mcp: ["prompt"],
    input: z.strictObject({
      session,
      text: z.string().min(1).max(262_144),
      /** The same key is the same prompt: it is never typed twice. Default: a new one. */
      key: promptKeySchema.optional(),
      /** If somebody else's text is in the input box, the prompt waits until the box is empty. Without it, `CONFLICT`. */
      whenEmpty: z.boolean().default(false),
      /** Scheduled: checked and typed at this time, in microseconds since the Unix epoch; at most 30 days ahead, 32 prompts a session. */
      dueUs: z.int().min(0).optional(),
      /** Scheduled: checked and typed when the session's limit of usage has ended, within 192 hours. Without a limit: typed now. */
      afterLimit: z.boolean().default(false),
      /** In an agent, `/name` is text for its model, too. Without it, only a text that begins with `!` or a `/` without a name is. */
      literal: z.boolean().default(false),
      /** Types also into a program that takes each key and shows no input line, where a key may answer a question. Without it, `CONFLICT`. */
      force: z.boolean().default(false),
      /** Types also at the prompt of a shell, which runs the text as a command. Without it, `CONFLICT`. */
      shell: z.boolean().default(false),
      /** Answers when the prompt is done or failed, when the session asks a person something (`asks`), or on timeout. */
      waitMs: z.int().min(0).max(3_600_000).default(0),
      /** A question does not end the wait. */
      throughQuestions: z.boolean().default(false),
    }),
    output: answeredReceiptSchema,
  }),
  "sessions.cancel": define({
    summary: "Cancel a prompt that is scheduled or waiting to be typed; refused if part of it may have been typed",
    endpoint: "DELETE /v1/sessions/{session}/prompts/{key}",
    scope: "write",
    cli: ["prompt"],
    input: z.strictObject({ session, key: promptKeySchema }),
    output: receiptSchema,
  }),
  "sessions.receipts": define({
    summary: "List the receipts of the prompts of a session, oldest first",
    endpoint: "GET /v1/sessions/{session}/prompts",
    scope: "read",
    input: z.strictObject({ session }),
    output: z.strictObject({ receipts: z.array(receiptSchema) }),
  }),
  "sessions.receipt": define({
    summary:
      "Show the receipt of one prompt; with `waitMs` wait until it is done or failed, or the session asks a question",
    endpoint: "GET /v1/sessions/{session}/prompts/{key}",
    scope: "read",
    input: z.strictObject({
      session,
      key: promptKeySchema,
      waitMs: queryInt(z.int().min(0).max(3_600_000)).default(0),
      /** A question does not end the wait. */
      throughQuestions: queryFlag.default(false),
    }),
    output: answeredReceiptSchema,
  }),
  "sessions.exec": define({
    summary:
      "Run a command at the prompt of a session and return its output; exact output and exit code if the shell sends marks",
    endpoint: "POST /v1/sessions/{session}/exec",
    scope: "write",
    cli: ["exec"],
    mcp: ["run"],
    input: z.strictObject({
      session,
      command: z.string().max(131_072),
      timeoutMs: z.int().min(0).max(86_400_000).default(60_000),
      /** Longer output is truncated to head and tail; all of it is kept, and is in the journal from `offset` to `next`. */
      outputBytesMax: z.int().min(2).max(16_777_216).default(1_048_576),
      /** Types also into a foreground program that is not a shell, such as `ssh` or a REPL. */
      inside: z.boolean().default(false),
      /** A prompt at the end of the line, besides the one that the program began with. */
      prompt: z.string().min(1).max(256).optional(),
      /** The output with its event tags. */
      raw: z.boolean().default(false),
      /** The key for `sessions.abort`. */
      key: z.string().min(1).max(256).optional(),
    }),
    output: z.strictObject({
      /** False: nothing was typed, because the session was not at a prompt. */
      ran: z.boolean(),
      reason: z.enum(["mark", "foreground", "marker", "quiet", "timeout", "exit", "limit"]),
      /** Whether the command has ended, as far as is known. */
      ended: z.boolean(),
      /** What the program waits for now. */
      asks: asksSchema.nullable(),
      output: z.string(),
      /** Read by the marks of the shell, with nothing left out; otherwise echo and prompt were removed by their text. */
      exact: z.boolean(),
      /** Trusted event tags that were left out of `output`: `raw` leaves them in. */
      tags: z.int(),
      exitCode: z.int().nullable(),
      durationMs: z.number(),
      /** Of the raw bytes, which `blobs.get` returns by `sha256` if they were kept. */
      omitted: z
        .strictObject({ bytes: z.int(), totalBytes: z.int(), sha256: z.string(), kept: z.boolean() })
        .nullable(),
      program: z.string().nullable(),
      /** The offsets of the command and its output in the journal. */
      offset: offsetSchema,
      next: offsetSchema,
      session: sessionSchema,
    }),
  }),
  "sessions.abort": define({
    summary: "Abort a command of `sessions.exec`: it is not typed, or it gets Ctrl-C if it was typed",
    endpoint: "DELETE /v1/sessions/{session}/exec/{key}",
    scope: "write",
    cli: ["exec"],
    input: z.strictObject({ session, key: z.string().min(1).max(256) }),
    output:
      /** `unknown`: no command with this key is running. */
      z.strictObject({ outcome: z.enum(["not-typed", "interrupted", "unknown"]) }),
  }),
  "sessions.wait": define({
    summary: "Wait for the exit, readiness, output, quiet, a status or an event; a timeout is a result, not an error",
    endpoint: "POST /v1/sessions/{session}/wait",
    scope: "read",
    cli: ["wait"],
    mcp: ["open", "wait"],
    input: z.strictObject({
      session,
      for: z.discriminatedUnion("type", [
        z.strictObject({ type: z.literal("exit") }),
        readyCondition,
        z.strictObject({ type: z.literal("output"), pattern: z.string().min(1).max(1024) }),
        z.strictObject({ type: z.literal("quiet"), quietMs: z.int().min(10).max(3_600_000) }),
        z.strictObject({ type: z.literal("status"), states: z.array(statusStateSchema).min(1).max(7) }),
        /** A valid event of this name with at least this trust; an unverified one counts only if requested. */
        z.strictObject({ type: z.literal("event"), name: eventNameSchema, trust: trustSchema.default("text") }),
      ]),
      /** Only output from this offset on counts; default: after the last input. */
      from: offsetSchema.optional(),
      timeoutMs: z.int().min(0).max(86_400_000).default(60_000),
    }),
    output: z.strictObject({
      /** `limit`: the program printed `outputBytesMax` before it was ready; it may not stop. */
      reason: z.enum(["exit", "ready", "output", "quiet", "status", "event", "limit", "timeout"]),
      /** Why the program is ready, and what it waits for; null for other waits. */
      ready: readySchema.nullable(),
      /** The end of what was read when the wait ended. */
      offset: offsetSchema,
      match: z.string().nullable(),
      /** The event that ended the wait. */
      event: taggedEventSchema.optional(),
      session: sessionSchema,
    }),
  }),
  "sessions.converse": define({
    summary:
      "Type text, wait until the program is ready, and read what it printed: one request for each line of a conversation",
    endpoint: "POST /v1/sessions/{session}/converse",
    scope: "write",
    input: z.strictObject({
      session,
      /** Typed as it is, with its line feeds; without it nothing is typed. */
      text: z.string().min(1).max(1_048_576).optional(),
      /** Idempotency key of the text, as of `sessions.input`. */
      key: z.string().min(1).max(256).optional(),
      take,
      for: readyCondition,
      /** The output is read from this offset on. */
      from: offsetSchema,
      /** At most so much output is read; the next request continues at `next`. */
      bytesMax: z.int().min(1).max(16_777_216).default(2_097_152),
      timeoutMs: z.int().min(0).max(86_400_000).default(20_000),
    }),
    output: z.strictObject({
      reason: z.enum(["exit", "ready", "limit", "timeout"]),
      ready: readySchema.nullable(),
      /** Without escape sequences and carriage returns, with its event tags. */
      text: z.string(),
      next: offsetSchema,
    }),
  }),
} as const;
