/** `lectern/gate`: whether a tool call may run: complete, valid, allowed and audited. Pure: no files, timers or clock. */
export {
  chainRow,
  chainStart,
  verifyAuditLines,
  writeAuditLine,
  type AuditRow,
  type ChainHead,
  type ChainVerification,
  type VerifyOptions,
} from "./core/gate/audit-chain.ts";
export { AuditFold, type AuditedCall } from "./core/gate/audit-fold.ts";
export {
  AuditedGate,
  type AuditedGateOptions,
  type AuditSink,
  type CommitRequest,
  type CommitVerdict,
} from "./core/gate/audited-gate.ts";
export type { FileProblem } from "./core/gate/data-file.ts";
export { decide, type Decision, type DecisionContext } from "./core/gate/decide.ts";
export type { FileView } from "./core/gate/real-paths.ts";
export { Gate, type GateDenial, type GateOptions, type GateRequest, type GateVerdict } from "./core/gate/gate.ts";
export type { CallIdentity } from "./core/gate/once.ts";
export {
  checkPolicy,
  replayPolicy,
  testPolicy,
  type PolicyOptions,
  type PolicyReplay,
  type PolicyTest,
} from "./core/gate/policy-files.ts";
export type { Policy, PolicyResult } from "./core/gate/policy.ts";
export type { Effect, PolicyData } from "./core/gate/policy-schema.ts";
