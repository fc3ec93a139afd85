/**
 * Programs that take code, or a command to run, in their own words: `python3 -c`, `awk`, `ssh`, `tar --to-command`. What such a
 * word holds is not read, so the command is opaque. `sed` and `awk` are used for reading all day: their programs are read as far
 * as it takes to see that they start nothing and write nothing.
 */
import { gitCode } from "./git-words.ts";
import { normalizePath } from "./paths.ts";
import type { ShellWord } from "./shell-words.ts";

interface Interpreter {
  /** Options without a value, and options whose value is the next word. Any other option counts as code. */
  readonly flags: RegExp;
  readonly values?: RegExp;
  /** Ends the options: what follows belongs to the module (`python3 -m pytest -c x`). */
  readonly module?: RegExp;
}

/** For an interpreter its options; for a program that is otherwise ordinary, the words that are code or a command, or that name one. */
type CodeSign = Interpreter | RegExp;

/** By the name of each program. */
const byName = (entries: readonly (readonly [names: string, sign: CodeSign])[]): ReadonlyMap<string, CodeSign> =>
  new Map(entries.flatMap(([names, sign]) => names.split(" ").map((name) => [name, sign] as const)));

/** Programs whose name may end in a version: `python3.13`. */
const versioned = byName([
  [
    "python ipython pypy",
    {
      flags: /^-(?:[bBdEhIOPqsSuvVx?]+|[bBdEIOPqsSuvx]*[WX].+)$|^--(?:version|help|check-hash-based-pycs=\w+)$/,
      values: /^-[bBdEIOPqsSuvx]*[WX]$/,
      module: /^-[bBdEIOPqsSuvx]*m(?!(?:timeit|code|pdb|runpy|IPython|asyncio)$)/,
    },
  ],
  ["perl", { flags: /^-(?:[ctTuUvwWX]+|V.*)$/ }],
  [
    "ruby jruby",
    { flags: /^-(?:[cvwU]+|W\d?|[IrC].+)$|^--(?:version|help|yjit|jit|(?:en|dis)able=.*)$/, values: /^-[IrC]$/ },
  ],
  ["php", { flags: /^-[hilmnqv]+$|^--(?:version|help|ini)$/, values: /^-[cfSt]$/ }],
  ["lua luajit", { flags: /^-[vEW]+$|^-l.+$/, values: /^-l$/ }],
  ["osascript tclsh wish guile runghc jshell Rscript", { flags: /^--(?:version|help)$/ }],
  [
    "nodejs node tsx ts-node bun",
    /^-(?:[a-z]*[epi]|)$|^--(?:eval|print|interactive)\b|data:|^(?:exec|repl)$|^\/(?:dev|proc)\//,
  ],
  [
    "R julia elixir iex ghc ghci scala groovy swift clojure clj racket sbcl erl emacs octave maxima jq",
    /^-(?:[eEfxs]|eval|run)$|^-e|^--(?:eval|expression|exec|load|funcall|args?json)/,
  ],
]);

const unversioned = byName([
  ["deno", /^(?:eval|repl|-)$|data:/],
  ["ex vi vim nvi nvim view vimdiff gvim", /^\+|^-[a-zA-Z]*[cesS]|^--cmd/],
  [
    "docker podman nerdctl kubectl oc lxc incus vagrant machinectl multipass wsl adb flatpak distrobox toolbox gcloud heroku fly flyctl",
    /^(?:exec|run|ssh|shell|debug|enter|attach)$/,
  ],
  ["scp sftp rsync", /^-[A-Za-z0-9]*[SoeD]|^--(?:rsh|rsync-path)/],
  ["tar gtar bsdtar", /^-[A-Za-z]*[IF]|^--(?:checkpoint-a|to-c|use-c|rsh|info-s|new-v)/],
  [
    "make gmake ninja remake",
    /^-$|^--ev|^-E|^-f(?:-|\/dev\/|\/proc\/)|^--(?:make)?file=(?:-|\/dev\/|\/proc\/)|^(?:SHELL|MAKEFLAGS|\.SHELLFLAGS)[:+?]?=/,
  ],
  ["sort", /^--compress/],
  ["split", /^--fi/],
  ["rg ugrep ag ack", /^--(?:pre|pager|hostname-bin|filter)/],
  ["fd fdfind", /^-[A-Za-z]*[xX]|^--exec/],
  ["nc ncat netcat", /^-[A-Za-z]*[ce]|^--(?:sh-|lua-)?exec/],
  ["npx npm pnpm yarn bunx", /^(?:-c|--call(?:=.*)?|--shell(?:-auto-fallback)?(?:=.*)?|--script-shell(?:=.*)?)$/],
  ["sqlite3 psql mysql mariadb", /(?:^|\s)\.(?:sh|sys|read|load|once|out)|\\[!coi]|^--?(?:cmd|init)/],
  ["man", /^-[A-Za-z]*[PH]|^--(?:pager|html)/],
  ["zip", /^-[A-Za-z]*TT|^--unzip/],
]);

/** They take nothing but commands, here or on another machine. */
const alwaysCode: ReadonlySet<string> = new Set(
  (
    "ssh slogin mosh autossh sshpass dbclient rsh rexec socat entr nodemon hyperfine concurrently m4 dc ed nix-shell " +
    "osqueryi"
  ).split(" "),
);

const awks: ReadonlySet<string> = new Set(["awk", "gawk", "mawk", "nawk", "original-awk"]);
const seds: ReadonlySet<string> = new Set(["sed", "gsed"]);

/** Why the words of a command hold code that is not read; undefined where they hold none. `words` begins with the plain name. */
export function interpretedCode(words: readonly ShellWord[]): string | undefined {
  const name = words[0]?.value ?? "";
  if (name === "git") return gitCode(words);
  if (awks.has(name)) return isReadingAwk(words) ? undefined : code(name);
  if (seds.has(name)) return isReadingSed(words) ? undefined : code(name);
  if (alwaysCode.has(name)) return isQuestion(words) ? undefined : code(name);
  const sign = unversioned.get(name) ?? versioned.get(/^([A-Za-z-]+)[\d.]*$/.exec(name)?.[1] ?? name);
  if (sign === undefined) return undefined;
  const takes = sign instanceof RegExp ? hasCodeWord(words, sign) : takesCode(words, sign);
  return takes ? code(name) : undefined;
}

/** Without words some of them read their program from the input. */
function hasCodeWord(words: readonly ShellWord[], sign: RegExp): boolean {
  if (words.length === 1) return bareReaders.test(words[0]?.value ?? "");
  return words.slice(1).some((word) => sign.test(word.value ?? ""));
}

const bareReaders = /^(?:node|nodejs|tsx|bun|deno|R|julia|iex|ghci|octave)[\d.]*$/;

const code = (name: string): string => `"${name}" takes code that is not read`;

/** `ssh -V` */
const isQuestion = (words: readonly ShellWord[]): boolean =>
  words.length === 2 && /^(?:-V|--version|--help|-h)$/.test(words[1]?.value ?? "");

function takesCode(words: readonly ShellWord[], { flags, module, values }: Interpreter): boolean {
  let isFlagged = false;
  for (let at = 1; at < words.length; at += 1) {
    const value = words[at]?.value;
    if (value === undefined || value === "-") return true;
    if (value === "--") return words[at + 1]?.value === undefined;
    if (!value.startsWith("-")) return /^\/(?:dev|proc)\//.test(normalizePath(value));
    const next = words[at + 1]?.value;
    if (module?.test(value) === true) return value.endsWith("m") && (next === undefined || !module.test(`-m${next}`));
    if (values?.test(value) === true) at += 1;
    else if (!flags.test(value)) return true;
    isFlagged = true;
  }
  // Without a file it reads its program from the input; with options alone it answers a question, such as its version.
  return !(isFlagged && words.slice(1).every((word) => /^-[hvV]|^--(?:version|help|ini)/.test(word.value ?? "")));
}

/** Programs of this size are read. */
const programCharsMax = 2_000;

/** No command, no file but those named by the words, no computed function. */
function isReadingAwk(words: readonly ShellWord[]): boolean {
  let at = 1;
  for (; at < words.length; at += 1) {
    const value = words[at]?.value;
    if (value === undefined && !/^-[Fv]/.test(words[at]?.text ?? "")) return false;
    if (value === "-F" || value === "-v") {
      at += 1;
      if (words[at]?.value === undefined && words[at]?.isOne !== true) return false;
    } else if (value === "--") {
      at += 1;
      break;
    } else if (value === undefined || !/^-[Fv]./.test(value)) break;
  }
  const program = words[at]?.value;
  if (program === undefined || program.startsWith("-") || program.length > programCharsMax) return false;
  const plain = program.replaceAll("||", " ").replaceAll(">=", " ");
  return !/[|@]|system|getline|ARGV|close|fflush/.test(plain) && !(plain.includes(">") && plain.includes("print"));
}

const sedFlags =
  /^(?:-[nErszu]+|-i[^eEnrsuzf]*|-[nErszu]+i|--(?:quiet|silent|regexp-extended|in-place(?:=.*)?|null-data|posix|sandbox|version|help|separate|unbuffered))$/;

function isReadingSed(words: readonly ShellWord[]): boolean {
  const scripts: (string | undefined)[] = [];
  const operands: ShellWord[] = [];
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at];
    const value = word?.value;
    if (word === undefined) continue;
    if (value === "--") {
      operands.push(...words.slice(at + 1));
      break;
    }
    if (value !== undefined && (/^-[nErsz]*e$/.test(value) || value === "--expression"))
      scripts.push(words[(at += 1)]?.value);
    else if (value?.startsWith("--expression=") === true) scripts.push(value.slice("--expression=".length));
    else if (value === undefined || !value.startsWith("-") || value === "-") operands.push(word);
    else if (!sedFlags.test(value)) return false;
  }
  // GNU sed takes options behind the files too, so a computed word can be one.
  if (operands.some((word) => word.value === undefined && word.path === undefined && word.isOne !== true)) return false;
  const all = scripts.length > 0 ? scripts : operands.length > 0 ? [operands[0]?.value] : [];
  return all.every((script) => script !== undefined && isReadingScript(script));
}

const address = String.raw`(?:\d+(?:~\d+)?|\$|/(?:[^\\/\n[]|\\.|\[[^\]\n/]*\])*/[IM]*)`;
const sedCommand = new RegExp(
  String.raw`[\s;]*(?:#[^\n]*(?:\n|$)|(?:${address}(?:\s*,\s*(?:${address}|[+~]\d+))?\s*)?(?:!\s*)?(?:` +
    [
      String.raw`[pdDPnNgGhHx=lFz{}]`,
      String.raw`[qQ]\s*\d*`,
      String.raw`[bt]\s*\w*|:\s*\w+`,
      String.raw`[aic]\s*\\?\n?[^\\\n]*(?:\n|$)`,
      String.raw`s([/|#,@:!%+~])(?:(?!\1)[^\\\n[]|\\.|\[(?:(?!\1)[^\]\n])*\])*\1(?:(?!\1)[^\\\n]|\\[\s\S])*\1[gpiImM\d]*`,
      String.raw`y([/|#,@:!%+~])(?:(?!\2)[^\\\n]|\\.)*\2(?:(?!\2)[^\\\n]|\\.)*\2`,
    ].join("|") +
    String.raw`)[ \t]*(?=[;\n}#]|$|(?<=[{}]))|$)`,
  "y",
);

/** Every command of the script is one that only edits the text that passes. `[]]` and `[^]]` are read differently by programs. */
function isReadingScript(script: string): boolean {
  if (script.length > programCharsMax || /\[\^?\]/.test(script)) return false;
  let at = 0;
  while (at < script.length) {
    sedCommand.lastIndex = at;
    const end = sedCommand.exec(script) === null ? -1 : sedCommand.lastIndex;
    if (end <= at) return script.slice(at).trim() === "";
    at = end;
  }
  return true;
}
