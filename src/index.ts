/** The library for Node. */
export { LecternError, type ErrorCode, type ErrorDetails } from "./core/errors.ts";
export {
  Attachment,
  LecternClient,
  fetchTransport,
  type Approval,
  type AttachOptions,
  type Attached,
  type AttachmentEnd,
  type AttachmentItem,
  type AttachmentOptions,
  type CallOptions,
  type ChatMessage,
  type FetchTransportOptions,
  type InputOf,
  type OperationName,
  type OutputOf,
  type Receipt,
  type Session,
  type SessionFollowOptions,
  type SessionRecord,
  type SessionState,
  type SessionStatus,
  type SessionUpdate,
  type StreamItem,
  type TaggedEvent,
  type Transport,
  type UpdatesOptions,
  type ViewChange,
} from "./client.ts";
export { emitEvent, eventPlace, type EmittedEvent, type EventPlace } from "./client/emit.ts";
export { unixTransport } from "./client/unix-transport.ts";
export { lecternPaths, type LecternPaths } from "./daemon/paths.ts";
export { extractMessages, extractorFor, type ExtractOptions, type Extractor } from "./replay/extract-messages.ts";
export { openTerminal, type TerminalOptions } from "./terminal/open-terminal.ts";
export { attachTerminal, type SessionClient } from "./terminal/attach-terminal.ts";
export { Terminal, type ReadResult, type TerminalSettings } from "./terminal/terminal.ts";
export type { ReadOptions, RunOptions } from "./terminal/terminal-options.ts";
export type { RunResult } from "./terminal/run-command.ts";
export type { OmittedOutput } from "./terminal/command-output.ts";
export { integrateShell, type ShellIntegration, type ShellName } from "./terminal/shell-integration.ts";
export type { ReadyStrategy } from "./core/readiness/ready-wait.ts";
export type { Asks, Readiness, ReadyReason } from "./core/readiness/readiness.ts";
export type { ForegroundLook } from "./core/events/foreground.ts";
export type { ForegroundVerdict } from "./core/records.ts";
