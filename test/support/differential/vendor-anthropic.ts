/** Anthropic Messages, with tools of its servers. */
import type { BaseAnswer, StreamEvent } from "./answer.ts";
import { bodyOf, command, mapValues, named, streamsOf } from "./vendor-parts.ts";

/** @see https://docs.anthropic.com/en/docs/build-with-claude/streaming */
function anthropicStream(blocks: readonly (readonly [start: object, ...deltas: object[]])[]): StreamEvent[] {
  const usage = {
    input_tokens: 12,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    output_tokens: 1,
    service_tier: "standard",
  };
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-opus-4",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
  return [
    named({ type: "message_start", message }),
    named({ type: "ping" }),
    ...blocks.flatMap(([content_block, ...deltas], index) => [
      named({ type: "content_block_start", index, content_block }),
      ...deltas.map((delta) => named({ type: "content_block_delta", index, delta })),
      named({ type: "content_block_stop", index }),
    ]),
    named({
      type: "message_delta",
      delta: { stop_reason: "tool_use", stop_sequence: null },
      usage: { output_tokens: 89, server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 } },
      context_management: { applied_edits: [] },
    }),
    named({ type: "message_stop" }),
  ];
}

const piece = (partial_json: string): object => ({ type: "input_json_delta", partial_json });
const toolUse = (id: string, name: string, rest: object = {}): object => ({
  type: "tool_use",
  id,
  name,
  input: {},
  ...rest,
});

const anthropicBlocks: Readonly<Record<string, readonly (readonly [object, ...object[]])[]>> = {
  "thinking, text and two tools": [
    [
      { type: "thinking", thinking: "", signature: "" },
      { type: "thinking_delta", thinking: "Let me see" },
      { type: "signature_delta", signature: "c2ln" },
    ],
    [
      { type: "text", text: "" },
      { type: "text_delta", text: "I look." },
    ],
    [toolUse("toolu_1", "shell"), piece(""), piece('{"command": "ls'), piece(' -la", "timeout": 5}')],
    [toolUse("toolu_2", "read_file", { caller: { type: "direct" } }), piece('{"path":'), piece(' "/a"}')],
  ],
  "a search on the server, then a tool": [
    [
      { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
      piece('{"query":'),
      piece(' "weather"}'),
    ],
    [
      {
        type: "web_search_tool_result",
        tool_use_id: "srvtoolu_1",
        content: [
          { type: "web_search_result", title: "T", url: "https://x.test", encrypted_content: "E", page_age: null },
        ],
      },
    ],
    [
      { type: "text", text: "", citations: [] },
      { type: "text_delta", text: "Rain." },
      {
        type: "citations_delta",
        citation: {
          type: "web_search_result_location",
          cited_text: "rain",
          url: "https://x.test",
          title: "T",
          encrypted_index: "E",
        },
      },
    ],
    [toolUse("toolu_1", "shell"), piece(JSON.stringify(command))],
  ],
  "code on the server, tools of an MCP server, then a tool": [
    [
      { type: "server_tool_use", id: "srvtoolu_2", name: "bash_code_execution", input: {} },
      piece('{"command": "pwd"}'),
    ],
    [
      {
        type: "bash_code_execution_tool_result",
        tool_use_id: "srvtoolu_2",
        content: { type: "bash_code_execution_result", stdout: "/", stderr: "", return_code: 0, content: [] },
      },
    ],
    [{ type: "mcp_tool_use", id: "mcptoolu_1", name: "echo", server_name: "m", input: {} }, piece('{"a": 1}')],
    [{ type: "mcp_tool_result", tool_use_id: "mcptoolu_1", is_error: false, content: [{ type: "text", text: "1" }] }],
    [toolUse("toolu_1", "shell"), piece('{"command": "true"}')],
  ],
};

export const anthropicStreams: readonly BaseAnswer[] = streamsOf(
  "anthropic",
  mapValues(anthropicBlocks, anthropicStream),
);

export const anthropicBodies: readonly BaseAnswer[] = [
  bodyOf("anthropic", "a search on the server, then a tool", {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-opus-4",
    content: [
      { type: "text", text: "I look.", citations: null },
      { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "weather" } },
      { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
      { type: "tool_use", id: "toolu_1", name: "shell", input: command },
    ],
    stop_reason: "tool_use",
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 2, server_tool_use: { web_search_requests: 1 }, service_tier: "standard" },
  }),
];
