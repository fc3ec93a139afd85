/** Here-documents that the text contains literally, and the commands that only print one: `cat <<'E'`. */
import type { Command, HereDoc, Script, SyntaxNode } from "unbash";

/** Undefined if the shell computes a part of it. */
export function bodyOf({ body, delimiter, operator }: HereDoc): string | undefined {
  if (delimiter?.quoted !== true && (body.parts !== undefined || /[\\$`]/.test(body.text))) return undefined;
  return operator === "<<-" ? body.text.replaceAll(/^\t+/gm, "") : body.text;
}

/** The only command of a script, if it is a plain one in the foreground. */
export function soleCommand({ commands }: Pick<Script, "commands">): Command | undefined {
  const [statement, ...others] = commands;
  const isPlain = others.length === 0 && statement?.background !== true && statement?.command.type === "Command";
  return isPlain ? statement.command : undefined;
}

/** What the command prints, if it is `cat` with a literal here-document and nothing else. In a text that redefines no names. */
export function printedDocument(node: SyntaxNode): string | undefined {
  if (node.type !== "Command" || node.name?.text !== "cat" || node.args.length > 0) return undefined;
  const [document, ...others] = node.redirects;
  const isAlone = others.length === 0 && node.prefix.length === 0 && document?.type === "HereDoc";
  return isAlone && document.descriptor === undefined ? bodyOf(document) : undefined;
}

/** The value of `"$(cat <<'E' ... E)"`: bash removes the line feeds at the end. */
export function printedBy(script: Script | undefined): string | undefined {
  const command = script === undefined || hasErrors(script) ? undefined : soleCommand(script);
  return command === undefined ? undefined : printedDocument(command)?.replace(/\n+$/, "");
}

const hasErrors = (script: Script): boolean => "errors" in script && script.errors !== undefined;

/** Has the command an input of its own? */
export const readsElsewhere = (node: Command): boolean =>
  node.redirects.some((redirect) => redirect.type !== "Redirect" || redirect.operator.startsWith("<"));
