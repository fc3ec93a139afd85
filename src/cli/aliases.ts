/** Other names of commands. Not in their records, so that none has to be loaded to find one. */
export const aliases: Readonly<Record<string, string>> = {
  list: "ls",
  ps: "ls",
  a: "attach",
  start: "up",
  stop: "down",
  web: "open",
  keys: "key",
  messages: "chat",
  remove: "rm",
  create: "run",
  answer: "approve",
  input: "send",
};

/** Commands of earlier versions, and what has replaced them. */
export const movedCommands: Readonly<Record<string, string>> = {
  agent: 'it is the program "examples/agent" of this package now; an agent of your own runs with "lectern run --wire"',
};

export const aliasesOf = (command: string): readonly string[] =>
  Object.keys(aliases).filter((alias) => aliases[alias] === command);
