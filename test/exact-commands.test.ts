/**
 * Generated commands run exactly as they are given, or are refused and nothing runs, in each shell and keymap. `LECTERN_COMMAND_RUNS` of them
 * (200; 2,000 in `npm run test:long`), `LECTERN_COMMAND_SEED` for others than the usual ones.
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { LecternError } from "../src/core/errors.ts";
import { openTerminal } from "../src/terminal/open-terminal.ts";
import type { Terminal } from "../src/terminal/terminal.ts";
import { Random } from "./simulation/random.ts";
import { exactCommand, type ExactShell } from "./support/exact-commands.ts";
import { makeFishHome } from "./support/fish-home.ts";

const runs = Number(process.env["LECTERN_COMMAND_RUNS"] ?? 200);
const seed = Number(process.env["LECTERN_COMMAND_SEED"] ?? 36);
const directory = mkdtempSync(join(tmpdir(), "lectern-exact-"));
after(() => rmSync(directory, { recursive: true, force: true }));

interface Setting {
  readonly shell: ExactShell;
  readonly words?: readonly string[];
  readonly startup: string;
  /** Typed in front of each third command: Escape, for vi's command mode. */
  readonly keys?: string;
}

/** Prompts as themes have them: of several lines, made anew for each command, with another one at the right. */
const themes = {
  bash: `__theme() { PS1='\\[\\e[1;32m\\]┌ \\w\\[\\e[m\\]\\n└ \\$ '; }\nPROMPT_COMMAND=__theme\n`,
  zsh: `setopt promptsubst\nprecmd() { PROMPT=$'%F{green}┌ %~%f\\n└ %# '; RPROMPT='%*' }\n`,
  fish: `function fish_prompt; set_color green; printf '┌ %s\\n└ > ' (prompt_pwd); end\nfunction fish_right_prompt; date +%T; end\n`,
};

const settings: Readonly<Record<string, Setting>> = {
  "bash, emacs": { shell: "bash", startup: "PS1='$ '\n" },
  "bash, vi": { shell: "bash", startup: "set -o vi\nHISTCONTROL=ignoreboth\n", keys: "\u001b" },
  "bash with a theme": { shell: "bash", startup: themes.bash },
  "zsh, emacs": { shell: "zsh", words: ["-d"], startup: "bindkey -e\nPS1='%# '\n" },
  "zsh, vi": { shell: "zsh", words: ["-d"], startup: "bindkey -v\nsetopt correctall histverify\n", keys: "\u001b" },
  "zsh with a theme": { shell: "zsh", words: ["-d"], startup: themes.zsh },
  "fish, emacs": { shell: "fish", startup: "set -g fish_greeting\n" },
  "fish, vi": { shell: "fish", startup: "fish_vi_key_bindings\nset -g fish_greeting\n", keys: "\u001b" },
  "fish with a theme": { shell: "fish", startup: `${themes.fish}abbr -a printf rm\n` },
  dash: { shell: "dash", startup: "" },
};

const startupFiles = { bash: ".bashrc", zsh: ".zshrc", fish: ".config/fish/config.fish", dash: ".profile" };

async function open(
  name: string,
  { shell, startup, words = [] }: Setting,
): Promise<{ terminal: Terminal; home: string }> {
  const home = join(directory, name.replaceAll(/\W+/g, "-"));
  const file = join(home, startupFiles[shell]);
  mkdirSync(join(file, ".."), { recursive: true });
  makeFishHome(home);
  writeFileSync(file, startup);
  const { PATH } = process.env;
  const environment = { HOME: home, PATH, LANG: "C.UTF-8", HISTFILE: join(home, "history") };
  return { terminal: await openTerminal([shell, ...words], { environment, workingDirectory: home }), home };
}

const isRefusal = (error: unknown): boolean =>
  error instanceof LecternError && error.code === "CONFLICT" && /; nothing was (?:typed|run)$/.test(error.message);

for (const [index, [name, setting]] of Object.entries(settings).entries()) {
  test(`generated commands run exactly, or are refused: ${name}`, async (context) => {
    const { terminal, home } = await open(name, setting);
    await using _ = terminal;
    const random = new Random(seed * 1000 + index);
    const out = join(home, "out");
    const count = Math.ceil(runs / Object.keys(settings).length);
    let refused = 0;
    for (let run = 0; run < count; run++) {
      const { command, expected, exitCode } = exactCommand(setting.shell, random);
      const about = `seed ${seed}, command ${run}: ${JSON.stringify(command.slice(0, 2000))}`;
      rmSync(out, { force: true });
      if (run % 3 === 2 && setting.keys !== undefined) await terminal.write(setting.keys);
      try {
        const result = await terminal.run(command, { timeoutMs: 60_000 });
        // Of dash the kernel says when it waits again, and its prompts are drawn between lines.
        const { ran, reason, output, exitCode: code } = result;
        if (setting.shell === "dash") assert.deepEqual([ran, reason], [true, "foreground"], about);
        else assert.deepEqual([ran, reason, output, code], [true, "mark", "", exitCode], about);
        assert.ok(readFileSync(out).equals(Buffer.from(expected)), about);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        refused += 1;
        assert.ok(!existsSync(out), about);
      }
    }
    assert.ok(!existsSync(join(home, "no")));
    if (setting.shell !== "dash") assert.equal(refused, 0, "a shell that takes commands takes each");
    context.diagnostic(`${count} commands, ${refused} refused`);
  });
}
