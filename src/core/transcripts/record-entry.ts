/**
 * One entry of the record that an agent keeps of its own conversation, in the record's order.
 *
 * - `conversation`: a conversation begins; `from` is the one it was forked from.
 * - `message`: something that was said. `id` is stable within the conversation; the same id again replaces the text.
 * - `taken-back`: these messages are not on the agent's branch any more. With `compacted`, `ids` is empty: everything before is replaced by
 *   a summary in what the model is sent, and stays said.
 * - `failed`: an error of the model or its API.
 * - `unknown`: an entry, or a damaged part of the record, that was skipped.
 */
export type RecordEntry =
  | { readonly kind: "conversation"; readonly id: string; readonly from?: string }
  | RecordMessage
  | {
      readonly kind: "taken-back";
      readonly ids: readonly string[];
      readonly why: "rewound" | "edited" | "cleared" | "compacted" | "cancelled";
    }
  | { readonly kind: "failed"; readonly timeMs: number; readonly text: string }
  | { readonly kind: "unknown"; readonly name: string };

/** Something that was said, or that a tool was told or answered. */
export interface RecordMessage {
  readonly kind: "message";
  readonly id: string;
  readonly role: "user" | "assistant" | "tool-call" | "tool-result" | "command";
  /** Of a `tool-call`, its input as JSON, or as the agent wrote it. */
  readonly text: string;
  /** When it was said; when a queued prompt was sent. Milliseconds since the Unix epoch; 0 if the record does not have it. */
  readonly timeMs: number;
  /** For `tool-call`: the tool's name. */
  readonly tool?: string;
  /** For `tool-result`: the id of its `tool-call`, or of its `command`. */
  readonly call?: string;
  /** The sub-agent that said it. */
  readonly agent?: string;
  readonly incomplete?: "interrupted" | "failed" | "cut";
}
