/** Verifies journals. Reads the files directly, so it works without a daemon and starts none. */
import { escapeForDisplay } from "../../core/text/escape.ts";
import { defineCommand, jsonOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { formatSize } from "../quantities.ts";
import type { StoredJournal, StoredJournalCheck } from "../../daemon/sessions/stored-journals.ts";

/** Further ones are counted; --json has all. */
const SHOWN_MAX = 20;

export const check = defineCommand({
  name: "check",
  summary: "Verify every record of the journals and print what is damaged",
  details: [
    "Reads the files of all or the given sessions, also of running ones, with or without a daemon. Changes nothing.",
    "Exits with 0 if every record is intact, and with 1 if one is damaged or missing. Reading continues behind damage:",
    "logs, export, attach and search leave out what is listed here and report it as a gap.",
  ],
  arguments: [{ name: "sessions", summary: "Names or ids; default: all", count: "any", completes: "own-session" }],
  options: { json: jsonOption },
  examples: ["lectern check", "lectern check build", "lectern check --json"],
  async run({ arguments: { sessions }, options }, context) {
    const { checkStored, findJournals } = await import("../../daemon/sessions/stored-journals.ts");
    const journals = findJournals(context.paths.sessionsDirectory, sessions);
    const progress = new Progress(context, options.json);
    let isIntact = true;
    for (const journal of journals) {
      const onProgress = (bytes: number): void => progress.add(journal.name, bytes);
      const result = await checkStored(journal, { signal: context.signal, onProgress });
      progress.clear();
      isIntact &&= isWhole(result);
      if (options.json) {
        const { id, name } = journal;
        await context.print(JSON.stringify({ session: id, name, intact: isWhole(result), ...result }));
      } else await printResult(journal, result, context);
    }
    if (!options.json && journals.length === 0) context.note("No sessions: nothing to check");
    return isIntact ? 0 : 1;
  },
});

const isWhole = ({ damaged, tornBytes }: StoredJournalCheck): boolean => damaged.length === 0 && tornBytes === 0;

async function printResult(
  { id, name }: StoredJournal,
  result: StoredJournalCheck,
  context: CliContext,
): Promise<void> {
  const { style } = context;
  const { bytes, damaged, end, records, segments, start, tornBytes } = result;
  const missing = damaged.reduce((sum, part) => sum + part.bytes, 0);
  const state = isWhole(result) ? style.green("intact ") : style.red("damaged");
  const trimmed = start > 0 ? `, ${formatSize(start)} before were trimmed` : "";
  await context.print(
    `${state}  ${escapeForDisplay(name)} (${id}): ${records} records in ${segments} segments, ${formatSize(bytes)} on disk, ` +
      `offsets ${start} to ${end}${trimmed}`,
  );
  for (const { from, to, file } of damaged.slice(0, SHOWN_MAX)) {
    await context.print(
      `         ${formatSize(to - from)} missing, offsets ${from} to ${to}: ${file ?? "a segment file is missing"}`,
    );
  }
  if (damaged.length > SHOWN_MAX)
    await context.print(`         and ${damaged.length - SHOWN_MAX} more: --json has all`);
  if (tornBytes > 0) {
    await context.print(
      `         ${formatSize(tornBytes)} behind the last record are not a record: never written whole, or damaged`,
    );
  }
  if (isWhole(result)) return;
  const what =
    missing > 0
      ? `${formatSize(missing)} in ${damaged.length} places cannot be read; all else can`
      : "All else can be read";
  const next = `${what}. Restore the files from a backup, or keep the rest: lectern export ${id} -o ${id}.cast`;
  await context.print(`         ${style.dim(`-> ${next}`)}`);
}

/** On a terminal, one line that is written over; nothing elsewhere. */
class Progress {
  readonly #context: CliContext;
  readonly #isShown: boolean;
  #bytes = 0;
  #hasLine = false;

  constructor(context: CliContext, json: boolean) {
    this.#context = context;
    this.#isShown = !json && context.stderr.isTTY;
  }

  add(name: string, bytes: number): void {
    this.#bytes += bytes;
    if (!this.#isShown) return;
    this.#hasLine = true;
    this.#context.stderr.write(`\r\u001b[K${escapeForDisplay(name)}: ${formatSize(this.#bytes)} checked`);
  }

  clear(): void {
    if (this.#hasLine) this.#context.stderr.write("\r\u001b[K");
    this.#hasLine = false;
  }
}
