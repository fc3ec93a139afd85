/** Why a part of a shell text is opaque, which means that it cannot be understood without running it: a sentence for each reason. */
export const opaqueReasons = {
  syntax: "bash does not accept this text, or it cannot be parsed",
  "computed-name": "the program is only known when it runs",
  launcher: "it runs code in its words or input, or starts a program in a way that is not read",
  "computed-script": "the text of a script is only known when it runs",
  "input-script": "a shell runs what it reads from its input",
  arithmetic: "bash evaluates a value as arithmetic, which can run commands",
  expansion: "bash evaluates a value again",
  "unreadable-characters": "it has characters that show another text than bash reads",
  "confusable-name": "the name of the command has letters that look like others",
  "too-large": "it is too long",
  "too-deep": "it is nested too deeply",
  /** Of another language, or keys for a program that runs already. */
  program: "it is a program, which may call other tools",
  "no-text": "the call has no shell text",
  "working-directory": "an argument may change where the text runs",
  "second-text": "an argument beside the text may be shell text too",
  "unknown-words": "the record of the program does not know all of its words",
} as const;

export type OpaqueReason = keyof typeof opaqueReasons;
