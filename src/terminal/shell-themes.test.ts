/** What a theme or a person changes in a running zsh or fish: its marks and its key are there again, at the latest with the next command. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ActShell } from "../../test/support/act-shell.ts";

interface Running {
  readonly command: readonly [string, ...string[]];
  readonly files: Readonly<Record<string, string>>;
  readonly fails: string;
  readonly changes: readonly string[];
}

const shells: Readonly<Record<"zsh" | "fish", Running>> = {
  zsh: {
    command: ["zsh", "-d"],
    files: { ".zshrc": "PS1='z> ' PS2='more> '\nprecmd_functions=() preexec_functions=()\n" },
    fails: "(exit 3)",
    changes: [
      "PROMPT='new> ' RPROMPT=right",
      "PS1=",
      "unset PS1 PROMPT_EOL_MARK",
      "precmd_functions=()",
      "preexec_functions=()",
      "unset precmd_functions preexec_functions",
      "precmd_functions=() preexec_functions=() PS1='new> ' PROMPT_EOL_MARK=",
      "theirs() { PROMPT='theirs> ' }; precmd_functions=(theirs)",
      "precmd() { PROMPT='theirs> ' }; preexec() { true }",
      "zle-line-init() { true }; zle -N zle-line-init",
      "zle -D zle-line-init; preexec_functions=()",
      "autoload -Uz add-zle-hook-widget; theirs() { true }; add-zle-hook-widget line-init theirs; precmd_functions=()",
      "source ~/.zshrc",
      "autoload -Uz promptinit; promptinit; prompt adam1",
      // As starship and oh-my-posh do it.
      "setopt promptsubst; theirs() { true }; precmd_functions=(theirs); preexec_functions=(theirs); PROMPT='$(echo \"s> \")' PROMPT2='m> '",
      "_omp_precmd() { PS1='o> ' }; precmd_functions+=(_omp_precmd); zle-line-init() { zle .reset-prompt }; zle -N zle-line-init",
      "setopt ksharrays",
      "setopt noprompt_sp noprompt_cr",
      "bindkey -v",
      "bindkey -d; precmd_functions=()",
      "readonly precmd_functions preexec_functions PS1 PS2 PROMPT_EOL_MARK",
      "precmd_functions=(); readonly precmd_functions",
    ],
  },
  fish: {
    command: ["fish"],
    files: { ".config/fish/config.fish": "set fish_greeting\n" },
    fails: "sh -c 'exit 3'",
    changes: [
      "functions -e fish_prompt",
      "function fish_prompt; echo -n 'new> '; end",
      "functions -e fish_prompt __lectern_inner_prompt",
      "function fish_right_prompt; echo right; end; function fish_mode_prompt; end",
      "function fish_prompt; commandline; printf '\\e[1ms> '; end",
      "source ~/.config/fish/config.fish",
      "fish_config prompt choose arrow",
      "functions -c fish_prompt theirs; function fish_prompt; theirs; echo -n more; end",
      "bind -e --all",
      "fish_vi_key_bindings",
    ],
  },
};

for (const [name, { command, files, fails, changes }] of Object.entries(shells)) {
  for (const change of changes) {
    test(`${name} has its marks and its key after "${change}"`, async () => {
      await using shell = await ActShell.start(command, { files });
      const from = shell.text.length;
      shell.type(`${change}\r`);
      await shell.prompt(from);
      const { output, code } = await shell.typed(`echo one; ${fails}`);
      assert.match(output, /one\n/);
      assert.equal(code, "3");
      const { answer, code: second } = await shell.act(`echo two!; ${fails}`);
      assert.deepEqual([answer, second], ["taken", "3"]);
    });
  }
}

test("zsh has its marks again with the command after next where one of its hooks is left", async () => {
  await using shell = await ActShell.start(shells.zsh.command, { files: shells.zsh.files });
  shell.type("zle-line-init() { true }; zle -N zle-line-init; precmd_functions=() PROMPT_EOL_MARK=\r");
  assert.equal((await shell.typed("echo one")).code, "0");
  assert.equal((await shell.typed("(exit 3)")).code, "3");
  assert.equal((await shell.act("echo two!")).answer, "taken");
});

test("a line that runs nothing has no beginning: an empty one, a comment, a history that there is not, an error", async () => {
  await using shell = await ActShell.start(shells.zsh.command, { files: { ".zshrc": "setopt interactivecomments" } });
  for (const line of ["", "# a comment", "!nothing", "echo )", "   "]) {
    const from = shell.text.length;
    shell.type(`${line}\r`);
    await shell.prompt(from);
    assert.doesNotMatch(shell.text.slice(from), /133;C/, line);
  }
  const from = shell.text.length;
  await shell.press("# a comment", { way: "plain" });
  await shell.prompt(from);
  assert.match(shell.text.slice(from), /;taken;[^]*;skipped;/);
  assert.doesNotMatch(shell.text.slice(from), /133;C/);
  const { output, code } = await shell.typed("(exit 3)");
  assert.deepEqual([output, code], ["", "3"]);
});

test("a hook of the user's own for the editor of zsh is called, also if it is set again", async () => {
  const hook = "theirs() { print -n '<theirs>' }; zle -N zle-line-init theirs\n";
  await using shell = await ActShell.start(shells.zsh.command, { files: { ".zshrc": hook } });
  for (const line of ["echo one", "source ~/.zshrc", "source ~/.zshrc", "echo two"]) {
    const from = shell.text.length;
    await shell.typed(line);
    // The mark may come before or behind it.
    await shell.until(/133;A[^]*<theirs>/, from);
    await shell.prompt(from);
  }
  assert.equal((await shell.act("echo three!")).output, "three!\n");
});

test("zsh shows no mark in its prompts and in its environment, and a file gets none", async () => {
  await using shell = await ActShell.start(shells.zsh.command, { files: shells.zsh.files });
  const { output } = await shell.typed('echo "$PS1$PS2$RPROMPT"; env | grep -c -e LECTERN -e "$PS1"');
  assert.equal(output, "z> more> \n0\n");
  await shell.typed("exec 3>&1 >file");
  await shell.typed("echo a line");
  assert.equal((await shell.act("echo a!")).answer, "taken");
  await shell.typed("exec >&3");
  assert.equal(shell.read("file"), "a line\na!\n");
});
