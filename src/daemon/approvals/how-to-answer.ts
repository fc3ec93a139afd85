/** The next step for whoever meets an open question. */
import type { Approval } from "../../core/dialogs/approval.ts";

/** `name` is that of the session. A question without options is answered by typing. */
export function howToAnswer(name: string, { id, options }: Pick<Approval, "id" | "options">): string {
  if (options.length > 0) return `answer with "lectern approve ${name} ${id} OPTION"`;
  return `type the answer with "lectern send ${name} --enter TEXT", a password with "lectern send ${name} --secret --enter -"`;
}
