/** What looks like a credential in texts that leave this machine is masked. It finds known forms, and nothing else. */

const MASK = "[secret]";

const forms: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}/g,
  /\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeoprs]-[\w-]{10,}|npm_[A-Za-z0-9]{20,})/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bAIza[\w-]{30,}/g,
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
];
/** `bearer X`, `password=X`, `"api_key": "X"`, `https://user:X@host`: the name stays. */
const named: readonly RegExp[] = [
  /(\bbearer\s+)[\w.~+/=-]{8,}/gi,
  /((?:api[_-]?key|access[_-]?key|token|secret|passw(?:or)?d)\w*\\?["']?\s*[=:]\s*\\?["']?)[^\s"'\\,;&]{4,}/gi,
  /(:\/\/[^\s/:@]{1,64}:)[^\s/@]{1,256}(?=@)/g,
];

/**
 * @example
 * ```ts
 * maskSecrets("curl -H 'Authorization: Bearer abcdefgh1234'"); // "curl -H 'Authorization: Bearer [secret]'"
 * ```
 */
export function maskSecrets(text: string): string {
  let masked = text;
  for (const form of forms) masked = masked.replace(form, MASK);
  for (const form of named) masked = masked.replace(form, `$1${MASK}`);
  return masked;
}
