import { LecternError } from "../../core/errors.ts";
import { isEventName } from "../../core/events/tagged-event.ts";
import { TRUST_LEVELS, type EventTrust } from "../../core/records.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";
import { waits } from "../../core/waits.ts";
import type { OutputOf } from "../../protocol/operations.ts";
import { askAgain } from "../ask-again.ts";
import { defineCommand, sessionArgument } from "../command.ts";
import type { CliContext } from "../context.ts";
import { encodeEventForm } from "../../core/events/encoded-event.ts";

/** The instruction files of agents, relative to the project directory. */
const instructionFiles: Readonly<Record<string, string>> = {
  claude: "CLAUDE.md",
  codex: "AGENTS.md",
  copilot: ".github/copilot-instructions.md",
  gemini: "GEMINI.md",
  opencode: "AGENTS.md",
  pi: "AGENTS.md",
  qwen: "QWEN.md",
};

const taughtAgents: readonly string[] = Object.keys(instructionFiles);

/** Taught if no name is given. */
const defaultEventNames: readonly string[] = ["TASK_COMPLETE", "TASK_FAILED", "NEEDS_INPUT"];

const PAGE = 1000;

type Tagged = OutputOf<"sessions.events">["events"][number];

export const events = defineCommand({
  name: "events",
  summary: "Print the typed events sent by programs of a session",
  details: [
    "Each line has the name, the trust level and the payload as JSON. An event that does not match",
    "its schema is shown with the error. Trust levels, lowest first: unverified, text, nonce, encoded, wire, socket, derived.",
    "A session started with run --summaries has TURN_SUMMARY at the end of each turn and SESSION_SUMMARY at the exit.",
    "An event that a model quotes, or repeats from the output of a tool, is unverified.",
    "With --teach prints lines for the instructions of an agent.",
  ],
  arguments: [{ ...sessionArgument, count: "optional" }],
  options: {
    follow: { type: "flag", short: "f", summary: "Follow until the session ends" },
    name: { type: "list", short: "n", placeholder: "NAME", summary: "Only this name; with --teach, a name to teach" },
    trust: { type: "text", placeholder: "LEVEL", choices: TRUST_LEVELS, summary: "Minimum trust level" },
    from: { type: "number", placeholder: "OFFSET", summary: "Start at this offset" },
    teach: { type: "flag", summary: "Print lines for an agent's instructions" },
    agent: {
      type: "text",
      placeholder: "NAME",
      choices: taughtAgents,
      summary: "With --teach: also name the file to put them in",
    },
    json: { type: "flag", summary: "Print JSON, one event per line" },
  },
  examples: [
    "lectern events build",
    "lectern events -f --name TASK_COMPLETE --trust socket builder --json",
    "lectern events --teach --agent claude",
  ],
  async run({ arguments: { session }, options }, context) {
    if (options.teach) return teach(options.name, options.agent, context);
    if (session === undefined) throw new LecternError("USAGE", "Cannot print events: name a session, or use --teach");
    const print = (event: Tagged): Promise<void> => context.print(options.json ? JSON.stringify(event) : lineOf(event));
    const names = new Set(options.name);
    if (options.follow) context.endWithReader();
    for await (const event of readTagged(session, options, context)) {
      if (names.size === 0 || names.has(event.name)) await print(event);
    }
  },
});

async function* readTagged(
  session: string,
  options: { readonly follow: boolean; readonly trust: string | undefined; readonly from: number | undefined },
  context: CliContext,
): AsyncGenerator<Tagged> {
  const { signal } = context;
  const trust = (options.trust ?? "unverified") as EventTrust;
  for (let from = options.from ?? 0; ;) {
    const input = { session, from, trust, limit: PAGE, waitMs: options.follow ? waits.longPollMs : 0 };
    const page = await askAgain(context, (client) => client.call("sessions.events", input, { signal }));
    yield* page.events;
    if (page.ended || (!options.follow && page.events.length < PAGE)) return;
    from = page.next;
  }
}

/** Escaped, because programs choose the payload. */
function lineOf(event: Tagged): string {
  const what = event.valid ? JSON.stringify(event.payload) : `invalid: ${event.error.message}  ${event.text}`;
  const trust = event.doubt === undefined ? event.trust : `${event.trust} (${event.doubt})`;
  return escapeForDisplay(`${event.name}  ${trust}  ${what}`.trimEnd());
}

async function teach(names: readonly string[], agent: string | undefined, context: CliContext): Promise<void> {
  const bad = names.find((name) => !isEventName(name) || name.includes("."));
  if (bad !== undefined) {
    throw new LecternError(
      "USAGE",
      `Cannot teach the name "${bad}": wanted a letter, then at most 63 of A-Z a-z 0-9 _ -`,
    );
  }
  await context.print(teachEvents(names.length > 0 ? names : defaultEventNames));
  const file = agent === undefined ? undefined : instructionFileOf(agent);
  if (file !== undefined) context.note(`[${agent} reads ${file}]`);
}

const instructionFileOf = (agent: string): string | undefined => instructionFiles[agent];

/**
 * Lines for the instructions of an agent, so that it sends events. Two ways, the better one first: the command, whose sender the kernel
 * verifies; and a token that survives Markdown, wrapping and repaints, which a model can write without a tool. Plain tags are not taught,
 * because a screen breaks them.
 */
function teachEvents(names: readonly string[]): string {
  const [first = "TASK_COMPLETE"] = names;
  const example = encodeEventForm(first, { files: 3, summary: "All tests pass." });
  return [
    "## Events",
    "",
    `When you have finished a task, failed at it, or need an answer, send one event. Names: ${names.join(", ")}.`,
    "",
    "If you can run commands, run this once, with the details as JSON on one line:",
    "",
    `    lectern emit ${first} '{"summary":"what you did, in one sentence"}'`,
    "",
    "If that command is missing or fails, write a token into your answer instead, once, as inline code on a line of its own:",
    "",
    `    \`${example}\``,
    "",
    "It has the name of the event and then the details twice, both times the same, as fields of a web form: `name=value` joined by",
    "`&`, with `+` for a blank and %XX for every other character that is not a letter, a digit, a dot or a dash, so %5F for an underscore. Without details",
    `it is \`@@FE2:${first}::@@\`.`,
    "",
    "Do not write such a token for any other reason, and do not explain it.",
  ].join("\n");
}
