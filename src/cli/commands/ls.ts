/** Lists sessions: like `docker ps`, only live ones by default. */
import { existsSync } from "node:fs";
import type { LecternClient } from "../../client/client.ts";
import { LecternError } from "../../core/errors.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";
import type { OutputOf } from "../../protocol/operations.ts";
import { joinAddress } from "../../protocol/session-address.ts";
import type { Session } from "../../protocol/session.ts";
import { defineCommand, jsonOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import type { HostAnswer } from "../ask-hosts.ts";
import { printSessions, type ListedRow } from "../session-table.ts";

/** The table is printed then; what comes later follows it. */
const GATHER_MS = 500;

const isLive = ({ state }: Session): boolean => state === "starting" || state === "running";

export const ls = defineCommand({
  name: "ls",
  reachesHosts: true,
  summary: "List sessions",
  details: [
    'With --all, sessions of the machines of "lectern hosts" are HOST/NAME; a host that is away is a row with its reason.',
  ],
  arguments: [],
  options: {
    all: { type: "flag", short: "a", summary: "Include ended sessions, and those of all hosts" },
    state: {
      type: "text",
      placeholder: "STATE",
      choices: ["starting", "running", "exited", "lost"],
      summary: "Only sessions in this state",
    },
    label: { type: "text", short: "l", placeholder: "KEY[=VALUE]", summary: "Only sessions with this label" },
    quiet: { type: "flag", short: "q", summary: "Print names, or ids where a newer session has the name" },
    "no-start": {
      type: "flag",
      hidden: true,
      summary: "List nothing if no daemon is running, and connect to no host",
    },
    json: jsonOption,
  },
  examples: ["lectern ls", "lectern ls -a --label project=web", "lectern ls --host box", "lectern ls --all --json"],
  async run({ options }, context) {
    const filter = { ...options, state: options.state as Session["state"] | undefined };
    const hosts = options.all && context.host === undefined ? await askAll(filter, context) : nobody;
    const own = (await listOwn(filter, context)).map((session) => ({ host: undefined, session }));
    if (options.json) {
      const answers = await Array.fromAsync(hosts);
      const rows = [...own, ...answers.flatMap(rowsOf)].flatMap((row) => ("session" in row ? [row] : []));
      const sessions = rows.map(({ host, session }) => (host === undefined ? session : { ...session, host }));
      const away = answers.map(({ host: { name }, reason }) => ({ name, away: reason ?? null }));
      await context.print(JSON.stringify(away.length === 0 ? { sessions } : { sessions, hosts: away }));
    } else if (options.quiet) {
      // A name means the session that runs, also where an ended one has it.
      const isFiltered = options.state !== undefined || options.label !== undefined;
      const all = own.length > 0 && isFiltered ? await listOwn(everything, context) : [];
      await printReferences(own, all, context);
      for await (const answer of hosts) await printReferences(rowsOf(answer), [], context);
    } else {
      const count = await printAsTheyCome(own, hosts, context);
      if (count === 0) noteNone(options.all, context);
    }
  },
});

interface Filter {
  readonly all: boolean;
  readonly state: Session["state"] | undefined;
  readonly label: string | undefined;
  readonly "no-start": boolean;
}

type Answers = AsyncIterableIterator<HostAnswer<OutputOf<"sessions.list">>>;

const everything: Filter = { all: true, state: undefined, label: undefined, "no-start": false };

const nobody: Answers = (async function* () {})();

/** Before the first session there is no database, so no daemon is started only to list nothing. */
async function listOwn(filter: Filter, context: CliContext): Promise<readonly Session[]> {
  const { databaseFile, sessionsDirectory } = context.paths;
  // A lost database is rebuilt from the session directories.
  const hasSessions = context.host !== undefined || existsSync(databaseFile) || existsSync(sessionsDirectory);
  const mayStart = !filter["no-start"] && hasSessions;
  if (!mayStart && (await context.runningClient()) === undefined) return [];
  return listOf(await context.client(), filter, context.signal);
}

async function listOf(
  client: LecternClient,
  { all, label, state }: Filter,
  signal: AbortSignal,
): Promise<readonly Session[]> {
  const { sessions } = await client.call("sessions.list", { state, label }, { signal });
  return all || state !== undefined ? sessions : sessions.filter(isLive);
}

/** Without hosts, nothing of them is loaded. A file that cannot be read costs the hosts only. */
async function askAll(filter: Filter, context: CliContext): Promise<Answers> {
  if (![context.paths.hostsFile, context.paths.clusterFile].some((file) => existsSync(file))) return nobody;
  const [{ askHosts }, { readHosts }] = await Promise.all([
    import("../ask-hosts.ts"),
    import("../../machines/hosts-file.ts"),
  ]);
  try {
    readHosts(context.paths.hostsFile);
  } catch (error) {
    if (!(error instanceof LecternError)) throw error;
    context.note(escapeForDisplay(`lectern: ${error.message}`));
    return nobody;
  }
  const mayConnect = !filter["no-start"];
  const { label, state } = filter;
  return askHosts(context, { name: "sessions.list", input: { state, label } }, { mayConnect });
}

const rowsOf = ({ answer, host: { name }, reason }: HostAnswer<OutputOf<"sessions.list">>): ListedRow[] =>
  answer?.sessions.map((session) => ({ host: name, session })) ?? [{ host: name, away: reason ?? "" }];

/** What a command can be given for each session: its name, or its id where the name means another of them or of `all`. */
async function printReferences(
  rows: readonly ListedRow[],
  all: readonly Session[],
  context: CliContext,
): Promise<void> {
  const listed = rows.flatMap((row) => ("session" in row ? [row] : []));
  const named = Map.groupBy([...all, ...listed.map(({ session }) => session)], ({ name }) => name);
  for (const { host, session } of listed) {
    const { id, name } = session;
    const newestFirst = named.get(name)?.toSorted((one, two) => (one.createdAt < two.createdAt ? 1 : -1)) ?? [];
    const holder = newestFirst.find(isLive) ?? newestFirst[0];
    const reference = holder?.id === id ? name : id;
    await context.print(escapeForDisplay(joinAddress({ machine: host, session: reference })));
  }
}

/** One table of what is there soon, and then the hosts that take longer, each when it comes. Resolves with the number of rows. */
async function printAsTheyCome(own: readonly ListedRow[], hosts: Answers, context: CliContext): Promise<number> {
  const rows = [...own];
  const soon = hosts === nobody ? undefined : soonOver();
  let next = hosts.next();
  for (;;) {
    const step = await (soon === undefined ? next : Promise.race([next, soon]));
    if (step === undefined || step.done === true) break;
    rows.push(...rowsOf(step.value));
    next = hosts.next();
  }
  if (rows.length > 0) await printSessions(rows, { hasHead: true }, context);
  let count = rows.length;
  for (let step = await next; step.done !== true; step = await hosts.next()) {
    const more = rowsOf(step.value);
    if (more.length > 0) await printSessions(more, { hasHead: count === 0 }, context);
    count += more.length;
  }
  return count;
}

function soonOver(): Promise<undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  setTimeout(resolve, GATHER_MS, undefined);
  return promise;
}

/** On standard error, because scripts may count the lines of standard output. */
function noteNone(isAll: boolean, context: CliContext): void {
  const { host } = context;
  if (!context.stdout.isTTY) return;
  const also = isAll ? "" : ', "lectern ls -a" lists ended ones';
  context.note(
    `No sessions: start one with "${host === undefined ? "lectern run" : `lectern run --host ${host}`} -- bash"${also}`,
  );
}
