/** Which question `lectern approve` answers, and how. */
import { questionLine } from "../core/dialogs/question-line.ts";
import { LecternError } from "../core/errors.ts";
import { oneLine } from "../core/text/one-line.ts";
import type { OutputOf } from "../protocol/operations.ts";

type Listed = OutputOf<"approvals.list">["approvals"][number];

interface ApproveWords {
  readonly session: string;
  readonly id: string | undefined;
  readonly option: string | undefined;
}

interface Meant {
  readonly asked: Listed;
  readonly option: string;
}

/**
 * The question and the answer that the words after a session mean: the id, the option, both or none. Without an id, the only open question.
 * Throws `NOT_FOUND` if none such is open, `CONFLICT` if several are.
 */
export function readApproveWords({ id, option, session }: ApproveWords, approvals: readonly Listed[]): Meant {
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
