/**
 * The schema of the marks of a journal, which `core/records.ts` defines; the compiler holds both together. Here the fields are
 * described as well: PROTOCOL.md gets its tables of marks from this file.
 */
import * as z from "zod";
import { FOREGROUND_VERDICTS, TRUST_LEVELS, type SessionEvent } from "../core/records.ts";

const text = z.string();
const textOrNull = z.string().nullable();
const texts = z.array(z.string()).readonly();
const finish = z.enum(["stop", "tool_calls", "length", "content_filter", "error", "truncated"]);

const requestPart = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("user"), text }),
  z.strictObject({ type: z.literal("tool-result"), call: textOrNull, tool: textOrNull, text, isError: z.boolean() }),
]);

const usage = z.strictObject({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cachedInputTokens: z.number(),
  cacheWriteTokens: z.number(),
  reasoningTokens: z.number(),
});

export const markSchema = z.discriminatedUnion("type", [
  z
    .strictObject({
      type: z.literal("session-start"),
      command: texts,
      columns: z.int(),
      rows: z.int(),
      eventNonce: text.exactOptional(),
      timeZone: text.exactOptional(),
    })
    .describe("the first record"),
  z
    .strictObject({
      type: z.literal("foreground"),
      verdict: z.enum(FOREGROUND_VERDICTS),
      program: textOrNull,
      pid: z.int().nullable(),
      echo: z.boolean().nullable(),
      canonical: z.boolean().nullable(),
      runsScript: z.boolean().exactOptional(),
      editsLine: z.boolean().exactOptional(),
      isRelay: z.literal(true).exactOptional(),
      timerAtMs: z.number().exactOptional(),
    })
    .describe(
      `what the program in the foreground waits for, as the kernel reports it: ${FOREGROUND_VERDICTS.join(", ")}`,
    ),
  z
    .strictObject({ type: z.literal("input-key"), key: text, bytes: z.int() })
    .describe("the next record is the input with this idempotency key; if it is not, nothing was typed"),
  z
    .strictObject({
      type: z.literal("event"),
      name: text,
      payload: z.unknown(),
      carrier: z.literal("socket"),
      trust: z.enum(TRUST_LEVELS),
      pid: z.int().nullable(),
    })
    .describe("an event of a program"),
  z
    .strictObject({ type: z.literal("event-schema"), name: text, schema: z.unknown() })
    .describe("from here on events of this name are checked against this JSON Schema"),
  z
    .strictObject({ type: z.literal("approval-answer"), approval: text, option: text, by: text })
    .describe("a person answers a question on the screen: the keys that follow are the answer"),
  z
    .strictObject({ type: z.literal("command"), id: text, text, bytes: z.int() })
    .describe(
      "a shell is offered a command: the input that follows is the key for it, and the answer is a mark of the shell",
    ),
  z.strictObject({ type: z.literal("prompt"), key: text, state: text }).describe("a prompt reached its next step"),
  z.strictObject({ type: z.literal("marker"), label: text }).describe("a marker of a recording"),
  z
    .strictObject({
      type: z.literal("protocol"),
      stream: z.enum(["client", "agent", "stderr"]),
      text,
      encoding: z.literal("base64").exactOptional(),
    })
    .describe(
      "bytes on the pipes of a program that speaks a protocol; the texts of a stream together are its bytes, and where one ends means nothing",
    ),
  z
    .strictObject({ type: z.literal("recording-imported"), format: text, title: textOrNull })
    .describe("the session is a recording from elsewhere"),
  z
    .strictObject({ type: z.literal("journal-degraded"), message: text, bytesLost: z.int() })
    .describe("the journal could not be written for a while"),
  z
    .strictObject({ type: z.literal("net-denied"), host: text, port: z.int(), reason: text, attempts: z.int() })
    .describe("a program of a sandboxed session wanted to reach a host that is not allowed"),
  z
    .strictObject({ type: z.literal("audit-head"), sequence: z.int(), hash: text })
    .describe("the head of the audit log after a refusal, a question or an answer of the session"),
  z
    .strictObject({
      type: z.literal("wire-request"),
      exchange: text,
      dialect: z.enum(["openai-chat", "openai-responses", "anthropic", "gemini"]),
      model: textOrNull,
      tools: z.int(),
      parts: z.array(requestPart).readonly(),
      cutChars: z.int(),
    })
    .describe("a request to a model: how many tools it offers, new texts of the user, results of tools"),
  z
    .strictObject({ type: z.literal("wire-intent"), exchange: text, call: text, tool: text })
    .describe("a tool is named, its arguments are on the way"),
  z
    .strictObject({
      type: z.literal("wire-tool-call"),
      call: text,
      kind: z.enum(["function", "custom", "native"]),
      tool: text,
      argumentsText: textOrNull,
      argumentsHash: text,
      status: z.enum(["complete", "healed", "invalid"]),
      provenance: z.enum(["wire", "healed", "empty"]),
      finish: finish.nullable(),
      source: text,
      effect: z.enum(["allow", "ask", "deny"]).nullable(),
      decidedBy: textOrNull,
      enforced: z.literal(false).optional(),
    })
    .describe("a tool call and the decision of the gate, at the end of its turn"),
  z
    .strictObject({
      type: z.literal("wire-approval"),
      exchange: text,
      call: text,
      approval: text,
      state: z.enum(["open", "allowed", "denied", "gone"]),
      by: textOrNull,
    })
    .describe("a person is asked about a call, or it is settled"),
  z
    .strictObject({ type: z.literal("fact"), source: text, id: text, payload: z.unknown() })
    .describe(
      "a fact from another source than the pty; `id` is unique in its source, and a repeated one changes nothing. Source `agent-files`: the conversation of the agent in the foreground, see docs/resume.md",
    ),
  z
    .strictObject({ type: z.literal("wire-gate"), state: z.enum(["on", "not-gated"]), evidence: textOrNull })
    .describe("the agent shows turns and sends no request, or sends requests again"),
  z
    .strictObject({ type: z.literal("wire-refused"), method: text, path: text, reason: text })
    .describe("a request that was not sent on, once for each path"),
  z
    .strictObject({
      type: z.literal("wire-turn"),
      exchange: text,
      model: textOrNull,
      text,
      thinking: text,
      calls: texts,
      refused: texts,
      serverTools: texts,
      finish,
      usage: usage.nullable(),
      costUsd: z.number().nullable(),
      status: z.int().nullable(),
      attempts: z.int(),
      firstTokenMs: z.number().nullable(),
      durationMs: z.number(),
      error: z.strictObject({ type: text, message: textOrNull }).nullable(),
      cutChars: z.int(),
      limit: z.strictObject({ untilUs: z.int().nullable() }).exactOptional(),
      auditHead: z.strictObject({ sequence: z.int(), hash: text }).exactOptional(),
    })
    .describe("the end of an exchange"),
]);

type Plain<Type> = Type extends readonly (infer Item)[]
  ? Plain<Item>[]
  : Type extends object
    ? { -readonly [Key in keyof Type]: Plain<Type[Key]> }
    : Type;
/** Each is assignable to the other, and no key of one is missing in the other, in whichever kind of mark. */
type Keys<Type> = Type extends unknown ? keyof Type : never;
type IsSame<One, Other> = [One, Other, Keys<One>] extends [Other, One, Keys<Other>]
  ? [Keys<Other>] extends [Keys<One>]
    ? true
    : false
  : false;

/** Does not compile if the schema and the types have different fields. */
true satisfies IsSame<Plain<z.infer<typeof markSchema>>, Plain<SessionEvent>>;
