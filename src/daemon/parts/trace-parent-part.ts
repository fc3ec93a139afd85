import { keepTraceParent } from "../otlp/position-file.ts";
import type { SessionPart } from "./session-part.ts";

/** The trace in which a session was started, for its spans. */
export const traceParentPart: SessionPart = {
  name: "trace parent",
  begin: ({ entry, input }) => keepTraceParent(entry.directory, input.environment?.["TRACEPARENT"]),
};
