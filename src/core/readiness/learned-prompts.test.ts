import assert from "node:assert/strict";
import { test } from "node:test";
import type { ForegroundVerdict } from "../records.ts";
import { LearnedPrompts, promptAt, readOpenLine } from "./learned-prompts.ts";

const ENTER = Uint8Array.of(0x0d);

interface Given {
  readonly pid?: number;
  readonly verdict?: ForegroundVerdict;
  readonly runsScript?: boolean;
}

const reader = (program: string, { pid = 7, verdict = "raw", runsScript = false }: Given = {}) => ({
  pid,
  program,
  verdict,
  ...(runsScript && { runsScript }),
});
const options = { hasOwner: true, inside: false, markers: [], isRequired: true };

/** What a line is in a program whose prompt was learned from the first one. */
function lineIn(program: string, prompt: string, line: string): string {
  const prompts = new LearnedPrompts();
  prompts.learn(reader(program), prompt);
  prompts.typed(ENTER, null, "");
  return readOpenLine(prompts.rules(options), reader(program), line);
}

const programs: readonly (readonly [program: string, prompt: string, lines: Readonly<Record<string, string>>])[] = [
  [
    "gdb",
    "(gdb) ",
    {
      "(gdb) ": "prompt",
      "no line feed(gdb) ": "prompt",
      ">": "more",
      "--Type <RET> for more, q to quit, c to continue without paging--": "other",
      "Quit anyway? (y or n) ": "other",
      "(gdb) print": "other",
    },
  ],
  [
    "python3",
    ">>> ",
    { "... ": "more", "name? ": "other", "(Pdb) ": "other", "x>>> ": "prompt", "": "output", loading: "output" },
  ],
  ["node", "> ", { "... ": "more", "| ": "more", "a> ": "other", "> 1 + ": "other" }],
  ["sqlite3", "sqlite> ", { "   ...> ": "more", "(x1...> ": "more" }],
  [
    "psql",
    "postgres=# ",
    {
      "postgres=*# ": "prompt",
      "postgres=!# ": "prompt",
      "postgres-# ": "more",
      "postgres(# ": "more",
      "postgres'# ": "more",
      "postgres-*# ": "more",
      'Enter new password for user "postgres": ': "other",
      "other=# ": "other",
    },
  ],
  [
    "mariadb",
    "MariaDB [(none)]> ",
    { "MariaDB [test]> ": "prompt", "    -> ": "more", "    '> ": "more", '    "> ': "more" },
  ],
  [
    "irb",
    "irb(main):001:0> ",
    { "irb(main):012:0> ": "prompt", "irb(main):002:1* ": "more", 'irb(main):002:0" ': "more" },
  ],
  ["lldb", "(lldb) ", { "    1> ": "other", "Quitting LLDB will kill one or more processes. [Y/n] ": "other" }],
  ["perl", "  DB<1> ", { "  DB<2> ": "prompt", "  cont: ": "more" }],
  [
    "ssh",
    "ann@lab:~$ ",
    { "ann@lab:/usr/lib$ ": "prompt", "> ": "more", "Overwrite? ": "other", "ann@lab:~$ ls $ ": "other" },
  ],
  [
    "bash",
    "bash-5.2$ ",
    { "bash-5.2$ ": "prompt", "root:/usr$ ": "prompt", "> ": "more", "dquote> ": "more", "name? ": "other" },
  ],
  [
    "zsh",
    "➜  ~ ",
    {
      "➜  src git:(main) ": "prompt",
      "➜  src git:(main) ✗ ": "prompt",
      "➜  ~ git pus": "other",
      "➜  ~ rm -rf ": "other",
      "quote> ": "more",
    },
  ],
];

for (const [program, prompt, lines] of programs) {
  test(`the prompt of ${program} is distinguished from whatever else its line shows`, () => {
    for (const [line, expected] of Object.entries({ [prompt]: "prompt", ...lines })) {
      assert.equal(lineIn(program, prompt, line), expected, line);
    }
  });
}

test("a prompt is learned from the line that looks like one, until something is typed", () => {
  const prompts = new LearnedPrompts();
  const irb = reader("irb");
  const at = (line: string): string => readOpenLine(prompts.rules(options), irb, line);
  assert.equal(at(""), "blank");
  prompts.learn(irb, "");
  prompts.typed(ENTER, irb, "irb(main):001:0> ");
  prompts.typed(ENTER, irb, "Really? > ");
  prompts.learn(irb, "sure> ");
  assert.deepEqual([at("irb(main):002:0> "), at("sure> ")], ["prompt", "other"]);
});

test("a prompt that late output has scrolled away stands there until something is typed", () => {
  const prompts = new LearnedPrompts();
  const node = reader("node");
  prompts.learn(node, "> ");
  prompts.typed(ENTER, node, "> ");
  prompts.saw(node, "name? ");
  assert.equal(prompts.lineOf(""), "");
  prompts.saw(node, "> ");
  assert.deepEqual([prompts.lineOf(""), prompts.lineOf("name? ")], ["> ", "name? "]);
  prompts.typed(ENTER);
  assert.equal(prompts.lineOf(""), "");
  prompts.printed(null, Buffer.from("1\r\n> "), "> ");
  assert.equal(prompts.lineOf(""), "> ", "the last report is from before it");
  prompts.typed(null);
  assert.equal(prompts.lineOf(""), "", "what was typed there is not known");
});

test("a question, a pager and a script that reads are no first prompt", () => {
  const first = (program: string, line: string, more = {}): string =>
    readOpenLine(new LearnedPrompts().rules(options), { ...reader(program), ...more }, line);
  assert.equal(first("python3", "name: "), "unknown");
  assert.equal(first("ssh", "Are you sure you want to continue connecting (yes/no/[fingerprint])? "), "unknown");
  assert.equal(first("psql", "Password for user ann: "), "unknown");
  assert.equal(first("less", "(END)"), "other");
  assert.equal(first("bash", "$ ", { runsScript: true }), "other");
  for (const line of ["In [1]: ", "?- ", "* ", "(%i1) ", "1 ]=> "]) assert.equal(first("repl", line), "prompt", line);
});

test("a program in front of the one whose prompt was learned is typed into only if that is wanted", () => {
  const prompts = new LearnedPrompts();
  prompts.learn(reader("gdb"), "(gdb) ");
  prompts.typed(ENTER, null, "");
  const inferior = reader("a.out", { pid: 8, verdict: "prompt" });
  assert.equal(readOpenLine(prompts.rules(options), inferior, "guess> "), "other");
  assert.equal(readOpenLine(prompts.rules({ ...options, inside: true }), inferior, "guess> "), "prompt");
  assert.equal(readOpenLine(prompts.rules(options), reader("bash", { pid: 9 }), "$ "), "prompt", "a shell");
  assert.equal(readOpenLine(prompts.rules({ ...options, hasOwner: false }), reader("gdb"), "(gdb) "), "other");
});

test("a line that is read in another way than the prompt is not the prompt", () => {
  const prompts = new LearnedPrompts();
  prompts.learn(reader("python3"), ">>> ");
  prompts.typed(ENTER, null, "");
  assert.equal(readOpenLine(prompts.rules(options), reader("python3", { verdict: "prompt" }), ">>> "), "other");
  assert.equal(readOpenLine(prompts.rules(options), reader("python3", { verdict: "listening" }), ">>> "), "prompt");
});

test("a text that the caller names is a prompt too", () => {
  const prompts = new LearnedPrompts();
  prompts.learn(reader("python3"), ">>> ");
  prompts.typed(ENTER, null, "");
  const rules = prompts.rules({ ...options, markers: ["(Pdb) "] });
  assert.equal(readOpenLine(rules, reader("python3"), "(Pdb) "), "prompt");
});

test("a program without a prompt is distinguished from one that draws it in a moment", () => {
  for (const bc of [reader("bc"), reader("bc", { verdict: "prompt" })]) {
    const prompts = new LearnedPrompts();
    prompts.learn(bc, "");
    prompts.typed(ENTER, bc, "");
    assert.equal(readOpenLine(prompts.rules(options), bc, ""), "blank");
    prompts.learn(bc, "", { takesBlank: true });
    prompts.typed(ENTER, bc, "");
    assert.equal(readOpenLine(prompts.rules(options), bc, ""), "prompt");
  }
});

test("promptAt is the prompt behind output that ends without a line feed", () => {
  const prompts = new LearnedPrompts();
  prompts.learn(reader("irb"), "irb(main):001:0> ");
  const rules = prompts.rules(options);
  assert.equal(promptAt(rules, reader("irb"), "ximb irb(main):017:0> "), "irb(main):017:0> ");
  assert.equal(promptAt(rules, reader("other", { pid: 1 }), "? "), "? ");
});

test("a short prompt of dash counts behind output without a line end where the kernel tells it from a question", () => {
  const prompts = new LearnedPrompts();
  const dash = { pid: 7, program: "dash", verdict: "prompt", runsScript: false } as const;
  prompts.learn(dash, "# ");
  prompts.typed(ENTER, dash, "# ");
  const rules = prompts.rules(options);
  assert.equal(readOpenLine(rules, dash, "X# "), "prompt");
  assert.equal(promptAt(rules, dash, "X# "), "# ");
  assert.equal(readOpenLine(rules, dash, "X> "), "other");
  assert.equal(readOpenLine(rules, { ...dash, runsScript: true }, "X# "), "other");
  assert.equal(readOpenLine(rules, { ...dash, program: "bash" }, "X# "), "other");
});
