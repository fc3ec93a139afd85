/** The names of the types that several operations answer with: `components.schemas` of the OpenAPI document, and the types of the Python client. */
import type * as z from "zod";
import { auditedCallSchema, chainedRowSchema, verificationSchema } from "./audit.ts";
import { machineSchema } from "./machines.ts";
import { operations } from "./operations.ts";
import { decisionSchema, policyProblemSchema } from "./policy.ts";
import { gateSchema, sessionSchema, sessionWorktreeSchema, stateSchema, usageSchema } from "./session.ts";
import * as views from "./views.ts";

export const namedTypes = {
  Session: sessionSchema,
  SessionState: stateSchema,
  Usage: usageSchema,
  Gate: gateSchema,
  Worktree: sessionWorktreeSchema,
  Machine: machineSchema,
  Status: views.statusSchema,
  StatusState: views.statusStateSchema,
  ChangeKind: views.changeKindSchema,
  UpdateKind: views.updateKindSchema,
  Role: views.roleSchema,
  EventTrust: views.trustSchema,
  Message: views.messageSchema,
  Approval: views.approvalSchema,
  SessionApproval: views.sessionApprovalSchema,
  TaggedEvent: views.taggedEventSchema,
  Receipt: views.receiptSchema,
  AnsweredReceipt: views.answeredReceiptSchema,
  Change: views.changeSchema,
  Digest: views.digestSchema,
  SessionUpdate: views.sessionUpdateSchema,
  DaemonUpdate: views.daemonUpdateSchema,
  PolicyProblem: policyProblemSchema,
  Decision: decisionSchema,
  AuditRow: chainedRowSchema,
  AuditedCall: auditedCallSchema,
  AuditVerification: verificationSchema,
  ResumePlan: operations["sessions.resumable"].output.shape.sessions.element,
  DaemonInfo: operations["daemon.info"].output,
  Task: operations["tasks.list"].output.shape.tasks.element,
  Token: operations["tokens.list"].output.shape.tokens.element,
  Notice: operations["notify.list"].output.shape.notices.element,
  SessionFile: operations["files.list"].output.shape.files.element,
  CommandResult: operations["sessions.exec"].output,
  Removed: operations["sessions.remove"].output,
  Written: operations["sessions.input"].output,
  SessionRecord: operations["sessions.follow"].stream.item,
} as const satisfies Readonly<Record<string, z.ZodType>>;
