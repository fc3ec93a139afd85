import type { ChatMessage, MessageRole } from "../../core/chat/message.ts";
import type { Session } from "../../protocol/session.ts";

/** The roles of messages that somebody wrote or typed. */
export const SPOKEN_ROLES: readonly MessageRole[] = ["user", "assistant", "shell"];
const TEXT_CHARS_MAX = 240;
/** Kept because a message may be withdrawn: then the one before it is the last. */
export const KEPT_MAX = 8;
const first: Session["lastMessage"] = null;

export class LastWords {
  /** By ordinal. */
  readonly #kept = new Map<number, NonNullable<Session["lastMessage"]>>();
  #last: Session["lastMessage"] = null;

  /** Null if there is none. The same object until it changes. */
  get last(): Session["lastMessage"] {
    return this.#last;
  }

  take({ id, role, text, shell, timeUs, endTimeUs }: ChatMessage): void {
    if (!SPOKEN_ROLES.includes(role)) return;
    const ordinal = Number(id.slice(1));
    const words = lastLine(shell?.command ?? text);
    if (words === "") this.#kept.delete(ordinal);
    else this.#kept.set(ordinal, { role, text: words, timeUs: shell === undefined ? endTimeUs : timeUs });
    const oldest = Math.min(...this.#kept.keys());
    if (this.#kept.size > KEPT_MAX) this.#kept.delete(oldest);
    // A message from the screen may arrive after one from the wire, and be older.
    this.#last = [...this.#kept.values()].reduce(
      (last, each) => (each.timeUs >= (last?.timeUs ?? 0) ? each : last),
      first,
    );
  }

  clear(): void {
    this.#kept.clear();
    this.#last = null;
  }
}

/** An agent's conclusion is at the end: a question, or the result. */
function lastLine(text: string): string {
  const line =
    text
      .trimEnd()
      .split("\n")
      .findLast((each) => each.trim() !== "") ?? "";
  const trimmed = line.trim();
  return trimmed.length <= TEXT_CHARS_MAX ? trimmed : `${trimmed.slice(0, TEXT_CHARS_MAX - 1)}…`;
}
