/** Small parts of the answers of all vendors. */
import type { BaseAnswer, StreamEvent } from "./answer.ts";

export type Payload = { readonly type: string; readonly [field: string]: unknown };

export const named = (payload: Payload): StreamEvent => ({ event: payload.type, data: payload });
export const plain = (data: unknown): StreamEvent => ({ data });

/** Arguments of several types. */
export const command = { command: "ls -la", timeout: 5, flags: ["a", { b: null }] };

export const streamsOf = (
  dialect: BaseAnswer["dialect"],
  streams: Readonly<Record<string, readonly StreamEvent[]>>,
): BaseAnswer[] => Object.entries(streams).map(([name, events]) => ({ dialect, name, isStream: true, events }));

export const bodyOf = (dialect: BaseAnswer["dialect"], name: string, data: unknown): BaseAnswer => ({
  dialect,
  name,
  isStream: false,
  events: [{ data }],
});

/** Each value under its name. */
export const mapValues = <From, To>(
  values: Readonly<Record<string, From>>,
  change: (value: From) => To,
): Record<string, To> => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
