/** What runs is the command that was given, byte for byte, or nothing is typed. */
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { SharedHome } from "./cli-home.ts";

const home = await new SharedHome().empty();

const shells = {
  bash: ["bash", "--norc", "--noprofile"],
  zsh: ["zsh", "-d"],
  fish: ["fish", "--private"],
};

for (const [name, command] of Object.entries(shells)) {
  test(`${name} runs the bytes of a command that its editor or its history would change`, async () => {
    await home.ok("run", "-d", "--name", name, "--", ...command);
    await home.ok("exec", name, "--", "echo first");
    const texts = ["again!!", "a\tb", "c\n^d", "e\u0015f\u001b[201~g", "h!é\u0003i", "%41\\n"];
    for (const text of texts) {
      const { stdout, code } = await home.run([
        "exec",
        name,
        "--",
        `printf '%s' '${text}' | od -An -v -tx1; sh -c 'exit 3'`,
      ]);
      const bytes = stdout.replaceAll(/\s/g, "");
      // fish reads two escapes in single quotes, none of which is here.
      assert.deepEqual([bytes, code], [Buffer.from(text).toString("hex"), 3], JSON.stringify(text));
    }
  });
}

for (const name of Object.keys(shells)) {
  test(`${name} runs nothing for a command without a word, and its status says so`, async () => {
    // In a prompt of several rows, of which none is output.
    if (name !== "fish") await home.ok("exec", name, "--", String.raw`PS1=$'\nrows\n> '`);
    const nothing = name === "zsh" ? ["", " ", "\t\n"] : ["", " ", "\t\n", "# comment"];
    for (const text of nothing) {
      const { stdout, stderr, code } = await home.run(["exec", name, "--", text]);
      assert.deepEqual([stdout, code], ["", 4], JSON.stringify(text));
      assert.match(stderr, /ran nothing: it is empty, a comment, not valid, or was given up with Ctrl-C/);
    }
    assert.equal(await home.ok("exec", name, "--", " echo next"), "next\n");
  });
}

test("bytes that are not UTF-8 are refused: Node would replace them, and another text would run", async () => {
  for (const command of ["exec bash --", "prompt --shell bash", "send bash", "run -d -- echo"]) {
    const { code, stdout, stderr } = await home.shell(`$L ${command} $'echo a\\xffb > replaced'`);
    assert.deepEqual([code, stdout], [2, ""], command);
    assert.match(
      stderr,
      /Cannot take "echo a\ufffdb > replaced": it has bytes that are not UTF-8; write them as escapes/,
    );
  }
  const piped = await home.shell(`printf 'echo a\\xffb > replaced' | $L prompt --shell bash -`);
  assert.deepEqual([piped.code, piped.stderr], [2, "lectern: Cannot send a prompt that is not UTF-8\n"]);
  assert.ok(!existsSync(join(home.directory, "replaced")));
  // The character itself is text like any other.
  assert.equal((await home.shell(`$L exec bash -- 'printf %s \ufffd'`)).stdout, "\ufffd");
});

test("a tab in a command completes nothing", async () => {
  writeFileSync(join(home.directory, "precious.txt"), "1");
  await home.ok("exec", "bash", "--", `cd '${home.directory}' && mkdir only && cd only && touch precious.txt`);
  await home.run(["exec", "bash", "--", "rm -f \tnot-here"]);
  assert.equal(await home.ok("exec", "bash", "--", "ls"), "precious.txt\n");
});

test("a command runs as it is in a shell that is in vi's command mode", async () => {
  await home.ok("run", "-d", "--name", "vi", "--", ...shells.bash);
  await home.ok("exec", "vi", "--", "set -o vi; runs=0");
  await home.ok("exec", "vi", "--", "runs=$((runs + 1))");
  await home.ok("key", "vi", "Escape");
  assert.equal(await home.ok("exec", "vi", "--", "echo $runs kkk"), "1 kkk\n");
});

test("a command runs by itself where the history is searched", async () => {
  await home.ok("run", "-d", "--name", "searched", "--", ...shells.zsh);
  await home.ok("exec", "searched", "--", "echo found");
  await home.ok("wait", "searched", "--for", "ready");
  await home.ok("key", "searched", "C-r");
  await home.ok("wait", "searched", "--for", "output:i-search");
  assert.equal(await home.ok("exec", "searched", "--", "echo f"), "f\n");
});

test("a line that the kernel would cut is refused before anything is typed", async () => {
  await home.ok("run", "-d", "--name", "dash", "--", "dash");
  await home.ok("wait", "dash", "--for", "ready");
  assert.match(
    await home.fails("exec", "dash", "--", `echo ${"a".repeat(5000)} | wc -c`),
    /^4 .*a line of 5014 bytes, and dash gets at most 4095 of a line; write it to a file and run that; nothing was typed/s,
  );
  const control = await home.fails("exec", "dash", "--", `echo \u0015${"a".repeat(5000)}`);
  assert.match(control, /^4 .*a line of \d+ bytes.*nothing was typed/s);
  assert.match((await home.run(["exec", "dash", "--", "printf '%s' '\u0015\n!' | od -An -tx1"])).stdout, / 15 0a 21\n/);
  assert.match((await home.run(["exec", "dash", "--", `echo ${"a".repeat(4000)} | wc -c`])).stdout, /^4001\n/);
});

test("output of dash without a line end hides its prompt from nobody, and its read stays a question", async () => {
  await home.ok("run", "-d", "--name", "open", "--", "dash");
  await home.ok("wait", "open", "--for", "ready");
  assert.equal((await home.run(["exec", "open", "--", "printf X"])).stdout, "X");
  assert.equal((await home.run(["exec", "open", "--", "printf 'y# '"])).stdout, "y# ");
  assert.match((await home.run(["exec", "open", "--", "echo end"])).stdout, /^end\n/);
  await home.run(["exec", "open", "--", "printf '# '; read answer"]);
  assert.match(await home.fails("exec", "open", "--", "echo no"), /nothing was typed/);
});

test("a command is never run behind what another program types at the same time", async () => {
  await home.ok("run", "-d", "--name", "race", "--", ...shells.bash);
  await home.ok("exec", "race", "--", "true");
  const outcomes = { ran: 0, refused: 0 };
  for (let round = 0; round < 4; round++) {
    const typing = (async () => {
      for (const text of "touch /nowhere/") {
        // Refused while the command is typed.
        await home.client.call("sessions.input", { session: "race", text }).catch((error: unknown) => error);
        await home.client.call("sessions.get", { session: "race" });
      }
    })();
    try {
      const { output, exitCode } = await home.client.call("sessions.exec", {
        session: "race",
        command: `echo EX${round}`,
      });
      assert.match(output, new RegExp(`EX${round}`));
      assert.equal(exitCode, 0);
      outcomes.ran += 1;
    } catch (error) {
      assert.equal((error as { code?: string }).code, "CONFLICT", String(error));
      outcomes.refused += 1;
    }
    await typing;
    await home.ok("key", "race", "C-c");
    await home.ok("wait", "race", "--for", "ready");
  }
  assert.equal(outcomes.ran + outcomes.refused, 4);
});
