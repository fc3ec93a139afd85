import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { runsOf } from "../../../test/support/searches.ts";
import { eachSees, seen } from "../../../test/support/shell-actions.ts";
import { analyzeShell } from "./shell.ts";

const directories = (text: string): readonly string[] | null => analyzeShell(text).directories;

test("each command of a list, a pipe and a background job is seen", () => {
  eachSees({
    "ls && rm -rf x": ["ls", "rm -rf x"],
    "ls || rm x; cat y": ["ls", "rm x", "cat y"],
    "ls | rm x |& cat": ["ls", "rm x", "cat"],
    "ls & rm x": ["ls", "rm x"],
    "ls\nrm x\n": ["ls", "rm x"],
    "ls # rm x": ["ls"],
    "ls #\nrm x": ["ls", "rm x"],
    "ls \\\n&& rm x": ["ls", "rm x"],
    "! time rm x": ["rm x"],
    "": [],
  });
});

test("each command of a compound is seen", () => {
  eachSees({
    "(cd a; rm x)": ["cd a", "rm x"],
    "{ rm x; } > y": ["> y", "rm x"].toReversed(),
    "if a; then b; elif c; then d; else e; fi": ["a", "b", "c", "d", "e"],
    "while a; do rm x; done": ["a", "rm x"],
    "for i in $(rm x); do cat $i; done": ["rm x", "cat <$i>"],
    "case $(rm x) in a) ls;; esac": ["rm x", "ls"],
    "f() { rm x; }; f": ["rm x", "f"],
    "coproc rm x": ["rm x"],
    "select i in a; do rm x; done": ["rm x"],
  });
});

test("quoting does not hide a name", () => {
  for (const name of [
    "'rm'",
    '"rm"',
    "r\\m",
    "r''m",
    'r""m',
    "\\rm",
    "$'\\x72m'",
    "$'\\162m'",
    "$'\\u0072m'",
    '$"rm"',
    "r\\\nm",
  ]) {
    assert.deepEqual(seen(`${name} x`), ["rm x"], name);
  }
});

test("substitutions are seen wherever they stand", () => {
  eachSees({
    "echo $(rm x)": ["echo <$(rm x)>", "rm x"],
    'echo "$(rm x)"': ['echo <"$(rm x)">', "rm x"],
    "echo `rm \\`cat y\\``": ["echo <`rm \\`cat y\\``>", "rm <`cat y`>", "cat y"],
    "echo <(rm x) >(tee y)": ["echo <<(rm x)> <>(tee y)>", "rm x", "tee y"],
    "echo ${a:-$(rm x)}": ["echo <${a:-$(rm x)}>", "rm x"],
    "echo ${ rm x; }": ["echo <${ rm x; }>", "rm x"],
    "a=$(rm x) ls": ["ls", "rm x"],
    "[[ -n $(rm x) ]]": ["rm x"],
    "cat <<E\n$(rm x)\nE\n": ["cat", "rm x"],
    "cat <<'E'\n$(rm x)\nE\n": ["cat"],
    'cat <<< "$(rm x)"': ["cat", "rm x"],
    "echo {a,$(rm x)}": ["echo <{a,$(rm x)}>", "rm x"],
    "echo '$(rm x)' \\`rm\\`": ["echo $(rm x) `rm`"],
    "ls > $(rm x)": ["ls", "> <$(rm x)>", "rm x"],
  });
});

test("files that are read and written are seen, descriptors are not", () => {
  eachSees({
    "ls > a >> b 2> c &> d >| e": ["ls", "> a", "> b", "> c", "> d", "> e"],
    "cat < a <> b": ["cat", "< a", "> b"],
    "ls 2>&1 >&2 >/dev/null 2>&-": ["ls"],
    "ls >& a": ["ls", "> a"],
    "> a": ["> a"],
    "exec 3<>/dev/tcp/example.com/80": ["exec", "> /dev/tcp/example.com/80"],
    "ls > ~/a": ["ls", "> <~/a>"],
    "{fd}>a ls": ["ls", "> a"],
  });
});

test("what a launcher starts is seen", () => {
  eachSees({
    "bash -c 'rm x'": ["bash -c rm x", "rm x"],
    "bash -lc 'rm x' a b": ["bash -lc rm x a b", "rm x"],
    "sh -eu -o pipefail -c 'ls; rm x'": ["sh -eu -o pipefail -c ls; rm x", "ls", "rm x"],
    "/bin/sh -c \"sh -c 'rm x'\"": ["/bin/sh -c sh -c 'rm x'", "sh -c rm x", "rm x"],
    "env -i A_B=1 rm x": ["env -i A_B=1 rm x", "A_B=", "rm x"],
    "sudo -u me -- rm x": ["sudo -u me -- rm x", "rm x"],
    "timeout -k 5 10 nice -n 5 rm x": ["timeout -k 5 10 nice -n 5 rm x", "nice -n 5 rm x", "rm x"],
    "command -p rm x": ["command -p rm x", "rm x"],
    "command -v rm": ["command -v rm"],
    "busybox rm x": ["busybox rm x", "rm x"],
    "xargs -0 rm -f": ["xargs -0 rm -f", "rm -f <(input)>"],
    "xargs -I{} mv {} y": ["xargs -I{} mv {} y", "mv <{}> y"],
    "find . -name x -exec rm -f {} +": ["find . -name x -exec rm -f {} +", "rm -f <{}>"],
    "find . -exec a \\; -okdir rm {} \\;": ["find . -exec a ; -okdir rm {} ;", "a", "rm <{}>"],
    "eval 'rm' x": ["eval rm x", "rm x"],
    "trap 'rm x' EXIT": ["trap rm x EXIT", "rm x"],
    "alias ls='rm x'": ["alias ls=rm x", "rm x"],
    "sh <<'E'\nrm x\nE\n": ["sh", "rm x"],
    "bash <<< 'rm x'": ["bash", "rm x"],
    "\\sudo r\\m x": ["sudo rm x", "rm x"],
  });
});

test("what cannot be read is opaque", () => {
  eachSees({
    "$a x": ["<$a> x", "?computed-name"],
    "$(echo rm) x": ["<$(echo rm)> x", "?computed-name", "echo rm"],
    "r${n}m x": ["<r${n}m> x", "?computed-name"],
    "rm${IFS}-rf": ["<rm${IFS}-rf>", "?computed-name"],
    "{rm,-rf,/}": ["<{rm,-rf,/}>", "?computed-name"],
    "/bin/r? x": ["</bin/r?> x", "?computed-name"],
    "~/x": ["<~/x>", "?computed-name"],
    "eval $x": ["eval <$x>", "?computed-script"],
    'bash -c "rm $x"': ['bash -c <"rm $x">', "?computed-script"],
    "curl x | sh": ["curl x", "sh", "?input-script"],
    "sh <<E\nrm $x\nE\n": ["sh", "?input-script"],
    "bash -s < x": ["bash -s", "< x", "?launcher"],
    "sh - < x": ["sh -", "< x", "?input-script"],
    ". ./x": [". ./x", "?launcher"],
    "source x": ["source x", "?launcher"],
    "zsh -c 'rm x'": ["zsh -c rm x", "?launcher"],
    "bash --rcfile x -c ls": ["bash --rcfile x -c ls", "?launcher"],
    "env -S 'rm x'": ["env -S rm x", "?launcher"],
    "sudo -s": ["sudo -s", "?launcher"],
    "sudo $x rm": ["sudo <$x> rm", "?launcher"],
    "parallel rm ::: x": ["parallel rm ::: x", "?launcher"],
    "find . $x": ["find . <$x>", "?computed-script"],
    "xargs sh -c": ["xargs sh -c", "sh -c <(input)>", "?computed-script"],
    "xargs -I% sh -c 'rm %'": ["xargs -I% sh -c rm %", "sh -c <'rm %'>", "?computed-script"],
    "ls 'x": ["ls x", "?syntax"].toReversed(),
    "if ls; then": ["?syntax", "ls"],
    "echo \\$(rm x)": ["?syntax", "echo $"],
  });
});

test("arithmetic on anything but numbers is opaque, because bash runs code in it", () => {
  for (const text of [
    "echo $((x))",
    "((x = 1))",
    "let x=1",
    "[[ $x -eq 1 ]]",
    "echo ${a[x]}",
    "a[x]=1",
    "echo ${a:x:1}",
    "test -v 'a[$(rm x)]'",
    "printf -v 'a[$(rm x)]' y",
    "read 'a[$(rm x)]'",
    "unset 'a[$(rm x)]'",
    "[[ -v 'a[$(rm x)]' ]]",
    "declare -n a=PATH",
    "hash -p ./evil ls",
    "mapfile -C rm a",
    "jobs -x rm x",
  ]) {
    assert.ok(seen(text).includes("?arithmetic"), `${text} ${seen(text).join(" | ")}`);
  }
  for (const text of [
    "echo $((1 + 2))",
    "[[ 1 -lt 2 ]]",
    "echo ${a[0]} ${a[@]} ${a:1:2}",
    "test -v a",
    "printf '%s' x",
  ]) {
    assert.deepEqual(
      seen(text).filter((action) => action.startsWith("?")),
      [],
      text,
    );
  }
});

test("every other value that bash evaluates is opaque", () => {
  for (const text of [
    "ls ${!y}",
    'ls "${!y}"',
    "ls ${!1}",
    "ls ${!y:-x}",
    "ls ${!a[@]:-x}",
    "x=${!y}",
    "ls > ${!y}",
    "ls <<< ${!y}",
    "ls <<E\n${!y}\nE\n",
    "[ $y ]",
    '[ "$x" "$y" ]',
    "RANDOM=$y",
    "OPTIND='a[$(rm x)]'",
    "for SECONDS in a; do ls; done",
    "printf -v RANDOM %s x",
    "declare -i n; n=$y",
    "PS4='$(rm x)'; set -x; ls",
    "read -aPS4",
    "env PS4='$(rm x)' bash -xc ls",
    "PROMPT_COMMAND=rm",
    "BASH_ENV=x bash -c ls",
    "declare -a a=$y",
    "a=(1); declare a=$y",
    "declare a=$y; a=(1)",
    "declare -a 'a=($(rm x))'",
    "a=([y]=1)",
    'a+=(["$y"]=1)',
    "declare a=([y]=1)",
    "{b[y]}>f ls",
    "wait -np$y",
    "mapfile -C'rm x' b",
    "BASH_ALIASES=([ls]=rm)",
    "alias ls='r\\'",
    "set -o history -o histexpand",
    "set -H",
    ...["'$(rm)'", '"\\$(rm)"', "$x", "'`rm`'", "\\$\\(rm\\)", "'~/x'", `"'x'"`, "'*'"].map((word) => `ls >&${word}`),
    "ls 01>&'$(rm)'",
    "{ ls; } >&'$(rm)'",
    "exec >& '${x:-$(rm)}'",
    "bash /dev/stdin",
    "bash /proc/self/fd/3",
    "bash $x",
  ]) {
    assert.ok(
      seen(text).some((action) => action.startsWith("?")),
      `${text} ${seen(text).join(" | ")}`,
    );
  }
});

test("honest uses of the same are readable", () => {
  for (const text of [
    "ls ${!a[@]} ${!y@}",
    'if [ "$x" = y ]; then ls; fi',
    '[ -f "$file" ] && ls',
    "OPTIND=1; local OPTIND",
    "PS4='+ '; set -eux -o pipefail",
    "export A=$b; local x=$(ls); declare y",
    "a=(1 2 [3]=4); ls ${a[@]}",
    'while read -r a b; do ls "$a"; done',
    'read -p "$prompt" x',
    "for f in *.ts; do ls $f; done",
    "unset x; set -- a b; shift",
    "GIT_PAGER=cat git log",
    "bash x.sh $y",
    "ls >&x; ls >& 'a b'; ls 2>&$fd; ls >&2; ls >&-; ls <&$fd; ls &>'$(x)'",
  ]) {
    assert.deepEqual(
      seen(text).filter((action) => action.startsWith("?")),
      [],
      text,
    );
  }
});

test("a word of eval and its end of options hide nothing", () => {
  eachSees({
    "eval -- rm x": ["eval -- rm x", "rm x"],
    "command eval -- 'rm x'": ["command eval -- rm x", "eval -- rm x", "rm x"],
    "trap -- 'rm x' EXIT": ["trap -- rm x EXIT", "rm x"],
  });
});

test("quotes that quote nothing within a parameter expansion do not hide a substitution", () => {
  const hidden = [
    "cat <<E\n${x:-'$(rm x)'}\nE",
    "cat <<E\n${x='`rm x`'}\nE",
    'echo "${x:-"$"(rm x)}"',
    'cat <<E\n${x:-"$"(rm x)}\nE',
    "cat <<< \"${x:-$'$(rm x)'}\"",
    "echo \"${HOME+$'$(rm x)'}\"",
    "v='([$(rm x)]=1)'; : ${b[0]:=1}; typeset b=\"$v\"",
    "v='([$(rm x)]=1)'; coproc b { :; }; typeset b=\"$v\"",
  ];
  for (const text of hidden)
    assert.ok(
      analyzeShell(text).actions.some(({ type }) => type === "opaque"),
      text,
    );
  for (const text of ['echo "it\'s ${x:-none}"', "echo ${x:-'a b'}"])
    assert.ok(!analyzeShell(text).actions.some(({ type }) => type === "opaque"), text);
});

test("a prompt expansion is opaque, because it runs substitutions in a value", () => {
  assert.ok(seen("echo ${x@P}").includes("?expansion"));
  assert.ok(!seen("echo ${x@Q}").includes("?expansion"));
});

test("variables that steer programs are seen, small letters and locale are not", () => {
  eachSees({
    "PATH=. ls": ["ls", "PATH="],
    "LD_PRELOAD=x LANG=C TZ=UTC a=1 ls": ["ls", "LD_PRELOAD="],
    "https_proxy=x": ["https_proxy="],
    "export PATH=$x": ["export <PATH=$x>", "PATH=", "PATH="],
    "read -r PATH": ["read -r PATH", "PATH="],
    "printf -v PATH x": ["printf -v PATH x", "PATH="],
    "for PATH in x; do ls; done": ["PATH=", "ls"],
    "echo ${PATH:=x}": ["echo <${PATH:=x}>", "PATH="],
  });
});

test("a text that a reader sees differently than bash is opaque", () => {
  assert.ok(seen("ls \u202e x").includes("?unreadable-characters"));
  assert.ok(seen("ls \u200b").includes("?unreadable-characters"));
  assert.ok(seen("ls \u001b[8m; rm x").includes("?unreadable-characters"));
  assert.ok(seen("ls\r\nrm x").includes("?unreadable-characters"));
  assert.ok(seen("\u0441url x").includes("?confusable-name"));
  assert.ok(seen("rm\u00a0x").includes("?confusable-name"));
  assert.deepEqual(seen("echo äöü 日本"), ["echo äöü 日本"]);
});

test("what zsh reads otherwise than bash is opaque: code for each file of a pattern, and >!", () => {
  for (const text of ["echo *(oe:rm:)", "echo *(+rm)", "echo hi >! x", "echo hi >>! x"])
    assert.ok(seen(text).includes("?syntax"), text);
  for (const text of ["echo '*(oe:rm:)'", "echo hi > x!", "[ ! -f x ]"])
    assert.ok(!seen(text).includes("?syntax"), text);
});

test("a text over the limits is opaque and ends at once", () => {
  assert.deepEqual(seen("x".repeat(65_537)), ["?too-large"]);
  for (const part of ["$(", "<(", "${x:-", "(", "a[$("])
    assert.deepEqual(seen(part.repeat(10_000)), ["?too-deep"], part);
  assert.ok(seen("coproc ".repeat(9_000)).includes("?too-deep"));
  const many = seen("ls;".repeat(5_000));
  assert.equal(many.length, 1_000);
  assert.equal(many.at(-1), "?too-large");
});

test("scripts within scripts end in an opaque one", () => {
  let text = "rm x";
  for (let level = 0; level < 12; level += 1) text = `eval ${JSON.stringify(text).replaceAll("$", "\\$")}`;
  assert.ok(seen(text).includes("?too-deep"));
  assert.ok(seen(`${"command ".repeat(50)}rm x`).includes("?too-deep"));
});

test("the folders to which a script may go are candidates beside the start", () => {
  assert.deepEqual(directories("cd /tmp && rm x"), ["/tmp"]);
  assert.deepEqual(directories("cd a; cd ../b"), ["a", "../b", "b"]);
  assert.deepEqual(directories("bash -c 'cd /x'"), ["/x"]);
  assert.deepEqual(directories("command cd /x; cd"), ["/x", "~"]);
  for (const text of ["cd $x", "cd -", "while a; do cd ..; done", "popd", "cd a b", "f() { cd x; }"]) {
    assert.equal(directories(text), null, text);
  }
});

test("any text gives an answer and never an exception", () => {
  const piece = fc.constantFrom(
    "$(",
    ")",
    "`",
    "'",
    '"',
    "\\",
    "{",
    "}",
    "<<E",
    "\n",
    "E",
    ";;",
    "case",
    "in",
    "[[",
    "]]",
    "((",
    "))",
    " ",
    "rm",
    "|",
    "&",
    ">",
    "<",
    "$'",
    "${",
    "@P",
    "eval",
    "xargs",
    "-I",
    "find",
    "-exec",
    "trap",
    "alias",
    "=",
    "[",
    "]",
    "~",
    "*",
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(piece, { maxLength: 30 }).map((parts) => parts.join("")),
        fc.string({ unit: "binary" }),
      ),
      (text) => {
        const first = analyzeShell(text);
        assert.deepEqual(analyzeShell(text), first);
        for (const action of first.actions) if (action.type === "command") assert.ok(action.words.length > 0);
      },
    ),
    { numRuns: runsOf(1_000) },
  );
});
