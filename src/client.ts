/** `lectern/client`: the client of the daemon. It runs in browsers and in Node. */
export { Attachment, type AttachmentEnd } from "./client/attachment.ts";
export {
  LecternClient,
  type AttachOptions,
  type DaemonUpdatesOptions,
  type SessionFollowOptions,
  type SessionUpdatesOptions,
} from "./client/client.ts";
export type { FetchTransportOptions } from "./client/fetch-transport.ts";
export type { CallOptions } from "./client/operation-methods.ts";
export type { AttachmentItem } from "./client/item-queue.ts";
export type { SessionRecord } from "./client/session-record.ts";
export type { StreamItem } from "./client/stream-place.ts";
export type {
  SocketHandlers,
  SocketRequest,
  Transport,
  TransportRequest,
  TransportResponse,
  TransportSocket,
} from "./client/transport.ts";
export type { SessionEvent } from "./core/records.ts";
export type { InputOf, OperationName, OutputOf } from "./protocol/operations.ts";
export type { ExitStatus } from "./protocol/records.ts";
export type { Session, SessionState } from "./protocol/session.ts";
export type { DaemonUpdate, SessionUpdate } from "./protocol/views.ts";
