/**
 * The tests that a platform without `/proc` and `node:ffi` cannot pass, by the row of docs/platforms.md that has the weaker guarantee. A test that
 * asks for the platform itself (`skip: !platform.hasProc`) is not here.
 */
export interface PortableException {
  /** The first cell of its row. */
  readonly guarantee: string;
  readonly file: string;
  /** Whole names of tests. */
  readonly tests: readonly string[];
}

const WAITING = "what a program waits for";

export const portableExceptions: readonly PortableException[] = [
  {
    guarantee: WAITING,
    file: "test/e2e/exec.test.ts",
    tests: [
      "lectern exec says what stands in the way, and types nothing then",
      "lectern exec types nothing into a question of the shell itself",
      "lectern exec drives a REPL by the word of the kernel, and a shell without integration too",
      "a terminal that is attached to a session has the same interface",
    ],
  },
  {
    guarantee: WAITING,
    file: "test/e2e/prompts.test.ts",
    tests: [
      "a prompt to a session that asks a person is refused, and nothing is typed",
      "a text that does not appear is not entered, and the receipt says so",
      "a wait for a prompt ends with the question that the session asks, and the prompt goes on with the answer",
      "a command that reads is not done, its input can be prompted, and then it is",
      "a wait through questions goes on until the prompt is done",
      "nothing is typed into a program that is idle: it does not read",
      "a prompt that waits is not typed as the answer to a question of bash",
      "a prompt that waits is not typed as the answer to a question of python3",
    ],
  },
  {
    guarantee: WAITING,
    file: "test/e2e/cli-sessions.test.ts",
    tests: ["wait ends with 124 when the time is over, and with the code of the program where that is wanted"],
  },
  {
    guarantee: "passwords that are typed",
    file: "test/e2e/daemon.test.ts",
    tests: ["a password that is typed without echo is masked in the journal, with its length"],
  },
  {
    guarantee: "what `kill` ends",
    file: "test/e2e/daemon.test.ts",
    tests: ["kill reaches a process that left the session's process group and its session"],
  },
  {
    guarantee: "the job in the foreground",
    file: "test/e2e/cli-attach.test.ts",
    tests: ["the terminal is put back when a viewer leaves, is ended or crashes"],
  },
  {
    guarantee: "who calls",
    file: "test/e2e/cli-attach.test.ts",
    tests: [
      "a session cannot be attached to itself",
      "a circle of attachments from session to session is refused, however long and also if it only reads",
    ],
  },
];

/** What runs in the portable mode: the command, its daemon and programs, in the parts that a person uses first. */
export const portableFiles: readonly string[] = [
  "src/pty/platform.test.ts",
  "src/pty/process-table.test.ts",
  "src/pty/proc-files.test.ts",
  "src/cli/platform-checks.test.ts",
  "src/daemon/callers/peer-users.test.ts",
  "test/e2e/exec.test.ts",
  "test/e2e/prompts.test.ts",
  "test/e2e/daemon.test.ts",
  "test/e2e/daemon-restart.test.ts",
  "test/e2e/cli-attach.test.ts",
  "test/e2e/cli-sessions.test.ts",
  "test/e2e/cli-commands.test.ts",
];

/** Names of tests of a file that are not run, as `--test-skip-pattern` takes them. */
export const skippedTests = (file: string): readonly string[] =>
  portableExceptions.filter((exception) => exception.file === file).flatMap(({ tests }) => tests);
