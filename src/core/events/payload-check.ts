import { SchemaStore } from "../gate/schemas.ts";
import { patterns } from "../patterns/re2.ts";
import type { PayloadCheck } from "./tagged-event.ts";

/** One store for all: sessions are started with the same schemas again and again. */
const store = new SchemaStore({ patterns });

/** One that cannot be used fails every payload, with the reason: an unchecked event must not look like a checked one. */
export function payloadCheck(schema: unknown): PayloadCheck {
  const compiled = store.compile(schema);
  if (!compiled.usable) return () => [compiled.message];
  return (payload) => {
    const result = compiled.check(payload);
    if (result.valid) return [];
    return result.problems.length === 0
      ? [result.reason]
      : result.problems.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  };
}

/** Why a schema cannot be used, as a sentence; undefined where it can. */
export function schemaProblem(schema: unknown): string | undefined {
  const compiled = store.compile(schema);
  return compiled.usable ? undefined : compiled.message;
}
