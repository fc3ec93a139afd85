/** The span of a tool call, from the answer that has it to the request with its result, and of a command of a shell. */
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
}

export function toolSpan(
  open: OpenCall,
  { error, result, timeUs }: CallEnd,
  { call, spanId }: { readonly call: string; readonly spanId: string },
): OtlpSpan {
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
      [names.toolType]: "function",
      ...open.conversation,
      [names.policyEffect]: open.effect,
      [names.policyRule]: open.decidedBy,
      [names.error]: error,
      [names.toolArguments]: open.argumentsText,
      [names.toolResult]: result,
    }),
    events: [],
    status: error === null ? { code: 0 } : { code: 2, message: error },
  };
}

interface Command extends SpanPlace {
  readonly spanId: string;
  /** Null without content. */
  readonly command: string | null;
  readonly exitCode: number | null;
  readonly startUs: number;
  readonly endUs: number;
}

export function commandSpan(command: Command, conversation: Readonly<Record<string, string>>): OtlpSpan {
  const { endUs, exitCode, parentSpanId, spanId, startUs, traceId } = command;
  return {
    traceId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    spanId,
    name: `${spanOperations.tool} shell`,
    kind: 1,
    startTimeUnixNano: nanosOf(startUs),
    endTimeUnixNano: nanosOf(Math.max(startUs, endUs)),
    attributes: attributesOf({
      [names.operation]: spanOperations.tool,
      [names.tool]: "shell",
      ...conversation,
      [names.exitCode]: exitCode,
      [names.toolArguments]: command.command,
    }),
    events: [],
    status: exitCode === null || exitCode === 0 ? { code: 0 } : { code: 2, message: `exit code ${exitCode}` },
  };
}
