/**
 * Generates shell texts that try to do harm: a seeded grammar over the constructs by which bash runs more than it seems to, and mutations
 * of the corpus. test/shell-fuzz.test.ts executes what a policy allows of them.
 */
import fc from "fast-check";
import { evasions, honestCommands } from "../shell-corpus.ts";
import { constructs } from "./shell-constructs.ts";

const pick = (...texts: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...texts);

/** One for each canary of shell-box.ts. */
const harm = pick("rm x", "rm x", "cat ~/.ssh/id_rsa", "grep -r . ..", "echo x >~/out", "cp x ~/out");

const variable = pick("y", "y", "y", "y", "a", "b", "RANDOM", "OPTIND", "SECONDS", "PS4", "HISTCMD", "BASH_ENV", "1");
const payload = pick("a[$(HARM)]", "$(HARM)", "-v a[$(HARM)]", "($(HARM))", "([a[$(HARM)]]=1)", "HARM", "y", "`HARM`");
const before = pick(
  "",
  "",
  "",
  "a=(1); ",
  "declare -A b; ",
  "x=y; ",
  "set -x; ",
  "x=-v; ",
  "declare -a y; ",
  "shopt -s expand_aliases\n",
);
const given = fc.tuple(variable, payload, fc.nat(9)).map(([target, text, way]) => {
  if (target === "1") return `set -- '${text}'; y=$1`;
  const ways = [
    `${target}='${text}'`,
    `${target}="${text.replaceAll(/[$`]/g, "\\$&")}"`,
    `read -r ${target} <<< '${text}'`,
    `printf -v ${target} %s '${text}'`,
    `declare ${target}='${text}'`,
    `export ${target}='${text}'`,
    `: "\${${target}:='${text}'}"`,
    `for ${target} in '${text}'; do :; done`,
    `mapfile -t ${target} <<< '${text}'`,
    `getopts y ${target} '${text}'; ${target}='${text}'`,
  ];
  return ways[way] ?? "";
});
const used = pick(
  ...'$V|${V}|${!V}|"${!V}"|${!V:-x}|${!V@Q}|${V@P}|${V@Q}|${V@A}|${#V}|${V:1}|${V:V}|${V:1:V}|${a[V]}|${a[$V]}|${a[@]:V}|${#a[V]}|${!a[@]}|${!V*}|${V/x/$V}|${V#$V}|${V^^}|$((V))|$((1+V))|$[V]|${x:-${!V}}|$(echo ${!V})|~$V|{$V,x}|\'$V\'|"$V"|${V:-$V}|${@:V}|${@@P}|${*:1:1}|$1|${1}|${!1}|${!#}'.split(
    "|",
  ),
);
const use = fc.tuple(used, fc.nat(42), variable).map(([word, way, target]) => {
  const ways = [
    "ls W",
    "echo x W",
    "[ W ]",
    "[ -n W ]",
    "[ W = 1 ]",
    '[ "$x" W ]',
    "test W",
    "test -v W",
    "[[ W ]]",
    "[[ W -eq 1 ]]",

    "[[ -v W ]]",
    "x=W",
    "a=(W)",
    "a=([W]=1)",
    "a[W]=1",
    "declare a=W",
    "declare -a a=W",
    'declare "a=W"',
    "declare -i n=W",
    "local a=W",

    "read W <<< 1",
    "unset W",
    "printf W",
    "printf -v W x",
    "printf %d W",
    "let W",
    "export W",
    "ls > W",
    "ls >&W",
    "ls 1>& W",
    "{ ls; } 2>&W",
    "ls <<< W",
    "ls <<E\nW\nE",

    "case W in W) ls;; esac",
    "for i in W; do ls $i; done",
    "f() { ls W; }; f W",
    "shift W",
    "set -- W; ls $1",
    "eval W",
    "eval -- W",
    "{a[W]}>f ls",
    "wait -n W",
    `${target}=W; set -x; ls`,
  ];
  return (ways[way] ?? "").replaceAll("W", () => word.replaceAll("V", () => (target === "1" ? "y" : target)));
});

const evaluating = fc
  .tuple(before, given, pick("; ", "\n", " && "), fc.array(use, { minLength: 1, maxLength: 2 }), harm)
  .map(([first, set, between, uses, command]) =>
    `${first}${[set, ...uses].join(between)}`.replaceAll("HARM", () => command),
  );

const nested = fc.letrec<Record<"command", string>>((tie) => ({
  command: fc.oneof(
    { maxDepth: 2 },
    harm,
    fc.tuple(pick(...constructs), tie("command")).map(([construct, command]) => {
      const [first = "", ...others] = command.split(" ");
      const parts: Readonly<Record<string, string>> = { C: command, N: first, R: others.join(" ") };
      return construct.replaceAll(/(?<![A-Za-z_-])[CNR](?![A-Za-z_=])/g, (letter) => parts[letter] ?? letter);
    }),
  ),
})).command;

const rows = evasions.filter(({ isRun }) => isRun).map(({ command }) => command);
const tokensOf = (text: string): readonly string[] => text.match(/\s+|[\w./~-]+|./gs) ?? [];
const spare = pick(...new Set([...rows, ...honestCommands].flatMap(tokensOf)));

/** Some tokens of a row of the corpus left out, doubled, exchanged, quoted or replaced. */
const mutated = fc
  .tuple(pick(...rows), fc.array(fc.tuple(fc.nat(), fc.nat(6), spare), { minLength: 1, maxLength: 3 }))
  .map(([row, changes]) => {
    const tokens = [...tokensOf(row)];
    for (const [place, way, other] of changes) {
      const at = place % tokens.length;
      const token = tokens[at] ?? "";
      const next = (at + 2) % tokens.length;
      const ways: readonly (readonly string[])[] = [
        [],
        [token, token],
        [other],
        [token, other],
        [other, token],
        [`"${token}"`],
        [tokens[next] ?? ""],
      ];
      if (way === 6) tokens[next] = token;
      tokens.splice(at, 1, ...(ways[way] ?? []));
      if (tokens.length === 0) return row;
    }
    return tokens.join("");
  });

/** Only what starts fast: a text is to cost some milliseconds. */
const quick = honestCommands.filter((command) =>
  /^(?:ls|cat|grep|git|head|tail|cd|pwd|wc|sort|echo|find|tar|cp|mv|touch|mkdir|diff|du|sed|awk) [^;&|\n]*$/.test(
    command,
  ),
);
const first = fc.oneof(
  { weight: 4, arbitrary: pick(":", "echo y", "cd src", "x=1", "pwd", "printf y", "[ -f x ]") },
  pick(...quick),
);
const joined = fc.tuple(first, pick("; ", "\n", " && ", " | ", " & ", " || "), nested).map((parts) => parts.join(""));

/** Daily commands that read, with a place or a harm among their words: most are allowed, and those should do nothing. */
const places = pick(
  "..",
  "~",
  "~/",
  "../.",
  "src",
  ".",
  "x",
  "$HOME",
  "~/.ssh/id_rsa",
  "../.netrc",
  "../.*",
  "~/out",
  "-r",
  "-o",
  "--",
);
const displaced = fc
  .tuple(pick(...quick), fc.nat(), fc.oneof({ weight: 3, arbitrary: places }, spare), fc.boolean())
  .map(([command, place, word, isInstead]) => {
    const words = command.split(" ");
    words.splice(1 + (place % words.length), isInstead ? 1 : 0, word);
    return words.join(" ");
  });

/** The same texts for the same seed. */
export const generatedPrograms = (count: number, seed: number): readonly string[] => {
  const program = fc.oneof(
    { weight: 4, arbitrary: evaluating },
    { weight: 8, arbitrary: nested },
    { weight: 8, arbitrary: mutated },
    { weight: 4, arbitrary: joined },
    { weight: 2, arbitrary: displaced },
  );
  return fc.sample(program, { numRuns: count, seed });
};
