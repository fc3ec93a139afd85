/** Texts with known effects, which are mixed into the others: where one of their effects is not seen, the tracer is broken and no result counts. */
import type { ObservedEffect } from "./observed-effects.ts";
import type { TracedText } from "./tracing-box.ts";

/** What is seen of a text, as `write /users/me/x`. */
export const controls: Readonly<Record<string, readonly string[]>> = {
  "cat README.md lf": ["run /usr/bin/cat", "read /users/me/project/README.md", "read /users/me/other/o.txt"],
  "echo x >lnk/../n": ["write /users/me/n"],
  "cd lnk && cd deep && mkdir -p made": ["run /usr/bin/mkdir", "write /users/me/other/deep/made"],
  "(cd src; cat ../key) & wait; cat data.csv": [
    "run /usr/bin/cat",
    "read /users/me/.ssh/id_rsa",
    "read /users/me/project/data.csv",
  ],
  "sort -o lf README.md": ["run /usr/bin/sort", "write /users/me/other/o.txt", "read /users/me/project/README.md"],
  "sed -i s/a/b/ lf": ["run /usr/bin/sed", "read /users/me/other/o.txt", "write /users/me/project/lf"],
  "cp -a lnk l2; cat l2/o.txt": [
    "run /usr/bin/cp",
    "write /users/me/project/l2",
    "mode /users/me/project/l2",
    "times /users/me/project/l2",
    "run /usr/bin/cat",
    "read /users/me/other/o.txt",
  ],
  "mv untracked.txt t": ["run /usr/bin/mv", "delete /users/me/project/untracked.txt", "write /users/me/project/t"],
  "mkdir d; rmdir d": ["run /usr/bin/mkdir", "run /usr/bin/rmdir", "scratch /users/me/project"],
  "rm names.txt; touch -h lf": [
    "run /usr/bin/rm",
    "delete /users/me/project/names.txt",
    "run /usr/bin/touch",
    "times /users/me/project/lf",
  ],
  "ls ~/.ssh": ["run /usr/bin/ls", "list /users/me/.ssh"],
  "echo x >/dev/tcp/127.0.0.1/9": ["network AF_INET"],
  "xargs -0 chmod u+x <names0": [
    "read /users/me/project/names0",
    "run /usr/bin/xargs",
    "run /usr/bin/chmod",
    "mode /users/me/project/src/a.txt",
    "mode /users/me/other/o.txt",
  ],
  ": >'a \"b\\\nc>d'; cat 'a '*": [
    'write /users/me/project/a "b\\\nc>d',
    "list /users/me/project",
    "run /usr/bin/cat",
    'read /users/me/project/a "b\\\nc>d',
  ],
  "kill -0 1": ["kill 1"],
};

/** Each once. */
export const shortForms = (effects: readonly ObservedEffect[]): readonly string[] => [
  ...new Set(effects.map(({ kind, target }) => `${kind} ${/^\{sa_family=(AF_\w+)/.exec(target)?.[1] ?? target}`)),
];

const CONTROL_EACH = 50;

/** With a control text after each 50. */
export function withControls(texts: readonly string[]): readonly string[] {
  const all = Object.keys(controls);
  return texts.flatMap((text, at) =>
    at % CONTROL_EACH === 0 ? [all[(at / CONTROL_EACH) % all.length] ?? "", text] : [text],
  );
}

/** What is wrong with the traces of control texts. */
export const controlProblems = (traced: readonly TracedText[]): readonly string[] =>
  traced.flatMap(({ text, effects }) => {
    const seen = shortForms(effects);
    const missing = (controls[text] ?? []).filter((effect) => !seen.includes(effect));
    return missing.length === 0 ? [] : [`${JSON.stringify(text)}: not seen: ${missing.join(", ")}`];
  });
