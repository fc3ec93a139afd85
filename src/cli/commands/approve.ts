import { userInfo } from "node:os";
import { labelOf } from "../../core/dialogs/choices.ts";
import { questionLine } from "../../core/dialogs/question-line.ts";
import { oneLine } from "../../core/text/one-line.ts";
import { defineCommand, jsonOption, sessionArgument } from "../command.ts";
import { LecternError } from "../../core/errors.ts";
import type { OutputOf } from "../../protocol/operations.ts";

type Listed = OutputOf<"approvals.list">["approvals"][number];

interface ApproveWords {
  readonly session: string;
  readonly id: string | undefined;
  readonly option: string | undefined;
}

export const approve = defineCommand({
  name: "approve",
  summary: "Answer a question of an agent or program",
  details: [
    "Refused inside a session: use a terminal outside, or a shell started with lectern run --mine.",
    "Who answered is recorded: in the audit log for the gateway, in the session for a question on the screen.",
    "Answers the question as it is now; with --digest only if it has not changed since you read it.",
  ],
  arguments: [
    sessionArgument,
    { name: "id", summary: 'Id of the question, from "lectern approvals"; default: the only one', count: "optional" },
    { name: "option", summary: "Id of an option, or allow or deny; default: allow", count: "optional" },
  ],
  options: {
    by: { type: "text", placeholder: "NAME", summary: "Name for the audit log; default: the user" },
    digest: {
      type: "text",
      placeholder: "DIGEST",
      summary: 'Digest of the question, from "lectern approvals --json"',
    },
    json: jsonOption,
  },
  examples: [
    "lectern approve claude",
    "lectern approve claude deny",
    "lectern approve claude q1",
    "lectern approve claude q2 deny --digest 9f86d081884c7d65",
  ],
  async run({ arguments: words, options }, context) {
    const { session } = words;
    const by = options.by ?? context.environment["USER"] ?? context.environment["LOGNAME"] ?? userName();
    const { approvals } = await context.call("approvals.list", { session });
    const { asked, option } = readApproveWords(words, approvals);
    const digest = options.digest ?? asked.digest;
    const answered = await context.call("approvals.answer", { session, approval: asked.id, option, digest, by });
    if (options.json) await context.print(JSON.stringify(answered));
    else {
      // A question of which a choice was ticked is still open.
      const chosen = answered.options.find(({ id: own }) => own === (answered.answer?.option ?? option));
      const label = chosen === undefined ? option : labelOf(chosen);
      await context.print(`${answered.id}: ${oneLine(label)}  (${questionLine(answered)})`);
    }
  },
});

/** Undefined for a user id without a name, as in a container. */
function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

/**
 * The question and the answer that the words after a session mean: the id, the option, both or none. Without an id, the only open question.
 * Throws `NOT_FOUND` if none such is open, `CONFLICT` if several are.
 */
export function readApproveWords(
  { id, option, session }: ApproveWords,
  approvals: readonly Listed[],
): { readonly asked: Listed; readonly option: string } {
  const named = approvals.find((asked) => asked.id === id);
  if (named !== undefined) return { asked: named, option: option ?? "allow" };
  const open = approvals.filter(({ state }) => state === "open");
  const [only] = open;
  const isAnswer = option === undefined && (id === undefined || open.some((asked) => isOption(asked, id)));
  if (!isAnswer || only === undefined) {
    const what = id === undefined ? `an open question of "${session}"` : `question "${id}"`;
    throw new LecternError("NOT_FOUND", `Cannot find ${what}: it was answered or withdrawn; see "lectern approvals"`);
  }
  if (open.length === 1) return { asked: only, option: id ?? "allow" };
  const listed = open.map((asked) => `${asked.id} (${oneLine(questionLine(asked))})`).join(", ");
  throw new LecternError(
    "CONFLICT",
    `Cannot answer "${session}": it asks ${open.length} questions, name one: ${listed}`,
  );
}

const isOption = ({ options }: Listed, word: string): boolean =>
  word === "allow" || word === "deny" || options.some(({ id }) => id === word);
