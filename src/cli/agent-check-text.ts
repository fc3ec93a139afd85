/** What the rules of an agent read from a recording, as lines of text. */
import type { RowRuleReading } from "../core/views/rule-readings.ts";
import type { AgentCheck, CheckReading } from "../replay/check-agent.ts";
import { oneLine } from "../core/text/one-line.ts";
import type { Style } from "./style.ts";

const textCharsMax = 100;

/** The changes of each frame: a row of the conversation is shown once, and again when it is read differently. */
export function checkLines({ agent, frames, readings, unused }: AgentCheck, style: Style): string[] {
  const startUs = readings[0]?.timeUs ?? 0;
  const seen = new Set<string>();
  const lines = readings.flatMap((reading) => [
    `${seconds(reading.timeUs - startUs)}  ${style.bold((reading.status?.state ?? "-").padEnd(8))}  ${placesOf(reading).join("  ")}`,
    ...reading.rows.flatMap((row) => {
      const line = rowLine(row);
      if (line === null || seen.has(line)) return [];
      seen.add(line);
      return [style.dim(`${" ".repeat(12)}${String(row.row).padStart(3)} `) + line];
    }),
  ]);
  const missing = unused.length === 0 ? [] : [`Rules without a match: ${unused.join(", ")}`];
  return [...lines, `${agent}: ${frames} frames, ${readings.length} readings`, ...missing];
}

const short = (text: string): string => oneLine(text).slice(0, textCharsMax);
const seconds = (us: number): string => `${(us / 1e6).toFixed(3)} s`.padStart(11);

/** First what decided about the state. */
function placesOf({ box, dialog, screen, status, title, window }: CheckReading): string[] {
  return [
    status === null || status.by === null ? "" : `by ${status.by}`,
    screen === null ? "" : `screen.${screen.rule}: ${short(screen.text)}`,
    title === null ? "" : `title.${title.rule}: ${short(title.text)}`,
    box === null ? "no box" : `box ${box.top}-${box.bottom}`,
    dialog === null ? "" : `dialog: ${short(dialog.question)} [${dialog.options.map(short).join(" | ")}]`,
    window === null ? "no conversation" : `rows ${window.from}-${window.to}${window.isBusy ? " busy" : ""}`,
  ].filter((text) => text !== "");
}

/** Null for a blank row. */
function rowLine({ role, rule, isStart, text }: RowRuleReading): string | null {
  if (role === null && text === "") return null;
  return `${isStart ? "+" : " "} ${(role ?? "...").padEnd(12)} ${(rule ?? "").padEnd(16)} ${short(text)}`;
}
