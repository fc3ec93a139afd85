/** OpenAI Responses. */
import { openAiChat } from "./openai-chat.ts";
import { type DialectWriter, type FullCall, type FullTurn, pieces, sse } from "./turn-events.ts";

interface Item {
  readonly id: string;
  readonly [field: string]: unknown;
}

const callItem = (call: FullCall, status: string, text: string): Item => ({
  id: `fc_${call.id}`,
  type: call.isCustom ? "custom_tool_call" : "function_call",
  status,
  call_id: call.id,
  name: call.name,
  [inputFieldOf(call)]: text,
});

const inputFieldOf = ({ isCustom }: FullCall): string => (isCustom ? "input" : "arguments");
const inputEventOf = ({ isCustom }: FullCall): string =>
  `response.${isCustom ? "custom_tool_call_input" : "function_call_arguments"}`;

const messageItem = (turn: FullTurn, status: string, text: string | null): Item => ({
  id: `msg_${turn.id}`,
  type: "message",
  role: "assistant",
  status,
  content: text === null ? [] : [{ type: "output_text", text, annotations: [] }],
});

const reasoningItem = (turn: FullTurn, text: string | null): Item => ({
  id: `rs_${turn.id}`,
  type: "reasoning",
  summary: text === null ? [] : [{ type: "summary_text", text }],
});

const isCut = (turn: FullTurn): boolean => turn.finish === "length" || turn.finish === "content_filter";

const response = (turn: FullTurn, status: string, output: readonly object[]): object => ({
  id: `resp_${turn.id}`,
  object: "response",
  created_at: 1,
  model: turn.model,
  status,
  error: null,
  incomplete_details:
    status === "incomplete" ? { reason: turn.finish === "length" ? "max_output_tokens" : "content_filter" } : null,
  output,
  usage:
    status === "in_progress"
      ? null
      : {
          input_tokens: turn.usage.input,
          input_tokens_details: { cached_tokens: turn.usage.cached },
          output_tokens: turn.usage.output,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: turn.usage.input + turn.usage.output,
        },
});

const outputOf = (turn: FullTurn): Item[] => [
  ...(turn.think === "" ? [] : [reasoningItem(turn, turn.think)]),
  ...(turn.say === "" ? [] : [messageItem(turn, "completed", turn.say)]),
  ...turn.calls.map((call) => callItem(call, "completed", call.text)),
];

const ended = (turn: FullTurn): object => response(turn, isCut(turn) ? "incomplete" : "completed", outputOf(turn));

export const openAiResponses: DialectWriter = {
  stream(turn) {
    const events: string[] = [];
    const add = (type: string, rest: object): void => {
      events.push(sse({ type, sequence_number: events.length, ...rest }, type));
    };
    let index = 0;
    const item = (open: Item, closed: Item, between: (at: object) => void): void => {
      add("response.output_item.added", { output_index: index, item: open });
      between({ item_id: open.id, output_index: index });
      add("response.output_item.done", { output_index: index, item: closed });
      index += 1;
    };
    add("response.created", { response: response(turn, "in_progress", []) });
    add("response.in_progress", { response: response(turn, "in_progress", []) });
    if (turn.think !== "") {
      item(reasoningItem(turn, null), reasoningItem(turn, turn.think), (at) => {
        for (const delta of pieces(turn.think, turn.eventChars)) {
          add("response.reasoning_summary_text.delta", { ...at, summary_index: 0, delta });
        }
      });
    }
    if (turn.say !== "") {
      item(messageItem(turn, "in_progress", null), messageItem(turn, "completed", turn.say), (at) => {
        const part = { type: "output_text", text: "", annotations: [] };
        add("response.content_part.added", { ...at, content_index: 0, part });
        for (const delta of pieces(turn.say, turn.eventChars)) {
          add("response.output_text.delta", { ...at, content_index: 0, delta });
        }
        add("response.output_text.done", { ...at, content_index: 0, text: turn.say });
        add("response.content_part.done", { ...at, content_index: 0, part: { ...part, text: turn.say } });
      });
    }
    for (const call of turn.calls) {
      item(callItem(call, "in_progress", ""), callItem(call, "completed", call.text), (at) => {
        for (const delta of pieces(call.text, turn.eventChars)) {
          add(`${inputEventOf(call)}.delta`, { ...at, delta });
        }
        add(`${inputEventOf(call)}.done`, { ...at, [inputFieldOf(call)]: call.text });
      });
    }
    add(isCut(turn) ? "response.incomplete" : "response.completed", { response: ended(turn) });
    return events;
  },
  answer: ended,
  error: (error, status) => openAiChat.error(error, status),
};
