/** OpenAI Chat Completions. */
import { type DialectWriter, type FullTurn, pieces, sse } from "./turn-events.ts";

const usageOf = ({ usage }: FullTurn): object => ({
  prompt_tokens: usage.input,
  completion_tokens: usage.output,
  total_tokens: usage.input + usage.output,
  prompt_tokens_details: { cached_tokens: usage.cached },
});

export const openAiChat: DialectWriter = {
  stream(turn) {
    const head = { id: `chatcmpl-${turn.id}`, object: "chat.completion.chunk", created: 1, model: turn.model };
    const chunk = (delta: object, finish: string | null = null): string =>
      sse({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] });
    const events = [chunk({ role: "assistant", content: "" })];
    for (const reasoning of pieces(turn.think, turn.eventChars)) events.push(chunk({ reasoning_content: reasoning }));
    for (const content of pieces(turn.say, turn.eventChars)) events.push(chunk({ content }));
    for (const [index, { id, name, text }] of turn.calls.entries()) {
      events.push(chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }));
      for (const piece of pieces(text, turn.eventChars)) {
        events.push(chunk({ tool_calls: [{ index, function: { arguments: piece } }] }));
      }
    }
    events.push(chunk({}, turn.finish));
    events.push(sse({ ...head, choices: [], usage: usageOf(turn) }), sse("[DONE]"));
    return events;
  },
  answer: (turn) => ({
    id: `chatcmpl-${turn.id}`,
    object: "chat.completion",
    created: 1,
    model: turn.model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: turn.say === "" ? null : turn.say,
          ...(turn.calls.length > 0 && {
            tool_calls: turn.calls.map(({ id, name, text }) => ({
              id,
              type: "function",
              function: { name, arguments: text },
            })),
          }),
        },
        finish_reason: turn.finish,
      },
    ],
    usage: usageOf(turn),
  }),
  error: ({ type, message }) => ({ error: { message, type, param: null, code: type } }),
};
