/** The span of a tool call, from the answer that has it to the request with its result, or of a command of a shell. */
import { names, spanOperations } from "./names.ts";
import { attributesOf, nanosOf, type OtlpSpan, type SpanPlace } from "./span.ts";

/** A call whose result has not come. */
export interface OpenCall extends SpanPlace {
  readonly tool: string;
  readonly startUs: number;
  /** The gate's decision; null without a gate. */
  readonly effect: string | null;
  readonly decidedBy: string | null;
  /** Null without content. */
  readonly argumentsText: string | null;
  readonly conversation: Readonly<Record<string, string>>;
}

export interface CallEnd {
  readonly timeUs: number;
  readonly error: string | null;
  /** Null without content. */
  readonly result: string | null;
  /** Of a command of a shell. */
  readonly exitCode?: number | null;
}

export function toolSpan(
  open: OpenCall,
  { error, exitCode = null, result, timeUs }: CallEnd,
  /** `call`: null for a command of a shell. */
  { call, spanId }: { readonly call: string | null; readonly spanId: string },
): OtlpSpan {
  const failure = error ?? (exitCode === null || exitCode === 0 ? null : `exit code ${exitCode}`);
  return {
    traceId: open.traceId,
    ...(open.parentSpanId !== undefined && { parentSpanId: open.parentSpanId }),
    spanId,
    name: `${spanOperations.tool} ${open.tool}`,
    kind: 1,
    startTimeUnixNano: nanosOf(open.startUs),
    endTimeUnixNano: nanosOf(Math.max(open.startUs, timeUs)),
    attributes: attributesOf({
      [names.operation]: spanOperations.tool,
      [names.tool]: open.tool,
      [names.toolCall]: call,
      [names.toolType]: call === null ? null : "function",
      ...open.conversation,
      [names.policyEffect]: open.effect,
      [names.policyRule]: open.decidedBy,
      [names.error]: error,
      [names.exitCode]: exitCode,
      [names.toolArguments]: open.argumentsText,
      [names.toolResult]: result,
    }),
    events: [],
    status: failure === null ? { code: 0 } : { code: 2, message: failure },
  };
}
