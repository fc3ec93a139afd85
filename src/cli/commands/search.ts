import { MESSAGE_ROLES } from "../../core/chat/message.ts";
import { escapeForDisplay, removeActing } from "../../core/text/escape.ts";
import { LecternError } from "../../core/errors.ts";
import { defineCommand, jsonOption, sessionOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import type { InputOf, OutputOf } from "../../protocol/operations.ts";
import { joinAddress } from "../../protocol/session-address.ts";
import { parseDuration } from "../../core/text/quantities.ts";
import { formatAgo } from "../quantities.ts";

/** Roles that are useful as a filter. */
const roles = [
  ...MESSAGE_ROLES.filter((role) => role !== "conversation-start" && role !== "welcome" && role !== "exit"),
  "event",
];

/** Of all machines together; of each, the daemon gives as many by default. */
const HITS_MAX = 20;

export const search = defineCommand({
  name: "search",
  summary: "Search messages, events and commands of all sessions",
  details: [
    'Newest first. All words must match. "several words" is a phrase, word* a prefix; use OR and NOT between words.',
  ],
  arguments: [{ name: "words", summary: "Words to search for", count: "many" }],
  options: {
    session: sessionOption,
    all: { type: "flag", short: "a", summary: "Also sessions of all hosts, as HOST/NAME" },
    role: {
      type: "text",
      placeholder: "ROLE",
      choices: roles,
      summary: "Only this role",
    },
    since: { type: "text", placeholder: "TIME", summary: "Only newer: a date, or a duration such as 2h or 3d" },
    limit: {
      type: "number",
      short: "n",
      placeholder: "N",
      minimum: 1,
      maximum: 1000,
      summary: "Maximum number of hits; default: 20",
    },
    json: jsonOption,
  },
  examples: ["lectern search segmentation fault", "lectern search --role assistant --since 2d 'race condition'"],
  async run({ arguments: { words }, options }, context) {
    const input = {
      words: words.join(" "),
      session: options.session,
      role: options.role,
      sinceUs: options.since === undefined ? undefined : sinceUs(options.since, Date.now()),
      hitsMax: options.limit,
    };
    const isEverywhere = options.all && context.host === undefined;
    const there = isEverywhere ? searchHosts(input, context) : Promise.resolve([]);
    const here = (await context.call("sessions.search", input)).hits.map((hit) => ({
      ...hit,
      name: context.addressOf(hit.name),
    }));
    const hits = [...here, ...(await there)]
      .toSorted((first, second) => second.timeUs - first.timeUs)
      .slice(0, options.limit ?? HITS_MAX);
    if (options.json) await context.print(JSON.stringify({ hits }));
    else {
      for (const { name, role, timeUs, offset, snippet } of hits) {
        const place = `${name}  ${role}  ${formatAgo(timeUs / 1000, Date.now())}  at ${offset}`;
        const text = snippet
          .replaceAll(/\s*\n\s*/g, " ⏎ ")
          .split("\u0002")
          .map((part, index) => (index === 0 ? [part] : part.split("\u0003")))
          .map(([first = "", rest], index) =>
            index === 0 ? removeActing(first) : context.style.yellow(removeActing(first)) + removeActing(rest ?? ""),
          )
          .join("");
        await context.print(`${context.style.bold(place)}\n  ${text}`);
      }
      if (hits.length === 0) context.note("No hits");
    }
    return hits.length === 0 ? 1 : 0;
  },
});

/** Throws `USAGE` if the text is neither a date nor a duration. */
function sinceUs(text: string, nowMs: number): number {
  const durationMs = parseDuration(text);
  const timeMs = durationMs === undefined ? Date.parse(text) : nowMs - durationMs;
  if (!Number.isNaN(timeMs)) return Math.max(0, Math.round(timeMs * 1000));
  throw new LecternError("USAGE", `Cannot read "${text}" as a time: give a date such as 2026-11-20, or 30m, 2h, 3d`);
}

type Hit = OutputOf<"sessions.search">["hits"][number];

/** A host that is away is told on standard error. */
async function searchHosts(
  input: InputOf<"sessions.search">,
  context: CliContext,
): Promise<readonly (Hit & { readonly host: string })[]> {
  const { askHosts } = await import("../ask-hosts.ts");
  const asked = askHosts(context, { name: "sessions.search", input });
  const found: (Hit & { readonly host: string })[] = [];
  for await (const { answer, host, reason } of asked) {
    if (answer === undefined)
      context.note(escapeForDisplay(`lectern: Cannot search host "${host.name}": ${reason ?? ""}`));
    for (const hit of answer?.hits ?? [])
      found.push({ ...hit, host: host.name, name: joinAddress({ machine: host.name, session: hit.name }) });
  }
  return found;
}
