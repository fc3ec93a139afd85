/** Anthropic Messages. */
import { type DialectWriter, type FullTurn, pieces, sse, valueOf } from "./turn-events.ts";

const reasons = { stop: "end_turn", tool_calls: "tool_use", length: "max_tokens", content_filter: "refusal" } as const;

const message = (turn: FullTurn, rest: object): object => ({
  id: turn.id,
  type: "message",
  role: "assistant",
  model: turn.model,
  ...rest,
});

const input = ({ usage }: FullTurn): object => ({
  input_tokens: usage.input - usage.cached,
  cache_read_input_tokens: usage.cached,
  cache_creation_input_tokens: 0,
});

export const anthropic: DialectWriter = {
  stream(turn) {
    const events: string[] = [];
    const add = (type: string, rest: object): void => void events.push(sse({ type, ...rest }, type));
    const open = { content: [], stop_reason: null, stop_sequence: null, usage: { ...input(turn), output_tokens: 1 } };
    add("message_start", { message: message(turn, open) });
    add("ping", {});
    let index = 0;
    const block = (start: object, deltas: readonly object[]): void => {
      add("content_block_start", { index, content_block: start });
      for (const delta of deltas) add("content_block_delta", { index, delta });
      add("content_block_stop", { index });
      index += 1;
    };
    const cut = (text: string): string[] => pieces(text, turn.eventChars);
    if (turn.think !== "") {
      const deltas = cut(turn.think).map((thinking) => ({ type: "thinking_delta", thinking }));
      const signature = { type: "signature_delta", signature: "c2lnbmF0dXJl" };
      block({ type: "thinking", thinking: "", signature: "" }, [...deltas, signature]);
    }
    if (turn.say !== "") {
      block(
        { type: "text", text: "" },
        cut(turn.say).map((text) => ({ type: "text_delta", text })),
      );
    }
    for (const call of turn.calls) {
      const deltas = ["", ...cut(call.text)].map((text) => ({ type: "input_json_delta", partial_json: text }));
      block({ type: "tool_use", id: call.id, name: call.name, input: {} }, deltas);
    }
    const delta = { stop_reason: reasons[turn.finish], stop_sequence: null };
    add("message_delta", { delta, usage: { ...input(turn), output_tokens: turn.usage.output } });
    add("message_stop", {});
    return events;
  },
  answer: (turn) =>
    message(turn, {
      content: [
        ...(turn.think === "" ? [] : [{ type: "thinking", thinking: turn.think, signature: "c2lnbmF0dXJl" }]),
        ...(turn.say === "" ? [] : [{ type: "text", text: turn.say }]),
        ...turn.calls.map(({ id, name, text }) => ({ type: "tool_use", id, name, input: valueOf(text) })),
      ],
      stop_reason: reasons[turn.finish],
      stop_sequence: null,
      usage: { ...input(turn), output_tokens: turn.usage.output },
    }),
  error: (error) => ({ type: "error", error, request_id: "req_scripted" }),
};
