/** OpenAI Chat Completions, of OpenAI and of servers with fields of their own. */
import type { BaseAnswer, StreamEvent } from "./answer.ts";
import { bodyOf, plain, streamsOf } from "./vendor-parts.ts";

/** @see https://platform.openai.com/docs/api-reference/chat-streaming and https://openrouter.ai/docs/api-reference/overview */
function chatStream(deltas: readonly object[], rest: object, usage: object): StreamEvent[] {
  const chunk = (choices: readonly object[], more: object = {}): StreamEvent =>
    plain({
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1_700_000_000,
      model: "gpt-5",
      ...rest,
      choices,
      ...more,
    });
  return [
    ...deltas.map((delta) => chunk([{ index: 0, delta, logprobs: null, finish_reason: null }])),
    chunk([{ index: 0, delta: {}, logprobs: null, finish_reason: "tool_calls" }]),
    chunk([], { usage }),
    plain("[DONE]"),
  ];
}

const pieces = (index: number, id: string, name: string): readonly object[] => [
  { tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] },
  { tool_calls: [{ index, function: { arguments: '{"command": ' } }] },
  { tool_calls: [{ index, function: { arguments: `"${id}"}` } }] },
];

const chatUsage = {
  prompt_tokens: 9,
  completion_tokens: 12,
  total_tokens: 21,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: 3,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
};

const streams: Readonly<Record<string, StreamEvent[]>> = {
  "two functions with usage": chatStream(
    [
      { role: "assistant", content: null, refusal: null },
      { content: "I look." },
      ...pieces(0, "call_1", "shell"),
      ...pieces(1, "call_2", "read_file"),
    ],
    { service_tier: "default", system_fingerprint: "fp_1", obfuscation: "xyz" },
    chatUsage,
  ),
  "an answer of OpenRouter": chatStream(
    [
      {
        role: "assistant",
        content: "",
        reasoning: "Hm",
        reasoning_details: [{ type: "reasoning.text", text: "Hm", format: "unknown", index: 0 }],
      },
      ...pieces(0, "call_1", "shell"),
    ],
    { provider: "Some" },
    {
      ...chatUsage,
      cost: 0.000_2,
      is_byok: false,
      cost_details: {
        upstream_inference_cost: null,
        upstream_inference_prompt_cost: 0,
        upstream_inference_completions_cost: 0.1,
      },
      server_tool_use: { web_search_requests: 0 },
    },
  ),
  "an answer with empty fields and whole calls": chatStream(
    [
      { role: "assistant", content: "I", reasoning_content: null, tool_calls: null, function_call: null },
      {
        content: "",
        tool_calls: [
          { index: 0, id: "call_1", type: "function", function: { name: "shell", arguments: '{"command":"ls"}' } },
          { index: 1, id: "call_2", type: "function", function: { name: "read_file", arguments: "{}" } },
        ],
      },
    ],
    { prompt_filter_results: [], usage: null },
    { ...chatUsage, prompt_cache_hit_tokens: 0, prompt_cache_miss_tokens: 9 },
  ),
};

const wholeCall = (id: string, name: string): object => ({
  id,
  type: "function",
  function: { name, arguments: JSON.stringify({ command: id }) },
});

export const chatStreams: readonly BaseAnswer[] = streamsOf("openai-chat", streams);

export const chatBodies: readonly BaseAnswer[] = [
  bodyOf("openai-chat", "two functions with usage", {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1_700_000_000,
    model: "gpt-5",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: null,
          refusal: null,
          annotations: [],
          tool_calls: [wholeCall("call_1", "shell"), wholeCall("call_2", "read_file")],
        },
        logprobs: null,
        finish_reason: "tool_calls",
      },
    ],
    usage: chatUsage,
    service_tier: "default",
    system_fingerprint: "fp_1",
  }),
];
