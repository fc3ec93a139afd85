/**
 * How many one-line faults do the tests find? `node scripts/planted-faults.ts --help` has the options.
 *
 * It plants one fault in each drawn file of a copy of the last commit, and runs the tests of the stages that own the file until one fails. A
 * fault counts as found if that test file fails with it, passes without it and fails with it again; luck is not a find.
 *
 * The folders are those that a mistake in would harm most: what decides about commands and what an agent said or does (`core`), what goes
 * over the wire (`protocol`), the way of each byte to the disk and to its readers (`pty`, `host`, `journal`, `live`), what acts for the user in the daemon,
 * and the commands.
 */
import { globSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { Copy } from "./planted-faults/copy.ts";
import { draw, drawnPlaces, type Place } from "./planted-faults/places.ts";
import { TestOrder, type TestFile } from "./planted-faults/tests-of.ts";

const FOLDERS = [
  "src/core/gate",
  "src/core/wire",
  "src/core/chat",
  "src/core/status",
  "src/protocol",
  "src/journal",
  "src/{pty,host}",
  "src/live",
  "src/daemon/{gateway,acting,sessions}",
  "src/cli",
];
const FOUND_SHARE_MIN = 0.9;
/** Of each file; more than one, because every fourth does not compile. */
const TRIALS_MAX = 6;
/** For files with no fault that compiles. */
const SPARE_FILES = 2;

const help = `Plants one-line faults and counts those that the tests find

  node scripts/planted-faults.ts [OPTION...]

  --count N          how many faults, the same number in each folder (60)
  --folders A,B      folders or globs; separated by blanks if a glob has commas
  --json             one JSON document instead of lines
  --list             draw, and run nothing
  --only TEXT        of the drawn faults, those in files whose path has the text; separated by commas
  --seed N           another draw (1)

Exits with 1 if fewer than 90 % are found. Ctrl-C ends what runs and removes the copy; the clone itself is never changed.`;

const { values: options } = parseArgs({
  options: {
    help: { type: "boolean", default: false },
    count: { type: "string", default: "60" },
    folders: { type: "string", default: FOLDERS.join(" ") },
    json: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    seed: { type: "string", default: "1" },
  },
});

interface Fault extends Place {
  readonly folder: string;
  readonly file: string;
  readonly source: string;
  /** Its place in the draw of the file. */
  readonly index: number;
}

interface Result extends ReturnType<typeof described> {
  /** The file of tests that found it. */
  readonly foundBy: string | undefined;
  /** How many files of tests have passed with it. */
  readonly passed: number;
  readonly seconds: number;
}

const mutated = ({ source, start, end: stop, text }: Fault): string =>
  source.slice(0, start) + text + source.slice(stop);

/** The same number of files of each folder, and in each the first place with which everything compiles. */
async function drawFaults(copy: Copy, order: TestOrder): Promise<Fault[]> {
  const seed = Number(options.seed);
  const folders = options.folders.split(options.folders.includes(" ") ? " " : /,(?![^{]*\})/);
  const share = Math.ceil(Number(options.count) / folders.length);
  const drawn = folders.map((folder) =>
    sourcesIn(copy, folder)
      .toSorted((one, two) => (draw(seed, one) < draw(seed, two) ? -1 : 1))
      .map((file) => placesIn(copy, folder, file).slice(0, TRIALS_MAX))
      .filter((places) => places.length > 0)
      .slice(0, share + SPARE_FILES),
  );
  const misfits = new Set(await copy.misfits(drawn.flat(2).map((fault) => [trialFile(fault), mutated(fault)])));
  const queues = drawn.flatMap((files) =>
    files
      .map((places) => places.filter((fault) => !misfits.has(trialFile(fault))))
      .filter((places) => places.length > 0)
      .slice(0, share),
  );
  for (;;) {
    const faults = queues.flatMap((places) => places.slice(0, 1));
    const files = new Set(faults.map(({ file }) => file));
    const broken = await copy.misfits(faults.map((fault) => [fault.file, mutated(fault)]));
    // An error in a file without a fault is due to one that it imports.
    const isWrong = ({ file }: Fault): boolean => {
      const distances = order.distancesFrom(file);
      return broken.some((each) => each === file || (distances.get(each) === 1 && !files.has(each)));
    };
    const wrong = new Set(faults.filter(isWrong));
    if (wrong.size === 0) return faults.slice(0, Number(options.count));
    for (const places of queues) if (places[0] !== undefined && wrong.has(places[0])) places.shift();
  }
}

/** A folder that was renamed would otherwise be left out without a word. */
function sourcesIn(copy: Copy, folder: string): string[] {
  const files = globSync(`${folder}/**/*.ts`, { cwd: copy.root }).filter((file) => !/\.test\.ts$|built-in-/.test(file));
  if (files.length === 0) throw new Error(`Cannot draw faults: "${folder}" has no sources`);
  return files;
}

const placesIn = (copy: Copy, folder: string, file: string): Fault[] => {
  const source = copy.read(file);
  return drawnPlaces(Number(options.seed), file, source).map((place, index) => ({
    ...place,
    folder,
    file,
    source,
    index,
  }));
};

/** Beside the file, with one of its faults: the compiler reads them all at once. */
const trialFile = ({ file, index }: Fault): string => file.replace(/\.ts$/, `.trial-${index}.ts`);

/** The first test file that fails because of the fault. */
async function findFault(copy: Copy, fault: Fault, tests: readonly TestFile[]): Promise<Result> {
  const started = performance.now();
  let passed = 0;
  let foundBy: string | undefined;
  for (const test of tests) {
    copy.write(fault.file, mutated(fault));
    const isSuspect = await copy.fails(test);
    if (!isSuspect) passed += 1;
    else if (!(await copy.failsAnyway(test, fault)) && (await copy.fails(test))) foundBy = test.file;
    if (foundBy !== undefined) break;
  }
  copy.write(fault.file, fault.source);
  copy.sweep();
  const seconds = Math.round((performance.now() - started) / 1000);
  return { ...described(fault), foundBy, passed, seconds };
}

function described(fault: Fault) {
  const { folder, file, source, start } = fault;
  const line = source.slice(0, start).split("\n").length;
  const [before = "", after = ""] = [source, mutated(fault)].map((text) => text.split("\n")[line - 1]?.trim());
  return { folder, at: `${file}:${line}`, before, after };
}

const rowText = ({ at, before, after }: ReturnType<typeof described>): string =>
  `${at}\n    - ${before}\n    + ${after}`;

async function main(): Promise<void> {
  using copy = new Copy(resolve(import.meta.dirname, ".."));
  const interrupt = (): void => {
    copy[Symbol.dispose]();
    process.exit(130);
  };
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt);

  const order = new TestOrder(copy.root);
  const wanted = options.only.split(",");
  const faults = (await drawFaults(copy, order)).filter(({ file }) => wanted.some((text) => file.includes(text)));
  const results: Result[] = [];
  for (const fault of faults) {
    if (options.list) {
      console.log(rowText(described(fault)));
      continue;
    }
    const result = await findFault(copy, fault, order.testsOf(fault.file));
    results.push(result);
    if (options.json) continue;
    const { foundBy, passed, seconds } = result;
    console.log(`${foundBy === undefined ? "SURVIVED" : "found   "} ${rowText(result)}`);
    console.log(
      foundBy === undefined ? `    ${passed} test files passed, ${seconds} s` : `    by ${foundBy}, ${seconds} s`,
    );
  }
  if (options.list) return;
  const found = results.filter(({ foundBy }) => foundBy !== undefined).length;
  const counts = { planted: results.length, found, survived: results.length - found };
  if (options.json) console.log(JSON.stringify({ seed: Number(options.seed), ...counts, results }, undefined, 2));
  else console.log(`${counts.planted} planted, ${counts.found} found, ${counts.survived} survived`);
  process.exitCode = found < FOUND_SHARE_MIN * results.length ? 1 : 0;
}

if (options.help) console.log(help);
else await main();
