/** How far the spans of a session were sent, beside its journal; and the trace that it was started in. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionSpansState } from "../core/session-spans.ts";
import { readTraceParent, type TraceParent } from "../core/trace-parent.ts";
import { textInFile, readJsonFile, replaceFile } from "../../../host/json-file.ts";

const POSITION_FILE = "otlp.json";
const PARENT_FILE = "trace-parent";
/** Raised when an older file would be misread: then the session is sent from its beginning, with the same ids. */
const VERSION = 1;

export interface SpanPosition {
  /** The journal up to here was read, and its spans were sent. */
  readonly offset: number;
  /** The session has ended, and everything was sent. */
  readonly isDone: boolean;
  readonly state: SessionSpansState;
}

/** Throws if the disk does not take it. */
export const writePosition = (directory: string, position: SpanPosition): void =>
  replaceFile(join(directory, POSITION_FILE), JSON.stringify({ version: VERSION, ...position }));

/** Null for a session of which nothing was sent, or whose file is damaged. */
export function readPosition(directory: string): SpanPosition | null {
  const position = (readJsonFile(join(directory, POSITION_FILE)) ?? {}) as SpanPosition & { readonly version?: number };
  return position.version === VERSION && Number.isSafeInteger(position.offset) ? position : null;
}

/** Keeps the `TRACEPARENT` of a session that is being started; does nothing without a valid one. */
export function keepTraceParent(directory: string, text: string | undefined): void {
  if (text !== undefined && readTraceParent(text) !== null)
    writeFileSync(join(directory, PARENT_FILE), text, { mode: 0o600 });
}

export const traceParentOf = (directory: string): TraceParent | null =>
  readTraceParent(textInFile(join(directory, PARENT_FILE)) ?? "");
