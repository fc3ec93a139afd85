/** A turn with everything filled in, and what each dialect makes of it: written apart from `src/core/wire`, which it tests. */
import type { ScriptedTurn } from "./scenario.ts";

export interface FullCall {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly isCustom: boolean;
}

export interface FullTurn {
  readonly id: string;
  readonly model: string;
  readonly think: string;
  readonly say: string;
  readonly calls: readonly FullCall[];
  readonly finish: "stop" | "tool_calls" | "length" | "content_filter";
  readonly usage: { readonly input: number; readonly output: number; readonly cached: number };
  readonly eventChars: number;
}

/** One dialect: a stream of event texts, and the answer in one piece. */
export interface DialectWriter {
  stream(turn: FullTurn): string[];
  answer(turn: FullTurn): object;
  error(error: { readonly type: string; readonly message: string }, status: number): object;
}

/** `unique` goes into the ids, so that no two calls of a run share one. */
export function fullTurn(turn: ScriptedTurn, given: { readonly model: string; readonly unique: string }): FullTurn {
  const calls = (turn.calls ?? []).map((call, index) => ({
    id: call.id ?? `call_${given.unique}_${index}`,
    name: call.name,
    text: typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments),
    isCustom: call.isCustom === true,
  }));
  return {
    id: `msg_${given.unique}`,
    model: given.model,
    think: turn.think ?? "",
    say: turn.say ?? "",
    calls,
    finish: turn.finish ?? (calls.length > 0 ? "tool_calls" : "stop"),
    usage: { input: 100, output: 20, cached: 0, ...turn.usage },
    eventChars: turn.eventChars ?? 16,
  };
}

/** The pieces of a text, none of them empty. */
export function pieces(text: string, size: number): string[] {
  const characters = [...text];
  const found: string[] = [];
  for (let at = 0; at < characters.length; at += size) found.push(characters.slice(at, at + size).join(""));
  return found;
}

export const sse = (data: object | string, event?: string): string =>
  `${event === undefined ? "" : `event: ${event}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;

/** Arguments as a value, for answers that carry no text. */
export function valueOf(text: string): unknown {
  try {
    return JSON.parse(text === "" ? "{}" : text);
  } catch {
    return { broken: text };
  }
}
