/** Gemini generateContent. Its calls have no ids. */
import { type DialectWriter, type FullTurn, pieces, sse, valueOf } from "./turn-events.ts";

const reasons = { stop: "STOP", tool_calls: "STOP", length: "MAX_TOKENS", content_filter: "SAFETY" } as const;

const chunk = (turn: FullTurn, parts: readonly object[], reason?: string): object => ({
  candidates: [{ content: { role: "model", parts }, ...(reason !== undefined && { finishReason: reason }), index: 0 }],
  usageMetadata: {
    promptTokenCount: turn.usage.input,
    candidatesTokenCount: turn.usage.output,
    totalTokenCount: turn.usage.input + turn.usage.output,
    cachedContentTokenCount: turn.usage.cached,
  },
  modelVersion: turn.model,
  responseId: turn.id,
});

const callParts = (turn: FullTurn): object[] =>
  turn.calls.map(({ name, text }) => ({ functionCall: { name, args: valueOf(text) }, thoughtSignature: "c2ln" }));

export const gemini: DialectWriter = {
  stream(turn) {
    const events = pieces(turn.think, turn.eventChars).map((text) => chunk(turn, [{ text, thought: true }]));
    for (const text of pieces(turn.say, turn.eventChars)) events.push(chunk(turn, [{ text }]));
    for (const part of callParts(turn)) events.push(chunk(turn, [part]));
    events.push(chunk(turn, [{ text: "" }], reasons[turn.finish]));
    return events.map((event) => sse(event));
  },
  answer: (turn) =>
    chunk(
      turn,
      [
        ...(turn.think === "" ? [] : [{ text: turn.think, thought: true }]),
        ...(turn.say === "" ? [] : [{ text: turn.say }]),
        ...callParts(turn),
      ],
      reasons[turn.finish],
    ),
  error: ({ type, message }, status) => ({ error: { code: status, message, status: type } }),
};
