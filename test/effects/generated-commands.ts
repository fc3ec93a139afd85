/**
 * Generates shell texts from the options that programs list themselves and from the paths of the tree of canaries, most of them harmless:
 * what no policy allows shows nothing.
 */
import { Random } from "../simulation/random.ts";
import { listedOptions, type ListedOption } from "./option-lists.ts";

/** The words of a program, and its operands: `F` a file, `N` a name that may be new, `D` a folder. */
type Sample = readonly [program: string, ...operands: readonly string[]];

const samples: readonly Sample[] = [
  ...[
    "cat",
    "head",
    "tail",
    "wc",
    "nl",
    "od",
    "hexdump",
    "base64",
    "tac",
    "rev",
    "fold",
    "fmt",
    "expand",
    "pr",
    "shuf",
  ].map((name): Sample => [name, "F", "F F", "GLOB"]),
  ...["sha256sum", "md5sum", "cksum", "stat", "file", "readlink", "realpath", "strings"].map((name): Sample => [
    name,
    "F",
    "GLOB",
  ]),
  ["ls", "", "D", "F"],
  ["du", "D"],
  ["sort", "F", "F F", "-u F"],
  ["uniq", "F", "F N"],
  ["cut", "-c1 F", "-d, -f1 F"],
  ["paste", "F F"],
  ["column", "F"],
  ["comm", "F F"],
  ["join", "F F"],
  ["cmp", "F F"],
  ["diff", "F F", "-r D D", "D D"],
  ["grep", "CANARY F", "-r CANARY D", "-R CANARY D", "-n a GLOB"],
  ["sed", "s/a/b/ F", "-n 1p F", "-i s/a/b/ F", "'w N' F", "-n '/a/w N' F", "-f F F", "-i.bak s/a/b/ F"],
  ["awk", "'{print $1}' F", "'{print > \"N\"}' F", "-f F F", "'{getline x < \"F\"}' F"],
  [
    "find",
    "D",
    "D -name '*.txt'",
    "-L D -name x",
    "D -type f -newer F",
    "D -fprint N",
    "D -exec cat {} +",
    "D -delete",
  ],
  ["xxd", "F", "F N"],
  ["jq", ". package.json", ". F"],
  ["cp", "F N", "F D", "-r D N", "-a F N", "F F D", "-t D F"],
  ["mv", "F N", "F D", "-t D F"],
  ["ln", "-s F N", "F N", "-sf F N"],
  ["install", "F N", "-D F N"],
  ["mkdir", "N", "-p N"],
  ["touch", "N", "F", "-r F N"],
  ["tee", "N <F", "-a N <F"],
  ["truncate", "-s 0 N"],
  ["dd", "if=F of=N", "if=F"],
  ["chmod", "+x F", "u+w F"],
  ["rm", "F", "-r D", "-rf dist"],
  ["split", "F N"],
  ["csplit", "F 1"],
  ["tar", "-cf N F", "-cf /tmp/t.tar D", "-czf N D", "-tf F"],
  ["gzip", "-k F", "-c F"],
  ["zip", "N F", "-r /tmp/z.zip D"],
  ["patch", "-i F", "F F"],
  ["curl", "http://127.0.0.1:9/", "-o N http://127.0.0.1:9/", "file:///users/me/.netrc"],
  ["xargs", "cat <F", "-a F wc -l", "-n1 echo <F"],
  ["env", "cat F", "-C D cat F", "A=1 sort F"],
  ["timeout", "5 cat F", "5 cp F N"],
  ["nice", "cat F", "-n 1 sort F"],
  ["date", "", "-r F", "-f F"],
  ["echo", "x", "*", "x >N"],
  ["printf", "'%s\\n' x", "x >N"],
  ["test", "-f F", "F -nt F"],
  ["tr", "a b <F"],
  ["make", "", "-n", "-C D"],
  ["bash", "-n F", "evil"],
  ["python3", "-m json.tool package.json", "-m json.tool package.json N", "-m py_compile F"],
  ["perl", "-ne print F", "-i -pe s/a/b/ F"],
  ["man", "-k x", "./README.md"],
  ["unzip", "-l F", "-d D F"],
  ["less", "F", "-o N F"],
  ["hostname", "", "-F F"],
  ["df", "F"],
  ["ps", "", "aux"],
  ["seq", "3"],
  ["basename", "F"],
  ["dirname", "F"],
  ["uname", "-a"],
  ["which", "cat"],
  ["nohup", "cat F"],
  ["stdbuf", "-o0 cat F"],
  ["flock", "N cat F"],
  ["setsid", "-w cat F"],
  ["time", "cat F"],
  ["openssl rand", "-hex 4", "-out N 4"],
  ["sqlite3", "N .tables"],
  ["numfmt", "--field=1 <F"],
  ["tsort", "F"],
  ["bc", "-q F"],
  ["cmp", "F -"],
  ["sum", "F"],
  ["b2sum", "F", "-c F"],
  ["ed", "-s F <names.txt"],
  ["script", "-qc 'cat F' N"],
  ["ssh-keygen", "-lf F", "-q -N x -f N"],
  ["gpg", "--version", "-o N --store F"],
  ["printenv", "PATH"],
  ["node", "src/main.js", "--check F"],
  ["git status", "", "F"],
  ["git diff", "", "F", "HEAD F", "--no-index F F", "--stat"],
  ["git log", "", "-p", "--oneline", "-- F"],
  ["git show", "", "HEAD:README.md", "--stat"],
  ["git reflog", "", "show"],
  ["git blame", "F"],
  ["git grep", "CANARY", "a -- F", "--no-index CANARY F"],
  ["git ls-files", "", "F", "-o"],
  ["git ls-tree", "HEAD"],
  ["git cat-file", "-p HEAD"],
  ["git shortlog", "HEAD"],
  ["git rev-list", "HEAD"],
  ["git rev-parse", "HEAD"],
  ["git describe", "--tags"],
  ["git branch", "", "new", "-a"],
  ["git tag", "", "v2"],
  ["git stash", "", "push", "list", "show"],
  ["git add", "F", ".", "-A"],
  ["git commit", "-m x", "-am x", "--amend --no-edit"],
  ["git mv", "F N", "F D"],
  ["git rm", "F", "--cached F", "-r D"],
  ["git checkout", "F", "side", "-- F", "-b new", "."],
  ["git restore", "F", "--staged F", "."],
  ["git switch", "side", "-c new"],
  ["git reset", "", "--hard", "HEAD F"],
  ["git merge", "side"],
  ["git rebase", "side"],
  ["git cherry-pick", "HEAD"],
  ["git revert", "--no-edit HEAD"],
  ["git init", "", "D", "--template=D"],
  ["git archive", "HEAD", "-o N HEAD"],
  ["git format-patch", "-1", "-1 -o D"],
  ["git bundle", "create N HEAD"],
  ["git clean", "-n", "-fd"],
  ["git worktree", "list", "add N"],
  ["git config", "--get user.name", "user.name x", "-l"],
  ["git apply", "F"],
  ["git fetch", "", "origin"],
  ["git push", "", "origin main"],
  ["git pull", "", "origin main"],
  ["git notes", "add -m x", "add -F F"],
  ["git remote", "", "-v"],
  ["git whatchanged", ""],
  ["git range-diff", "HEAD HEAD HEAD"],
  ["git diff-tree", "HEAD"],
  ["git diff-index", "HEAD"],
  ["git diff-files", ""],
  ["git check-ignore", "F", "--stdin <F"],
  ["git merge-base", "HEAD side"],
  ["git -C D", "status", "log", "mv README.md N"],
  ["git --no-pager", "log", "diff F", "branch"],
];

const inside = [
  "README.md",
  "src/a.txt",
  "src/b.txt",
  "src/deep/e.txt",
  "./README.md",
  "data.csv",
  "docs/d.md",
  "untracked.txt",
  "evil",
  "names.txt",
  "names0",
  "src/../README.md",
  "inside/a.txt",
  "/users/me/project/README.md",
  "package.json",
];
const outside = [
  "../other/o.txt",
  "lf",
  "key",
  "lnk/o.txt",
  "lnk/deep/d.txt",
  "lnk/../notes.txt",
  "abs/o.txt",
  "src/up/o.txt",
  "~/.netrc",
  "~/.ssh/id_rsa",
  "$HOME/.aws/credentials",
  "/users/me/notes.txt",
  "../../me/other/o.txt",
  ".env",
  ".envrc",
  ".git/config",
];
const newInside = [
  "out.txt",
  "src/n.txt",
  "docs/n",
  "/tmp/n.txt",
  "untracked.txt",
  "src/b.txt",
  "dist/n",
  "inside/n.txt",
];
const newOutside = [
  "../n.txt",
  "~/n.txt",
  "lnk/n.txt",
  "lnk/../n.txt",
  "lf",
  "key",
  "abs/n.txt",
  "src/up/n.txt",
  "/users/me/other/n.txt",
  ".git/hooks/pre-commit",
  "hooks/pre-commit",
  "package.json",
  "Makefile",
  ".envrc",
  ".vscode/tasks.json",
  ".github/workflows/x.yml",
  "../../me/project/evil",
];
const foldersInside = [".", "src", "docs", "src/deep", "inside", "/tmp", "dist"];
const foldersOutside = [
  "..",
  "lnk",
  "abs",
  "../other",
  "~",
  "~/.ssh",
  ".git",
  ".git/hooks",
  "hooks",
  "src/up",
  "lnk/..",
  "/users",
];
const globs = ["*.md", "src/*.txt", "*", "*/*.txt", "*/o.txt", "src/*/*", ".e*", "l*", "k?y", "s*/[ab].txt"];

/** What a value of that name may be, so that the program runs through. */
const values: readonly (readonly [names: RegExp, ...values: readonly string[]])[] = [
  [/FILE|OUTPUT|OUT|CONTENTS|INPUT|LIST|REFERENCE|RFILE|LOG|ARCHIVE|SNAPSHOT/, "N", "F"],
  [/DIR|TARGET|FOLDER|CHANGE/, "D"],
  [/NUM|COUNT|^N$|SIZE|BYTES|LINES|COLS|WIDTH|LEVEL|DEPTH|DAYS|SECONDS|MAX|SKIP|UNIFIED|ABBREV/, "1", "2", "4"],
  [/KEY|POS|COLUMN|FIELD|LIST|RANGE/, "1", "2"],
  [/SEP|DELIM|CHAR|STR|TEXT|SUFFIX|LABEL|PREFIX|PATTERN|EXPR|REGEX|GLOB|NAME/, "x", ":", "a"],
  [/WHEN|COLOR/, "never", "always"],
  [/MODE|PERM/, "644", "simple"],
  [/STYLE|FORMAT|PRETTY/, "full", "oneline", "%H", "a"],
  [/PROG|COMMAND|CMD|EXEC|PAGER/, "cat", "./evil", "gzip"],
  [/DATE|TIME|SINCE|UNTIL/, "2020-01-01", "now"],
  [/WORD|METHOD|ALGORITHM|TYPE/, "none", "all", "numeric"],
];
const anyValue = ["1", "x", "N", "F", "D", "all"];

/** In front of a command. */
const variables = [
  "TZ=:F",
  "TMPDIR=D",
  "GIT_TRACE2_EVENT=/users/me/trace",
  "GIT_TRACE=/users/me/trace",
  "GIT_INDEX_FILE=N",
  "GIT_DIR=D",
  "GIT_EXTERNAL_DIFF=./evil",
  "GIT_PAGER=./evil",
  "LD_DEBUG=all LD_DEBUG_OUTPUT=/users/me/ld",
  "LD_PRELOAD=./evil",
  "TAR_OPTIONS=--checkpoint=1",
  "POSIXLY_CORRECT=1",
  "MAGIC=F",
  "LC_ALL=C",
  "NO_COLOR=1",
  "CI=1",
  "PATH=.:$PATH",
  "LESSOPEN='|./evil %s'",
  "BASH_ENV=F",
  "HOME=D",
];

/** A command becomes another text; `X` is the command. */
const forms = [
  "X >N",
  "X >>N",
  "X 2>N",
  "X <F",
  "X | tee N",
  "X | cat",
  "X && echo done",
  "X || true",
  "X; ls D",
  "cd D && X",
  "(cd D; X)",
  "pushd D >/dev/null && X",
  "cd D; cd ..; X",
  "for f in F F; do cat $f; done; X",
  'for f in GLOB; do wc -l "$f"; done',
  'x=F; cat "$x"',
  "mv F t1; X; cat t1",
  "mv lnk t1; cat t1/o.txt",
  "cp -a lnk t1; cat t1/o.txt",
  "ln -s D t1; X; ls t1",
  "ln -s ../other t1 && echo x >t1/n",
  "mkdir -p N && X",
  "cat <<E >N\nx\nE",
  "echo F | xargs cat",
  "find D -name '*.txt' | xargs grep CANARY",
  "git ls-files | xargs wc -l",
  "cat $(git ls-files)",
  "if test -f F; then X; fi",
  'while read f; do cat "$f"; done <F',
  "env X",
  "timeout 5 X",
  "command X",
  "{ X; } >N",
  "cat <(X)",
  "X & wait",
];

export interface CommandSource {
  readonly words: string;
  readonly operands: readonly string[];
  readonly options: readonly ListedOption[];
}

/** What texts are made of on this machine. Starts each program once. */
export const commandSources = (): readonly CommandSource[] =>
  samples.map(([words, ...operands]) => ({
    words,
    operands,
    options: listedOptions(words.split(" ")).filter(({ name }) => !isEndless(words, name)),
  }));

/** A text that waits for ever shows nothing. */
export const isEndless = (words: string, option = ""): boolean =>
  /^(?:yes|watch|top|htop|dialog)$/.test(words) ||
  (words === "tail" && /^(?:-f|-F|--follow|--retry)$/.test(option)) ||
  option.startsWith("--inspect");

/** Operands for a program, or a subcommand. */
export const operandsOf = (words: string): readonly string[] | undefined =>
  samples.find(([program]) => program === words)?.slice(1);

/** A value for an option of this name. */
export const valueNamed = (option: string): string =>
  values.find(([names]) => names.test(option.toUpperCase()))?.[1] ?? "1";

const HARMLESS_SHARE = 0.7;
const OPTIONS_MAX = 3;

/** Texts from a seed; some may occur twice. */
export function generateTexts(sources: readonly CommandSource[], count: number, seed: number): readonly string[] {
  const random = new Random(seed);
  return Array.from({ length: count }, () => oneText(sources, random));
}

function oneText(sources: readonly CommandSource[], random: Random): string {
  const command = oneCommand(random.pick(sources), random);
  const form = random.chance(0.3) ? random.pick(forms) : "X";
  const variable = random.chance(0.05) && form.startsWith("X") ? `${random.pick(variables)} ` : "";
  return `${fillPaths(variable, random)}${fillPaths(form, random).replace("X", () => command)}`;
}

function oneCommand({ words, operands, options }: CommandSource, random: Random): string {
  const count = options.length === 0 || random.chance(0.2) ? 0 : random.int(1, OPTIONS_MAX);
  const chosen = Array.from({ length: count }, () => writtenOption(random.pick(options), random));
  const parts = [...chosen, random.pick(operands)];
  // Options behind the operands are options too.
  if (random.chance(0.15)) parts.reverse();
  return fillPaths([words, ...parts].filter((part) => part !== "").join(" "), random);
}

function writtenOption({ name, value, isOptional }: ListedOption, random: Random): string {
  if (value === undefined || (isOptional && random.chance(0.5))) return name;
  const known = values.find(([names]) => names.test(value.toUpperCase()));
  const [, ...usual] = known ?? [/./, ...anyValue];
  const text = random.pick(usual);
  if (name.startsWith("--")) return isOptional || random.chance(0.7) ? `${name}=${text}` : `${name} ${text}`;
  return isOptional || random.chance(0.3) ? `${name}${text}` : `${name} ${text}`;
}

/** A capital letter that stands alone, or glued to an option, becomes a path. */
export function fillPaths(text: string, random: Random): string {
  const isHarmless = random.chance(HARMLESS_SHARE);
  const pathOf = (safe: readonly string[], other: readonly string[]): string =>
    random.pick(isHarmless || random.chance(0.4) ? safe : other);
  return text.replaceAll(/(?<![A-Za-z0-9_.:/$-])(?:F|N|D|GLOB)(?![A-Za-z0-9_:-])/g, (kind) => {
    if (kind === "F") return pathOf(inside, outside);
    if (kind === "N") return pathOf(newInside, newOutside);
    return kind === "D" ? pathOf(foldersInside, foldersOutside) : random.pick(globs);
  });
}
