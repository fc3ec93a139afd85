/**
 * Masks what looks like a secret in a text that leaves the machine, or is kept in a file that nobody may change. Better one word too many
 * than one too few: people can open the session. Names and repeated parts have a length, so that no text costs more than linear time.
 */

const MASK = "•••";

/** Each with the parts that stay: `$1` before the secret. */
const patterns: readonly (readonly [RegExp, string])[] = [
  // Keys in PEM, also if their end is not shown.
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, MASK],
  [/\b(bearer|basic|token)(\s+|[=:]\s*)[A-Za-z0-9._~+/-]{8,}=*/gi, `$1$2${MASK}`],
  // JSON Web Tokens.
  [/\beyJ[A-Za-z0-9_-]{8,1024}\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)?/g, MASK],
  // Of vendors: Anthropic, OpenAI, Stripe, GitHub, GitLab, Slack, Google, npm, AWS, Hugging Face, and Standard Webhooks.
  [/\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}/g, MASK],
  [/\b(?:gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|npm_|hf_|whsec_|tk_)[A-Za-z0-9_/+=-]{10,}/g, MASK],
  [/\bAIza[A-Za-z0-9_-]{30,}/g, MASK],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, MASK],
  // user:password@host
  [/(\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/gi, `$1${MASK}`],
  // Webhooks whose address is the secret.
  [/(hooks\.slack\.com\/services\/|discord(?:app)?\.com\/api\/webhooks\/)[^\s"'<>]+/gi, `$1${MASK}`],
  // NAME=value, "name": "value", --name value
  [
    /((?:^|[\s"'{,?&;(-])[\w.-]{0,64}(?:passw(?:or)?d|passphrase|secret|api[-_]?key|access[-_]?key|auth[-_]?token|access[-_]?token|credential)[\w.-]{0,64}["']?\s*(?:[=:]\s*|\s)["']?)(?![\s"'=:])[^\s"',;&)]{4,}/gi,
    `$1${MASK}`,
  ],
  [/((?:^|[\s"'{,?&;(])[\w-]{0,64}token["']?\s*[=:]\s*["']?)[^\s"',;&)]{6,}/gi, `$1${MASK}`],
  // Long random words in hexadecimal digits; a commit has 40, so more than that.
  [/\b[0-9a-f]{48,}\b/gi, MASK],
];

/**
 * `maskSecrets("curl -H 'Authorization: Bearer abcdefghijkl' https://x.example"); // "curl -H 'Authorization: Bearer •••' https://x.example"`
 */
export const maskSecrets = (text: string): string =>
  patterns.reduce((masked, [pattern, instead]) => masked.replaceAll(pattern, instead), text);
