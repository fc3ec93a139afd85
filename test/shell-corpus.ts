/**
 * Reads the corpus of shell texts in `test/fixtures/shell/`: evasions, each with the harm that it does, and honest commands.
 * Its README describes the form.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Policy } from "../src/core/gate/policy.ts";
import { checkPolicyText } from "../src/core/gate/policy-text.ts";

/** The world that the texts assume. */
export const corpusContext = { workingDirectory: "/users/me/project", home: "/users/me", labels: [] };

/**
 * - `delete`: runs `rm`
 * - `read`: reads a secret, such as `~/.ssh/id_rsa`
 * - `write`: writes outside of the project, or what the next run executes
 * - `push`: overwrites or deletes a branch of a remote repository
 */
export type Harm = "delete" | "read" | "write" | "push";

export type PolicyName = "allow-list" | "deny-list";

export interface Evasion {
  /** The heading of its group. */
  readonly about: string;
  readonly harm: Harm;
  /** Real bash is to do the harm, if the programs are there. */
  readonly isRun: boolean;
  /** The policies that must not allow it. */
  readonly policies: readonly PolicyName[];
  readonly command: string;
}

const read = (name: string): string => readFileSync(join(import.meta.dirname, "fixtures/shell", name), "utf8");

interface Group {
  readonly heading: readonly string[];
  readonly commands: readonly string[];
}

/** Groups begin with `# heading`; a command of several lines stands between `<<<` and `>>>`, each other one is a line. */
export function groupsOf(text: string): readonly Group[] {
  const groups: { heading: readonly string[]; commands: string[] }[] = [];
  let block: string[] | undefined;
  for (const line of text.split("\n")) {
    if (line === "<<<") block = [];
    else if (line === ">>>" && block !== undefined) {
      groups.at(-1)?.commands.push(block.join("\n"));
      block = undefined;
    } else if (block !== undefined) block.push(line);
    else if (line.startsWith("# ")) groups.push({ heading: line.slice(2).split(" | "), commands: [] });
    else if (line !== "") groups.at(-1)?.commands.push(line);
  }
  return groups;
}

const harms: ReadonlySet<string> = new Set<Harm>(["delete", "read", "write", "push"]);

export const evasions: readonly Evasion[] = groupsOf(read("evasions.txt")).flatMap(({ commands, heading }) => {
  const [about = "", harm = "", mark] = heading;
  if (!harms.has(harm)) throw new Error(`The group "${about}" of evasions.txt names no harm`);
  const policies: readonly PolicyName[] = mark === "allow-list" ? [mark] : ["allow-list", "deny-list"];
  return commands.map((command) => ({ about, harm: harm as Harm, isRun: mark === "run", policies, command }));
});

export const honestCommands: readonly string[] = groupsOf(read("honest.txt")).flatMap(({ commands }) => commands);

/** The policies that the corpus is tried with. */
export const corpusPolicies: Readonly<Record<PolicyName, Policy>> = {
  "allow-list": policyOf("allow-list.yaml"),
  "deny-list": policyOf("deny-list.yaml"),
};

function policyOf(name: string): Policy {
  const checked = checkPolicyText(read(name));
  if (!checked.ok) throw new Error(`${name}: ${JSON.stringify(checked.problems)}`);
  return checked.policy;
}
