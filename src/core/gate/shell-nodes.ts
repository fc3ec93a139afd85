/** What single nodes of the syntax tree say: values, inputs, and the places where bash evaluates text as code (bash manual 3.5.3, 6.5). */
import type { Assignment, Command, ParameterExpansionPart, Redirection, Word, SyntaxNode } from "unbash";
import { bodyOf } from "./shell-inputs.ts";
import { isPlainNumber } from "./shell-variables.ts";
import { resolveWord } from "./shell-words.ts";

const substitutions = (text: string): number => text.match(/\$[({[]|`/g)?.length ?? 0;

/** Why a parameter expansion may run code. */
export function evaluatedIn(node: ParameterExpansionPart, text: string): readonly ("arithmetic" | "expansion")[] {
  const { index, operation, prefix } = node;
  const reasons: ("arithmetic" | "expansion")[] = [];
  // `${!y}` expands the value of y again; `${!y@}` and `${!y[@]}` only list names and keys.
  const lists = operation?.type === "Names" || (operation === undefined && /^[@*]$/.test(index?.value ?? ""));
  if (prefix === "!" && !lists) reasons.push("expansion");
  if (index !== undefined && !/^[@*]$/.test(index.value) && !isPlainNumber(index.value)) reasons.push("arithmetic");
  if (operation?.type === "Unknown") reasons.push("expansion");
  // Within double quotes and here-documents the single quotes of `${x:-'$(c)'}` do not quote: `c` runs.
  if (text.includes("'") && /\$[({]|`/.test(text.slice(2))) reasons.push("expansion");
  // There double quotes end without a trace, so that the dollar of `${x:-"$"(c)}` joins the bracket: `c` runs.
  if (text.includes('"') && substitutions(text.replaceAll('"', "")) !== substitutions(text)) reasons.push("expansion");
  if (operation?.type === "Transform" && !/^[QEAKaUuLk]$/.test(resolveWord(operation.operand).value ?? ""))
    reasons.push("expansion");
  const bounds = operation?.type === "Slice" ? [operation.offset, operation.length] : [];
  if (bounds.some((bound) => bound !== undefined && !isNumberWord(bound))) reasons.push("arithmetic");
  return reasons;
}

/**
 * A word with an expansion that the parser has left in plain text: it is none where the text is quoted, and then it is a part of its own. The
 * check does not depend on why the parser has left it there.
 */
export const hidesExpansion = ({ parts, text }: Word): boolean =>
  parts === undefined ? hasExpansion(text) : parts.some((part) => part.type === "Literal" && hasExpansion(part.text));

/** zsh reads the brackets of `*(e:rm x:)` and `*(+f)` as a qualifier, which runs code for each file; to bash they are a pattern. */
export const mayRunQualifier = ({ parts }: Word): boolean =>
  parts?.some((part) => part.type === "ExtendedGlob" && /[e+]/.test(part.text)) === true;

const expansion = /\$[({[]|`|[<>]\(/;

/** The backslashes are looked at last: almost no text gets so far. */
const hasExpansion = (text: string): boolean => expansion.test(text) && expansion.test(text.replaceAll(/\\[^]/g, " "));

/** Bash expands the target of an output `>&` twice: substitutions, quotes and tildes in the result of the first have an effect. */
export const expandsAgain = ({ descriptor, operator }: Redirection): boolean =>
  operator === ">&" && (descriptor === undefined || (descriptor.type === "FileDescriptor" && descriptor.value === 1));

/** Undefined if the shell computes it, such as the elements of a list. */
export const valueOf = ({ value }: Assignment): string | undefined =>
  value.type === "Word" ? resolveWord(value).value : undefined;

export const isNumberWord = (word: Word): boolean => isPlainNumber(resolveWord(word).value ?? "x");

/** The last input redirection applies, as in bash. */
export function inputOf(node: Command): string | undefined {
  const last = node.redirects.findLast((redirect) => redirect.type !== "Redirect" || redirect.operator.startsWith("<"));
  if (last === undefined || last.type === "Redirect" || last.descriptor !== undefined) return undefined;
  if (last.type === "HereString") return last.target === undefined ? undefined : resolveWord(last.target).value;
  return bodyOf(last);
}

/** The part between the brackets of `for ((...)); do`. */
export const loopHeader = (text: string): string => /^for\s*\(\((.*)\)\)[\s;]*(?:do\b|\{)?\s*$/s.exec(text)?.[1] ?? "[";

/** Ignores quotes. Checked first because thousands of open brackets cost the parser seconds. */
export function bracketDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x28 || code === 0x7b) deepest = Math.max(deepest, (depth += 1));
    else if ((code === 0x29 || code === 0x7d) && depth > 0) depth -= 1;
  }
  return deepest;
}

/** Does it run again, later, or beside what is next to it in the text? */
export function runsApart(node: SyntaxNode): boolean {
  if (node.type === "Statement") return node.background === true;
  if (node.type === "Pipeline") return node.commands.length > 1;
  return /^(?:While|For|ArithmeticFor|Select|Function|Coproc|CommandExpansion|ProcessSubstitution)$/.test(node.type);
}
