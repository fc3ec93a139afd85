/** Lists open questions. */
import { removeActing } from "../../core/text/escape.ts";
import { oneLine, visibleLines } from "../../core/text/one-line.ts";
import type { LecternClient } from "../../client/client.ts";
import type { OutputOf } from "../../protocol/operations.ts";
import { askAgain } from "../ask-again.ts";
import { defineCommand, sessionOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { formatAgo } from "../quantities.ts";
import { displayCommand } from "../../core/text/command-line.ts";
import { waits } from "../../core/waits.ts";

type Listed = OutputOf<"approvals.list">;

export const approvals = defineCommand({
  name: "approvals",
  aliases: [],
  summary: "List open questions of agents and programs",
  details: [
    'Answer with "lectern approve SESSION ID OPTION"; if there are no options, with "lectern send SESSION --enter TEXT".',
    "With --json each question has a digest: approve --digest fails if the question has changed.",
  ],
  arguments: [],
  options: {
    session: sessionOption,
    follow: { type: "flag", short: "f", summary: "Keep printing new questions" },
    json: { type: "flag", summary: "Print JSON, one per line" },
  },
  examples: ["lectern approvals", "lectern approvals -f --session claude"],
  async run({ options: { follow, json, session } }, context) {
    const { signal } = context;
    if (follow) context.endWithReader();
    let names = new Map<string, string>();
    const seen = new Set<string>();
    for (let version: number | undefined; ;) {
      const waitMs = version === undefined ? 0 : waits.longPollMs;
      const input = { session, version, waitMs };
      const page: Listed = await askAgain(context, (client) => client.call("approvals.list", input, { signal }));
      const fresh = page.approvals.filter((asked) => !seen.has(`${asked.session} ${asked.id}`));
      // Read again if a session was started meanwhile.
      if (fresh.some((asked) => !names.has(asked.session))) names = await namesOf(await context.client());
      for (const asked of fresh) {
        seen.add(`${asked.session} ${asked.id}`);
        if (json) await context.print(JSON.stringify(asked));
        else await printQuestion(asked, names.get(asked.session) ?? asked.session, context);
      }
      if (!follow) {
        if (!json && fresh.length === 0 && context.stdout.isTTY) context.note("No questions");
        return 0;
      }
      version = page.version;
    }
  },
});

async function namesOf(client: LecternClient): Promise<Map<string, string>> {
  const { sessions } = await client.call("sessions.list", {});
  return new Map(sessions.map(({ id, name }) => [id, name]));
}

async function printQuestion(asked: Listed["approvals"][number], name: string, context: CliContext): Promise<void> {
  const { style } = context;
  const choices = asked.options.map(({ id, label }) => `${id} (${oneLine(label)})`).join(", ");
  const since = formatAgo(asked.timeUs / 1000, Date.now());
  const lines = [
    `${style.bold(removeActing(name))}  ${asked.id}  ${oneLine(asked.question)}  (${since})`,
    ...(asked.details === "" ? [] : visibleLines(asked.details).map((line) => `    ${line}`.trimEnd())),
    `    ${style.dim(choices === "" ? `type the answer: lectern send ${displayCommand([name])} --enter TEXT` : choices)}`,
  ];
  await context.print(lines.join("\n"));
}
