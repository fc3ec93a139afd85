/** A bash takes commands from its directory of acts: the widget of `shell/lectern.bash` on a real terminal, without a reader of ours. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Pty } from "../pty/pty.ts";
import { spawnPty } from "../pty/spawn.ts";
import { integrateShell } from "./shell-integration.ts";

const directory = mkdtempSync(join(tmpdir(), "lectern-act-bash-"));
after(() => rmSync(directory, { recursive: true, force: true }));

const KEY = "\u001b[7501~";
const UNTIL_MS_MAX = 20_000;
let count = 0;

interface BashSettings {
  readonly rc?: string;
  readonly inputrc?: string;
  readonly words?: readonly string[];
}

/** A bash at its prompt, and what a person and Lectern do to it. */
class Bash implements AsyncDisposable {
  readonly home = join(directory, String(count++));
  readonly acts = join(this.home, "acts");
  readonly out = join(this.home, "out");
  readonly #nonce: string;
  readonly #pty: Pty;
  #output = "";
  #wait: (() => void) | undefined;

  private constructor({ rc = "", inputrc = "", words = [] }: BashSettings) {
    mkdirSync(this.acts, { recursive: true, mode: 0o700 });
    writeFileSync(join(this.home, "rc"), rc);
    writeFileSync(join(this.home, "inputrc"), inputrc);
    const command = ["bash", "--rcfile", join(this.home, "rc"), ...words] as const;
    const environment = {
      HOME: this.home,
      PATH: process.env["PATH"] ?? "",
      TERM: "xterm-256color",
      LANG: "C.UTF-8",
      INPUTRC: join(this.home, "inputrc"),
      HISTFILE: join(this.home, "history"),
    };
    const integration = integrateShell(command, environment, () => this.acts);
    assert.ok(integration);
    this.#nonce = integration.nonce;
    this.#pty = spawnPty({
      command: [...command],
      workingDirectory: this.home,
      environment: integration.environment,
      columns: 80,
      rows: 24,
      onOutput: (bytes) => {
        this.#output += Buffer.from(bytes).toString("latin1");
        this.#wait?.();
      },
      onExit: () => this.#wait?.(),
    });
  }

  static async start(settings: BashSettings = {}): Promise<Bash> {
    const bash = new Bash(settings);
    await using stack = new AsyncDisposableStack();
    stack.use(bash);
    const [prompt] = await bash.until(/133;B;n|[#>] $/);
    if (!prompt.startsWith("133")) await bash.typed(":");
    stack.move();
    return bash;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pty.kill();
  }

  /** The output so far, and from here on. */
  get length(): number {
    return this.#output.length;
  }

  since(from: number): string {
    return this.#output.slice(from);
  }

  type(text: string): void {
    this.#pty.write(Buffer.from(text));
  }

  async until(pattern: RegExp, from = 0): Promise<RegExpExecArray> {
    const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
    const timer = setTimeout(
      () => reject(new Error(`${pattern} did not come: ${JSON.stringify(this.#output.slice(from).slice(-1500))}`)),
      UNTIL_MS_MAX,
    );
    this.#wait = () => {
      const match = pattern.exec(this.#output.slice(from));
      if (match !== null) resolve(match);
    };
    this.#wait();
    return await promise.finally(() => clearTimeout(timer));
  }

  /** Puts a command down without the key. */
  put(text: string | Uint8Array, { way = "eval", shown = "" } = {}): string {
    const id = `act-${count++}`;
    writeFileSync(join(this.acts, id), text, { mode: 0o600 });
    writeFileSync(join(this.acts, "new"), `${id}\n${way}\n${shown}`, { mode: 0o600 });
    renameSync(join(this.acts, "new"), join(this.acts, "act"));
    return id;
  }

  /** Hands a command over, and waits until the shell has answered. */
  async act(text: string | Uint8Array, options: { way?: string; shown?: string } = {}): Promise<string> {
    const from = this.length;
    const id = this.put(text, options);
    this.type(KEY);
    const [, answer = ""] = await this.until(
      new RegExp(`\u001b]633;P;Act=${id};([^\u0007]*);n=${this.#nonce}\u0007`),
      from,
    );
    return answer;
  }

  /** The same until it has run: its output and its exit code. */
  async run(text: string | Uint8Array, options: { way?: string; shown?: string } = {}): Promise<[string, string]> {
    const from = this.length;
    assert.equal(await this.act(text, options), "taken");
    const end = /\u001b\]133;C[^\u0007]*\u0007([^]*?)(?:\u001b\[\?2004h)?\u001b\]133;D;(\d*);[^]*?\u001b\]133;B/;
    const [, output = "", code = ""] = await this.until(end, from);
    return [output.replaceAll("\r\n", "\n"), code];
  }

  /** What is typed ends with Enter; the output up to the next prompt. */
  async typed(text: string): Promise<string> {
    const from = this.length;
    this.type(`${text}\r`);
    const [, output = ""] = await this.until(
      /\u001b\]133;C[^\u0007]*\u0007([^]*?)\u001b\]133;D[^]*?\u001b\]133;B/,
      from,
    );
    return output.replaceAll("\r\n", "\n");
  }
}

const quoted = (bytes: Buffer): string => `'${bytes.toString("latin1").replaceAll("'", String.raw`'\''`)}'`;

/** Every byte that a shell holds, and those that line editors take for keys more often. */
function anyBytes(length: number): Buffer {
  const bytes = randomBytes(length).map((byte, index) => (byte === 0 ? 1 + (index % 255) : byte));
  const keys = Buffer.from("\t\r\n\u0003\u0004\u0016\u001a\u001b[A!^\u007f\\'\"$`");
  return Buffer.from(bytes.map((byte, index) => (index % 5 === 0 ? (keys[byte % keys.length] ?? byte) : byte)));
}

const setUps: Readonly<Record<string, BashSettings>> = {
  emacs: {},
  "vi insert": { rc: "set -o vi" },
  "vi command": {
    rc: "set -o vi",
    inputrc: "set show-mode-in-prompt on\nset vi-cmd-mode-string (command)\nset keyseq-timeout 20",
  },
  "no paste, key macros": { inputrc: 'set enable-bracketed-paste off\n"e": "XX"\n" ": magic-space\n"\\C-m": "YY"' },
  "a theme and its prompt command": {
    rc: `PROMPT_COMMAND='PS1="\\n\\u in \\w\\n> "; history -a'; PS0='[\${x:0:0}now]\\n'"$PS0"; HISTCONTROL=ignoreboth`,
  },
  "strict options": { rc: "set -euC -o pipefail; IFS=x; LC_ALL=C; shopt -s nocasematch histverify failglob" },
};

for (const [name, settings] of Object.entries(setUps)) {
  test(`each byte of a command arrives in bash (${name})`, async () => {
    await using bash = await Bash.start(settings);
    for (const length of [1, 3, 40, 300, 5000, 200_000]) {
      if (name === "vi command") {
        const from = bash.length;
        bash.type("\u001b");
        await bash.until(/\(command\)/, from);
      }
      const bytes = anyBytes(length);
      const command = Buffer.from(`printf %s ${quoted(bytes)} >|${bash.out}; (exit 3) || echo "$?"`, "latin1");
      assert.deepEqual(await bash.run(command), ["3\n", "0"]);
      assert.ok(readFileSync(bash.out).equals(bytes), `${length} bytes`);
    }
  });
}

test("a draft stays in bash's line as it is, and is never accepted", async () => {
  for (const mode of ["emacs", "vi"]) {
    await using bash = await Bash.start({ rc: `set -o ${mode}` });
    await bash.run("echo before", { way: "plain" });
    for (const draft of [`touch ${bash.out}`, "é", "x".repeat(300), "[7501", " "]) {
      bash.type(draft);
      const wanted = Buffer.from(draft).subarray(0, 256).toString("hex");
      for (const way of ["plain", "eval"])
        assert.equal(await bash.act(`touch ${bash.out}`, { way }), `draft;${wanted}`);
      bash.type("\u0015");
    }
    bash.type("\u001b[A");
    assert.equal(await bash.act("echo no"), `draft;${Buffer.from("echo before").toString("hex")}`);
    assert.equal(await bash.typed(""), "before\n");
    assert.equal(existsSync(bash.out), false);
  }
});

test("a plain command is as a typed one for bash", async () => {
  await using bash = await Bash.start({ rc: "shopt -s expand_aliases; alias hi='echo alias'; HISTCONTROL=ignoreboth" });
  const plain = { way: "plain" };
  assert.deepEqual(await bash.run("hi there", plain), ["alias there\n", "0"]);
  assert.deepEqual(await bash.run("echo $_; (exit 3) | (exit 4)", plain), ["there\n", "4"]);
  assert.deepEqual(await bash.run("echo $? ${PIPESTATUS[@]}", plain), ["4 3 4\n", "0"]);
  assert.deepEqual(await bash.run("(exit 3) | (exit 5)", plain), ["", "5"]);
  assert.deepEqual(await bash.run("echo $? ${PIPESTATUS[@]} $_"), ["5 3 5 4\n", "0"]);
  assert.deepEqual(await bash.run("set -x", plain), ["", "0"]);
  assert.deepEqual(await bash.run("echo x", plain), ["+ echo x\nx\n", "0"]);
  assert.deepEqual(await bash.run("set +x; set -eu; trap 'echo \"D $BASH_COMMAND\"' DEBUG", plain), [
    "+ set +x\nD __lectern_look\n",
    "0",
  ]);
  assert.deepEqual((await bash.run("echo y", plain))[0], "D echo y\ny\nD __lectern_look\n");
});

test("bash refuses a command in an open one and in a question of its own", async () => {
  await using bash = await Bash.start();
  for (const [open, rest, wanted] of [
    ["echo 'a", "b'", "a\nb\n"],
    ["cat <<EOF", "$((1+1))\rEOF", "2\n"],
    ["for i in 1 2", "do echo $i; done", "1\n2\n"],
    ["echo \\", "c", "c\n"],
    ["if true; then", "echo d; fi", "d\n"],
    ["echo $(", "echo e)", "e\n"],
  ] as const) {
    const from = bash.length;
    bash.type(`${open}\r`);
    await bash.until(/\u001b\]133;P;k=s/, from);
    assert.equal(await bash.act("echo no"), "more", open);
    assert.equal(await bash.act("echo no", { way: "plain" }), "more", open);
    assert.equal(await bash.typed(rest), wanted);
    assert.deepEqual(await bash.run("echo yes"), ["yes\n", "0"]);
  }
  const from = bash.length;
  bash.type("read -ep 'your''name '; echo [$REPLY]\r");
  await bash.until(/yourname /, from);
  assert.equal(await bash.act("echo no", { way: "plain" }), "more");
  bash.type("me\r");
  await bash.until(/\[me\][^]*\u001b\]133;B/, from);
  assert.deepEqual(await bash.run("echo yes", { way: "plain" }), ["yes\n", "0"]);
});

test("the key in the middle of other keys of bash is its own residue, and is pressed again", async () => {
  await using bash = await Bash.start({ inputrc: "set keyseq-timeout 20" });
  for (const before of ["\u001b", "\u0016", "\u0018", "\u001b["]) {
    const from = bash.length;
    bash.put(`printf %s '${JSON.stringify(before)}' >${bash.out}`);
    bash.type(before + KEY);
    await bash.until(/7501~/, from);
    bash.type(KEY);
    await bash.until(/\u001b\]133;C[^]*\u001b\]133;D[^]*\u001b\]133;B/, from);
    assert.equal(readFileSync(bash.out, "utf8"), JSON.stringify(before));
  }
  bash.type("\u0012");
  await bash.until(/i-search/);
  assert.deepEqual(await bash.run("echo searched"), ["searched\n", "0"]);
  const from = bash.length;
  bash.type("\u0012sear");
  await bash.until(/sear[^]*r': echo/, from);
  assert.match(await bash.act("echo no"), /^draft;/);
});

test("a command that was taken or withdrawn is not taken by bash, and neither is half a file", async () => {
  await using bash = await Bash.start({ rc: "set -o noclobber" });
  writeFileSync(join(bash.acts, `${bash.put(`echo >>${bash.out}`)}.claim`), "");
  bash.type(KEY);
  for (const text of ["", "x", "../x\nplain\n", "x\nother\n", "missing\nplain\n", `${"x".repeat(33)}\nplain\n`]) {
    writeFileSync(join(bash.acts, "x"), `echo >>${bash.out}`);
    writeFileSync(join(bash.acts, "act"), text);
    bash.type(KEY);
  }
  const from = bash.length;
  const once = bash.put(`echo >>${bash.out}`);
  bash.type(KEY + KEY + KEY);
  await bash.until(new RegExp(`Act=${once};taken[^]*133;C[^]*133;B`), from);
  rmSync(join(bash.acts, "act"));
  bash.type(KEY);
  assert.equal(await bash.typed("echo end"), "end\n");
  assert.equal(readFileSync(bash.out, "utf8"), "\n");
  assert.deepEqual(await bash.run("[[ -o noclobber ]]; echo $?"), ["0\n", "0"]);
});

for (const [control, wanted] of Object.entries({
  "": ["echo plain", "echo plain", " echo 'a\tb!'\n", "echo plain", "echo 'a\tb!'"],
  ignoreboth: ["echo plain", "echo 'a\tb!'"],
  ignoredups: ["echo plain", " echo 'a\tb!'\n", "echo plain", "echo 'a\tb!'"],
  erasedups: [" echo 'a\tb!'\n", "echo plain", "echo 'a\tb!'"],
})) {
  test(`the history has commands as they were given (HISTCONTROL=${control})`, async () => {
    for (const own of ["", "history -a", "true"]) {
      await using bash = await Bash.start({
        rc: `HISTCONTROL=${control}; PROMPT_COMMAND=('${own}' "\${PROMPT_COMMAND[@]}")`,
      });
      for (const way of ["plain", "plain"]) await bash.run("echo plain", { way });
      await bash.run(" echo 'a\tb!'\n");
      await bash.run("echo plain", { way: "plain" });
      await bash.run("echo 'a\tb!'");
      const [list] = await bash.run(`history | sed 's/^ *[0-9]*  //' >|${bash.out}; history -w; cat ${bash.out}`, {
        way: "plain",
      });
      const lines = [...wanted, ""].join("\n");
      assert.ok(list.startsWith(lines), JSON.stringify(list));
    }
  });
}

/** A theme that asks for a clock in PS0 and makes PS1 at each prompt, as starship does. */
const theme =
  'theirs=$PROMPT_COMMAND; ps() { local s=$?; eval "$theirs"; PS1="[$s] > "; PS2=\'.. \'; }; ' +
  "PS0='${t:$((t=1)):0}'\"${PS0-}\"; PROMPT_COMMAND=ps";

for (const change of [
  theme,
  'sp(){ PS1="> "; }; PS0="${x:0:0}"; PROMPT_COMMAND=sp',
  'PS0=""; PROMPT_COMMAND=true',
  "unset PROMPT_COMMAND PS1",
  "PROMPT_COMMAND=(true true)",
  "unset PS0 PS1",
  "unset PROMPT_COMMAND PS0",
  "PS0=x; PS2=; PS1='\\w\\n\\$ '",
  "source ~/rc",
]) {
  test(`bash reports exit codes again after "${change}"`, async () => {
    await using bash = await Bash.start({ rc: "PS1='rc \\$ '; PS2='rc> '; PROMPT_COMMAND=': theirs'" });
    const from = bash.length;
    assert.equal(await bash.act(change), "taken");
    await bash.until(/133;C[^]*\u001b\[\?2004h/, from);
    for (const way of ["plain", "eval"]) {
      assert.deepEqual(await bash.run("echo one; (exit 3)", { way }), ["one\n", "3"]);
      assert.deepEqual(await bash.run("echo $?; (exit 4)", { way }), ["3\n", "4"]);
    }
    const open = bash.length;
    bash.type("echo 'a\r");
    await bash.until(/\u001b\]133;P;k=s/, open);
    assert.equal(await bash.act("echo no"), "more");
    assert.equal(await bash.typed("b'"), "a\nb\n");
  });
}

for (const change of [
  "unset PROMPT_COMMAND PS0; PS1='% '",
  "PROMPT_COMMAND=() PS0= PS1='% ' PS2=",
  "unset PROMPT_COMMAND PS{0..4}",
]) {
  test(`bash has all marks again after "${change}", which is itself without an end`, async () => {
    await using bash = await Bash.start();
    const from = bash.length;
    assert.equal(await bash.act(change), "taken");
    await bash.until(/133;C[^]*\u001b\[\?2004h/, from);
    assert.deepEqual(await bash.run('echo "$?"; (exit 3)', { way: "plain" }), ["0\n", "3"]);
    assert.deepEqual(await bash.run("echo $?; (exit 4)", { way: "plain" }), ["3\n", "4"]);
    const [list] = await bash.run("history", { way: "plain" });
    assert.doesNotMatch(list, /__lectern/);
  });
}

for (const change of [
  "readonly PROMPT_COMMAND=true",
  "PROMPT_COMMAND=0123456789; readonly PROMPT_COMMAND",
  "PROMPT_COMMAND=(); readonly PROMPT_COMMAND PS0 PS1 PS2",
  "readonly PS0='' PS1='fixed> '",
  "unset PROMPT_COMMAND; readonly PROMPT_COMMAND",
  "readonly PS1='fixed> '",
  "PS2=; readonly PS2; PS1='new> '",
]) {
  test(`bash takes commands after "${change}", and prints no error`, async () => {
    await using bash = await Bash.start();
    const from = bash.length;
    for (const [index, command] of [change, "echo a >o1", "echo b >o2", "echo c >o3"].entries()) {
      for (const way of index === 0 ? ["eval"] : ["plain", "eval"]) {
        const before = bash.length;
        assert.equal(await bash.act(command, { way }), "taken");
        await bash.until(/\u001b\[\?2004l[^]*\u001b\[\?2004h/, before);
      }
    }
    assert.equal(["o1", "o2", "o3"].map((name) => readFileSync(join(bash.home, name), "utf8")).join(""), "a\nb\nc\n");
    assert.doesNotMatch(bash.since(from), /readonly|unbound|rror/i);
  });
}

test("what bash reports of a job belongs to no command's output, and what did not run has no mark of a start", async () => {
  for (const rc of ["", "PROMPT_COMMAND='true'; PS1='\\u\\n> '", "PS1=\"$(printf '\\\\n')> \""]) {
    await using bash = await Bash.start({ rc });
    for (const way of ["plain", "eval"]) {
      const from = bash.length;
      assert.match((await bash.run("true & echo begun", { way }))[0], /^\[1\] \d+\nbegun\n$/);
      const [output] = await bash.run("while kill -0 $! 2>/dev/null; do :; done; echo over", { way });
      assert.equal(output, "over\n");
      assert.deepEqual(await bash.run("true", { way }), ["", "0"]);
      assert.match(bash.since(from), /133;D;0[^]*\[1\]\+ {2}Done/);
    }
    for (const nothing of ["# comment", ":"]) {
      const from = bash.length;
      assert.equal(await bash.act(nothing, { way: "plain" }), "taken");
      await bash.until(/taken[^]*133;B[^]*133;B/, from);
      assert.equal(bash.since(from).includes("133;C"), nothing === ":");
    }
  }
});
