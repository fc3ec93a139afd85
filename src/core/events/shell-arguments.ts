/** What a shell was started for, out of its command line. */

/** Options whose value is the next word. */
const withValue = /^(?:[-+][oO]|--rcfile|--init-file|--init-command|--features|--debug-output|-C)$/;
const takesCommand = /^(?:-[a-zA-Z]*c[a-zA-Z]*|--command(?:=.*)?)$/;
const isInteractive = /^(?:-[a-zA-Z]*[is][a-zA-Z]*|--interactive)$/;

/**
 * True where it runs a script or a command that was given to it, and has no prompt. False where it may have one, also in doubt.
 * `runsScript(["bash", "--norc", "-c", "read -p 'Go on? '"]); // true`
 */
export function runsScript([, ...words]: readonly string[]): boolean {
  let hasCommand = false;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? "";
    if (word === "--" || word === "-") return hasCommand || words[index + 1] !== undefined;
    // An operand is the script.
    if (!/^[-+]/.test(word)) return true;
    if (isInteractive.test(word)) return false;
    if (takesCommand.test(word)) hasCommand = true;
    else if (withValue.test(word)) index += 1;
  }
  return hasCommand;
}
