/** The table of the keys in Markdown, for docs/configuration.md. */
import { keysOf, type ConfigEntry, type PlacedKey } from "../src/core/config/config-section.ts";

export const configTable = (sections: Readonly<Record<string, ConfigEntry>>): string =>
  Object.entries(sections)
    .map(([name, entry]) => sectionTable(name, entry))
    .join("\n");

const sectionTable = (name: string, entry: ConfigEntry): string =>
  [
    `### ${name}`,
    "",
    ...("keys" in entry ? [entry.summary, ""] : []),
    "| key | form | default | what it does | project | counts |",
    "| --- | --- | --- | --- | --- | --- |",
    ...keysOf(name, entry).map(row),
    "",
  ].join("\n");

function row({ key, path }: PlacedKey): string {
  const variable = key.environment === undefined ? "" : ` \`${key.environment}\` wins.`;
  const cells = [
    `\`${path.join(".")}\``,
    key.type,
    defaultText(key.default),
    `${key.summary}${variable}`,
    projectWords[key.project ?? "no"],
    key.needsRestart === true ? "at the next start" : "after `lectern reload`",
  ];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

const projectWords = { sets: "yes", adds: "if yours has none", no: "no" } as const;

function defaultText(value: unknown): string {
  if (value === undefined) return "none";
  const isEmpty = typeof value === "object" && value !== null && Object.keys(value).length === 0;
  return isEmpty ? "none" : `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;
}
