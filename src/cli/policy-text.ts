/** Formats what a policy decides, and what it would have decided. */
import type { Effect } from "../core/gate/policy-schema.ts";
import type { ExplainedPart, Explanation } from "../core/gate/explain.ts";
import type { OutputOf } from "../protocol/operations.ts";
import { escapeForDisplay } from "../core/text/escape.ts";
import { formatTable } from "./columns.ts";
import type { Style } from "./style.ts";

/** The result for one session, or for several together. */
export type ReplayResult = Pick<OutputOf<"policy.replay">, "calls" | "counts" | "changed" | "decidedBy" | "leftOut">;
type ReplayedCall = ReplayResult["calls"][number];

export function joinReplays(replays: readonly ReplayResult[]): ReplayResult {
  const counts = { allow: 0, ask: 0, deny: 0 };
  const decidedBy = new Map<string, number>();
  for (const replay of replays) {
    for (const effect of ["allow", "ask", "deny"] as const) counts[effect] += replay.counts[effect];
    for (const [name, count] of Object.entries(replay.decidedBy))
      decidedBy.set(name, (decidedBy.get(name) ?? 0) + count);
  }
  return {
    calls: replays.flatMap(({ calls }) => calls),
    counts,
    changed: replays.reduce((sum, { changed }) => sum + changed, 0),
    decidedBy: Object.fromEntries(decidedBy),
    leftOut: replays.reduce((sum, { leftOut }) => sum + leftOut, 0),
  };
}

/** One line per call, with `!` if it was decided differently, then the sums. */
export function replayLines(replay: ReplayResult, style: Style): string[] {
  const { allow, ask, deny } = replay.counts;
  const sums = `${replay.calls.length} calls: ${allow} allow, ${ask} ask, ${deny} deny; ${replay.changed} decided differently at the time`;
  const deciders = Object.entries(replay.decidedBy)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");
  const lines = replay.calls.map((call) => callLine(call, style));
  return deciders === "" ? [...lines, sums] : [...lines, sums, `By: ${deciders}`];
}

function callLine({ changed, decision, recorded, tool }: ReplayedCall, style: Style): string {
  const text = escapeForDisplay(`${decision.effect.padEnd(5)} ${tool}: ${decision.evidence}`);
  const by = decision.rule === null ? decision.source : `${decision.rule.id}, line ${decision.rule.line}`;
  const then = changed ? `, was ${recorded}` : "";
  const line = `${changed ? "!" : " "} ${text} (${by}${then})`;
  return changed ? style.yellow(line) : line;
}

/** One line for each part with its verdict and its reason, then the verdict about all. */
export async function explanationLines({ decision, parts }: Explanation, style: Style): Promise<string[]> {
  const rows = parts.map((part) => [part.effect, part.kind, part.text, reasonOf(part)].map(escapeForDisplay));
  const lines = await formatTable(rows);
  const last = escapeForDisplay(`${decision.effect}: ${decision.message}`);
  return [
    ...lines.map((line, index) => painted(parts[index]?.effect, line, style)),
    painted(decision.effect, last, style),
  ];
}

function reasonOf({ effect, hint, rule, source, why }: ExplainedPart): string {
  const by = rule === null ? undefined : `rule "${rule.id}", line ${rule.line}`;
  if (source === "rule" && by !== undefined) return by;
  if (by !== undefined) return `${by}, may match: that shows when it runs`;
  if (source === "opaque") return `opaque: ${why ?? "a program runs the value"}`;
  if (source === "lectern") return "Lectern's own command: only a rule that names it allows it";
  if (source === "launcher") return "starts what follows, which is judged by itself";
  return `no rule matches: default ${effect}${hint === null ? "" : `; ${hint}`}`;
}

function painted(effect: Effect | undefined, line: string, style: Style): string {
  if (effect === "deny") return style.red(line);
  return effect === "ask" ? style.yellow(line) : line;
}
