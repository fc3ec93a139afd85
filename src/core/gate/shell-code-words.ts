/**
 * Programs that take code or a command in certain words only, such as `tar --to-command`, `docker exec` and `psql -c '\! ls'`; what
 * they get in other words is data. Programs for which every unknown option counts as code are in `shell-interpreters.ts`.
 */
import { longOptions } from "./shell-options.ts";

/** A program that takes code only in certain words. */
export interface CodeWords {
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

/** Long options by any prefix of their names, or words that match `words`. */
const options = (names: string, words: RegExp, others = ""): RegExp =>
  new RegExp(`${longOptions(names, others)}|${words.source}`);
const never = /(?!)/;

/** By the name of each program. */
export const byName = <Sign>(entries: readonly (readonly [names: string, sign: Sign])[]): ReadonlyMap<string, Sign> =>
  new Map(entries.flatMap(([names, sign]) => names.split(" ").map((name) => [name, sign] as const)));

/** Commands of a database's own shell that start programs or touch files. */
export const replCode =
  /(?:^|\s)\.(?:sh|sys|read|load|once|out|excel|import|backup|restore|save|clone)|\\[!coiwg]|^\s*(?:system|source|tee|pager|edit)\s|^--?(?:cmd|init|pager)|\b(?:load_extension|writefile|readfile|edit|fts3_tokenizer|install|load)\b\s*[('"]|\bprogram\s*['"]/im;

export const codeWords = byName<CodeWords>([
  ["deno", { words: /^(?:eval|repl|-)$|^--eval\b|data:/, runs: "alone" }],
  [
    "docker docker-compose podman nerdctl buildah kubectl oc lxc incus vagrant machinectl multipass wsl adb flatpak distrobox toolbox gcloud aws heroku fly flyctl",
    { words: /^(?:exec|run|ssh|rsh|shell|debug|enter|attach|unshare|start-session|send-command|execute-command)$/ },
  ],
  ["nvm fnm volta", { words: /^(?:run|exec)$/ }],
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
  ["sqlite3 duckdb psql mysql mariadb", { words: replCode }],
  // A page in a file includes other files (`.so`).
  ["man", { words: options("pager html local-file", /^-[A-Za-z]*[PHl]|\//) }],
  // A file with options, and names of files, that are not read here.
  ["strings nm objdump objcopy readelf size strip addr2line ranlib ar as tsc mypy ruff", { words: /^@/ }],
  ["less", { words: options("lesskey log-file LOG-FILE", /^\+(?!\d*$|[GgF]$)|^-[A-Za-z]*[koO]/) }],
  ["more most", { words: /^\+(?!\d*$)/ }],
  ["bat batcat delta", { words: options("pager", never) }],
  ["zip", { words: options("unzip-command", /^-[A-Za-z]*TT/) }],
  ["cpio", { words: options("rsh-command", never) }],
  ["gh glab", { words: /^(?:alias|codespace|cs|exec|ssh)$/ }],
  ["hg", { words: options("config", /^(?:debug.*|shell)$/) }],
  ["svn", { words: options("diff-cmd diff3-cmd editor-cmd config-option config-dir", never) }],
  ["jj", { words: options("config config-file config-toml", /^util$/) }],
  ["emacsclient", { words: options("eval alternate-editor", /^-[A-Za-z]*[ea]/) }],
  ["lldb", { words: options("one-line source", /^-[oOsSkK]/) }],
  ["gnuplot", { words: /^-[ec]/, runs: "program" }],
  ["nmap", { words: options("script script-args", /^-[A-Za-z]*C$/) }],
  ["tcpdump", { words: options("postrotate-command", /^-[A-Za-z]*z/) }],
  ["ssh-keygen", { words: /^-[A-Za-z]*D/ }],
  ["openssl", { words: /^-(?:engine|provider|provider-path|config)$/ }],
  ["dpkg", { words: options("pre-invoke post-invoke status-logger", never) }],
  ["apt apt-get aptitude", { words: options("option config-file", /^-[A-Za-z]*[oc]/) }],
  [
    "latex pdflatex xelatex lualatex tex pdftex",
    { words: /^--?(?:shell-escape|enable-write18)|\\(?:write18|directlua)/ },
  ],
  [
    "latexmk",
    { words: /^--?(?:e|r|shell-escape)$|^--?(?:pdf|xe|lua)?latex=|^--?(?:bibtex|biber|makeindex|pdf_previewer)/ },
  ],
  ["pandoc", { words: options("filter lua-filter pdf-engine", /^-[FL]/), runs: "files" }],
  // `cmake -E env COMMAND`
  ["cmake", { words: /^(?:env|time|chdir)$/, runs: "files" }],
  [
    "gcc g++ cc c++ clang clang++ gfortran",
    { words: /^-(?:wrapper|B|fplugin|specs|load|fpass-plugin|fuse-ld=.*\/)|^--?specs|^-Xclang$|^-Wl,.*-plugin|^@/ },
  ],
  ["ld", { words: options("plugin", /^-(?:plugin|load)|^@/) }],
  ["go", { words: /^--?(?:exec|toolexec|vettool)(?:=|$)|^-w$/ }],
  ["cargo", { words: options("config shell", /^-[A-Za-z]*s/) }],
  ["mvn mvnw", { words: /^exec:|-Dexec\.|ext\.class\.path/ }],
  ["gradle gradlew", { words: options("init-script settings-file", /^-[Ic]|jvmargs/) }],
  ["ant scons task rdmd", { words: /^-$/, runs: "files" }],
  ["just", { words: options("command shell shell-arg chooser", /^-[A-Za-z]*c/) }],
  ["bazel bazelisk", { words: options("run_under", never) }],
  ["jupyter", { words: /^(?:console|run|qtconsole)$/ }],
  ["flask django-admin rails", { words: /^(?:shell\w*|console|c|runner|r|dbshell|dbconsole|db)$/ }],
  ["wp drush", { words: /^(?:eval|ev|php|shell|db|sqlc?|ssh|php[:-].*|sql:.*)$|^--(?:exec|require|ssh)/ }],
  ["mix", { words: /^(?:-e|eval|cmd)$|^--e/ }],
  ["sbt", { words: /eval|^console$|^set / }],
  ["cabal stack", { words: /^(?:repl|ghci|runghc|runhaskell|eval|script|exec)$/ }],
  ["rake", { words: options("execute execute-print execute-continue require", /^-[A-Za-z]*[eEpr]/), runs: "files" }],
  ["java", { words: /^-(?:agentlib|agentpath|javaagent|XX:On)|^@/, runs: "files" }],
  ["dotnet", { words: /^fsi$/ }],
  ["nim zig crystal kotlinc", { words: /^(?:eval|-eval:.*)$/, runs: "files" }],
]);

/** They take only commands, for this or another machine; editors of the vi family take their keys from an input that is no terminal. */
export const alwaysCode: ReadonlySet<string> = new Set(
  (
    "ssh slogin mosh autossh sshpass dbclient rsh rexec socat entr nodemon hyperfine concurrently m4 dc ed nix-shell " +
    "ex vi vim vim.tiny vim.basic nvi nvim view vimdiff gvim gview gvimdiff rvim rview rgvim evim eview vimx " +
    "osqueryi ansible ansible-console salt salt-ssh salt-call pssh parallel-ssh pdsh clush dsh fab run-parts irb pry"
  ).split(" "),
);
