import { basename, resolve } from "node:path";
import { LecternError } from "../../core/errors.ts";
import { configSchema } from "../../core/config/config-schema.ts";
import { keysOf, type PlacedKey } from "../../core/config/config-section.ts";
import { sourcedValue, type ConfigLayers } from "../../core/config/config-values.ts";
import { configSections } from "../../core/config/sections.ts";
import { shownValue } from "../../core/config/shown-value.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";
import { didYouMean } from "../../core/text/nearest.ts";
import { formatTable, printTable } from "../columns.ts";
import { defineCommand, jsonOption } from "../command.ts";
import { CONFIG_NAME, readConfigFiles, readOne, type ConfigFile } from "../config-files.ts";
import type { CliContext } from "../context.ts";
import { problemLine } from "../problem-line.ts";

export const config = defineCommand({
  name: "config",
  summary: "Show the configuration, check its files, or print their paths",
  details: [
    "show (the default) lists each key, or those of KEY, with its value and where that comes from; secrets are hidden.",
    "check reports the mistakes of a file, or of the files that count here, and exits with 1 if there is one.",
    "path prints the paths of the files; schema prints the JSON Schema, for editors.",
    "Options of commands win, then environment variables, the file of the project, your file; see docs/configuration.md.",
  ],
  arguments: [
    { name: "action", summary: "One of", count: "optional", choices: ["show", "check", "path", "schema"] },
    {
      name: "what",
      summary: "check: this file; show: this key or section, such as listen",
      count: "optional",
      completes: "file",
    },
  ],
  options: {
    project: { type: "flag", summary: "check: FILE is that of a project; default: if its name is lectern.yaml" },
    json: jsonOption,
  },
  examples: [
    "lectern config",
    "lectern config show listen",
    "lectern config check",
    "lectern config check ./lectern.yaml",
    "lectern config path",
  ],
  async run({ arguments: { action = "show", what }, options }, context) {
    if (action !== "check" && options.project)
      throw new LecternError("USAGE", "--project is for check: lectern config check FILE --project");
    if (action !== "check" && action !== "show" && what !== undefined)
      throw new LecternError("USAGE", `lectern config ${action} takes nothing else: leave "${what}" out`);
    switch (action) {
      case "check":
        return await check(what, options, context);
      case "path":
        return await path(options.json, context);
      case "schema":
        return await context.print(JSON.stringify(configSchema(configSections), null, 2));
      default:
        return await show(what, options.json, context);
    }
  },
});

const layersOf = ([user, project]: readonly [ConfigFile, ...ConfigFile[]], context: CliContext): ConfigLayers => ({
  user: user.checked?.data ?? {},
  project: project?.checked?.data ?? {},
  environment: context.environment,
});

/** Of one key, of a section, or of all. Throws `NOT_FOUND`. */
function keysUnder(wanted: string | undefined): readonly PlacedKey[] {
  const all = Object.entries(configSections).flatMap(([name, entry]) => keysOf(name, entry));
  const isUnder = ({ path: [section, ...rest] }: PlacedKey): boolean =>
    wanted === undefined || wanted === section || wanted === [section, ...rest].join(".");
  const found = all.filter(isUnder);
  if (found.length > 0 || wanted === undefined) return found;
  const hint = didYouMean(wanted, [...Object.keys(configSections), ...all.map(({ path: names }) => names.join("."))]);
  throw new LecternError(
    "NOT_FOUND",
    `Unknown key "${wanted}"${hint === undefined ? ' (see "lectern config")' : `: ${hint}`}`,
  );
}

async function show(wanted: string | undefined, json: boolean, context: CliContext): Promise<void> {
  const keys = keysUnder(wanted);
  const files = await readConfigFiles(context.workingDirectory, context);
  const layers = layersOf(files, context);
  const rows = keys.map(({ path: names, key }) => {
    const { from, value = null } = sourcedValue({ path: names, key }, layers);
    return { key: names.join("."), value: value === null ? null : shownValue(value, key.schema), from };
  });
  const problems = noteProblems(files, context);
  if (json) return await context.print(JSON.stringify({ files: files.map(fileOf), values: rows, problems }));
  const places: Readonly<Record<string, string>> = {
    user: files[0].path,
    project: files[1]?.path ?? "",
    default: "default",
    environment: "environment",
  };
  const cells = rows.map(({ key, value, from }) => [
    key,
    value === null ? "" : escapeForDisplay(typeof value === "string" ? value : JSON.stringify(value)),
    escapeForDisplay(places[from] ?? from),
  ]);
  await printTable([["KEY", "VALUE", "FROM"], ...cells], context);
  if (problems.length > 0) context.note(`A section with an error has its defaults; see "lectern config check"`);
}

const fileOf = ({ checked, kind, path: file }: ConfigFile): object => ({
  kind,
  path: file,
  exists: checked !== undefined,
});

/** Writes each problem to standard error, and returns them as data. */
function noteProblems(files: readonly ConfigFile[], context: CliContext): object[] {
  return files.flatMap(({ checked, path: file }) =>
    (checked?.problems ?? []).map((problem) => {
      context.note(problemLine(file, problem, context.errorStyle));
      const { column, line, message, section } = problem;
      return { file, line, column, section, message };
    }),
  );
}

async function check(
  file: string | undefined,
  { json, project }: { readonly json: boolean; readonly project: boolean },
  context: CliContext,
): Promise<number> {
  const files = file === undefined ? await readConfigFiles(context.workingDirectory, context) : [await given(file)];
  const found = files.filter(({ checked }) => checked !== undefined);
  const problems = noteProblems(found, context);
  if (json) await context.print(JSON.stringify({ files: files.map(fileOf), problems }));
  else if (found.length === 0) {
    await context.print(`There is no file: everything has its default; a file of yours would be ${files[0]?.path}`);
  } else if (problems.length === 0) {
    for (const { kind, path: checked } of found) await context.print(`${checked}: no mistakes (${kindWords[kind]})`);
  }
  return problems.length === 0 ? 0 : 1;

  async function given(word: string): Promise<ConfigFile> {
    const wanted = resolve(context.workingDirectory, word);
    const isProject = project || (basename(wanted) === CONFIG_NAME && wanted !== context.paths.configFile);
    const one = await readOne(wanted, isProject ? "project" : "user");
    if (one.checked === undefined) throw new LecternError("NOT_FOUND", `Cannot find the file "${word}"`);
    return one;
  }
}

const kindWords = { user: "your file", project: "the file of a project" } as const;

async function path(json: boolean, context: CliContext): Promise<void> {
  const files = await readConfigFiles(context.workingDirectory, context);
  if (json) await context.print(JSON.stringify({ files: files.map(fileOf) }));
  else {
    const rows = files.map(({ checked, kind, path: file }) => [
      escapeForDisplay(file),
      `${kindWords[kind]}${checked === undefined ? ", does not exist" : ""}`,
    ]);
    await context.print((await formatTable(rows)).join("\n"));
  }
}
