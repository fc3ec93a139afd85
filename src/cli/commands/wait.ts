import { LecternError } from "../../core/errors.ts";
import { isEventName, isTrusted, type EventDoubt } from "../../core/events/tagged-event.ts";
import { TRUST_LEVELS, type EventTrust } from "../../core/records.ts";
import { STATUS_STATES, type StatusState } from "../../core/status/status.ts";
import type { InputOf, OutputOf } from "../../protocol/operations.ts";
import type { Session } from "../../protocol/session.ts";
import { askAgain } from "../ask-again.ts";
import type { CliContext } from "../context.ts";
import { defineCommand, jsonOption, sessionArgument, TIMED_OUT_EXIT_CODE, WAIT_MS_MAX } from "../command.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";
import { exitCodeOf } from "../../protocol/exit-code.ts";

type Condition = InputOf<"sessions.wait">["for"];

export const wait = defineCommand({
  name: "wait",
  summary: "Wait for the exit, output, quiet, a status or an event",
  details: ["Exit code 124 if it timed out."],
  arguments: [sessionArgument],
  options: {
    for: {
      type: "text",
      placeholder: "WHAT",
      summary: "exit (default), ready, idle, output:REGEX, quiet:MS, status:X, event:X",
    },
    trust: {
      type: "text",
      placeholder: "LEVEL",
      choices: TRUST_LEVELS,
      summary: "Minimum trust of the event; default: text",
    },
    timeout: { type: "duration", short: "t", placeholder: "TIME", summary: "Default: 60s; 0 checks once" },
    from: {
      type: "number",
      placeholder: "OFFSET",
      summary: "Count output from this offset; default: after the last input",
    },
    "exit-code": { type: "flag", summary: "Exit with the exit code of the program" },
    json: jsonOption,
  },
  examples: [
    "lectern wait build",
    "lectern wait web --for output:listening --timeout 30s",
    "lectern wait repl --for ready",
    "lectern wait repl --for quiet:500",
    "lectern wait agent --for status:waiting,blocked",
    "lectern wait builder --for event:TASK_COMPLETE --timeout 10m",
  ],
  async run({ arguments: { session }, options }, context) {
    const condition = parseCondition(options.for ?? "exit", options.trust);
    const { signal } = context;
    const timeoutMs = Math.min(options.timeout ?? 60_000, WAIT_MS_MAX);
    const deadline = performance.now() + timeoutMs;
    const result = await askAgain(context, (client) => {
      const leftMs = Math.ceil(Math.max(0, Math.min(timeoutMs, deadline - performance.now())));
      return client.call(
        "sessions.wait",
        { session, for: condition, timeoutMs: leftMs, from: options.from },
        { signal },
      );
    });
    if (options.json) await context.print(JSON.stringify(result));
    else if (result.match !== null) await context.print(escapeForDisplay(result.match));
    else if (result.event?.valid) await context.print(escapeForDisplay(JSON.stringify(result.event.payload)));
    const code = exitCodeFor(result, condition, options["exit-code"]);
    if (code === TIMED_OUT_EXIT_CODE && result.reason === "timeout") {
      context.note(
        `lectern: Timed out after ${durationText(timeoutMs)} waiting for ${conditionText(condition)} in session "${result.session.name}": see "lectern status ${context.addressOf(result.session.name)} --explain"`,
      );
    }
    if (result.reason === "limit") {
      const { name } = result.session;
      context.note(
        `lectern: Session "${name}" printed 2 MiB and was not ready: wait again, or stop it with "lectern key ${context.addressOf(name)} C-c"`,
      );
    }
    if (condition.type === "event" && result.reason !== "event") await explainTrust(context, result.session, condition);
    return code;
  },
});

/** Reports an event that arrived but was not trusted enough. */
async function explainTrust(context: CliContext, { id, name }: Session, condition: Condition): Promise<void> {
  if (condition.type !== "event") return;
  const client = await context.client();
  const { events } = await client.call("sessions.events", { session: id, name: condition.name });
  const least = condition.trust ?? "text";
  const found = events.findLast(({ trust, valid }) => !valid || !isTrusted(trust, least));
  if (found === undefined) return;
  const who = `lectern: event "${found.name}" of session "${name}"`;
  if (!found.valid) context.note(`${who} is not valid: ${escapeForDisplay(found.error.message)}`);
  else context.note(`${who} has trust "${found.trust}", wanted "${least}": ${remedies[found.doubt ?? "none"]}`);
}

const remedies: Readonly<Record<EventDoubt | "none", string>> = {
  rendered:
    'a screen may change a plain tag: send it with "lectern emit" or in the encoded form ("lectern events --teach"), or start the session with --wire',
  quoted: "the model wrote it as a quotation; an event is written as plain text, outside of code and quotation marks",
  repeated: "the model repeats what the output of a tool had",
  none: 'send it with "lectern emit", or start the session with --trust-text if you trust everything that it prints',
};

/** The wait fails if the program ended before the condition was met. */
function exitCodeFor(result: OutputOf<"sessions.wait">, condition: Condition, wantsProgram: boolean): number {
  if (result.reason === "timeout") return TIMED_OUT_EXIT_CODE;
  const { exit } = result.session;
  if (wantsProgram && exit !== null) return exitCodeOf(exit);
  return result.reason === condition.type ? 0 : 1;
}

function parseCondition(text: string, trust: string | undefined): Condition {
  if (text === "exit" || text === "ready") return { type: text };
  if (text === "idle") return { type: "status", states: ["waiting", "idle"] };
  if (text.startsWith("output:") && text.length > "output:".length)
    return { type: "output", pattern: text.slice("output:".length) };
  if (text.startsWith("event:") && isEventName(text.slice("event:".length)))
    return { type: "event", name: text.slice("event:".length), trust: trust as EventTrust | undefined };
  if (text.startsWith("status:")) {
    const states = text.slice("status:".length).split(",").filter(isState);
    if (states.length > 0 && states.join() === text.slice("status:".length)) return { type: "status", states };
    throw new LecternError("USAGE", `Cannot wait for "${text}": the states are ${STATUS_STATES.join(", ")}`);
  }
  const quiet = /^quiet:(\d{1,7})(?:ms)?$/.exec(text);
  if (quiet !== null) return { type: "quiet", quietMs: Number(quiet[1]) };
  throw new LecternError(
    "USAGE",
    `Cannot wait for "${text}": wanted exit, ready, idle, output:REGEX, quiet:MS, status:STATE or event:NAME`,
  );
}

const durationText = (milliseconds: number): string =>
  milliseconds < 1000 ? `${milliseconds} ms` : `${milliseconds / 1000} s`;

function conditionText(condition: Condition): string {
  switch (condition.type) {
    case "exit":
    case "ready":
      return `"${condition.type}"`;
    case "output":
      return `output "${escapeForDisplay(condition.pattern)}"`;
    case "quiet":
      return `${durationText(condition.quietMs)} without output`;
    case "status":
      return `status ${condition.states.map((state) => `"${state}"`).join(" or ")}`;
    case "event":
      return `event "${condition.name}"`;
  }
}

const isState = (text: string): text is StatusState => (STATUS_STATES as readonly string[]).includes(text);
