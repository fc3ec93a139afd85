/** The sources of the project and what they import, for the tests that hold its house rules. */
import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";

export const root = resolve(import.meta.dirname, "..");

export const files = (pattern: string): string[] =>
  globSync(pattern, { cwd: root })
    .map((file) => file.split(sep).join("/"))
    .toSorted();

export const sources = files("src/**/*.{ts,tsx}");
export const implementations = sources.filter((file) => !file.endsWith(".test.ts"));
export const read = (file: string): string => readFileSync(join(root, file), "utf8");

/** `[specifier]` of each static or dynamic import and re-export in a file. */
export function importsOf(file: string): string[] {
  const pattern = /(?:^|\n)\s*(?:import|export)\b[^;'"]*?from\s*["']([^"']+)["']|import\(\s*["']([^"']+)["']\s*\)/g;
  return [...read(file).matchAll(pattern)].map((match) => match[1] ?? match[2] ?? "");
}

/** A folder of a feature is on the floor of its name: `src/features/tasks/daemon` on that of `src/daemon`. */
export const floorOf = (file: string): string | undefined => /^src\/(?:features\/[^/]+\/)?([^/]+)\//.exec(file)?.[1];

export const isPure = (file: string): boolean => ["core", "protocol"].includes(floorOf(file) ?? "");

/** The folder below `floor`, or the file itself if it stands directly in it; undefined for a file elsewhere. */
export function folderOf(file: string, floor: string): string | undefined {
  return file.startsWith(`${floor}/`) ? file.slice(floor.length + 1).split("/")[0] : undefined;
}

/** The files that a file imports, from the root of the project. */
export function targetsOf(file: string): string[] {
  return importsOf(file)
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) =>
      relative(root, resolve(root, dirname(file), specifier))
        .split(sep)
        .join("/"),
    );
}
