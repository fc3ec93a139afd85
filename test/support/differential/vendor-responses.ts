/** OpenAI Responses, with tools of its servers and tools that it defines for the client. */
import type { BaseAnswer, StreamEvent } from "./answer.ts";
import { bodyOf, command, mapValues, named, type Payload, streamsOf } from "./vendor-parts.ts";

/** @see https://platform.openai.com/docs/api-reference/responses-streaming */
const usageOfResponse = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 2 },
  total_tokens: 15,
};

const responseOf = (status: string, output: readonly unknown[]): object => ({
  id: "resp_1",
  object: "response",
  created_at: 1_700_000_000,
  status,
  background: false,
  error: null,
  incomplete_details: null,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  model: "gpt-5",
  output,
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: "medium", summary: null },
  service_tier: "default",
  store: true,
  temperature: 1,
  text: { format: { type: "text" }, verbosity: "medium" },
  tool_choice: "auto",
  tools: [
    {
      type: "function",
      name: "shell",
      description: null,
      parameters: { type: "object", properties: { command: { type: "string" } } },
      strict: false,
    },
  ],
  top_logprobs: 0,
  top_p: 1,
  truncation: "disabled",
  usage: status === "completed" ? usageOfResponse : null,
  user: null,
  metadata: {},
});

interface ResponseItem {
  readonly id: string;
  readonly type: string;
  readonly [field: string]: unknown;
}

/** What an item looks like when it is added, and the events between that and its end. */
function eventsOf(item: ResponseItem, output_index: number): readonly Payload[] {
  const at = { item_id: item.id, output_index };
  switch (item.type) {
    case "message": {
      const part = { type: "output_text", text: "", annotations: [], logprobs: [] };
      const text = "I look.";
      return [
        { type: "response.output_item.added", output_index, item: { ...item, status: "in_progress", content: [] } },
        { type: "response.content_part.added", ...at, content_index: 0, part },
        { type: "response.output_text.delta", ...at, content_index: 0, delta: text, logprobs: [], obfuscation: "x1" },
        { type: "response.output_text.done", ...at, content_index: 0, text, logprobs: [] },
        { type: "response.content_part.done", ...at, content_index: 0, part: { ...part, text } },
      ];
    }
    case "function_call":
    case "custom_tool_call": {
      const field = item.type === "function_call" ? "arguments" : "input";
      const stem =
        item.type === "function_call" ? "response.function_call_arguments" : "response.custom_tool_call_input";
      const text = String(item[field]);
      return [
        { type: "response.output_item.added", output_index, item: { ...item, status: "in_progress", [field]: "" } },
        { type: `${stem}.delta`, ...at, delta: text.slice(0, 5), obfuscation: "x" },
        { type: `${stem}.delta`, ...at, delta: text.slice(5), obfuscation: "xy" },
        { type: `${stem}.done`, ...at, [field]: text },
      ];
    }
    case "web_search_call":
      return [
        {
          type: "response.output_item.added",
          output_index,
          item: { id: item.id, type: item.type, status: "in_progress" },
        },
        { type: "response.web_search_call.in_progress", ...at },
        { type: "response.web_search_call.searching", ...at },
        { type: "response.web_search_call.completed", ...at },
      ];
    case "code_interpreter_call":
      return [
        {
          type: "response.output_item.added",
          output_index,
          item: { ...item, code: "", status: "in_progress", outputs: null },
        },
        { type: "response.code_interpreter_call.in_progress", ...at },
        { type: "response.code_interpreter_call_code.delta", ...at, delta: "1+1", obfuscation: "x" },
        { type: "response.code_interpreter_call_code.done", ...at, code: "1+1" },
        { type: "response.code_interpreter_call.completed", ...at },
      ];
    case "mcp_call":
      return [
        { type: "response.output_item.added", output_index, item: { ...item, arguments: "", output: null } },
        { type: "response.mcp_call.in_progress", ...at },
        { type: "response.mcp_call_arguments.delta", ...at, delta: String(item["arguments"]), obfuscation: "x" },
        { type: "response.mcp_call_arguments.done", ...at, arguments: item["arguments"] },
        { type: "response.mcp_call.completed", ...at },
      ];
    default:
      return [{ type: "response.output_item.added", output_index, item }];
  }
}

function responsesStream(items: readonly ResponseItem[]): StreamEvent[] {
  const payloads: Payload[] = [
    { type: "response.created", response: responseOf("in_progress", []) },
    { type: "response.in_progress", response: responseOf("in_progress", []) },
    ...items.flatMap((item, output_index) => [
      ...eventsOf(item, output_index),
      { type: "response.output_item.done", output_index, item },
    ]),
    { type: "response.completed", response: responseOf("completed", items) },
  ];
  return payloads.map((payload, sequence_number) => named({ ...payload, sequence_number }));
}

const functionCall = (number: number, name: string, input: object): ResponseItem => ({
  id: `fc_${number}`,
  type: "function_call",
  status: "completed",
  arguments: JSON.stringify(input),
  call_id: `call_${number}`,
  name,
});
const message: ResponseItem = {
  id: "msg_1",
  type: "message",
  status: "completed",
  role: "assistant",
  content: [{ type: "output_text", text: "I look.", annotations: [], logprobs: [] }],
};

const responsesItems: Readonly<Record<string, readonly ResponseItem[]>> = {
  "reasoning, text and two functions": [
    { id: "rs_1", type: "reasoning", summary: [{ type: "summary_text", text: "Hm" }], encrypted_content: "E" },
    message,
    functionCall(1, "shell", command),
    functionCall(2, "read_file", { path: "/a" }),
  ],
  "tools of the server, then a function": [
    {
      id: "ws_1",
      type: "web_search_call",
      status: "completed",
      action: { type: "search", query: "weather", queries: ["weather"] },
    },
    { id: "fs_1", type: "file_search_call", status: "completed", queries: ["x"], results: null },
    {
      id: "ci_1",
      type: "code_interpreter_call",
      status: "completed",
      code: "1+1",
      container_id: "cntr_1",
      outputs: [{ type: "logs", logs: "2" }],
    },
    {
      id: "mcpl_1",
      type: "mcp_list_tools",
      server_label: "m",
      tools: [{ name: "echo", description: null, input_schema: { type: "object" }, annotations: null }],
      error: null,
    },
    {
      id: "mcp_1",
      type: "mcp_call",
      status: "completed",
      approval_request_id: null,
      arguments: '{"a":1}',
      error: null,
      name: "echo",
      output: "1",
      server_label: "m",
    },
    { id: "ig_1", type: "image_generation_call", status: "completed", result: "aGk=" },
    message,
    functionCall(1, "shell", command),
  ],
  "tools that the API defines for the client": [
    {
      id: "lsh_1",
      type: "local_shell_call",
      call_id: "call_1",
      status: "completed",
      action: { type: "exec", command: ["ls"], env: {}, working_directory: null, timeout_ms: null, user: null },
    },
    {
      id: "sh_1",
      type: "shell_call",
      call_id: "call_2",
      status: "completed",
      action: { commands: ["ls"], timeout_ms: 1000, max_output_length: 1000 },
      environment: null,
    },
    {
      id: "apc_1",
      type: "apply_patch_call",
      call_id: "call_3",
      status: "completed",
      operation: { type: "update_file", path: "a.txt", diff: "@@\n-a\n+b" },
    },
    {
      id: "cu_1",
      type: "computer_call",
      call_id: "call_4",
      status: "completed",
      pending_safety_checks: [],
      action: { type: "click", button: "left", x: 1, y: 2 },
    },
    {
      id: "cu_2",
      type: "computer_call",
      call_id: "call_6",
      status: "completed",
      pending_safety_checks: [],
      actions: [
        { type: "scroll", x: 1, y: 2, scroll_x: 0, scroll_y: 10 },
        { type: "type", text: "ls" },
      ],
    },
    {
      id: "ctc_1",
      type: "custom_tool_call",
      call_id: "call_5",
      status: "completed",
      name: "patch",
      input: "*** Begin Patch",
    },
  ],
};

export const responsesStreams: readonly BaseAnswer[] = streamsOf(
  "openai-responses",
  mapValues(responsesItems, responsesStream),
);

export const responsesBodies: readonly BaseAnswer[] = Object.entries(responsesItems).map(([name, items]) =>
  bodyOf("openai-responses", name, responseOf("completed", items)),
);
