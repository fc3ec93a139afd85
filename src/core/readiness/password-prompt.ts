/** Words with which programs ask for a secret, at the end of a line, before a colon or a question mark. */
const secretQuestion =
  /\b(pass(word|phrase|code|wort)|pin|otp|verification code|one-time code|secret|mot de passe|contraseña)\b[^\n]{0,80}[:?]\s*$/i;

/**
 * True if a line asks for a secret. Weak evidence, for when the kernel cannot report that the echo is off.
 * `asksForPassword("[sudo] password for ann: "); // true`
 */
export const asksForPassword = (line: string): boolean => secretQuestion.test(line);
