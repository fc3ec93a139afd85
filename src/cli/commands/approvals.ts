import { setTimeout as delay } from "node:timers/promises";
import { LecternError } from "../../core/errors.ts";
import { escapeForDisplay, removeActing } from "../../core/text/escape.ts";
import { oneLine, visibleLines } from "../../core/text/one-line.ts";
import type { Approval } from "../../core/dialogs/approval.ts";
import { labelOf } from "../../core/dialogs/choices.ts";
import { matterOf } from "../../core/dialogs/question-line.ts";
import type { OutputOf } from "../../protocol/operations.ts";
import { askAgain } from "../ask-again.ts";
import { checkAnswer } from "../check-answer.ts";
import { defineCommand, sessionOption } from "../command.ts";
import { ofHost } from "../host-option.ts";
import type { CliContext } from "../context.ts";
import type { Style } from "../style.ts";
import { formatAgo } from "../quantities.ts";
import { displayCommand } from "../../core/text/command-line.ts";
import { waits } from "../../core/waits.ts";

type Listed = OutputOf<"approvals.list">;

export const approvals = defineCommand({
  name: "approvals",
  summary: "List open questions of agents and programs",
  details: [
    'Answer with "lectern approve SESSION ID OPTION"; if there are no options, with "lectern send SESSION --enter TEXT".',
    "A hint is a question that nobody is known to read: it cannot be answered, and holds back no prompt.",
    "With --json each question has a digest: approve --digest fails if the question has changed.",
  ],
  arguments: [],
  options: {
    session: sessionOption,
    all: { type: "flag", short: "a", summary: "Also those of all hosts, as HOST/NAME" },
    follow: { type: "flag", short: "f", summary: "Keep printing new questions" },
    json: { type: "flag", summary: "Print JSON, one per line" },
  },
  examples: ["lectern approvals", "lectern approvals --all", "lectern approvals -f --session claude"],
  async run({ options: { all, follow, json, session } }, context) {
    if (follow) context.endWithReader();
    const wanted = { follow, json, session };
    const own = printQuestions(wanted, context);
    const hosts = all && context.host === undefined ? await hostNames(context) : [];
    const there = hosts.map(async (host) => printOfHost(host, wanted, context));
    const counts = await Promise.all([own, ...there]);
    if (!json && counts.every((count) => count === 0) && context.stdout.isTTY) context.note("No questions");
  },
});

interface Wanted {
  readonly follow: boolean;
  readonly json: boolean;
  readonly session: string | undefined;
}

async function hostNames(context: CliContext): Promise<readonly string[]> {
  const { readHosts } = await import("../../machines/hosts-file.ts");
  const { clusterMachines } = await import("../machine-names.ts");
  const hosts = readHosts(context.paths.hostsFile).map(({ name }) => name);
  return [...new Set([...hosts, ...(await clusterMachines(context))])];
}

/** A host that is away is told on standard error, once, and waited for while its questions are followed. */
async function printOfHost(name: string, wanted: Wanted, context: CliContext): Promise<number | undefined> {
  const there = context.onHost(name, { mayAsk: false });
  for (let isTold = false; ; isTold = true) {
    try {
      return await printQuestions(wanted, there);
    } catch (error) {
      if (context.signal.aborted || !(error instanceof LecternError)) throw error;
      if (!isTold) context.note(escapeForDisplay(`lectern: ${ofHost(error, name).message}`));
      if (!wanted.follow) return undefined;
      await delay(waits.reconnectMs, undefined, { signal: context.signal });
    }
  }
}

/** Resolves with the number of questions; while they are followed, not before the signal. */
async function printQuestions({ follow, json, session }: Wanted, context: CliContext): Promise<number> {
  const { host, signal } = context;
  let names = new Map<string, string>();
  const seen = new Set<string>();
  for (let version: number | undefined; ;) {
    const waitMs = version === undefined ? 0 : waits.longPollMs;
    const input = { session, version, waitMs };
    const page: Listed = await askAgain(context, (client) => client.call("approvals.list", input, { signal }));
    if (host !== undefined) await checkAnswer("approvals.list", page);
    const fresh = [...page.approvals, ...page.hints].filter(
      (asked) => !seen.has(`${asked.session} ${asked.id} ${asked.state}`),
    );
    // Read again if a session was started meanwhile.
    if (fresh.some((asked) => !names.has(asked.session))) names = await namesOf(context);
    for (const asked of fresh) {
      seen.add(`${asked.session} ${asked.id} ${asked.state}`);
      if (json) await context.print(JSON.stringify(host === undefined ? asked : { ...asked, host }));
      else await printQuestion(asked, context.addressOf(names.get(asked.session) ?? asked.session), context);
    }
    if (!follow) return fresh.length;
    version = page.version;
  }
}

async function namesOf({ call, host }: CliContext): Promise<Map<string, string>> {
  const listed = await call("sessions.list", {});
  if (host !== undefined) await checkAnswer("sessions.list", listed);
  const { sessions } = listed;
  return new Map(sessions.map(({ id, name }) => [id, name]));
}

async function printQuestion(asked: Listed["approvals"][number], name: string, context: CliContext): Promise<void> {
  await context.print(questionLines(asked, { name, nowMs: Date.now(), style: context.style }).join("\n"));
}

/** As of `[y/N]`. */
const isSame = (option: string, label: string): boolean => option.toLowerCase() === label.toLowerCase();

/** What is to be done comes first, line by line; then the question, the reason and the options. */
function questionLines(
  asked: Approval,
  { name, nowMs, style }: { readonly name: string; readonly nowMs: number; readonly style: Style },
): string[] {
  const { id, question, details, directory, reason, isComplete, options, timeUs, whyHint } = asked;
  const matter = matterOf(asked);
  const since = `(${formatAgo(timeUs / 1000, nowMs)})`;
  const head = [style.bold(removeActing(name)), id, ...(matter === undefined ? [oneLine(question)] : []), since];
  const shown = matter ?? details;
  const about = [
    oneLine(question),
    ...(reason === null ? [] : [`reason: ${oneLine(reason)}`]),
    ...(directory === null ? [] : [`in ${oneLine(directory)}`]),
  ];
  const choices = options
    .map((each) => (isSame(each.id, each.label) ? each.id : `${each.id} (${oneLine(labelOf(each))})`))
    .join(", ");
  const typed = `type the answer: lectern send ${displayCommand([name])} --enter TEXT`;
  const rows = [
    ...(shown === "" ? [] : visibleLines(shown)),
    ...(matter === undefined ? [] : [about.filter((part) => part !== "").join(" · ")]),
    ...(isComplete ? [] : [`not all of it is shown: lectern screen ${displayCommand([name])}`]),
    style.dim(whyHint === null ? choices || typed : `hint, cannot be answered: ${whyHint}`),
  ];
  return [head.join("  "), ...rows.map((row) => `    ${row}`.trimEnd())];
}
