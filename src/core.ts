/**
 * `lectern/core`: the pure parts of the terminal's side, and the types that all parts share. No files, sockets, timers or clock;
 * they run in Node and in browsers.
 */
export type { Agent } from "./core/agents/agent.ts";
export { readAgentFiles } from "./core/agents/agent-reader.ts";
export { builtInAgents } from "./core/agents/built-in-agents.ts";
export type { AgentRegistry } from "./core/agents/registry.ts";
export { registryWith } from "./core/agents/user-agents.ts";
export { Utf8Decoder } from "./core/bytes/utf8.ts";
export type { ChatMessage, MessageRole } from "./core/chat/message.ts";
export type { AnswerKeys } from "./core/dialogs/answer-keys.ts";
export type { Approval, ApprovalKind, ApprovalOption } from "./core/dialogs/approval.ts";
export { LecternError, type ErrorCode, type ErrorDetails } from "./core/errors.ts";
export {
  encodeEvent,
  encodeEventBlock,
  encodeEventForm,
  findEncodedEvents,
  type EncodedEvent,
} from "./core/events/encoded-event.ts";
export { isTrusted, type EventDoubt, type EventSchemas, type TaggedEvent } from "./core/events/tagged-event.ts";
export { TagScanner } from "./core/events/tag-scanner.ts";
export { TextEvents, type TextEventsOptions, type TextEventsOutput } from "./core/events/text-events.ts";
export { encodeKeys, type KeyOptions } from "./core/input/keys.ts";
export { encodePaste } from "./core/input/paste.ts";
export type { Receipt, ReceiptState } from "./core/acting/receipt.ts";
export type { EventTrust } from "./core/records.ts";
export type { ScreenLine, StyledSpan } from "./core/screen/screen-lines.ts";
export { Screen, type ScreenOptions } from "./core/screen/screen.ts";
export { snapshotBytes, type ScreenSnapshot } from "./core/screen/snapshot.ts";
export type { Evidence, SessionStatus, SignalKind, StatusState } from "./core/status/status.ts";
export { escapeForDisplay } from "./core/text/escape.ts";
export { Sanitizer, type SanitizerOptions } from "./core/text/sanitizer.ts";
export { ViewerFilter, type ViewerFilterOptions } from "./core/text/viewer-filter.ts";
export { displayWidth, truncateToWidth } from "./core/text/width.ts";
export type { ViewChange } from "./core/views/change.ts";
export {
  SessionView,
  type SessionViewOptions,
  type ViewCheckpoint,
  type ViewReading,
} from "./core/views/session-view.ts";
