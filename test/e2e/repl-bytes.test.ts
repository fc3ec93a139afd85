/**
 * Generated commands in real REPLs: each runs exactly as it was given, or is refused. They have tabs, controls, characters beyond ASCII, several
 * lines with empty ones between them, and up to 20,000 characters. Also with macros in the init file of their line editor. `npm test` has two of the
 * REPLs, `npm run test:long` all six.
 */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import fc from "fast-check";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LecternError } from "../../src/core/errors.ts";
import { openTerminal } from "../../src/terminal/open-terminal.ts";
import { PostgresServer } from "../support/postgres-server.ts";
import { hasAllVariants, someOf } from "../support/variants.ts";
import { SharedHome } from "./cli-home.ts";

/** For each REPL; 60 in test:long. */
const COMMANDS = Number(process.env["LECTERN_REPL_COMMANDS"] ?? 12);
const SEED = Number(process.env["LECTERN_REPL_SEED"] ?? 36);
const TIMEOUT_MS = 60_000;

const home = await new SharedHome().empty();
const database = hasAllVariants ? await PostgresServer.start() : undefined;
after(() => database?.[Symbol.asyncDispose]());

/** A command and exactly what it prints. */
type Pair = readonly [command: string, output: string];

interface Repl {
  readonly command: readonly [string, ...string[]];
  /** What its literals do not take as it is. */
  readonly special: RegExp;
  /** Prints the bytes of a literal. */
  readonly bytesOf: (text: string) => Pair;
  /** Definitions and values in several lines; `number` is above 0, and different in each. */
  readonly lines: readonly ((number: number) => Pair)[];
}

const hexOf = (text: string): string => Buffer.from(text).toString("hex");

const repls: Readonly<Record<string, Repl>> = {
  python3: {
    command: ["/usr/bin/python3", "-q"],
    special: /['\\]/g,
    bytesOf: (text) => [`print('''${text}'''.encode().hex())`, `${hexOf(text)}\n`],
    lines: [
      (number) => [`def f():\n\n\treturn ${number}\n\nf()\nf() + 1`, `${number}\n${number + 1}\n`],
      (number) => [`f"{${number}}\té"`, `'${number}\\té'\n`],
      (number) => [`x = ${number}\nfor i in range(2):\n    print(x)\nx`, `${number}\n${number}\n${number}\n`],
    ],
  },
  node: {
    command: [process.execPath, "-i"],
    special: /[`\\$]/g,
    bytesOf: (text) => [`console.log(Buffer.from(\`${text}\`).toString("hex"))`, `${hexOf(text)}\nundefined\n`],
    lines: [
      (number) => [`function f() {\n\n\treturn ${number};\n}\nf()`, `${number}\n`],
      (number) => [`{\n\ta: ${number}\n}`, `{ a: ${number} }\n`],
      (number) => [`var x = ${number}\nlet y${number} = x\ny${number} + 1`, `${number + 1}\n`],
    ],
  },
  sqlite3: {
    command: ["sqlite3"],
    special: /'/g,
    bytesOf: (text) => [`select lower(hex('${text}'));`, `${hexOf(text)}\n`],
    lines: [
      (number) => [`select ${number};\n\nselect\n\t${number + 1}\n;`, `${number}\n${number + 1}\n`],
      (number) => [`.print ${number}\n.print b`, `${number}\nb\n`],
    ],
  },
  psql: {
    command: database?.psql ?? ["psql"],
    special: /'/g,
    bytesOf: (text) => [`select encode(convert_to('${text}', 'UTF8'), 'hex');`, `${hexOf(text)}\n`],
    lines: [
      (number) => [`select ${number};\n\nselect\n\t${number + 1}\n;`, `${number}\n${number + 1}\n`],
      (number) => [`\\echo ${number}\n\\echo b`, `${number}\nb\n`],
      (number) => [`\\set x ${number}\nselect :x\n\t+ 1;`, `${number + 1}\n`],
    ],
  },
  gdb: {
    command: ["gdb", "-q", "-nx", "-ex", "set pagination off"],
    // It reads a command line by line.
    special: /["\\\n]/g,
    bytesOf: (text) => [`python print("${text}".encode().hex())`, `${hexOf(text)}\n`],
    lines: [
      (number) => [`define foo\nprintf "%d\\n", ${number}\nend\nfoo`, `${number}\n`],
      (number) => [`define bar\n\necho a\\n\nend\nbar\nprintf "%d\\n", ${number}`, `a\n${number}\n`],
      (number) => [`python\nfor i in range(2):\n\tprint(${number})\n\nend`, `${number}\n${number}\n`],
    ],
  },
  irb: {
    command: ["irb", "-f"],
    special: /["\\#]/g,
    bytesOf: (text) => [`puts "${text}".unpack1("H*")`, `${hexOf(text)}\n=> nil\n`],
    lines: [
      (number) => [`def f\n\n\t${number}\nend\nf`, `=> ${number}\n`],
      (number) => [`x = ${number}\n[x,\n\tx]`, `=> [${number}, ${number}]\n`],
      (number) => [`y = ${number}; y`, `=> ${number}\n`],
    ],
  },
};

/** All but NUL and the carriage return, which most of these languages read as a line feed in a literal. */
const characters = [..."\t\t\n\n!^ aZ09.,;:(){}%$&*-=+é€😀 \u0085\u2028\u007f"].concat(
  Array.from({ length: 31 }, (_, index) => String.fromCharCode(index + 1)).filter((character) => character !== "\r"),
);
const texts = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: fc.constantFrom(...characters), maxLength: 60 }) },
  { weight: 3, arbitrary: fc.string({ unit: fc.constantFrom(..."abc!\"' (){}[];#~"), maxLength: 200 }) },
  { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom(...characters), minLength: 3000, maxLength: 20_000 }) },
);
const kinds = fc.record({ text: texts, line: fc.nat(5), isLines: fc.boolean() });

function pairsOf({ special, bytesOf, lines }: Repl): Pair[] {
  return fc.sample(kinds, { seed: SEED, numRuns: COMMANDS }).map(({ text, line, isLines }, index) => {
    const made = isLines ? lines[line % lines.length]?.(index + 1) : undefined;
    return made ?? bytesOf(text.replaceAll(special, "_"));
  });
}

test("a command that is not complete is an error in node and irb, and leaves no prompt for the rest", async () => {
  for (const [name, command, error] of [
    ["open-node", repls["node"]?.command, /SyntaxError/],
    ["open-irb", repls["irb"]?.command, /SyntaxError/],
  ] as const) {
    await home.ok("run", "-d", "--name", name, "--", ...(command ?? []));
    const { ended, output } = await home.client.call("sessions.exec", { session: name, command: "f(1 +" });
    assert.equal(ended, true, name);
    assert.match(output, error);
    assert.match(await home.ok("exec", name, "--", "6 * 7"), /^(?:=> )?42\n$/);
  }
});

/** Pairs of brackets and quotes, as many have them; a command that ends its line; a key sequence of two keys. */
const MACROS = String.raw`
"(": "\C-v(\C-v)\C-b"
"\"": "\C-v\"\C-v\"\C-b"
"'": "\C-v'\C-v'\C-b"
"[": "\C-v[\C-v]\C-b"
";": "exit()\n"
"re": "XX"
`;

/** Starts the program with an init file of readline in its home directory, whose path is returned. */
async function startWith(name: string, command: Repl["command"], macros: string): Promise<string> {
  const directory = join(home.directory, `home-${name}`);
  mkdirSync(directory);
  writeFileSync(join(directory, ".inputrc"), macros);
  const environment = { PATH: process.env["PATH"] ?? "", LANG: "C.UTF-8", HOME: directory };
  await home.client.call("sessions.create", { name, command: [...command], environment });
  return join(directory, ".inputrc");
}

/** Runs each, and returns how many were refused. */
async function runAll(session: string, pairs: readonly Pair[]): Promise<number> {
  let refused = 0;
  for (const [command, output] of pairs) {
    try {
      const result = await home.client.call("sessions.exec", { session, command, timeoutMs: TIMEOUT_MS });
      assert.deepEqual([result.ended, result.output], [true, output], JSON.stringify(command).slice(0, 2000));
    } catch (error) {
      if (!(error instanceof LecternError) || error.code !== "CONFLICT") throw error;
      refused++;
    }
  }
  return refused;
}

for (const [name, repl] of someOf(repls, "python3", "irb")) {
  test(`${COMMANDS} generated commands in ${name} each run exactly as given`, async () => {
    await home.ok("run", "-d", "--name", name, "--", ...repl.command);
    assert.equal(await runAll(name, pairsOf(repl)), 0);
  });

  test(`with macros for its keys, half of them in ${name} run exactly as given, or are refused in irb`, async () => {
    const session = `${name}-macros`;
    await startWith(session, repl.command, MACROS);
    const pairs = pairsOf(repl).slice(0, COMMANDS / 2);
    assert.equal(await runAll(session, pairs), name === "irb" ? pairs.length : 0);
    if (name === "irb") assert.equal((await home.client.call("sessions.exec", { session, command: "" })).ended, true);
  });
}

test("a macro that only the echo shows is refused, and the line is left empty", async () => {
  for (const [name, repl] of [
    ["python3", repls["python3"]],
    ["irb", repls["irb"]],
  ] as const) {
    const session = `${name}-unknown`;
    const file = await startWith(session, repl?.command ?? ["false"], String.raw`"(": "\C-v(\C-v)\C-b"`);
    await home.client.call("sessions.exec", { session, command: "" });
    rmSync(file);
    await assert.rejects(home.client.call("sessions.exec", { session, command: "print(6)" }), {
      code: "CONFLICT",
      message: /was typed and \w+ shows .*: a macro of its line editor .* nothing was run$/,
    });
    const { output, ended } = await home.client.call("sessions.exec", { session, command: "" });
    assert.deepEqual([output, ended], ["", true]);
  }
});

test("irb, which asks where the cursor is, is ready in a terminal of this process", async () => {
  await using terminal = await openTerminal(["irb", "-f"]);
  for (const number of [1, 2, 3]) {
    const { output, ended } = await terminal.run(`${number}\n`, { timeoutMs: TIMEOUT_MS });
    assert.deepEqual([output, ended], [`=> ${number}\n`, true]);
  }
});
