/** The lines for an agent's instructions that make it send events, by the best way that it has. */
import { encodeEvent } from "../core/events/encoded-event.ts";

/** Where agents read instructions from, in the directory of the project. */
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

/** What is taught where no name is given. */
export const defaultEventNames: readonly string[] = ["TASK_COMPLETE", "TASK_FAILED", "NEEDS_INPUT"];

export const instructionFileOf = (agent: string): string | undefined => instructionFiles[agent];

/**
 * Two ways, the better one first: the command, whose event the kernel vouches for, and a token that survives markdown, wrapping and
 * repaints, ready made, because a model cannot compute its checksum. Plain tags are not taught: on a screen they break.
 */
export function teachEvents(names: readonly string[]): string {
  const [first = "TASK_COMPLETE"] = names;
  const tokens = names.map((name) => `- ${name}: \`${encodeEvent(name, {})}\``);
  return [
    "## Events",
    "",
    `When you have finished a task, failed at it, or need an answer, send one event. Names: ${names.join(", ")}.`,
    "",
    "If you can run commands, run this once, with the details as JSON on one line:",
    "",
    `    lectern emit ${first} '{"summary":"what you did, in one sentence"}'`,
    "",
    "If that command is missing or fails, write the token of the event into your answer instead, once, exactly as it stands",
    "here, as inline code on a line of its own:",
    "",
    ...tokens,
    "",
    "Do not write such a token for any other reason, and do not explain it.",
  ].join("\n");
}
