/** The pure pieces: values in, values out; no files, sockets, timers or clock. They run in Node and in browsers. */
export { LecternError, type ErrorCode, type ErrorDetails } from "./core/errors.ts";
export { ByteRing, type ByteRingOptions, type RingRead } from "./core/bytes/byte-ring.ts";
export { DelimiterSearch } from "./core/bytes/delimiter-search.ts";
export { HeadTail, type HeadTailOptions, type HeadTailResult } from "./core/bytes/head-tail.ts";
export { lastLines } from "./core/bytes/lines.ts";
export { Utf8Decoder, utf8SafeEnd } from "./core/bytes/utf8.ts";
export { Sanitizer, type SanitizerOptions } from "./core/text/sanitizer.ts";
export { codePointWidth, displayWidth, padToWidth, truncateToWidth } from "./core/text/width.ts";
export { escapeForDisplay, removeActing, removeActingLines } from "./core/text/escape.ts";
export { ViewerFilter, type ViewerFilterOptions } from "./core/text/viewer-filter.ts";
export type { ViewerMode } from "./core/text/viewer-policy.ts";
export { OscReader, type OscSequence } from "./core/text/osc-reader.ts";
export {
  SIGNAL_KINDS,
  STATUS_STATES,
  type Evidence,
  type SessionStatus,
  type SignalKind,
  type StatusState,
} from "./core/status/status.ts";
export { keysFor, standsOn, type AnswerKeys, type ShownDialog } from "./core/dialogs/answer-keys.ts";
export { readDialog, type Dialog, type DialogContext } from "./core/dialogs/dialog.ts";
export { builtInAgents } from "./core/agents/built-in-agents.ts";
export { AgentRegistry } from "./core/agents/registry.ts";
export type { Agent } from "./core/agents/agent.ts";
export { RECEIPT_STATES, isFinal, type Receipt, type ReceiptState, type ReceiptStep } from "./core/prompts/receipt.ts";
export { MESSAGE_ROLES, type ChatMessage, type MessageRole } from "./core/chat/message.ts";
export { APPROVAL_KINDS, type Approval, type ApprovalKind, type ApprovalOption } from "./core/dialogs/approval.ts";
export { CHANGE_KINDS, type ChangeKind, type ViewChange } from "./core/views/change.ts";
export {
  SessionView,
  type SessionViewOptions,
  type ViewCheckpoint,
  type ViewReading,
} from "./core/views/session-view.ts";
export { encodeKeys, type KeyOptions } from "./core/input/keys.ts";
export { encodePaste } from "./core/input/paste.ts";
export { Clamp, type ClampOptions } from "./core/screen/clamp.ts";
export { replyRules, ruleFor, type Answer, type Question, type ReplyRule } from "./core/screen/replies.ts";
export { Screen, type ScreenOptions } from "./core/screen/screen.ts";
export { FrameReader, type Frame, type FrameReaderOptions, type FrameReading } from "./core/screen/frame.ts";
export { type Colour, type ScreenLine, type StyledSpan } from "./core/screen/screen-lines.ts";
export { snapshotBytes, type CursorState, type ScreenModes, type ScreenSnapshot } from "./core/screen/snapshot.ts";
export { type ScreenState } from "./core/screen/state.ts";
export {
  decideForeground,
  type ForegroundFacts,
  type ForegroundLook,
  type ForegroundProcess,
  type ThreadState,
  type WaitTarget,
} from "./core/events/foreground.ts";
export { awaitsInput } from "./core/records.ts";
export type { ForegroundVerdict } from "./core/records.ts";
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
  type EventError,
  type EventReading,
  type EventSchemas,
  type EventSource,
  type PayloadCheck,
  type StandardSchema,
  type TaggedEvent,
} from "./core/events/tagged-event.ts";
export { TRUST_LEVELS, type EventCarrier, type EventTrust } from "./core/records.ts";
export { encodeEvent, encodeEventBlock, findEncodedEvents, type EncodedEvent } from "./core/events/encoded-event.ts";
export { EncodedEvents, type EncodedEventsOptions, type SightingPlace } from "./core/events/encoded-events.ts";
export {
  TextEvents,
  type AbandonedTag,
  type TextEventsOptions,
  type TextEventsOutput,
} from "./core/events/text-events.ts";
export { CommandTracker, type CommandTrackerOptions, type ShellStep } from "./core/readiness/command-tracker.ts";
export { asksForPassword } from "./core/readiness/password-prompt.ts";
export { isReady, type Asks, type Readiness, type ReadyReason } from "./core/readiness/readiness.ts";
export type { ReadyStrategy } from "./core/readiness/ready-wait.ts";
export { readShellMark, type ShellMark } from "./core/shell-marks/shell-mark.ts";
export { splitPrompt, withoutEcho } from "./core/readiness/strip-echo.ts";
