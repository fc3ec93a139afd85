/** Keys that a rule needs. A file that changes another agent names only what it changes, so they are looked for in the complete file. */
import { isObject, type SchemaObject } from "../json-schema/schema-run.ts";
import { agentSchema, type AgentFile } from "./agent-file.ts";

export interface MissingKey {
  readonly path: readonly string[];
  readonly message: string;
}

const stepKeys = "to over overShade downTo up cursor here under notOver noneAbove noneBelow".split(" ");

export const missingKeys = (file: AgentFile): MissingKey[] => [...missingIn(file, agentSchema, []), ...stepsOf(file)];

function missingIn(data: unknown, form: SchemaObject, path: readonly string[]): MissingKey[] {
  if (!isObject(data)) return [];
  const { "x-needed": needed = [], properties = {}, additionalProperties } = form as MapForm;
  return [
    ...needed
      .filter((key) => data[key] === undefined)
      .map((key) => ({ path, message: `"${path.join(".")}" lacks the key "${key}"` })),
    ...Object.entries(data).flatMap(([key, value]) => {
      const inner = properties[key] ?? additionalProperties;
      return isObject(inner) ? missingIn(value, inner, [...path, key]) : [];
    }),
  ];
}

/** The parts of the form of a map, as `agent-file.ts` makes it. */
interface MapForm {
  readonly "x-needed"?: readonly string[];
  readonly properties?: Readonly<Record<string, SchemaObject>>;
  readonly additionalProperties?: SchemaObject | false;
}

/** A step does one thing. */
function stepsOf({ chat = {} }: AgentFile): MissingKey[] {
  const lists = [
    ...Object.entries(chat.window?.ends ?? {}).map(([name, { steps }]) => ({ at: `ends.${name}.steps`, steps })),
    { at: "above", steps: chat.window?.above ?? [] },
  ];
  return lists.flatMap(({ at, steps }) =>
    steps.flatMap((step, index) => {
      const path = ["chat", "window", ...at.split("."), String(index)];
      const count = stepKeys.filter((key) => key in step).length;
      return count === 1
        ? []
        : [{ path, message: `A step needs one of ${stepKeys.join(", ")}; this one has ${count}` }];
    }),
  );
}
