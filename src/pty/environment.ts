/** The environment of a program: the user's own, without variables of the outer terminal, npm and Lectern. */
import { dirname } from "node:path";

export interface CleanEnvironmentOptions {
  /** Overrides everything else; the only way to set a `LECTERN_` variable besides the platform. */
  readonly extra?: Readonly<Record<string, string>>;
}

/** True colour and the capabilities that every emulator has, under a name that every system has in its terminfo. */
const ourTerminal = { TERM: "xterm-256color", COLORTERM: "truecolor" };

/**
 * They describe the outer terminal, which a program in our terminal would then address. They are not
 * replaced by an identity of our own, because real agents react to known terminals with first-run dialogs.
 */
const outerTerminal =
  /^(TERM_PROGRAM(_VERSION)?|TERM_SESSION_ID|TERMCAP|TERMINFO|TERMINAL_EMULATOR|COLUMNS|LINES|COLORFGBG|TMUX(_PANE)?|STY|WINDOW|WINDOWID|VTE_VERSION|GPG_TTY|SSH_TTY|INSIDE_EMACS|VIM|VIMRUNTIME|NVIM|LC_TERMINAL(_VERSION)?|ITERM_.*|KITTY_.*|WEZTERM_.*|GHOSTTY_.*|ALACRITTY_.*|KONSOLE_.*|WT_(SESSION|PROFILE_ID)|ZELLIJ.*|VSCODE_.*)$/;

/**
 * They control the Node process that runs us (debugger, IPC channel, test runner) and would affect every Node process below it. A
 * Lectern in the session has the same platform: it looks for the socket at the same place.
 */
const ourProcess =
  /^(NODE_OPTIONS|NODE_CHANNEL_FD|NODE_CHANNEL_SERIALIZATION_MODE|NODE_UNIQUE_ID|NODE_TEST_CONTEXT|NODE_V8_COVERAGE|NODE_REPL_EXTERNAL_MODULE|ELECTRON_RUN_AS_NODE|LECTERN_(?!PLATFORM$).*)$/;

/** They describe the directory and shell that started us. */
const outerShell = /^(_|PWD|OLDPWD|SHLVL)$/;

/** Shell integration of an outer session; a shell in a new session gets its own. */
const isOuterHook = (name: string, value: string): boolean =>
  (name === "PS0" || name === "PROMPT_COMMAND") && value.includes("LECTERN_");

const npmNoise = /^(npm_.*|INIT_CWD|NODE|COLOR)$/;

/**
 * Takes the variables of the requesting process (the CLI, not the daemon) and returns those for a program in our terminal.
 * `COLUMNS` and `LINES` are never set: they would be wrong after the first resize, and programs ask the kernel anyway.
 */
export function cleanEnvironment(
  base: Readonly<Record<string, string | undefined>>,
  options: CleanEnvironmentOptions = {},
): Record<string, string> {
  const underNpm = base["npm_execpath"] !== undefined || base["npm_lifecycle_event"] !== undefined;
  const isDropped = (name: string): boolean =>
    outerTerminal.test(name) || ourProcess.test(name) || outerShell.test(name) || (underNpm && npmNoise.test(name));
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(base)) {
    if (value === undefined || isDropped(name) || isOuterHook(name, value)) continue;
    result[name] = name === "PATH" && underNpm ? withoutNpmDirectories(value, base) : value;
  }
  return { ...result, ...ourTerminal, ...options.extra };
}

/**
 * npm prepends the `node_modules/.bin` of the package and of every directory above it, and its own helper, to PATH; npx prepends
 * that of its cache. Only such a leading run comes from npm: the same directory further back is the user's.
 */
function withoutNpmDirectories(path: string, base: Readonly<Record<string, string | undefined>>): string {
  const packageFile = base["npm_package_json"];
  const start = packageFile === undefined ? base["npm_config_local_prefix"] : dirname(packageFile);
  const ofPackage = new Set(ancestorsOf(start ?? "/").map((directory) => `${directory}/node_modules/.bin`));
  const isNpms = (entry: string): boolean =>
    ofPackage.has(entry) ||
    entry.endsWith("/@npmcli/run-script/lib/node-gyp-bin") ||
    /\/_npx\/[0-9a-f]+\/node_modules\/\.bin$/.test(entry);
  const entries = path.split(":");
  const first = entries.findIndex((entry) => !isNpms(entry));
  return first === -1 ? path : entries.slice(first).join(":");
}

/** For `/a/b`: `/a/b`, `/a` and the root as an empty string. */
function ancestorsOf(directory: string): string[] {
  const parts = directory.split("/").filter((part) => part !== "");
  return [...parts.keys(), parts.length].map((length) =>
    parts
      .slice(0, length)
      .map((part) => `/${part}`)
      .join(""),
  );
}
