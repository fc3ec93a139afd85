/** Questions to a person as messages, with the answer when there is one. */
import type { Approval } from "../dialogs/approval.ts";
import { matterOf } from "../dialogs/question-line.ts";
import type { MessageLog } from "./message-log.ts";

/** Message ids of the approvals that are open, by the approval's id. */
export type ApprovalMessagesState = Readonly<Record<string, string>>;

export class ApprovalMessages {
  readonly #log: MessageLog;
  readonly #open: Map<string, string>;

  constructor(log: MessageLog, state: ApprovalMessagesState = {}) {
    this.#log = log;
    this.#open = new Map(Object.entries(state));
  }

  see(approval: Approval): void {
    // What nobody reads is not a part of the conversation.
    if (approval.state === "hint" && !this.#open.has(approval.id)) return;
    const known = this.#open.get(approval.id) ?? null;
    const isOpen = approval.state === "open" || approval.state === "hint";
    const id = this.#log.say(
      {
        id: known,
        role: "approval",
        agent: approval.agent,
        text: approvalText(approval),
        approval: approval.id,
        isPartial: isOpen,
        source: approval.source === "protocol" ? "protocol" : "screen",
      },
      { offset: approval.offset, timeUs: approval.answer?.timeUs ?? approval.timeUs },
    );
    this.#open.set(approval.id, id);
    if (isOpen) return;
    this.#open.delete(approval.id);
    this.#log.forget(id);
  }

  save(): ApprovalMessagesState {
    return Object.fromEntries(this.#open);
  }
}

/** The question, what it is about, the options with the one that was taken marked, who answered. */
export function approvalText(approval: Approval): string {
  const { question, options, answer, state } = approval;
  const matter = matterOf(approval) ?? approval.details;
  const lines = options.map(({ id, label }) => `${answer?.option === id ? "[x]" : "[ ]"} ${id}. ${label}`);
  const end = answer === null ? (state === "gone" ? ["gone without an answer"] : []) : [`answered by ${answer.by}`];
  return [question, matter, ...lines, ...end].filter((line) => line !== "").join("\n");
}
