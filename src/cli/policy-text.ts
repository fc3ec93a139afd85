/** What a policy would have done, as people read it. */
import type { PolicyReplay, ReplayedCall } from "../core/gate/policy-files.ts";
import { escapeForDisplay } from "../core/text/escape.ts";
import type { Style } from "./style.ts";

/** One line for each call, those that were decided otherwise marked with `!`, and the sums at the end. */
export function replayLines(replay: PolicyReplay, style: Style): string[] {
  const { allow, ask, deny } = replay.counts;
  const sums = `${replay.calls.length} calls: ${allow} allow, ${ask} ask, ${deny} deny; ${replay.changed} decided otherwise then`;
  const deciders = [...replay.decidedBy].map(([name, count]) => `${name} ${count}`).join(", ");
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
