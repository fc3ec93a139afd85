/**
 * Recognises programs that take code or a command in their arguments: `python3 -c`, `awk`, `ssh`, `tar --to-command`. That code is not
 * analysed, so the command is opaque. For `sed`, `awk` and substitutions of Perl see `shell-editors.ts`.
 */
import { gitTakesCode } from "./git-words.ts";
import { alwaysCode, byName, codeWords, type CodeWords } from "./shell-code-words.ts";
import { isEditor, onlyEdits } from "./shell-editors.ts";
import { namesInput } from "./shell-options.ts";
import { mayBeOption, valueAt, type ShellWord } from "./shell-words.ts";

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

type CodeSign = Interpreter | CodeWords;

/** Programs whose name may end in a version: `python3.13`. */
const versioned: ReadonlyMap<string, CodeSign> = byName<CodeSign>([
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
    "R julia iex ghci scala swift racket sbcl octave maxima raku perl6 bb ocaml utop bpython ptpython mongosh mongo kotlin",
    {
      words: /^-(?:[eEfxs]|ne|pe|eval|run)$|^-e|^--(?:eval|expression|exec|load|funcall|batch-string)|^repl$/,
      runs: "program",
    },
  ],
  [
    "elixir ghc groovy clojure clj erl emacs",
    { words: /^-(?:[eEfxs]|eval|run)$|^-e|^--(?:eval|expression|exec|load|funcall)/, runs: "files" },
  ],
  [
    "jq",
    {
      words:
        /^-(?:[eEfxs]|eval|run)$|^-e|^--(?:eval|expression|exec|load|funcall|args?json)|(?:^|[^.$\w])(?:import|include)(?:\s|#.*\n)*"/,
    },
  ],
]);

/** Python modules that take code as arguments or from the input, and those that run a file or another module. */
const codeModules =
  /^(?:timeit|code|pdb|bdb|runpy|IPython|asyncio|idlelib|_?pyrepl|ipdb|pudb|bpython|ptpython|debugpy|ipykernel|jupyter_console)(?:\.(?!py$)|$)/;
const runningModules =
  /^(?:cProfile|profile|profiling|trace|doctest|pickle|coverage|kernprof|line_profiler|memory_profiler|viztracer|pyinstrument|scalene)(?:\.|$)/;

/** The dynamic linker as a program runs the file of its arguments (ld.so(8)). */
const dynamicLinker = /^ld(?:-linux.*|-musl.*|64)?\.so/;

/** `python3.13` is `python`, and `gcc-13` is `gcc`. */
function signOf(name: string): CodeSign | undefined {
  const base = /^([A-Za-z+-]+?)-?[\d.]*$/.exec(name)?.[1] ?? name;
  return codeWords.get(name) ?? versioned.get(base) ?? codeWords.get(base);
}

/** Is it one of the programs that this file knows? */
export const isKnownForCode = (name: string): boolean =>
  name === "git" || isEditor(name) || alwaysCode.has(name) || signOf(name) !== undefined;

/** True if the arguments may contain code that is not analysed. `words` begins with the plain name. */
export function takesCode(words: readonly ShellWord[]): boolean {
  const name = valueAt(words, 0);
  if (name === "git") return gitTakesCode(words);
  if (onlyEdits(words)) return false;
  if (isEditor(name)) return true;
  if (alwaysCode.has(name) || dynamicLinker.test(name)) return !isQuestion(words);
  const sign = signOf(name);
  if (sign === undefined) return false;
  return "words" in sign ? hasCodeWord(words, sign) : interpretsCode(words, sign);
}

function hasCodeWord(words: readonly ShellWord[], { first, runs, words: pattern }: CodeWords): boolean {
  let hasFile = runs === undefined || runs === "files";
  let isOver = false;
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at];
    const value = word?.value;
    isOver ||= value === "--";
    if (word === undefined || value === undefined) {
      if (!hasFile || (runs !== undefined && word?.isStream === true)) return true;
      if (word !== undefined && !isOver && mayBeOption(word)) return true;
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
  words.length === 2 && /^(?:-[vVh]|-?-version|-?-help)$/.test(valueAt(words, 1));

const plainQuestion = /^(?:-[hvVim]|--(?:version|help|ini))$/;

function interpretsCode(words: readonly ShellWord[], sign: Interpreter): boolean {
  const { command, complete, flags, module, values } = sign;
  let needsFile = true;
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at];
    const value = word?.value;
    if (value === undefined) return true;
    if (value === "--") return isUnreadFile(words[at + 1]);
    if (!value.startsWith("-") || value === "-")
      return isUnreadFile(word) || command?.test(value) === true || isConsole(value, words[at + 1]);
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

/** `manage.py shell` and `artisan tinker` run code of their words or of the input. */
const isConsole = (file: string, next: ShellWord | undefined): boolean =>
  /(?:^|\/)(?:manage\.py|artisan|rails)$/.test(file) &&
  /^(?:shell\w*|tinker|console|runner|dbshell|dbconsole)$/.test(next?.value ?? "shell");

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
