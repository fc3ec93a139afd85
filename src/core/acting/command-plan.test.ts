import assert from "node:assert/strict";
import { test } from "node:test";
import { planCommand, type KeyReader } from "./command-plan.ts";

const bash: KeyReader = {
  program: "bash",
  canonical: false,
  isRelay: false,
  takesPaste: true,
  hasMarks: true,
  loading: null,
};
const other = (program: string | null, more: Partial<KeyReader> = {}): KeyReader => ({
  ...bash,
  program,
  takesPaste: false,
  hasMarks: false,
  ...more,
});

/** The keys as text, or what is refused. */
function keys(command: string, reader: KeyReader): string {
  const made = planCommand(command, reader);
  if ("file" in made) return `${made.file.line("P")}: ${made.file.text}`;
  return "refusal" in made
    ? `refused: ${made.refusal}`
    : Buffer.concat(made.steps.map(({ bytes }) => bytes)).toString();
}

const pasted = (text: string): string => `\u001b[200~${text}\u001b[201~\r`;

test("planCommand pastes an ordinary command as it is into a shell that takes pastes", () => {
  for (const command of ["echo 'a b' | wc -c", "if ! true; then\n  echo no\nfi", "[ a != b ]", "echo hé", "ls !"]) {
    assert.equal(keys(command, bash), pasted(command));
  }
});

test("planCommand gives bash what its editor or its history would change as one quoted line", () => {
  assert.equal(keys('echo "again!!"', bash), pasted(String.raw`\builtin eval $'echo "again\x21\x21"'`));
  assert.equal(keys("rm -f \tx", bash), pasted(String.raw`\builtin eval $'rm -f \tx'`));
  assert.equal(keys("echo 'a\n^b\\'", bash), pasted(String.raw`\builtin eval $'echo \'a\n^b\\\''`));
  assert.equal(keys("echo \u0015é\u009b", bash), pasted(String.raw`\builtin eval $'echo \x15\xc3\xa9\xc2\x9b'`));
  assert.equal(keys("echo \u001b[201~", bash), pasted(String.raw`\builtin eval $'echo \x1b[201~'`));
});

test("planCommand quotes for zsh what is not ASCII, and for fish only what it drops", () => {
  assert.equal(keys("echo é", { ...bash, program: "zsh" }), pasted(String.raw`\builtin eval $'echo \xc3\xa9'`));
  const fish = { ...bash, program: "fish" };
  assert.equal(keys("echo 'é!'", fish), pasted("echo 'é!' "));
  assert.equal(keys("echo \\", fish), pasted("echo \\"));
  const line =
    "builtin eval (builtin string unescape --style=url 'echo %27a%09%c3%a9 50%25%27' | builtin string collect -N) ";
  assert.equal(keys("echo 'a\té 50%'", fish), pasted(line));
});

test("planCommand types one line into a shell that gives no marks: it would draw a paste twice", () => {
  const reader = { ...bash, hasMarks: false };
  assert.equal(keys("echo a", reader), "echo a\n");
  assert.equal(keys("echo a!b", reader), "\\builtin eval $'echo a\\x21b'\n");
  assert.equal(keys("echo a\necho b", reader), pasted("echo a\necho b"));
});

test("planCommand types several lines as one where a shell takes no pastes, and never a line that is cut", () => {
  const reader = { ...bash, takesPaste: false };
  assert.equal(keys("echo a\necho b", reader), String.raw`\builtin eval $'echo a\necho b'` + "\r");
  const long = `echo ${"a".repeat(5000)}`;
  assert.equal(keys(long, reader), `${long}\r`);
  assert.match(
    keys(long, { ...reader, canonical: true }),
    /^refused: it has a line of 5006 bytes, and bash gets at most 4095/,
  );
});

test("planCommand types a line of at most 4,095 bytes into a program whose lines the kernel edits", () => {
  const dash = other("dash", { canonical: true });
  const most = "é".repeat(2047);
  assert.equal(keys(most, dash), `${most}\n`);
  assert.match(keys(`${most}a`, dash), /^refused: it has a line of 4096 bytes/);
  assert.match(keys(`${most}\n${most}`, dash), /^refused: it has a line of \d+ bytes/);
  assert.match(keys(`echo \u0015${most}`, dash), /^refused: it has a line of \d+ bytes/);
});

test("planCommand gives a POSIX shell several lines, and what the kernel takes for keys, as one line that prints them", () => {
  const line = (text: string): string => String.raw`\eval "$(set -- $?;\command printf '${text}';exit $1)"` + "\n";
  const dash = other("dash", { canonical: true });
  assert.equal(
    keys("echo 50%\necho '\u0015é\\'", dash),
    line(String.raw`echo 50\045\012echo \047\025\303\251\134\047`),
  );
  for (const canonical of [true, false])
    assert.equal(keys("a\tb", other("mksh", { canonical })), line(String.raw`a\011b`));
});

test("planCommand refuses what a program of unknown quotes might take for keys or for a former command", () => {
  assert.match(
    keys("print('a\tb')", other("python3")),
    /^refused: it contains a tab, which python3 may take for a key/,
  );
  assert.equal(keys("print('Hello!', 1 != 2)", other("python3")), "print('Hello!', 1 != 2)\n");
  assert.match(
    keys("echo hi!there", other("ssh", { isRelay: true })),
    /^refused: the shell that reads it may take "!"/,
  );
  assert.match(keys("^a^b", other("tcsh")), /^refused: the shell that reads it may take "!" or a leading "\^"/);
  assert.equal(keys("[ a != b ] && ls", other("ssh", { isRelay: true })), "[ a != b ] && ls\n");
  for (const reader of [bash, other(null)]) assert.match(keys("a\0b", reader), /^refused: it contains a NUL/);
});

test("planCommand refuses several lines that a program would read one by one", () => {
  assert.equal(keys("a\nb", other("ssh", { isRelay: true, takesPaste: true })), pasted("a\nb"));
  for (const reader of [other("mysql", { takesPaste: true }), other("sqlite3"), other("ssh", { isRelay: true })])
    assert.match(keys("a\nb", reader), /^refused: it has several lines, which \w+ would read one by one; write it/);
});

test("planCommand hands a REPL a file where its line editor would change the text, and types what it takes", () => {
  const sqlite = other("sqlite3", { loading: { prompt: "sqlite> ", command: ["sqlite3"] } });
  assert.equal(keys("select 'it!';", sqlite), "select 'it!';\n");
  for (const text of ["select\n1;", "select '\t';", "select 'é';", "-".repeat(401)])
    assert.equal(keys(text, sqlite), `.read P: ${text}\n`);
  assert.match(keys("a\0", sqlite), /^refused: it contains a NUL/);
});
