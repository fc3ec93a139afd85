/**
 * Recognises programs that take code or a command in their arguments: `python3 -c`, `awk`, `ssh`, `tar --to-command`. That code is not
 * analysed, so the command is opaque. Exceptions are `sed` and `awk`, which agents use to read files: a program of theirs passes if it
 * verifiably starts nothing and writes nothing.
 */
import { gitTakesCode } from "./git-words.ts";
import { longOptions, namesInput } from "./shell-options.ts";
import type { ShellWord } from "./shell-words.ts";

interface Interpreter {
  /** Options without a value. An option that is neither here nor in `values` counts as code. */
  readonly flags: RegExp;
  /** Options whose value is the next word. */
  readonly values?: RegExp;
  /** Ends the options and names a Python module, in itself or in the next word: what follows belongs to the module. */
  readonly module?: RegExp;
  /** Options with which it needs no file and does not run its input. */
  readonly complete?: RegExp;
  /** A word in place of the file that takes code. */
  readonly command?: RegExp;
}

/** A program that takes code only in certain words. */
interface CodeWords {
  /** Words that contain or announce code or a command. */
  readonly words: RegExp;
  /** The same for the first word alone. */
  readonly first?: RegExp;
  /**
   * It runs files. Without a file, `files` programs do something else, `alone` programs run their input. `program`: as `alone`, and a
   * word behind an option can be the option's value.
   */
  readonly runs?: "files" | "alone" | "program";
}

type CodeSign = Interpreter | CodeWords;

/** Long options by any prefix of their names, or words that match `words`. */
const options = (names: string, words: RegExp, others = ""): RegExp =>
  new RegExp(`${longOptions(names, others)}|${words.source}`);
const never = /(?!)/;

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
      module: /^-[bBdEIOPqsSuvx]*m(.*)$/,
      complete: /^-(?:[hV?]|VV)$|^--(?:version|help)$/,
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
    "nodejs node tsx ts-node",
    {
      flags: new RegExp(
        "^(?:-[cvhTs]|--(?!(?:eval|print|interactive)=)[a-z0-9_-]+=(?!.*data:).*|--(?:no|trace|harmony)[_-](?!event-)[a-z0-9_-]+|" +
          "--(?:version|help|v8-options|check|test|test-only|test-force-exit|watch|watch-preserve-output|inspect|inspect-brk|" +
          "inspect-wait|expose[_-]gc|enable-source-maps|preserve-symlinks|preserve-symlinks-main|throw-deprecation|" +
          "pending-deprecation|abort-on-uncaught-exception|frozen-intrinsics|prof|cpu-prof|heap-prof|permission|allow-addons|" +
          "allow-child-process|allow-worker|allow-wasi|allow-net|use-system-ca|insecure-http-parser|" +
          "experimental-(?:strip-types|transform-types|vm-modules|wasm-modules|json-modules|test-coverage|test-module-mocks|" +
          "test-snapshots|sqlite|websocket|permission|require-module|detect-module|worker|eventsource|webstorage|" +
          "import-meta-resolve|fetch|modules)|transpile-only|esm|files|swc|pretty|prefer-ts-exts|no-cache))$",
      ),
      values:
        /^(?:-[rCPOID]|--(?:require|import|conditions|loader|experimental-loader|env-file|env-file-if-exists|title|run|test-name-pattern|test-skip-pattern|test-reporter|test-reporter-destination|test-timeout|test-concurrency|test-shard|watch-path|input-type|unhandled-rejections|dns-result-order|stack-trace-limit|redirect-warnings|tsconfig|project|compiler-options|cwd))$/,
      complete: /^(?:-[vh]|--(?:version|help|v8-options|test|test-only|run|run=.*))$/,
      command: /^(?:inspect|debug)$/,
    },
  ],
  ["bun", { words: /^-(?:[a-z]*[epi]|)$|^--(?:eval|print|interactive)\b|data:|^(?:exec|repl)$/, runs: "alone" }],
  [
    "R julia iex ghci scala swift racket sbcl octave maxima",
    { words: /^-(?:[eEfxs]|eval|run)$|^-e|^--(?:eval|expression|exec|load|funcall)/, runs: "program" },
  ],
  [
    "elixir ghc groovy clojure clj erl emacs",
    { words: /^-(?:[eEfxs]|eval|run)$|^-e|^--(?:eval|expression|exec|load|funcall)/, runs: "files" },
  ],
  ["jq", { words: /^-(?:[eEfxs]|eval|run)$|^-e|^--(?:eval|expression|exec|load|funcall|args?json)/ }],
]);

const unversioned = byName([
  ["deno", { words: /^(?:eval|repl|-)$|data:/, runs: "alone" }],
  ["ex vi vim nvi nvim view vimdiff gvim", { words: /^\+|^-[a-zA-Z]*[cesS]|^--cmd/ }],
  [
    "docker podman nerdctl kubectl oc lxc incus vagrant machinectl multipass wsl adb flatpak distrobox toolbox gcloud heroku fly flyctl",
    { words: /^(?:exec|run|ssh|shell|debug|enter|attach)$/ },
  ],
  ["scp sftp rsync", { words: /^-[A-Za-z0-9]*[SoeD]|^--(?:rsh|rsync-path)/ }],
  [
    "tar gtar bsdtar",
    {
      words: options(
        "checkpoint-action to-command use-compress-program rsh-command rmt-command info-script new-volume-script",
        /^-[A-Za-z]*[IF]/,
        "checkpoint",
      ),
      // Bundled letters without a dash.
      first: /^[A-Za-z0-9]*[IF]/,
    },
  ],
  [
    "make gmake ninja remake",
    {
      // Make expands the value of a variable, and runs the value of `!=`.
      words: options(
        "eval",
        /^-[bBdeikLmnpqrRsStvw]*E|^(?:SHELL|MAKEFLAGS|\.SHELLFLAGS)[:+?]*=|^[\w.-]+!=|=.*\$[({]\s*(?:shell|eval|call|file|guile|load)\b/s,
      ),
      runs: "files",
    },
  ],
  ["sort", { words: options("compress-program", never) }],
  ["split", { words: options("filter", never) }],
  ["install ginstall", { words: options("strip-program", never, "strip") }],
  ["rg ugrep ag ack", { words: options("pre pager hostname-bin filter", /^--(?:pre|pager|hostname-bin|filter)/) }],
  ["fd fdfind", { words: /^-[A-Za-z]*[xX]|^--exec/ }],
  ["nc ncat netcat", { words: options("sh-exec lua-exec exec", /^-[A-Za-z]*[ce]/) }],
  [
    "npx npm pnpm yarn bunx",
    { words: /^(?:-c|--call(?:=.*)?|--shell(?:-auto-fallback)?(?:=.*)?|--script-shell(?:=.*)?)$/ },
  ],
  ["sqlite3 psql mysql mariadb", { words: /(?:^|\s)\.(?:sh|sys|read|load|once|out)|\\[!coi]|^--?(?:cmd|init)/ }],
  ["man", { words: options("pager html", /^-[A-Za-z]*[PH]/) }],
  ["zip", { words: options("unzip-command", /^-[A-Za-z]*TT/) }],
]);

/** Python modules that take code as arguments or from the input, and those that run a file or another module. */
const codeModules =
  /^(?:timeit|code|pdb|bdb|runpy|IPython|asyncio|idlelib|_?pyrepl|ipdb|pudb|bpython|ptpython|debugpy|ipykernel|jupyter_console)(?:\.(?!py$)|$)/;
const runningModules =
  /^(?:cProfile|profile|profiling|trace|doctest|pickle|coverage|kernprof|line_profiler|memory_profiler|viztracer|pyinstrument|scalene)(?:\.|$)/;

/** They take only commands, for this or another machine. */
const alwaysCode: ReadonlySet<string> = new Set(
  (
    "ssh slogin mosh autossh sshpass dbclient rsh rexec socat entr nodemon hyperfine concurrently m4 dc ed nix-shell " +
    "osqueryi"
  ).split(" "),
);

const awks: ReadonlySet<string> = new Set(["awk", "gawk", "mawk", "nawk", "original-awk"]);
const seds: ReadonlySet<string> = new Set(["sed", "gsed"]);

/** True if the arguments may contain code that is not analysed. `words` begins with the plain name. */
export function takesCode(words: readonly ShellWord[]): boolean {
  const name = words[0]?.value ?? "";
  if (name === "git") return gitTakesCode(words);
  if (awks.has(name)) return !isReadingAwk(words);
  if (seds.has(name)) return !isReadingSed(words);
  if (alwaysCode.has(name)) return !isQuestion(words);
  const sign = unversioned.get(name) ?? versioned.get(/^([A-Za-z-]+)[\d.]*$/.exec(name)?.[1] ?? name);
  if (sign === undefined) return false;
  return "words" in sign ? hasCodeWord(words, sign) : interpretsCode(words, sign);
}

function hasCodeWord(words: readonly ShellWord[], { first, runs, words: pattern }: CodeWords): boolean {
  let hasFile = runs === undefined || runs === "files";
  for (let at = 1; at < words.length; at += 1) {
    const value = words[at]?.value;
    if (value === undefined) {
      if (!hasFile || (runs !== undefined && /^[<>]\(/.test(words[at]?.text ?? ""))) return true;
      continue;
    }
    if (pattern.test(value) || (at === 1 && first?.test(value) === true)) return true;
    if (runs !== undefined && namesInput(value)) return true;
    const isValue = runs === "program" && words[at - 1]?.value?.startsWith("-") === true && !/\.\w+$/.test(value);
    hasFile ||= !value.startsWith("-") && !isValue;
  }
  return !hasFile && !isQuestion(words);
}

/** `ssh -V` */
const isQuestion = (words: readonly ShellWord[]): boolean =>
  words.length === 2 && /^(?:-[vVh]|-?-version|-?-help)$/.test(words[1]?.value ?? "");

const plainQuestion = /^(?:-[hvVim]|--(?:version|help|ini))$/;

function interpretsCode(words: readonly ShellWord[], sign: Interpreter): boolean {
  const { command, complete, flags, module, values } = sign;
  let needsFile = true;
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at];
    const value = word?.value;
    if (value === undefined) return true;
    if (value === "--") return isUnreadFile(words[at + 1]);
    if (!value.startsWith("-") || value === "-") return isUnreadFile(word) || command?.test(value) === true;
    const name = module?.exec(value)?.[1];
    if (name !== undefined) {
      const from = name === "" ? at + 1 : at;
      return runsModule(name === "" ? words[from]?.value : name, words.slice(from + 1));
    }
    if (complete?.test(value) === true) needsFile = false;
    if (values?.test(value) === true) {
      at += 1;
      if (isUnreadValue(words[at])) return true;
    } else if (!flags.test(value) || namesInput(value)) return true;
  }
  // Without a file it runs its input, except that options such as `--version` only print something.
  if (complete !== undefined) return needsFile;
  return words.length === 1 || !words.slice(1).every((word) => plainQuestion.test(word.value ?? ""));
}

/** No file, a computed one, or the input. */
const isUnreadFile = (word: ShellWord | undefined): boolean => word?.value === undefined || namesInput(word.value);

/** An option's value can be a file or a URL of code; a computed one can become several words. */
const isUnreadValue = (word: ShellWord | undefined): boolean =>
  word?.value === undefined ? word?.isOne !== true : word.value.includes("data:") || namesInput(word.value);

/** Does a Python module run code from its arguments, from the input, or from another such module? */
function runsModule(name: string | undefined, rest: readonly ShellWord[]): boolean {
  if (name === undefined || codeModules.test(name)) return true;
  if (!runningModules.test(name)) return false;
  return rest.some(({ value }) => {
    if (value === undefined || namesInput(value) || (value.startsWith("-c") && name !== "trace")) return true;
    return codeModules.test(value.replace(/^-[A-Za-z]*?m(?=.)/, ""));
  });
}

/** Longer `sed` and `awk` programs count as code. */
const programCharsMax = 2_000;

/** The program runs no command, opens only the files of the words, and calls no computed function. */
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
  // GNU sed accepts options after the files, so a computed word can be one.
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

/** True if each command of the script only edits the text that passes through. Programs disagree about `[]]` and `[^]]`. */
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
