import type { SessionStatus } from "../../core/status/status.ts";
import { labelOf } from "../../core/dialogs/choices.ts";
import { questionLine } from "../../core/dialogs/question-line.ts";
import { limitText } from "../../core/status/limit-text.ts";
import { oneLine } from "../../core/text/one-line.ts";
import { formatTable } from "../columns.ts";
import { defineCommand, jsonOption, shownSessionArgument } from "../command.ts";
import { formatAgo } from "../quantities.ts";
import { paintStatus } from "../session-text.ts";

export const status = defineCommand({
  name: "status",
  summary: "Show a session's status and the evidence for it",
  details: [
    "starting, working, waiting (at its prompt), blocked (asks a person), idle, exited, or unknown without evidence.",
  ],
  arguments: [shownSessionArgument],
  options: {
    explain: { type: "flag", short: "e", summary: "Include the evidence, strongest first" },
    json: jsonOption,
  },
  examples: ["lectern status work", "lectern status work --explain", "lectern status work --json"],
  async run({ arguments: { session }, options }, context) {
    const found = await context.call("sessions.status", { session });
    if (options.json) return await context.print(JSON.stringify(found));
    const { status: current, approvals, hints } = found;
    if (current === null) return await context.print("unknown  nothing is known yet");
    const since = formatAgo(current.sinceUs / 1000, Date.now());
    const summary = current.limit === undefined ? current.summary : limitText(current.limit, Date.now());
    await context.print(`${paintStatus(current.state, context.style)}  ${oneLine(summary)}  (since ${since})`);
    for (const approval of approvals) {
      await context.print(`  ${approval.id}: ${questionLine(approval)}`);
      for (const each of approval.options) await context.print(`    ${each.id}  ${oneLine(labelOf(each))}`);
    }
    for (const hint of hints) await context.print(`  hint: ${questionLine(hint)}  (${hint.whyHint ?? ""})`);
    if (options.explain) await context.print((await evidenceLines(current)).join("\n"));
  },
});

async function evidenceLines({ evidence }: SessionStatus): Promise<string[]> {
  const rows = evidence.map(({ signal, says, text, rule, offset, isDecisive }) => [
    isDecisive ? "*" : "",
    signal,
    says,
    oneLine(text),
    rule ?? "",
    String(offset),
  ]);
  return await formatTable([["", "SIGNAL", "SAYS", "SEEN", "RULE", "OFFSET"], ...rows]);
}
