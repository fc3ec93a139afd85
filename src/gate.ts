/** The decision in front of a tool call: is it complete and valid, is it allowed, was it written down. Pure: no files, timers or clock. */
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
export type { JudgedCall, ToolDefinition } from "./core/gate/tool-call.ts";
export type { Finish, ToolCall } from "./core/wire/turn.ts";
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
export { AuditedGate } from "./core/gate/audited-gate.ts";
export type { AuditedGateOptions, AuditSink, CommitRequest, CommitVerdict } from "./core/gate/audited-gate.ts";
export { AuditFold, foldAuditRow } from "./core/gate/audit-fold.ts";
export type { AuditedCall, CallStage } from "./core/gate/audit-fold.ts";
