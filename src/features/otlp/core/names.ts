/**
 * Every name of OpenTelemetry that spans have, in one place: the conventions for generative AI are in development and change.
 * Source: https://github.com/open-telemetry/semantic-conventions-genai, which depends on the semantic conventions 1.45.0.
 */

/** Version of the conventions for generative AI that the names are from. */
export const GENAI_CONVENTIONS_VERSION = "0.1.0";
/** Of the general conventions. */
export const SCHEMA_URL = "https://opentelemetry.io/schemas/1.45.0";

export const names = {
  operation: "gen_ai.operation.name",
  agent: "gen_ai.agent.name",
  conversation: "gen_ai.conversation.id",
  provider: "gen_ai.provider.name",
  requestModel: "gen_ai.request.model",
  responseModel: "gen_ai.response.model",
  finishReasons: "gen_ai.response.finish_reasons",
  firstChunk: "gen_ai.response.time_to_first_chunk",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cacheReadTokens: "gen_ai.usage.cache_read.input_tokens",
  cacheWriteTokens: "gen_ai.usage.cache_creation.input_tokens",
  tool: "gen_ai.tool.name",
  toolCall: "gen_ai.tool.call.id",
  toolType: "gen_ai.tool.type",
  toolArguments: "gen_ai.tool.call.arguments",
  toolResult: "gen_ai.tool.call.result",
  inputMessages: "gen_ai.input.messages",
  outputMessages: "gen_ai.output.messages",
  error: "error.type",
  exitCode: "process.exit.code",
  httpStatus: "http.response.status_code",
  resends: "http.request.resend_count",
  serviceName: "service.name",
  serviceVersion: "service.version",
  hostName: "host.name",
  /** Of Lectern itself. */
  session: "lectern.session.name",
  turnEnd: "lectern.turn.end",
  cost: "lectern.usage.cost_usd",
  unpriced: "lectern.usage.unpriced_requests",
  policyRule: "lectern.policy.rule",
  policyEffect: "lectern.policy.effect",
  blocked: "lectern.blocked",
  unblocked: "lectern.unblocked",
  questionKind: "lectern.question.kind",
  questionSource: "lectern.question.source",
  waitedMs: "lectern.question.waited_ms",
  answeredBy: "lectern.question.answered_by",
} as const;

/** Values of `gen_ai.operation.name`. */
export const spanOperations = { agent: "invoke_agent", chat: "chat", tool: "execute_tool" } as const;

/** Values of `gen_ai.provider.name`. */
export const providerNames = { anthropic: "anthropic", openai: "openai", gemini: "gcp.gemini" } as const;
