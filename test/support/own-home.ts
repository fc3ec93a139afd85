/**
 * The shells that a test starts find none of this machine's start-up files, which may print, ask or take long: pyenv's line in
 * `~/.bashrc` waits 60 s for a lock that a killed shell has left behind. And they read UTF-8: without a locale, the first byte of `ü` is a Meta key.
 * Nor does a program find out that it runs in CI: Gemini then refuses its terminal, and Ink draws only its last frame.
 * npm gives its scripts an `EDITOR` (vi), by which zsh chooses vi's keys, in which Ctrl-R searches nothing.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { makeFishHome } from "./fish-home.ts";
import { isTestProcess } from "./test-process.ts";

const ofCi = /^(?:CI|CI_.*|CONTINUOUS_INTEGRATION|GITHUB_ACTIONS)$/;

if (isTestProcess) {
  const home = mkdtempSync(join(tmpdir(), "lectern-home-"));
  // Which registry npm asks is a fact of the machine, not of the person.
  process.env["npm_config_userconfig"] ??= join(homedir(), ".npmrc");
  for (const name of Object.keys(process.env)) {
    if (
      /^XDG_(?:CONFIG|DATA|STATE)_HOME$|^(?:ZDOTDIR|BASH_ENV|ENV|PROMPT_COMMAND|EDITOR|VISUAL)$/.test(name) ||
      ofCi.test(name)
    )
      delete process.env[name];
  }
  process.env["HOME"] = home;
  makeFishHome(home);
  // Servers such as nats-server are there, and only root has it on its PATH.
  process.env["PATH"] = `${process.env["PATH"] ?? "/usr/bin:/bin"}:/usr/sbin`;
  if (!["LC_ALL", "LC_CTYPE", "LANG"].some((name) => process.env[name])) process.env["LANG"] = "C.UTF-8";
  process.on("exit", () => {
    try {
      rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    } catch {
      // A program that a test has ended may still write into it, which is no failure of the test.
    }
  });
}
