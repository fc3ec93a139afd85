/** Tools that wait, tell what a session does, and answer its questions. */
import * as z from "zod";
import { APPROVAL_STATES, type Approval } from "../../core/dialogs/approval.ts";
import { labelOf } from "../../core/dialogs/choices.ts";
import { questionLine } from "../../core/dialogs/question-line.ts";
import { digestMarkdown } from "../../core/digest/digest-text.ts";
import { LecternError } from "../../core/errors.ts";
import { STATUS_STATES } from "../../core/status/status.ts";
import { cutNote, cutText } from "../../core/text/cut-text.ts";
import type { InputOf } from "../../protocol/operations.ts";
import { eventNameSchema } from "../../protocol/names.ts";
import { digestTurnSchema } from "../../protocol/views.ts";
import { defineTool, exitOf, hintField, offsetField, sessionField, timeoutField } from "./tool.ts";

const WAIT_OUTPUT_BYTES_MAX = 8192;
const DETAILS_CHARS_MAX = 2000;

const waitInput = z.strictObject({
  session: sessionField,
  for: z.enum(["ready", "output", "quiet", "status", "event", "exit"]),
  pattern: z.string().min(1).max(1024).optional().describe("For output: a regular expression, without slashes"),
  states: z.array(z.enum(STATUS_STATES)).min(1).optional().describe("For status"),
  event: eventNameSchema.optional().describe("For event: its name"),
  quietMs: z.int().min(10).max(600_000).default(2000).describe("For quiet: time without output"),
  from: offsetField.optional().describe("`next` of an earlier answer: also returns the output since then"),
  timeoutMs: timeoutField,
});

export const wait = defineTool({
  name: "wait",
  title: "Wait for a session",
  description: [
    "Waits for a condition in a session: `ready` (its program waits for input; best after `run` timed out or after `send`), `output` (a pattern in the output since the last input, or since `from`),",
    "`status` (such as waiting or blocked; best for other agents), `event` (a program sent an event of this name), `quiet` (no output for a while), `exit` (the program ended).",
    "A timeout is a result, not an error: `reason` is `timeout`, and you may wait again. With `from` the output since then is returned, at most 8 KiB.",
  ],
  input: waitInput,
  output: z.strictObject({
    reason: z.enum(["exit", "ready", "output", "quiet", "status", "event", "limit", "timeout"]),
    asks: z.string().nullable().describe("For ready: what it waits for: command, more, line, password, keys"),
    match: z.string().nullable().describe("For output: what matched"),
    event: z.unknown().describe("For event: what was sent"),
    status: z.string().nullable().describe("Status of the session"),
    exit: z.string().nullable(),
    next: offsetField.describe("Where to continue with `read`"),
    more: z.boolean().describe("More output is available after `next`"),
    hint: hintField,
    output: z.string().describe("Output since `from`; empty without `from`"),
  }),
  run: async (input, calls) => {
    const { session, from, timeoutMs } = input;
    const found = await calls.call("sessions.wait", { session, from, timeoutMs, for: conditionOf(input) });
    const page =
      from === undefined
        ? undefined
        : await calls.call("sessions.logs", { session, from, bytesMax: WAIT_OUTPUT_BYTES_MAX });
    const exit = exitOf(found.session);
    const next = page?.next ?? found.offset;
    const { status } = found.session;
    return {
      ...found,
      asks: found.ready?.asks ?? null,
      match: found.match?.slice(0, WAIT_OUTPUT_BYTES_MAX) ?? null,
      event: found.event === undefined ? null : boundedEvent(found.event),
      status: status === null ? null : `${status.state}: ${status.summary}`.slice(0, 200),
      exit,
      next,
      more: page?.more ?? false,
      hint: waitHint(found.reason, found.ready?.asks ?? null, exit),
      output: page?.text ?? "",
    };
  },
});

function conditionOf(input: z.output<typeof waitInput>): InputOf<"sessions.wait">["for"] {
  const missing = (field: string): never => {
    throw new LecternError("INVALID_INPUT", `Cannot wait for ${input.for} without "${field}"`);
  };
  switch (input.for) {
    case "output":
      return { type: "output", pattern: input.pattern ?? missing("pattern") };
    case "status":
      return { type: "status", states: input.states ?? missing("states") };
    case "event":
      return { type: "event", name: input.event ?? missing("event") };
    case "quiet":
      return { type: "quiet", quietMs: input.quietMs };
    case "ready":
    case "exit":
      return { type: input.for };
  }
}

/** An event is up to 64 KiB: one that is longer is named, and `read` shows it. */
function boundedEvent(event: object): unknown {
  const text = JSON.stringify(event);
  return text.length <= WAIT_OUTPUT_BYTES_MAX ? event : { cut: text.slice(0, WAIT_OUTPUT_BYTES_MAX) };
}

function waitHint(reason: string, asks: string | null, exit: string | null): string {
  if (exit !== null) return "The program has ended: `read` the rest of its output";
  if (reason === "timeout")
    return "It did not happen in time: `wait` again, look at the `screen` or the `status`, or `send` the key C-c";
  if (reason === "limit")
    return "It printed 2 MiB and was not ready: `wait` again, or `send` the key C-c if it does not stop";
  if (asks === "password")
    return "It asks for a password: ask your user, then `send` it with secret: true and enter: true";
  if (reason === "ready") return "`run` the next command, or `send` an answer";
  return "Go on: `read`, `screen` and `status` show more";
}

export const status = defineTool({
  name: "status",
  title: "Status of a session",
  description: [
    "Shows the status of a session and the evidence for it: starting, working, waiting (at its prompt), blocked (asks a person), idle, exited, or unknown.",
    "If it is blocked, `approvals` has the questions and their options.",
  ],
  input: z.strictObject({ session: sessionField }),
  output: z.strictObject({
    state: z.string(),
    summary: z.string(),
    since: z.string().nullable(),
    agent: z.string().nullable().describe("The coding agent that runs in it"),
    evidence: z.array(z.string()),
    approvals: z.array(
      z.strictObject({
        approval: z.string(),
        digest: z.string().describe("For `approve`"),
        command: z.string().nullable().describe("What would run"),
        change: z.string().nullable().describe("What would be changed"),
        directory: z.string().nullable(),
        tool: z.string().nullable(),
        reason: z.string().nullable(),
        isComplete: z.boolean().describe("False: the program shows only a part; see the `screen`"),
        kind: z.string(),
        question: z.string(),
        details: z.string(),
        options: z.array(z.strictObject({ id: z.string(), label: z.string(), effect: z.string() })),
      }),
    ),
    hints: z
      .array(z.string())
      .describe("Questions on the screen that nobody is known to read: they cannot be answered"),
    hint: hintField,
  }),
  run: async ({ session }, calls) => {
    const { status: found, approvals, hints } = await calls.call("sessions.status", { session });
    const state = found?.state ?? "unknown";
    return {
      state,
      summary: found?.summary ?? "Nothing is known yet",
      since: found === null ? null : new Date(found.sinceUs / 1000).toISOString(),
      agent: found?.agent ?? null,
      evidence: (found?.evidence ?? [])
        .filter(({ isDecisive }) => isDecisive)
        .map(({ signal, text }) => `${signal}: ${text}`),
      approvals: approvals.map((approval) => shownApproval(approval)),
      hints: hints.map((hint) => `${questionLine(hint)} (${hint.whyHint ?? ""})`.slice(0, DETAILS_CHARS_MAX)),
      hint: statusHint(state, approvals.length),
    };
  },
});

const shownApproval = ({ id, digest = "", kind, question, details, options, ...about }: Approval) => ({
  approval: id,
  digest,
  command: about.command === null ? null : boundedDetails(about.command),
  change: about.change === null ? null : boundedDetails(about.change),
  directory: about.directory,
  tool: about.tool,
  reason: about.reason?.slice(0, 500) ?? null,
  isComplete: about.isComplete,
  kind,
  question: question.slice(0, DETAILS_CHARS_MAX),
  details: boundedDetails(details),
  options: options.map((each) => ({ id: each.id, label: labelOf(each).slice(0, 500), effect: each.effect })),
});

/** Details that were cut before keep their last line: it reports where all of them are. */
const boundedDetails = (details: string): string =>
  details.length <= DETAILS_CHARS_MAX
    ? details
    : cutText(details, DETAILS_CHARS_MAX, "the rest is shown to your user") + cutNote(details);

export const digest = defineTool({
  name: "digest",
  title: "Digest of a session",
  description: [
    "Summarizes a session with extracts, word for word: the last request and answer, commands with exit codes, tools, files, events, errors, times, tokens and open questions.",
    "Use it to see what another agent has done, or what happened in a session that you did not follow.",
  ],
  input: z.strictObject({ session: sessionField, turn: digestTurnSchema.default("last") }),
  output: z.strictObject({ state: z.string(), agent: z.string().nullable(), offset: offsetField, output: z.string() }),
  run: async (input, calls) => {
    const found = await calls.call("sessions.digest", input);
    return { ...found, output: digestMarkdown(found) };
  },
});

function statusHint(state: string, approvals: number): string {
  if (approvals > 0)
    return "Ask your user what to answer, unless they told you before; then `approve` with the id of an option";
  switch (state) {
    case "working":
    case "starting":
      return "`wait` with for: status and states: [waiting, blocked, exited]";
    case "waiting":
      return "`run` a command or `send` text";
    case "blocked":
      return "It asks for something: check the `screen`, then `send` keys";
    case "exited":
      return "`read` its output, or `open` another session";
    default:
      return "Look at the `screen`";
  }
}

export const approve = defineTool({
  name: "approve",
  title: "Answer a question",
  description: [
    "Answers a question that a program in a session asks a person (a permission, trust, a login), as `status` shows it: presses the right keys, or releases a held tool call.",
    "It decides for your user: only do it with their consent. Who answered is recorded.",
  ],
  isDestructive: true,
  input: z.strictObject({
    session: sessionField,
    approval: z.string().min(1).max(64).describe("Id of the question, from `status`"),
    option: z.string().min(1).max(64).describe("Id of an option, or allow or deny"),
    digest: z.string().min(1).max(64).describe("Of the question, from `status`: refused if the question has changed"),
  }),
  output: z.strictObject({
    approval: z.string(),
    state: z.enum(APPROVAL_STATES),
    answer: z.string().nullable(),
    hint: hintField,
  }),
  run: async (input, calls) => {
    const { id, state, answer } = await calls.call("approvals.answer", { ...input, by: "mcp" });
    const hint =
      state === "open"
        ? "The question is still there: look at the `screen`"
        : "`wait` with for: status, or ask for the `status`";
    return { approval: id, state, answer: answer?.option ?? null, hint };
  },
});
