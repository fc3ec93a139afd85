/** What the stages of the test suite are: which commands and files, what they need, and which may run at the same time. */
import { globSync, readFileSync, statSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { portableFiles, skippedTests } from "./portable.ts";
import { filesThatUse, needsTable } from "./programs.ts";

export const root = resolve(import.meta.dirname, "../..");

/** A process that the runner starts: a command, or the tests of one or more files. */
export interface Job {
  readonly stage: string;
  readonly name: string;
  /** Of tests; empty for a command. */
  readonly files: readonly string[];
  /** Whole names of tests that are not run. */
  readonly skipped?: readonly string[];
  /** Undefined for tests. */
  readonly command?: readonly string[];
  /** How many of the runner's slots it takes: one for about one core. */
  readonly slots: number;
}

export interface Stage {
  readonly name: string;
  /** Shown by `--list`. */
  readonly summary: string;
  readonly jobs: readonly Job[];
  /** Variables of its processes. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The stages whose results it uses. */
  readonly after?: readonly string[];
  /** Of its jobs; by default as many as there are slots. */
  readonly atOnce?: number;
  readonly testMsMax?: number;
  /** The Node version whose features its tests use. */
  readonly nodeMin?: number;
}

export interface SuiteOptions {
  /** The full searches of `npm run test:long` in place of the suite. */
  readonly isLong?: boolean;
}

const unitFiles = "src/{core,protocol,cli,client,ui,features/*/{core,protocol,cli}}/**/*.test.ts";
/** Unit tests share processes: most take less time than the start of one. */
const UNIT_FILES_EACH = 140;
const REAL_FILES_EACH = 15;
/** What a test file changes or starts in its process, so that other files in it could notice, or looks at whatever others do. */
const OWNS_PROCESS =
  /^(?:after|before)(?:Each)?\(|\bprocess\.(?:env|chdir|umask|on|once)\b|\bmock\.|\bhomedir\(|"node:(?:child_process|worker_threads)"|\b(?:cli-home|(?:configured|shared|temporary)-daemon)\.ts"/m;
/** What a file leaves changed in its process. */
const CHANGES_PROCESS = /\bprocess\.(?:env|chdir|umask|on|once)\b|\bmock\./;
/** A file whose daemon is in its process, and serves the files after it too. */
const SHARES_DAEMON = /\bnew SharedDaemon\(/;
const E2E_FILES_EACH = 5;
/** A file whose daemon, and whose browser, other files use after it. */
const SHARES_PAGE = /\bWebHome\.shared\(/;
const WEB_FILES_EACH = 6;
/** `node:ffi`, which the pty uses. */
const PTY_NODE = 26;
/** Made by the stage `bundle`. */
const testPackage = "node_modules/.cache/lectern-test-package";
const fromPackage = { LECTERN_TEST_LAUNCHER: join(root, testPackage, "bin/lectern.mjs") };
const agentFiles = ["gated", "ask-once", "codex-server", "coding-policy", "notify", "resume"].map(
  (name) => `test/agents/${name}.test.ts`,
);

const posix = (path: string): string => path.split(sep).join("/");
const find = (...patterns: string[]): string[] =>
  globSync(patterns, { cwd: root })
    .map(posix)
    .toSorted((one, other) => statSync(join(root, other)).size - statSync(join(root, one)).size);

/** Of the type checkers, which are Go programs and otherwise collect garbage for up to a third of their time. They take up to 2 GiB. */
const littleGarbage = { GOGC: "off", GOMEMLIMIT: "2GiB" };

const command = (stage: string, words: string, slots = 1): Job => ({
  stage,
  name: words,
  files: [],
  command: words.split(" "),
  slots,
});

/** A process for each file, the longest file first: the last to start is then a short one. */
const filesOf = (stage: string, files: readonly string[]): Job[] =>
  files.map((file) => ({ stage, name: file, files: [file], slots: 1 }));

function groupsOf(stage: string, files: readonly string[], filesEach: number): Job[] {
  const count = Math.ceil(files.length / filesEach);
  return Array.from({ length: count }, (_, group) => ({
    stage,
    name: `${stage} ${group + 1} of ${count}`,
    files: files.filter((__, at) => at % count === group),
    slots: 1,
  }));
}

function realJobs(): Job[] {
  const unit = new Set(find(unitFiles));
  const files = find("src/**/*.test.ts", "test/*.test.ts").filter((file) => !unit.has(file));
  return sharingJobs("real", files, { filesEach: REAL_FILES_EACH, shares: (text) => !OWNS_PROCESS.test(text) });
}

interface Sharing {
  readonly filesEach: number;
  /** Whether a file of this text can be in a process with others. */
  readonly shares: (text: string) => boolean;
}

function sharingJobs(stage: string, files: readonly string[], { filesEach, shares }: Sharing): Job[] {
  const sharing = new Set(files.filter((file) => shares(readFileSync(join(root, file), "utf8"))));
  const others = files.filter((file) => !sharing.has(file));
  return [...groupsOf(stage, [...sharing], filesEach), ...filesOf(stage, others)];
}

const page: Stage = {
  name: "page",
  summary: "builds the page",
  jobs: [command("page", "node scripts/build-ui.ts --if-stale")],
};

const bundle: Stage = {
  name: "bundle",
  summary: "makes the package that the end-to-end tests start",
  jobs: [command("bundle", `node scripts/build-test-package.ts ${testPackage}`)],
};

const endToEnd = (name: string, summary: string, files: readonly string[]): Stage => ({
  name,
  summary,
  jobs: sharingJobs(name, files, {
    filesEach: E2E_FILES_EACH,
    shares: (text) => SHARES_DAEMON.test(text) && !CHANGES_PROCESS.test(text),
  }),
  environment: fromPackage,
  after: ["page", "bundle"],
  nodeMin: PTY_NODE,
});

/** Whole files, and those with a table of which the suite takes some rows. */
const variants = (): Stage => {
  const stage = endToEnd("variants", "the promises of e2e once more: other shells, agents, ways, signals and moments", [
    ...find("test/e2e/variants/*.test.ts"),
    ...filesThatUse(["test/support/variants.ts"]),
  ]);
  return { ...stage, environment: { ...fromPackage, LECTERN_VARIANTS: "all" }, testMsMax: 600_000 };
};

/** Made once: each reads all test files. */
let suite: readonly Stage[] | undefined;
let long: readonly Stage[] | undefined;

/** In the order in which their jobs begin where there is a choice. */
export function stagesOf({ isLong = false }: SuiteOptions = {}): readonly Stage[] {
  return isLong ? (long ??= longStages()) : (suite ??= suiteStages());
}

function suiteStages(): readonly Stage[] {
  const simulation = find("test/simulation/*.test.ts");
  return [
    page,
    bundle,
    { name: "format", summary: "oxfmt", jobs: [command("format", "oxfmt --check")] },
    {
      name: "lint",
      summary: "oxlint",
      jobs: [command("lint", "oxlint --type-aware --deny-warnings", 2)],
      environment: littleGarbage,
    },
    {
      name: "unused",
      summary: "knip",
      jobs: [command("unused", "knip --cache")],
    },
    {
      name: "types",
      summary: "tsc, for each of the four kinds of source",
      // Its own four threads check much of the same, for twice the processor time.
      jobs: ["tsconfig.json", "tsconfig.pure.json", "src/ui/tsconfig.json", "src/ui/worker/tsconfig.json"].map((file) =>
        command(
          "types",
          `tsc -p ${file} --checkers 1 --incremental --tsBuildInfoFile node_modules/.cache/types/${file.replaceAll("/", "-")}`,
        ),
      ),
      environment: littleGarbage,
    },
    { name: "unit", summary: "tests that start no program", jobs: groupsOf("unit", find(unitFiles), UNIT_FILES_EACH) },
    // Before others: its jobs take longest, and two of them run at a time.
    {
      name: "web",
      summary: "the page in Chromium",
      jobs: sharingJobs("web", find("test/web/*.test.ts"), {
        filesEach: WEB_FILES_EACH,
        shares: (text) => SHARES_PAGE.test(text),
      }),
      environment: fromPackage,
      after: ["page", "bundle"],
      atOnce: 2,
      nodeMin: PTY_NODE,
    },
    endToEnd("e2e", "the command, the daemon and its programs as a user has them", find("test/e2e/*.test.ts")),
    {
      name: "real",
      summary: "parts with real ptys, files, sockets and programs",
      jobs: realJobs(),
      after: ["page"],
      nodeMin: PTY_NODE,
    },
    {
      name: "simulation",
      summary: "clusters with faults, 10,000 seeds (100,000 in test:long)",
      jobs: filesOf("simulation", simulation),
      testMsMax: 800_000,
    },
    {
      name: "histories",
      summary: "400 random histories of a conversation (100,000 in test:long)",
      jobs: filesOf("histories", find("test/chat-histories/*.test.ts")),
      testMsMax: 800_000,
    },
    {
      name: "effects",
      summary: "generated commands under a tracer, against what policies promise",
      jobs: filesOf("effects", find("test/effects/*.test.ts")).map((job) => ({ ...job, slots: 2 })),
      testMsMax: 800_000,
    },
    {
      name: "build",
      summary: "builds the package",
      jobs: [command("build", "npm run --silent build")],
      after: ["page"],
    },
    {
      name: "package",
      summary: "the packed file: publint, attw, and installed",
      jobs: [
        command("package", "npm run --silent check:package"),
        ...filesOf("package", find("test/package/*.test.ts")),
      ],
      after: ["build"],
      testMsMax: 300_000,
      nodeMin: PTY_NODE,
    },
  ];
}

/** The searches in full, and what installs agents from npm. */
function longStages(): readonly Stage[] {
  return [
    {
      name: "simulation",
      summary: "100,000 seeds",
      jobs: filesOf("simulation", find("test/simulation/*.test.ts")),
      environment: { LECTERN_SIMULATION_SEEDS: "100000" },
      testMsMax: 1_800_000,
    },
    {
      name: "histories",
      summary: "100,000 random histories of a conversation",
      jobs: filesOf("histories", find("test/chat-histories/*.test.ts")),
      environment: { LECTERN_CHAT_HISTORIES: "100000" },
      testMsMax: 3_600_000,
    },
    {
      name: "recordings",
      summary: "each recording of a conversation, and cuts at each byte",
      jobs: filesOf("recordings", ["test/chat-recordings.test.ts", "test/e2e/sanitizer-recordings.test.ts"]),
      environment: { LECTERN_RECORDINGS: "all" },
      testMsMax: 1_800_000,
    },
    {
      name: "searches",
      summary: "generated cases and tables of the unit and real tests in full",
      jobs: groupsOf("searches", [...filesThatUse(["test/support/searches.ts"])], REAL_FILES_EACH),
      environment: { LECTERN_SEARCHES: "all" },
      testMsMax: 600_000,
      nodeMin: PTY_NODE,
    },
    {
      name: "fuzz",
      summary: "20,000 shell texts",
      jobs: filesOf("fuzz", ["test/shell-fuzz.test.ts"]),
      environment: { LECTERN_FUZZ_RUNS: "20000" },
    },
    {
      name: "effects",
      summary: "50,000 generated commands under a tracer",
      jobs: filesOf("effects", find("test/effects/*.test.ts")).map((job) => ({ ...job, slots: 2 })),
      environment: { LECTERN_EFFECTS_TEXTS: "30000", LECTERN_EFFECTS_RECORD_TEXTS: "20000" },
      testMsMax: 10_800_000,
    },
    {
      name: "differential",
      summary: "50,000 answers of model servers",
      jobs: filesOf("differential", ["test/wire-differential.test.ts"]),
      environment: { LECTERN_DIFFERENTIAL_STREAMS: "50000" },
      testMsMax: 3_600_000,
    },
    {
      name: "commands",
      summary: "2,000 generated commands in each shell and keymap",
      jobs: filesOf("commands", ["test/exact-commands.test.ts"]),
      environment: { LECTERN_COMMAND_RUNS: "2000" },
      testMsMax: 1_800_000,
      nodeMin: PTY_NODE,
    },
    {
      name: "conformance",
      summary: "each case of the operations, on all ways",
      jobs: filesOf("conformance", ["test/e2e/conformance.test.ts"]),
      environment: { LECTERN_CONFORMANCE: "all" },
      nodeMin: PTY_NODE,
    },
    {
      name: "questions",
      summary: "200 lives of a question, with kill -9 of the daemon at each step",
      jobs: filesOf("questions", ["test/e2e/question-lives.test.ts"]),
      environment: { LECTERN_QUESTION_LIVES: "200" },
      testMsMax: 1_800_000,
      nodeMin: PTY_NODE,
    },
    {
      name: "repls",
      summary: "60 generated commands in each of six REPLs",
      jobs: filesOf("repls", ["test/e2e/repl-bytes.test.ts"]),
      environment: { LECTERN_REPL_COMMANDS: "60", LECTERN_VARIANTS: "all" },
      testMsMax: 600_000,
      nodeMin: PTY_NODE,
    },
    {
      name: "acts",
      summary: "1,000 prompts, answers and commands whose target goes",
      jobs: filesOf("acts", ["test/e2e/acts.test.ts"]),
      environment: { LECTERN_ACTS: "1000" },
      testMsMax: 1_800_000,
      nodeMin: PTY_NODE,
    },
    {
      name: "starts",
      summary: "each moment at which a daemon can be killed in a start",
      jobs: filesOf("starts", ["test/e2e/unfinished-starts.test.ts"]),
      environment: { LECTERN_START_MOMENTS: "all" },
      nodeMin: PTY_NODE,
    },
    {
      name: "plants",
      summary: "what is planted in a sandbox, and that each plant would be executed without one",
      jobs: filesOf("plants", ["test/e2e/sandbox-plants.test.ts"]),
      environment: { LECTERN_SANDBOX_PLANTS: "tried" },
      testMsMax: 600_000,
      nodeMin: PTY_NODE,
    },
    {
      name: "agents",
      summary: "Claude Code, Codex, Gemini CLI and opencode from npm, against a scripted model",
      jobs: filesOf("agents", agentFiles),
      atOnce: 1,
      testMsMax: 240_000,
      nodeMin: PTY_NODE,
    },
    {
      name: "newest",
      summary: "the newest release of each agent from npm, recorded and read",
      jobs: filesOf("newest", ["test/agents/newest.test.ts"]),
      atOnce: 1,
      testMsMax: 900_000,
      nodeMin: PTY_NODE,
    },
    page,
    bundle,
    variants(),
    {
      name: "sizes",
      summary: "the page at each window size, with fingers and with a mouse",
      jobs: filesOf("sizes", [...filesThatUse(["test/web/page-faults.ts"])]),
      environment: { LECTERN_PAGE_SIZES: "all" },
      after: ["page"],
      atOnce: 2,
      testMsMax: 600_000,
      nodeMin: PTY_NODE,
    },
    {
      name: "portable",
      summary: "with what a Mac has, see docs/platforms.md",
      jobs: filesOf("portable", portableFiles).map((job) => ({ ...job, skipped: job.files.flatMap(skippedTests) })),
      environment: { LECTERN_PLATFORM: "portable" },
      nodeMin: PTY_NODE,
    },
    {
      name: "soak",
      summary: "a mixed load for ten minutes with kill -9",
      jobs: [command("soak", "node bench/soak.ts 10", 1)],
      nodeMin: PTY_NODE,
    },
    {
      name: "bench",
      summary: "no bench is more than 15 % worse than at the commit of bench/kept.json",
      // Both processors, so that nothing runs beside it.
      jobs: [command("bench", "node bench/table.ts --rounds 3", 2)],
      nodeMin: PTY_NODE,
    },
  ];
}

/** Those of the programs that a test file needs. */
export const neededOf = (file: string, programs: readonly string[]): string[] =>
  programs.filter((program) => filesThatUse(needsTable[program] ?? []).has(file));
