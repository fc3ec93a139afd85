/** Checks the data of a `lectern.yaml`. Each problem has its place and the section that it spoils; the other sections can be used. */
import { fileChecker, type FileProblem, type ParsedFile } from "../gate/data-file.ts";
import { isObject } from "../json-schema/schema-run.ts";
import { didYouMean } from "../text/nearest.ts";
import { configSchema } from "./config-schema.ts";
import type { DataProblem } from "../json-schema/typed-form.ts";
import { isSection, keysOf, type ConfigEntry } from "./config-section.ts";

/** Whose file it is: that of the data directory, or one that comes with the files of a project. */
export type ConfigKind = "user" | "project";

/** What a file has, by section and as it was written: only sections without a problem. */
export type ConfigData = Readonly<Record<string, unknown>>;

export interface ConfigProblem extends FileProblem {
  /** Null if nothing of the file can be used. */
  readonly section: string | null;
}

export interface CheckedConfig {
  readonly data: ConfigData;
  /** In the order of the file. */
  readonly problems: readonly ConfigProblem[];
}

type Sections = Readonly<Record<string, ConfigEntry>>;
type Parsed = Extract<ParsedFile, { readonly ok: true }>;

/** A checker for one table of sections; the real one is `configSections`. */
export function configChecker(sections: Sections): (file: ParsedFile, kind: ConfigKind) => CheckedConfig {
  const checkers = new Map(
    Object.entries(sections).map(([name, entry]) => [name, fileChecker(configSchema({ [name]: entry }))]),
  );
  return (file, kind) => {
    if (!file.ok) return { data: {}, problems: file.problems.map((problem) => ({ ...problem, section: null })) };
    // A file with comments only.
    if (file.value === null) return { data: {}, problems: [] };
    if (!isObject(file.value)) {
      const message = "The file must be a map of keys";
      return { data: {}, problems: [{ ...file.place([]), severity: "error", message, section: null }] };
    }
    const data: Record<string, unknown> = {};
    const problems: ConfigProblem[] = [];
    for (const [name, value] of Object.entries(file.value)) {
      const found = problemsOf({ name, entry: sections[name], check: checkers.get(name) }, file, {
        value,
        kind,
        sections,
      });
      if (found.length === 0) data[name] = value;
      problems.push(...found.map((problem) => ({ ...problem, section: name })));
    }
    return { data, problems: problems.toSorted((left, right) => left.line - right.line) };
  };
}

interface NamedSection {
  readonly name: string;
  readonly entry: ConfigEntry | undefined;
  readonly check: ReturnType<typeof fileChecker> | undefined;
}

function problemsOf(
  { name, entry, check }: NamedSection,
  file: Parsed,
  { kind, sections, value }: { readonly kind: ConfigKind; readonly sections: Sections; readonly value: unknown },
): readonly FileProblem[] {
  if (entry === undefined || check === undefined) {
    const known = Object.keys(sections);
    const hint = didYouMean(name, known) ?? `the keys here are ${known.join(", ")}`;
    return [{ ...file.placeOfKey([], name), severity: "error", message: `Unknown key "${name}": ${hint}` }];
  }
  const checked = check({ ...file, value: { [name]: value } });
  if (!checked.ok) return checked.problems;
  const found = keysOf(name, entry).flatMap(({ key, path }) => {
    const data = path.length === 1 ? value : (value as ConfigData)[path[1] ?? ""];
    if (data === undefined) return [];
    const dotted = path.join(".");
    if (kind === "project" && key.project === undefined) {
      const place = file.placeOfKey(path.slice(0, -1), path.at(-1) ?? "");
      return [{ ...place, severity: "error", message: closedToProjects(dotted) }] as const;
    }
    return key.problems(data).map((problem) => placed(path, problem, file));
  });
  if (found.length > 0 || !isSection(entry)) return found;
  return (entry.problems?.(value as ConfigData) ?? []).map((problem) => placed([name], problem, file));
}

const placed = (above: readonly string[], { message, path }: DataProblem, file: Parsed): FileProblem => ({
  ...file.place([...above, ...path]),
  severity: "error",
  message: `"${[...above, ...path].join(".")}" ${message}`,
});

const closedToProjects = (key: string): string =>
  `"${key}" cannot be set by a project, whose files come from others: set it in lectern.yaml in the data directory ("lectern config path")`;
