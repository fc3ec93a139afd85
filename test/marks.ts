/** Marks of a journal for tests: whole ones, of which a test names the fields that it is about. */
import type { SessionEvent } from "../src/core/records.ts";

type MarkOf<Type extends SessionEvent["type"]> = Extract<SessionEvent, { readonly type: Type }>;

export const wireTurn = (fields: Partial<MarkOf<"wire-turn">> = {}): MarkOf<"wire-turn"> => ({
  type: "wire-turn",
  exchange: "e1",
  model: null,
  text: "",
  thinking: "",
  calls: [],
  refused: [],
  serverTools: [],
  finish: "stop",
  usage: null,
  costUsd: null,
  status: 200,
  attempts: 1,
  firstTokenMs: null,
  durationMs: 0,
  error: null,
  cutChars: 0,
  ...fields,
});

export const wireRequest = (fields: Partial<MarkOf<"wire-request">> = {}): MarkOf<"wire-request"> => ({
  type: "wire-request",
  exchange: "e1",
  dialect: "anthropic",
  model: null,
  tools: 3,
  parts: [],
  cutChars: 0,
  ...fields,
});

export const wireApproval = (fields: Partial<MarkOf<"wire-approval">> = {}): MarkOf<"wire-approval"> => ({
  type: "wire-approval",
  exchange: "e1",
  call: "c1",
  approval: "w1",
  state: "open",
  by: null,
  ...fields,
});

export const wireToolCall = (fields: Partial<MarkOf<"wire-tool-call">> = {}): MarkOf<"wire-tool-call"> => ({
  type: "wire-tool-call",
  call: "c1",
  kind: "function",
  tool: "Bash",
  argumentsText: null,
  argumentsHash: "",
  status: "complete",
  provenance: "wire",
  finish: null,
  source: "anthropic",
  effect: null,
  decidedBy: null,
  ...fields,
});
