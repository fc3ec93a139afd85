/** `lectern`: what needs Node. Terminals as a tool, messages of a recording, events of a session, the audit log in files, `fetch` for model servers, the client with the daemon of this machine. */
export { emitEvent, eventAddress, type EmittedEvent, type EventAddress } from "./client/emit.ts";
export type { Asks, ReadyReason } from "./core/readiness/readiness.ts";
export type { ReadyStrategy } from "./core/readiness/ready-wait.ts";
export { AuditLog, type AuditLogOptions } from "./daemon/audit/audit-log.ts";
export { attachTerminal } from "./terminal/attach-terminal.ts";
export { extractMessages, extractorFor, type ExtractOptions, type Extractor } from "./replay/extract-messages.ts";
export { LocalClient as LecternClient, type LocalConnectOptions } from "./session/local-client.ts";
export { LiveSession } from "./session/live-session.ts";
export { attachSession, openSession } from "./session/open-session.ts";
export type { SessionOptions } from "./session/session-options.ts";
export { openTerminal, type TerminalOptions } from "./terminal/open-terminal.ts";
export type { RunResult } from "./terminal/run-command.ts";
export type { ReadOptions, RunOptions } from "./terminal/terminal-options.ts";
export { Terminal, type ReadResult } from "./terminal/terminal.ts";
export type { TerminalSettings } from "./terminal/terminal-link.ts";
export { modelFetch, type ModelFetchOptions } from "./upstream/model-fetch.ts";
