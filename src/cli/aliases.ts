/** Other names of commands. Not in their records, so that none has to be loaded to find one. */
export const aliases: Readonly<Record<string, string>> = {
  list: "ls",
  ps: "ls",
  a: "attach",
  start: "up",
  web: "open",
  keys: "key",
  messages: "chat",
  remove: "rm",
  create: "run",
  answer: "approve",
  input: "send",
};

/** Words that are no commands any more, or never were one, and what to use instead. */
export const movedCommands: Readonly<Record<string, string>> = {
  stop: '"lectern kill SESSION" ends a program, "lectern down" the daemon',
  agent: 'it is the program "examples/agent" of this package now; an agent of your own runs with "lectern run --wire"',
};

export const aliasesOf = (command: string): readonly string[] =>
  Object.keys(aliases).filter((alias) => aliases[alias] === command);
