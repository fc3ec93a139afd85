/** Finds the record of a program by its name. */
import { readRecord, type Program, type ProgramEntry } from "./program-entry.ts";
import { programData } from "./programs-data.ts";

const records: ReadonlyMap<string, ProgramEntry> = new Map(
  Object.entries(programData).flatMap(([names, record]) => names.split(" ").map((name) => [name, record] as const)),
);

/** What has been read, because most texts name few programs. */
const programs = new Map<string, Program>();

/** What the records say of variables by which a program runs another, or takes code or settings: sources of regular expressions. */
export const environmentNames = (): readonly string[] => [
  ...new Set([...records.values()].flatMap(({ env }) => env ?? [])),
];

/** The dynamic linker as a program runs the file of its arguments (ld.so(8)). */
const dynamicLinker = /^ld(?:-linux.*|-musl.*|64)?\.so/;

/** The program of this plain name; `gcc-13` is `gcc`, if that takes code. Undefined if there is no record. */
export function programNamed(name: string): Program | undefined {
  const base = records.has(name)
    ? name
    : dynamicLinker.test(name)
      ? "ld.so"
      : (/^([A-Za-z+-]+?)-?[\d.]*$/.exec(name)?.[1] ?? name);
  const record = records.get(base);
  if (record === undefined || (base !== name && record.code === undefined)) return undefined;
  const program = programs.get(base) ?? readRecord(base, record);
  programs.set(base, program);
  return program;
}
