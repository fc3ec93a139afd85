import assert from "node:assert/strict";
import { test } from "node:test";
import { cleanEnvironment } from "./environment.ts";

const terminal = { TERM: "xterm-256color", COLORTERM: "truecolor" };

test("cleanEnvironment keeps what is the user's and names our terminal", () => {
  const base = { HOME: "/root", LANG: "C.UTF-8", NO_COLOR: "1", EDITOR: "nano", TERM: "dumb", GONE: undefined };
  assert.deepEqual(cleanEnvironment(base), {
    HOME: "/root",
    LANG: "C.UTF-8",
    NO_COLOR: "1",
    EDITOR: "nano",
    ...terminal,
  });
});

test("cleanEnvironment drops the outer terminal, the outer shell, the process that runs us, and every token of ours", () => {
  const names =
    "TERM_PROGRAM TERM_PROGRAM_VERSION TMUX TMUX_PANE STY WINDOWID VTE_VERSION COLUMNS LINES KITTY_WINDOW_ID WEZTERM_PANE " +
    "VSCODE_INJECTION ITERM_SESSION_ID GPG_TTY PWD OLDPWD SHLVL _ NODE_OPTIONS NODE_CHANNEL_FD NODE_TEST_CONTEXT " +
    "NODE_UNIQUE_ID LECTERN_TOKEN LECTERN_SOCKET";
  const base = Object.fromEntries(names.split(" ").map((name) => [name, "x"]));
  assert.deepEqual(cleanEnvironment(base), terminal);
});

test("cleanEnvironment sets the extra variables last, and only so a variable of ours", () => {
  const extra = { TERM: "vt100", LECTERN_SESSION: "build" };
  assert.deepEqual(cleanEnvironment({ LECTERN_SESSION: "other" }, { extra }), { ...terminal, ...extra });
});

test("a Lectern in a session has the platform of the one outside", () => {
  const base = { LECTERN_PLATFORM: "portable", LECTERN_PLATFORMS: "x" };
  assert.deepEqual(cleanEnvironment(base), { ...terminal, LECTERN_PLATFORM: "portable" });
});

test("cleanEnvironment undoes what npm run adds, and only that", () => {
  const path = [
    "/srv/ann/app/node_modules/.bin",
    "/srv/ann/node_modules/.bin",
    "/srv/node_modules/.bin",
    "/node_modules/.bin",
    "/usr/lib/node_modules/npm/node_modules/@npmcli/run-script/lib/node-gyp-bin",
    "/usr/bin",
    "/srv/ann/app/node_modules/.bin",
    "/other/node_modules/.bin",
  ].join(":");
  const npm = {
    npm_execpath: "/usr/lib/npm-cli.js",
    npm_config_user_agent: "npm/11",
    npm_package_json: "/srv/ann/app/package.json",
    INIT_CWD: "/srv/ann/app",
    NODE: "/usr/bin/node",
    COLOR: "0",
  };
  assert.deepEqual(cleanEnvironment({ ...npm, PATH: path }), {
    PATH: "/usr/bin:/srv/ann/app/node_modules/.bin:/other/node_modules/.bin",
    ...terminal,
  });
  assert.equal(cleanEnvironment({ PATH: path, COLOR: "0" })["PATH"], path, "without npm the same PATH is the user's");
  const npx = { npm_execpath: "x", PATH: "/root/.npm/_npx/0a1b/node_modules/.bin:/usr/bin" };
  assert.equal(cleanEnvironment(npx)["PATH"], "/usr/bin");
});

test("cleanEnvironment drops the hooks of an outer session's shell, and keeps the user's own", () => {
  const outer = { PS0: "\\e]133;C;${LECTERN_MARK-}", PROMPT_COMMAND: 'eval "${LECTERN_HOOK-}"' };
  assert.equal(cleanEnvironment(outer)["PS0"], undefined);
  assert.equal(cleanEnvironment(outer)["PROMPT_COMMAND"], undefined);
  assert.equal(cleanEnvironment({ PROMPT_COMMAND: "history -a" })["PROMPT_COMMAND"], "history -a");
});
