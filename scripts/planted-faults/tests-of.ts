/** Which tests may find a fault of a file, the most likely first. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";

export interface TestFile {
  readonly file: string;
  readonly stage: "unit" | "real" | "e2e";
}

const stages: Readonly<Record<TestFile["stage"], readonly string[]>> = {
  unit: ["src/{core,protocol,cli,client,ui,features/*/{core,protocol,cli}}/**/*.test.ts"],
  real: [
    "src/!(core|protocol|cli|client|ui|features)/**/*.test.ts",
    "src/features/*/daemon/**/*.test.ts",
    "test/*.test.ts",
  ],
  e2e: ["test/e2e/**/*.test.ts"],
};

/** The pure floors are held by unit tests alone, commands also by those that start them. */
const ownersOf = (file: string): readonly TestFile["stage"][] => {
  if (/^src\/(?:features\/[^/]+\/)?(?:core|protocol)\//.test(file)) return ["unit"];
  return /^src\/(?:features\/[^/]+\/)?(?:cli|client|ui)\//.test(file) ? ["unit", "e2e"] : ["real", "e2e"];
};

/** A file that is named in another one, be it imported or started. A type is neither. */
const TYPE_IMPORT = /^(?:import|export) type [^;]*;/gm;
const NAMED_FILE = /"((?:\.{1,2}\/|src\/|test\/|bin\/)[^"\n]+\.(?:ts|mjs))"/g;

/** Each file with those that name it. */
function namedBy(root: string): ReadonlyMap<string, readonly string[]> {
  const users = new Map<string, string[]>();
  for (const file of globSync(["src/**/*.ts", "test/**/*.ts", "bin/*.mjs"], { cwd: root })) {
    const text = readFileSync(join(root, file), "utf8").replaceAll(TYPE_IMPORT, "");
    for (const [, name = ""] of text.matchAll(NAMED_FILE)) {
      const path = resolve(root, name.startsWith(".") ? dirname(file) : "", name);
      if (existsSync(path)) users.getOrInsertComputed(relative(root, path), () => []).push(file);
    }
  }
  return users;
}

const wordsOf = (file: string): Set<string> =>
  new Set(
    file
      .split(/\W+/)
      .filter((word) => word.length > 2 && !["src", "test", "core"].includes(word))
      .map((word) => word.replace(/s$/, "")),
  );

export class TestOrder {
  readonly #users: ReadonlyMap<string, readonly string[]>;
  readonly #tests: readonly TestFile[];

  constructor(root: string) {
    this.#users = namedBy(root);
    this.#tests = (["unit", "real", "e2e"] as const).flatMap((stage) =>
      globSync([...stages[stage]], { cwd: root }).map((file) => ({ file, stage })),
    );
  }

  /** How many imports a file is away from each that uses it. */
  distancesFrom(file: string): ReadonlyMap<string, number> {
    const distances = new Map([[file, 0]]);
    for (const [each, distance] of distances) {
      for (const user of this.#users.get(each) ?? []) if (!distances.has(user)) distances.set(user, distance + 1);
    }
    return distances;
  }

  /** Those of the stages that own the file: of its folder, then the nearest by imports; end-to-end tests also by common words. */
  testsOf(file: string): TestFile[] {
    const distances = this.distancesFrom(file);
    const owners = ownersOf(file);
    const words = wordsOf(file);
    const rank = (test: TestFile): readonly (number | string)[] => [
      owners.indexOf(test.stage),
      test.file === file.replace(/\.ts$/, ".test.ts") ? 0 : 1,
      dirname(test.file) === dirname(file) ? 0 : 1,
      test.stage === "e2e" ? -wordsOf(basename(test.file)).intersection(words).size : 0,
      distances.get(test.file) ?? 99,
      test.file,
    ];
    return this.#tests
      .filter((test) => owners.includes(test.stage) && (distances.has(test.file) || test.stage === "e2e"))
      .map((test) => ({ test, key: rank(test) }))
      .toSorted((one, two) => compare(one.key, two.key))
      .map(({ test }) => test);
  }
}

function compare(one: readonly (number | string)[], two: readonly (number | string)[]): number {
  const at = one.findIndex((each, index) => each !== two[index]);
  return at !== -1 && (one[at] ?? 0) < (two[at] ?? 0) ? -1 : 1;
}
