/** Notices outside of this machine. */
import { LecternError } from "../../../core/errors.ts";
import { escapeForDisplay } from "../../../core/text/escape.ts";
import type { OutputOf } from "../../../protocol/operations.ts";
import { printTable } from "../../../cli/columns.ts";
import { defineCommand, jsonOption } from "../../../cli/command.ts";
import type { CliContext } from "../../../cli/context.ts";

const states = ["pending", "sent", "dead", "withdrawn"] as const;

export const notify = defineCommand({
  name: "notify",
  summary: "List, test and retry notices to phones, chats and webhooks",
  details: [
    "ls                    the channels, and what was reported or is going to be",
    "test CHANNEL          sends a notice now, and prints the answer of the channel",
    "retry [NOTICE...]     sends notices again; without ids, all dead ones",
    "rm NOTICE...          removes notices; one that is pending is not sent",
    "",
    "Channels and rules are in lectern.yaml; see docs/notifications.md.",
  ],
  arguments: [
    { name: "action", summary: "One of", choices: ["ls", "test", "retry", "rm"] },
    { name: "words", summary: "Of the action, as above", count: "any" },
  ],
  options: {
    state: { type: "text", placeholder: "STATE", choices: states, summary: "ls: only notices in this state" },
    limit: {
      type: "number",
      placeholder: "N",
      minimum: 1,
      maximum: 1000,
      summary: "ls: at most this many; default: 50",
    },
    json: jsonOption,
  },
  examples: [
    "lectern notify ls",
    "lectern notify test phone",
    "lectern notify retry",
    "lectern notify ls --state dead",
  ],
  async run({ arguments: { action, words }, options }, context) {
    switch (action) {
      case "test":
        return test(words, options.json, context);
      case "retry":
        return retry(words, options.json, context);
      case "rm":
        return remove(words, options.json, context);
      default:
        if (words[0] !== undefined) throw unexpected(words[0], "ls");
        return list(options, context);
    }
  },
});

const unexpected = (word: string, action: string): LecternError =>
  new LecternError("USAGE", `Unexpected argument "${word}" of "lectern notify ${action}"`);

async function list(
  {
    json,
    limit,
    state,
  }: { readonly json: boolean; readonly limit: number | undefined; readonly state: string | undefined },
  context: CliContext,
): Promise<void> {
  const listed = await context.call("notify.list", { limit, state: states.find((each) => each === state) });
  if (json) return await context.print(JSON.stringify(listed));
  const { channels, notices } = listed;
  if (channels.length === 0)
    context.note("No channels: add one to notify.channels in lectern.yaml, see docs/notifications.md");
  else {
    const rows = channels.map(({ disabled, kind, name, target }) =>
      [name, kind, target, disabled === null ? "" : `disabled: ${disabled}`].map(escapeForDisplay),
    );
    await printTable([["CHANNEL", "KIND", "TARGET", ""], ...rows], context);
  }
  if (notices.length === 0) return;
  await context.print("");
  await printTable([["NOTICE", "STATE", "CHANNEL", "TITLE", "RESULT"], ...notices.map(rowOf)], context);
}

type ListedNotice = OutputOf<"notify.list">["notices"][number];

const rowOf = ({ attempts, channel, id, nextAt, reason, state, title }: ListedNotice): string[] => {
  const next = nextAt !== null && attempts > 0 ? `attempt ${attempts + 1} at ${nextAt.slice(11, 19)} UTC; ` : "";
  return [id, state, channel, title, `${next}${reason}`].map(escapeForDisplay);
};

async function test([channel, extra]: readonly string[], json: boolean, context: CliContext): Promise<number> {
  if (channel === undefined) throw new LecternError("USAGE", 'Missing argument CHANNEL; see "lectern notify ls"');
  if (extra !== undefined) throw unexpected(extra, "test");
  const tested = await context.call("notify.test", { channel });
  if (json) await context.print(JSON.stringify(tested));
  else await context.print(`${tested.sent ? "Sent" : "Not sent"}: ${escapeForDisplay(tested.detail)}`);
  if (!json && !tested.hasLinks)
    context.note("Without notify.publicUrl in lectern.yaml, notices have no links to the page and no answer buttons");
  return tested.sent ? 0 : 1;
}

async function retry(ids: readonly string[], json: boolean, context: CliContext): Promise<void> {
  const retried = await context.call("notify.retry", ids.length === 0 ? {} : { ids: [...ids] });
  if (json) return await context.print(JSON.stringify(retried));
  for (const id of retried.ids) await context.print(id);
  if (retried.ids.length === 0) context.note("No dead notices");
}

async function remove(ids: readonly string[], json: boolean, context: CliContext): Promise<void> {
  if (ids.length === 0) throw new LecternError("USAGE", 'Missing argument NOTICE; see "lectern notify ls"');
  for (const notice of ids) {
    const removed = await context.call("notify.remove", { notice });
    await context.print(json ? JSON.stringify(removed) : removed.id);
  }
}
