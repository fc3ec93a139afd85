/** What the words of a dialog mean: the effect of an option, the kind of a question. */
import type { ApprovalKind, ApprovalOption } from "./approval.ts";

const denies =
  /^(?:no\b|n$|deny|den(?:y|ied)\b|reject|cancel|abort|decline|refuse|don'?t\b|do not\b|skip\b|exit\b|quit\b|never\b|keep planning)/i;
const allows =
  /^(?:yes\b|y$|allow|approve|accept|always\b|proceed|continue|run\b|trust|confirm|ok\b|okay\b|apply|enable|grant|t$)/i;
const always =
  /\balways\b|^yes, and\b|\bdon'?t ask again\b|\bdo not ask again\b|\bthis session\b|\bevery session\b|\bfor this user\b|\bin this project\b|\bfrom this project\b|\bswitch to\b|\bauto[- ](?:accept|approve)\b|\ball\b.*\bedits\b|\bremember\b|\byolo\b|^t$/i;

/** `effectOf("Yes, and don't ask again"); // "allow-always"` */
export function effectOf(label: string): ApprovalOption["effect"] {
  if (denies.test(label)) return "deny";
  if (!allows.test(label)) return "other";
  return always.test(label) ? "allow-always" : "allow";
}

const login =
  /\blog ?in\b|\bsign(?:ed)? in\b|\bauthenticat|\bAPI[- ]?key\b|\bpassword\b|\bpassphrase\b|\bverification code\b|\busername\b/i;
const trust = /\btrust(?:ed)?\b|\bauthenticity of host\b|\bcontinue connecting\b/i;
const permission =
  /\b(?:allow|approve|permission|proceed|execut(?:e|ion)|run|apply|make this edit|create|overwrite|delete|remove|invoke|edit|write|fetch|connect|install|upgrade|continue)\b/i;

/** `question` is the line that asks. Without two opposite effects it is no permission. */
export function kindOf(question: string, options: readonly ApprovalOption[]): ApprovalKind {
  // An answer that trusts a tool for good is one of those to a permission.
  const isAllowed = /^(?:allow|approve)\b/i.test(question);
  if (
    (trust.test(question) && !isAllowed) ||
    options.some(({ label }) => /^(?:yes, )?i trust\b|^trust (?:folder|parent)/i.test(label))
  )
    return "trust";
  if (login.test(question)) return "login";
  const effects = new Set(options.map(({ effect }) => effect));
  const isChoice = effects.has("deny") && (effects.has("allow") || effects.has("allow-always"));
  return isChoice && (permission.test(question) || question === "") ? "permission" : "question";
}
