import { defineCommand, type Command } from "../command.ts";
import { bashCompletion, fishCompletion, zshCompletion } from "../completion-scripts.ts";

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;
const shell = { name: "shell", summary: "One of", choices: Object.keys(scripts) } as const;

export const completionOf = (loadAll: () => Promise<Command[]>) =>
  defineCommand({
    name: "completion",
    summary: "Print a shell script that completes commands and session names",
    details: [
      'bash: add eval "$(lectern completion bash)" to ~/.bashrc',
      "zsh:  lectern completion zsh > DIRECTORY/_lectern, with a DIRECTORY of $fpath",
      "fish: lectern completion fish > ~/.config/fish/completions/lectern.fish",
    ],
    arguments: [shell],
    options: {},
    examples: ["lectern completion bash"],
    async run({ arguments: given }, context) {
      await context.write(scripts[given.shell as keyof typeof scripts](await loadAll()));
    },
  });
