/** The header `traceparent` of W3C Trace Context (https://www.w3.org/TR/trace-context/#traceparent-header), as programs get it in `TRACEPARENT`. */

export interface TraceParent {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
}

/**
 * Null for what is not one.
 * `readTraceParent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")?.spanId; // "b7ad6b7169203331"`
 */
export function readTraceParent(text: string | undefined): TraceParent | null {
  const found = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/.exec(text ?? "");
  const [, version = "ff", traceId = "", spanId = "", rest] = found ?? [];
  if (found === null || version === "ff" || (version === "00" && rest !== undefined)) return null;
  return /^0+$/.test(traceId) || /^0+$/.test(spanId) ? null : { traceId, spanId };
}
