/**
 * Knip compares each package.json with the files beside and below it, but the packages of `development/` are used in the whole checkout. Removes
 * both reports of such a use: the file that imports what the root does not list, and the package that no file imports. Files of the product may
 * not use them, as `npm ci` does not install them: there the report stays.
 */
import { readFileSync } from "node:fs";
import type { Preprocessor, ReporterOptions } from "knip";

interface PackageFile {
  readonly bin?: string | Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const readPackage = (directory: string): PackageFile =>
  JSON.parse(readFileSync(`${directory}/package.json`, "utf8")) as PackageFile;

const packages = Object.keys(readPackage("development").devDependencies ?? {}).map((name) => {
  const { bin = {}, peerDependencies = {} } = readPackage(`node_modules/${name}`);
  return { name, binaries: typeof bin === "string" ? [name] : Object.keys(bin), peers: Object.keys(peerDependencies) };
});

const isOfProduct = (file: string): boolean =>
  (/^(?:bin|src)\//.test(file) && !file.endsWith(".test.ts")) || file === "scripts/build-ui.ts";

function removeIssues(
  { counters, issues }: ReporterOptions,
  type: "binaries" | "devDependencies" | "unlisted",
  isRemoved: (symbol: string, file: string) => boolean,
): void {
  for (const [file, ofFile] of Object.entries(issues[type])) {
    for (const [key, issue] of Object.entries(ofFile)) {
      if (!isRemoved(issue.symbol, file)) continue;
      delete ofFile[key];
      counters[type] -= 1;
    }
  }
}

const joinUses: Preprocessor = (data) => {
  const used = new Set<string>();
  const use = (found: (typeof packages)[number] | undefined): boolean => {
    if (found === undefined) return false;
    for (const name of [found.name, ...found.peers]) used.add(name);
    return true;
  };
  removeIssues(
    data,
    "unlisted",
    (symbol, file) => !isOfProduct(file) && use(packages.find(({ name }) => name === symbol)),
  );
  removeIssues(data, "binaries", (symbol) => use(packages.find(({ binaries }) => binaries.includes(symbol))));
  removeIssues(data, "devDependencies", (symbol, file) => file === "development/package.json" && used.has(symbol));
  return data;
};

// oxlint-disable-next-line import/no-default-export -- knip takes the default export
export default joinUses;
