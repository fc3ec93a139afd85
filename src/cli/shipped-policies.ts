/** The policies of the package, in `policies/`: a command takes their names in place of a file. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const shippedPolicies = ["coding", "review", "ci"] as const;
type ShippedPolicy = (typeof shippedPolicies)[number];

const directory = join(import.meta.dirname, "..", "..", "policies");

/** The policy that is meant by a word; undefined if the word is not one of the names. A file of that name is `./coding`. */
export const shippedPolicyOf = (word: string): ShippedPolicy | undefined =>
  shippedPolicies.find((name) => name === word);

const textOf = (name: "coding" | "review"): string => readFileSync(join(directory, `${name}.yaml`), "utf8");

/** The text, with its comments. */
export const shippedPolicyText = (name: ShippedPolicy): string =>
  name === "ci" ? asDenied(textOf("coding")) : textOf(name);

const ciHead = `# For an agent that works where no person is there to answer: what "coding" allows is allowed, and everything else is denied.
#
# `;

/** `ci` is `coding` with each ask as a deny. */
const asDenied = (text: string): string =>
  `${ciHead}${text.slice(text.indexOf("`does` is"))}`
    .replaceAll(/\b(effect|default|opaque): ask\b/g, "$1: deny")
    .replace("# Asked, whatever", "# Denied, whatever");
