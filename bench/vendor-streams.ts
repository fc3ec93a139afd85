/** Streams in the form of the four vendors, for the benches: text, then three parallel tool calls. */

export interface StreamSize {
  readonly textTokens: number;
  /** Of each of the three calls. */
  readonly argumentsChars: number;
}

const words = ["The ", "function ", "returns ", 'a "quoted" ', "value,\n", "then ", "waits ", "for ", "it. "];

function argumentsText(chars: number): string {
  let content = "";
  for (let index = 0; content.length < chars; index += 1) {
    content += `const value${index} = read("src/file-${index}.ts");\n`;
  }
  return JSON.stringify({ path: "src/main.ts", content: content.slice(0, chars) });
}

function pieces(text: string, size: number): string[] {
  const parts: string[] = [];
  for (let start = 0; start < text.length; start += size) parts.push(text.slice(start, start + size));
  return parts;
}

const tokens = (count: number): string[] => Array.from({ length: count }, (_, index) => words[index % words.length]!);

const data = (payload: unknown): string => `data: ${JSON.stringify(payload)}\n\n`;
const named = (payload: { type: string }): string => `event: ${payload.type}\n${data(payload)}`;

const chatChunk = (delta: unknown, finish: string | null = null): string =>
  data({
    id: "chatcmpl-9f2a",
    object: "chat.completion.chunk",
    created: 1_771_000_000,
    model: "gpt-5.2",
    system_fingerprint: "fp_44709d6fcb",
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  });

function chat(size: StreamSize): string {
  const parts = [chatChunk({ role: "assistant", content: "" })];
  for (const content of tokens(size.textTokens)) parts.push(chatChunk({ content }));
  for (let index = 0; index < 3; index += 1) {
    parts.push(
      chatChunk({
        tool_calls: [{ index, id: `call_${index}`, type: "function", function: { name: "write_file", arguments: "" } }],
      }),
    );
    for (const piece of pieces(argumentsText(size.argumentsChars), 20)) {
      parts.push(chatChunk({ tool_calls: [{ index, function: { arguments: piece } }] }));
    }
  }
  parts.push(chatChunk({}, "tool_calls"), "data: [DONE]\n\n");
  return parts.join("");
}

function responses(size: StreamSize): string {
  let sequence = 0;
  const event = (type: string, fields: object): string =>
    named({ type, sequence_number: sequence++, ...fields } as never);
  const parts = [event("response.created", { response: { id: "resp_1", status: "in_progress", output: [] } })];
  const message = { id: "msg_1", type: "message", role: "assistant", content: [] };
  parts.push(event("response.output_item.added", { output_index: 0, item: message }));
  for (const delta of tokens(size.textTokens)) {
    parts.push(event("response.output_text.delta", { item_id: "msg_1", output_index: 0, content_index: 0, delta }));
  }
  const text = tokens(size.textTokens).join("");
  parts.push(event("response.output_text.done", { item_id: "msg_1", output_index: 0, content_index: 0, text }));
  for (let index = 1; index <= 3; index += 1) {
    const whole = argumentsText(size.argumentsChars);
    const item = {
      id: `fc_${index}`,
      type: "function_call",
      call_id: `call_${index}`,
      name: "write_file",
      arguments: "",
    };
    const at = { item_id: item.id, output_index: index };
    parts.push(event("response.output_item.added", { output_index: index, item }));
    for (const delta of pieces(whole, 20))
      parts.push(event("response.function_call_arguments.delta", { ...at, delta }));
    parts.push(event("response.function_call_arguments.done", { ...at, arguments: whole }));
    parts.push(event("response.output_item.done", { output_index: index, item: { ...item, arguments: whole } }));
  }
  const usage = { input_tokens: 10, output_tokens: 20, total_tokens: 30 };
  parts.push(event("response.completed", { response: { id: "resp_1", status: "completed", output: [], usage } }));
  return parts.join("");
}

function anthropic(size: StreamSize): string {
  const parts = [
    named({ type: "message_start", message: { id: "msg_1", usage: { input_tokens: 10, output_tokens: 1 } } } as never),
  ];
  const block = (index: number, content: unknown, deltas: readonly unknown[]): void => {
    parts.push(named({ type: "content_block_start", index, content_block: content } as never));
    for (const delta of deltas) parts.push(named({ type: "content_block_delta", index, delta } as never));
    parts.push(named({ type: "content_block_stop", index } as never));
  };
  block(
    0,
    { type: "text", text: "" },
    tokens(size.textTokens).map((text) => ({ type: "text_delta", text })),
  );
  for (let index = 1; index <= 3; index += 1) {
    block(
      index,
      { type: "tool_use", id: `toolu_${index}`, name: "write_file", input: {} },
      pieces(argumentsText(size.argumentsChars), 20).map((part) => ({ type: "input_json_delta", partial_json: part })),
    );
  }
  parts.push(
    named({ type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 20 } } as never),
    named({ type: "message_stop" }),
  );
  return parts.join("");
}

const geminiChunk = (parts: readonly unknown[], finishReason?: string): string =>
  data({
    candidates: [{ content: { parts, role: "model" }, ...(finishReason ? { finishReason } : {}), index: 0 }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 20, totalTokenCount: 30 },
    modelVersion: "gemini-3-pro",
    responseId: "r-1",
  });

function gemini(size: StreamSize): string {
  const out: string[] = [];
  for (const text of tokens(size.textTokens)) out.push(geminiChunk([{ text }]));
  for (let index = 0; index < 3; index += 1) {
    out.push(
      geminiChunk([{ functionCall: { name: "write_file", args: JSON.parse(argumentsText(size.argumentsChars)) } }]),
    );
  }
  out.push(geminiChunk([{ text: "" }], "STOP"));
  return out.join("");
}

/** Name and text of each dialect's stream, and a chat stream of which most is Chinese. */
export function vendorStreams(size: StreamSize): Map<string, string> {
  return new Map([
    ["openai-chat", chat(size)],
    ["openai-responses", responses(size)],
    ["anthropic", anthropic(size)],
    ["gemini", gemini(size)],
    ["openai-chat, 60 % CJK", chat(size).replaceAll("returns ", "函数返回一个值然后等待结果".repeat(20))],
  ]);
}
