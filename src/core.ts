/** The pure pieces: values in, values out; no files, sockets, timers or clock. They run in Node and in browsers. */
export { LecternError, type ErrorCode, type ErrorDetails } from "./core/errors.ts";
export { ByteRing, type ByteRingOptions, type RingRead } from "./core/bytes/byte-ring.ts";
export { DelimiterSearch } from "./core/bytes/delimiter-search.ts";
export { HeadTail, type HeadTailOptions, type HeadTailResult } from "./core/bytes/head-tail.ts";
export { lastLines } from "./core/bytes/lines.ts";
export { Utf8Decoder, utf8SafeEnd } from "./core/bytes/utf8.ts";
export { Sanitizer, type SanitizerOptions } from "./core/text/sanitizer.ts";
export { codePointWidth, displayWidth, padToWidth, truncateToWidth } from "./core/text/width.ts";
export { escapeForDisplay, removeActing } from "./core/text/escape.ts";
export { ViewerFilter, type ViewerFilterOptions } from "./core/text/viewer-filter.ts";
export type { ViewerMode } from "./core/text/viewer-policy.ts";
export { encodeKeys, type KeyOptions } from "./core/input/keys.ts";
export { encodePaste } from "./core/input/paste.ts";
export { Clamp, type ClampOptions } from "./core/screen/clamp.ts";
export { replyRules, ruleFor, type Answer, type Question, type ReplyRule } from "./core/screen/replies.ts";
export { Screen, type ScreenOptions } from "./core/screen/screen.ts";
export { snapshotBytes, type CursorState, type ScreenModes, type ScreenSnapshot } from "./core/screen/snapshot.ts";
export { type ScreenState } from "./core/screen/state.ts";
export { commitStructure } from "./core/gate/structural.ts";
export type {
  StructuralCommit,
  StructuralOptions,
  StructuralReason,
  StructuralReasonCode,
} from "./core/gate/structural.ts";
export { SchemaStore } from "./core/gate/schemas.ts";
export type {
  CompiledSchema,
  SchemaCheck,
  SchemaDialect,
  SchemaProblem,
  SchemaStoreOptions,
} from "./core/gate/schemas.ts";
export { toolsByName } from "./core/gate/tool-call.ts";
export type { FinishReason, ToolCall, ToolDefinition } from "./core/gate/tool-call.ts";
export { canonicalJson } from "./core/gate/canonical-json.ts";
export { analyzeShell, analyzeWords } from "./core/gate/shell.ts";
export type { OpaqueReason, ShellAction, ShellAnalysis, ShellLimits } from "./core/gate/shell.ts";
export type { ShellWord } from "./core/gate/shell-words.ts";
export { checkPolicy, replayPolicy, testPolicy } from "./core/gate/policy-files.ts";
export type { CaseResult, PolicyReplay, PolicyTest, RecordedCall, ReplayedCall } from "./core/gate/policy-files.ts";
export { decide } from "./core/gate/decide.ts";
export type { Decision, DecisionContext, Verdict, VerdictSource } from "./core/gate/decide.ts";
export { toolSettings } from "./core/gate/policy.ts";
export type { LimitSettings, Policy, PolicyResult, Rule, ToolSettings } from "./core/gate/policy.ts";
export type { Effect } from "./core/gate/policy-schema.ts";
export type { FileProblem } from "./core/gate/yaml-file.ts";
export { Gate } from "./core/gate/gate.ts";
export type { GateDenial, GateOptions, GateRequest, GateVerdict } from "./core/gate/gate.ts";
export { CallLimits, TokenBucket } from "./core/gate/limits.ts";
export type { Admission, LimitedCall, RateSettings, Taken } from "./core/gate/limits.ts";
export { Deadlines } from "./core/gate/deadlines.ts";
export { Breaker } from "./core/gate/breaker.ts";
export type { BreakerAnswer, BreakerOptions, BreakerState } from "./core/gate/breaker.ts";
export { decideRetry, RetryBudget } from "./core/gate/retry.ts";
export type { RetryAttempt, RetryDecision, RetryOptions, UpstreamFailure } from "./core/gate/retry.ts";
export { IdleWatch } from "./core/gate/idle.ts";
export type { IdleAnswer, IdleOptions } from "./core/gate/idle.ts";
export { Once } from "./core/gate/once.ts";
export type { CallIdentity, OnceAnswer } from "./core/gate/once.ts";
export {
  chainHash,
  chainRow,
  chainStart,
  readAuditLine,
  verifyAuditLines,
  verifyChain,
  writeAuditLine,
} from "./core/gate/audit-chain.ts";
export type {
  AnswerRow,
  AuditRow,
  ChainedRow,
  ChainHead,
  ChainVerification,
  DecisionRow,
  OutcomeRow,
  Sha256,
  StartRow,
  VerifyOptions,
} from "./core/gate/audit-chain.ts";
export { AuditFold } from "./core/gate/audit-fold.ts";
export type { AuditedCall, CallStage } from "./core/gate/audit-fold.ts";
export {
  TagScanner,
  type AbandonReason,
  type ChunkPosition,
  type TagScanItem,
  type TagScannerOptions,
} from "./core/events/tag-scanner.ts";
export {
  isTrusted,
  readEvent,
  TRUST_LEVELS,
  type EventCarrier,
  type EventError,
  type EventReading,
  type EventSchemas,
  type EventSource,
  type EventTrust,
  type PayloadCheck,
  type StandardSchema,
  type TaggedEvent,
} from "./core/events/tagged-event.ts";
export { encodeEvent, encodeEventBlock, findEncodedEvents, type EncodedEvent } from "./core/events/encoded-event.ts";
export { EncodedEvents, type EncodedEventsOptions, type SightingPlace } from "./core/events/encoded-events.ts";
export {
  TextEvents,
  type AbandonedTag,
  type TextEventsOptions,
  type TextEventsOutput,
} from "./core/events/text-events.ts";
