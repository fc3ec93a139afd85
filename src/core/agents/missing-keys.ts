/** Keys that a rule needs. A file that changes another agent names only what it changes, so they are looked for in the complete file. */
import type { AgentFile } from "./agent-file.ts";

export interface MissingKey {
  readonly path: readonly string[];
  readonly message: string;
}

/** Each place of rules, `*` for their names, with the keys that each of them needs. */
const needed: readonly (readonly [path: string, ...keys: string[]])[] = [
  ["titles.*", "pattern"],
  ["conversation", "id"],
  ["conversation.process", "file", "key"],
  ["conversation.said", "format", "file"],
  ["boxes.*", "bottom", "rowsMax", "rowsBelowMax"],
  ["screen.*", "in", "rows", "pattern", "state"],
  ["limits.*", "in", "rows", "pattern"],
  ["dialogs.options", "row", "orUnderTop"],
  ["draft", "mark"],
  ["draft.folds.*", "pattern", "counts"],
  ["draft.boxes.*", "bottom", "rowsMax", "rowsBelowMax"],
  ["variants.*", "command", "chat"],
  ["chat.tool.calls.*", "pattern", "name", "input"],
  ["chat.window.ends.*", "steps"],
  ["launch", "routes"],
  ["launch.settings.files.*", "format"],
  ["launch.settings.keys.*", "key"],
];
const stepKeys = [
  "to",
  "over",
  "overShade",
  "downTo",
  "up",
  "cursor",
  "here",
  "under",
  "notOver",
  "noneAbove",
  "noneBelow",
];

export function missingKeys(file: AgentFile): MissingKey[] {
  const missing = needed.flatMap(([pattern, ...keys]) =>
    placesOf(file, pattern.split(".")).flatMap(({ path, data }) =>
      keys
        .filter((key) => data[key] === undefined)
        .map((key) => ({ path, message: `"${path.join(".")}" lacks the key "${key}"` })),
    ),
  );
  return [...missing, ...stepsOf(file)];
}

type Data = Readonly<Record<string, unknown>>;

function placesOf(
  data: unknown,
  [key, ...rest]: readonly string[],
  path: readonly string[] = [],
): { path: readonly string[]; data: Data }[] {
  if (typeof data !== "object" || data === null) return [];
  if (key === undefined) return [{ path, data: data as Data }];
  const names = key === "*" ? Object.keys(data) : [key];
  return names.flatMap((name) => placesOf((data as Data)[name], rest, [...path, name]));
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
