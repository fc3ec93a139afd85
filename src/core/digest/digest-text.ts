/** A digest as people read it: plain text, or Markdown. */
import { oneLine } from "../text/one-line.ts";
import type { Digest, DigestCommand } from "./digest.ts";

interface Section {
  readonly title: string;
  readonly lines: readonly string[];
  /** Shown as it is, not as a list. */
  readonly isText: boolean;
}

/** Plain: a title, and under it indented lines. */
export const digestText = (digest: Digest): string =>
  sectionsOf(digest)
    .map(({ title, lines }) => `${title}\n${lines.map((line) => (line === "" ? "" : `  ${line}`)).join("\n")}\n`)
    .join("\n");

export const digestMarkdown = (digest: Digest): string =>
  sectionsOf(digest)
    .map(({ title, lines, isText }) => `### ${title}\n\n${isText ? lines.join("\n") : listOf(lines)}\n`)
    .join("\n");

const listOf = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join("\n");

function sectionsOf(digest: Digest): Section[] {
  const { answer, commands, counts, decisions, errors, events, files, question, request, tools } = digest;
  const sections: Section[] = [
    { title: titleOf(digest), lines: factsOf(digest), isText: false },
    text("Asked", request),
    text(answer?.isPartial === true ? "Answer so far" : "Answer", answer?.text),
    text("Open question", question === null ? null : [question.text, ...question.options].join("\n")),
    list(
      "Commands",
      commands.map((command) => commandLine(command)),
      counts.commands,
    ),
    list(
      "Tools",
      tools.map(({ name, calls }) => `${name}: ${calls}`),
      tools.length,
    ),
    list(
      "Files",
      files.map(({ name, times }) => (times === 1 ? name : `${name} (${times} times)`)),
      counts.files,
    ),
    list(
      "Events",
      events.map(({ name, trust, isValid }) => `${name} (${isValid ? trust : "invalid"})`),
      counts.events,
    ),
    list(
      "Decisions",
      decisions.map(({ question: asked, option, by }) => `${oneLine(asked)}: ${option ?? "?"}, by ${by ?? "nobody"}`),
      decisions.length,
    ),
    list(
      "Errors",
      errors.map((error) => oneLine(error)),
      counts.errors,
    ),
  ];
  return sections.filter(({ lines }) => lines.length > 0);
}

const text = (title: string, value: string | null | undefined): Section => ({
  title,
  lines: value === null || value === undefined || value.trim() === "" ? [] : value.trimEnd().split("\n"),
  isText: true,
});

const list = (title: string, lines: readonly string[], total: number): Section => ({
  title: total > lines.length ? `${title} (the last ${lines.length} of ${total})` : title,
  lines,
  isText: false,
});

const titleOf = ({ agent, turn }: Digest): string =>
  `${turn === "last" ? "Last turn" : "Session"}${agent === null ? "" : ` of ${agent}`}`;

function factsOf({ counts, endUs, startUs, state, stateMs, tokens }: Digest): string[] {
  const times = Object.entries(stateMs).map(([name, ms]) => `${name} ${seconds(ms)}`);
  const facts = [
    `now ${state}${times.length === 0 ? "" : `; ${times.join(", ")}`}`,
    `${new Date(startUs / 1000).toISOString()}, ${seconds((endUs - startUs) / 1000)}, ${counts.messages} messages`,
  ];
  if (tokens !== null) {
    const cost = tokens.costUsd === null ? "" : `, ${tokens.costUsd.toFixed(4)} USD`;
    facts.push(
      `${tokens.requests} requests: ${tokens.input} tokens in, ${tokens.output} out, ${tokens.cachedInput} cached${cost}`,
    );
  }
  return facts;
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

function commandLine({ by, command, exitCode }: DigestCommand): string {
  const end = exitCode === null ? "" : ` (exit ${exitCode})`;
  return `${by === "agent" ? "agent: " : ""}${command}${end}`;
}
