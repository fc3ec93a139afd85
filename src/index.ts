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
  type EventsOptions,
  type FetchTransportOptions,
  type InputOf,
  type OperationName,
  type OutputOf,
  type Session,
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
