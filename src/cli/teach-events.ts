/** Lines for an agent's instructions that make it send events in the most reliable way that it has. */
import { encodeEventForm } from "../core/events/encoded-event.ts";

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

export const taughtAgents: readonly string[] = Object.keys(instructionFiles);

/** Taught if no name is given. */
export const defaultEventNames: readonly string[] = ["TASK_COMPLETE", "TASK_FAILED", "NEEDS_INPUT"];

export const instructionFileOf = (agent: string): string | undefined => instructionFiles[agent];

/**
 * Two ways, the better one first: the command, whose sender the kernel verifies; and a token that survives Markdown, wrapping and
 * repaints, which a model can write without a tool. Plain tags are not taught, because a screen breaks them.
 */
export function teachEvents(names: readonly string[]): string {
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
