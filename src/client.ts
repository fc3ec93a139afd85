/** The client for browsers and Node: it loads nothing of Node. */
export { LecternError, type ErrorCode, type ErrorDetails } from "./core/errors.ts";
export {
  LecternClient,
  type AllUpdatesOptions,
  type AttachOptions,
  type CallOptions,
  type SessionFollowOptions,
  type UpdatesOptions,
} from "./client/client.ts";
export { Attachment, type Attached, type AttachmentEnd, type AttachmentOptions } from "./client/attachment.ts";
export type { AttachmentItem } from "./client/item-queue.ts";
export type { FollowOptions } from "./client/follow-events.ts";
export type { SessionRecord } from "./client/session-record.ts";
export type { StreamItem } from "./client/stream-place.ts";
export { fetchTransport, type FetchTransportOptions } from "./client/fetch-transport.ts";
export type {
  SocketHandlers,
  SocketRequest,
  Transport,
  TransportRequest,
  TransportResponse,
  TransportSocket,
} from "./client/transport.ts";
export type { Session, SessionState } from "./protocol/session.ts";
export type { BytesOperation, InputOf, JsonOperation, OperationName, OutputOf } from "./protocol/operations.ts";
export type {
  ReceiptChange,
  SessionActivity,
  SessionApproval,
  SessionChange,
  SessionUpdate,
  UpdateKind,
} from "./protocol/views.ts";
export type { ChangeKind, ViewChange } from "./core/views/change.ts";
export type { Approval, ApprovalKind, ApprovalOption } from "./core/dialogs/approval.ts";
export type { Receipt, ReceiptState, ReceiptStep } from "./core/prompts/receipt.ts";
export type { ChatMessage, MessageRole } from "./core/chat/message.ts";
export type { Evidence, SessionStatus, SignalKind, StatusState } from "./core/status/status.ts";
export type { TaggedEvent } from "./core/events/tagged-event.ts";
export type { ExitStatus, GapNotice, RecordType } from "./protocol/records.ts";
export type { SessionEvent } from "./core/records.ts";
