/**
 * The text without white space, to compare texts that were wrapped or indented differently.
 * `squash("npm  test\n"); // "npmtest"`
 */
export const squash = (text: string): string => text.replaceAll(/\s+/g, "");
