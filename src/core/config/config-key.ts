/** One key of `lectern.yaml`: its form, its default and what it does, in one record. The makers below are for the usual forms. */
import type { SchemaObject } from "../json-schema/schema-run.ts";
import type { DataProblem } from "../json-schema/typed-form.ts";
import { parseDuration, parseSize } from "../text/quantities.ts";

/** What the documents tell about a key, and where it may be set. */
export interface KeyFacts {
  /** One sentence in Markdown, with a period. */
  readonly summary: string;
  /**
   * Whether the file of a project may have it, which comes with a cloned repository. `sets`: it wins over the user's file. `adds`: it counts
   * only where the user's file does not have the key, so that a project cannot take a wall away. Default: it may not.
   */
  readonly project?: "sets" | "adds";
  /** A change counts when the daemon starts again. Default: `lectern reload` applies it. */
  readonly needsRestart?: boolean;
  /** An environment variable that wins over the files. */
  readonly environment?: string;
}

export interface ConfigKey<Value> extends KeyFacts {
  /** Its form in words. */
  readonly type: string;
  /** Its form as JSON Schema 2020-12. Mark a secret in it with `writeOnly: true`: it is not shown. */
  readonly schema: SchemaObject;
  /** As a file would have it; undefined if the key has none. */
  readonly default: unknown;
  /** The value of data that fits the schema; undefined is the default. */
  readonly read: (data: unknown) => Value;
  /** What is wrong with data that fits the schema. */
  readonly problems: (data: unknown) => readonly DataProblem[];
}

const TEXT_CHARS_MAX = 4096;
const ITEMS_MAX = 200;

interface OwnForm<Value> extends KeyFacts {
  readonly type: string;
  readonly schema: SchemaObject;
  /** Undefined for none. */
  readonly default: unknown;
  /** Default: the data is the value. */
  readonly read?: (data: unknown) => Value;
  readonly problems?: (data: unknown) => readonly DataProblem[];
}

/** A key of any form. `Value` is what data that fits the schema is, unless `read` makes something else of it. */
export function configKey<Value>(form: OwnForm<Value>): ConfigKey<Value> {
  // The schema has said what the data is.
  const { read = (data: unknown): Value => data as Value } = form;
  return {
    problems: () => [],
    ...form,
    read: (data) => read(data === undefined ? form.default : data),
  };
}

/** `true` or `false`. */
export const flag = (facts: KeyFacts & { readonly default: boolean }): ConfigKey<boolean> =>
  configKey({ ...facts, type: "true or false", schema: { type: "boolean" } });

export const text = <Default extends string | undefined>(
  facts: KeyFacts & { readonly default: Default; readonly type?: string },
): ConfigKey<string | Default> =>
  configKey({ type: "text", ...facts, schema: { type: "string", minLength: 1, maxLength: TEXT_CHARS_MAX } });

export const texts = (facts: KeyFacts & { readonly type?: string }): ConfigKey<readonly string[]> =>
  configKey({
    type: "list of texts",
    ...facts,
    default: [],
    schema: {
      type: "array",
      maxItems: ITEMS_MAX,
      items: { type: "string", minLength: 1, maxLength: TEXT_CHARS_MAX },
    },
  });

export const wholeNumber = <Default extends number | undefined>({
  minimum,
  maximum,
  ...facts
}: KeyFacts & {
  readonly default: Default;
  readonly minimum: number;
  readonly maximum: number;
}): ConfigKey<number | Default> =>
  configKey({
    ...facts,
    type: `whole number, ${minimum} to ${maximum}`,
    schema: { type: "integer", minimum, maximum },
  });

export const choice = <const Word extends string, Default extends Word | undefined>(
  words: readonly Word[],
  facts: KeyFacts & { readonly default: Default },
): ConfigKey<Word | Default> =>
  configKey({ ...facts, type: `one of ${words.join(", ")}`, schema: { enum: [...words] } });

/** A time such as `500ms`, `20s` or `2h`, within these; a number is in seconds. The value is in milliseconds. */
export const duration = <Default extends string | undefined>({
  minimum = "0",
  maximum = "1d",
  ...facts
}: KeyFacts & { readonly default: Default; readonly minimum?: string; readonly maximum?: string }): ConfigKey<
  number | (Default extends undefined ? undefined : never)
> => quantity(facts, { type: "time such as `20s`, `5m` or `2h`", parse: parseDuration, minimum, maximum });

/** A size such as `64M`, at least `minimum`; a number is in bytes. The value is in bytes. */
export const size = <Default extends string | undefined>({
  minimum = "0",
  ...facts
}: KeyFacts & { readonly default: Default; readonly minimum?: string }): ConfigKey<
  number | (Default extends undefined ? undefined : never)
> => quantity(facts, { type: "size such as `64M` or `2G`", parse: parseSize, minimum });

/** Of a text or a number. */
const written = (data: unknown): string => (typeof data === "string" ? data : JSON.stringify(data));

function quantity<Value>(
  facts: KeyFacts & { readonly default: string | undefined },
  {
    type,
    parse,
    minimum = "0",
    maximum,
  }: {
    readonly type: string;
    readonly parse: (text: string) => number | undefined;
    readonly minimum?: string;
    readonly maximum?: string;
  },
): ConfigKey<Value> {
  const least = parse(minimum) ?? 0;
  const most = maximum === undefined ? Infinity : (parse(maximum) ?? Infinity);
  const wrong = (data: unknown): string | undefined => {
    const value = parse(written(data));
    if (value === undefined) return `is ${JSON.stringify(data)}, wanted a ${type}`;
    if (value > most) return `is ${JSON.stringify(data)}, wanted at most \`${maximum}\``;
    return value < least ? `is ${JSON.stringify(data)}, wanted at least \`${minimum}\`` : undefined;
  };
  return configKey({
    ...facts,
    type,
    schema: { type: ["string", "number"] },
    // A value that was checked, or no value and no default.
    read: (data) => (data === undefined ? undefined : parse(written(data))) as Value,
    problems: (data) => {
      const message = wrong(data);
      return message === undefined ? [] : [{ path: [], message }];
    },
  });
}
