/** Prints a completion script. */
import { defineCommand } from "../command.ts";
import { bashCompletion, fishCompletion, zshCompletion } from "../completion-scripts.ts";

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

export const completion = defineCommand({
  name: "completion",
  aliases: [],
  summary: "Print a script that completes commands, options and session names",
  details: [
    'bash: put eval "$(lectern completion bash)" into ~/.bashrc',
    "zsh:  lectern completion zsh > a directory of $fpath, as _lectern",
    "fish: lectern completion fish > ~/.config/fish/completions/lectern.fish",
  ],
  arguments: [{ name: "shell", summary: "One of", choices: Object.keys(scripts) }],
  options: {},
  examples: ["lectern completion bash"],
  async run({ arguments: { shell } }, context) {
    // Loaded here: this file is one of those in the table.
    const { loadAll } = await import("../commands.ts");
    const script = shell === "zsh" ? scripts.zsh : shell === "fish" ? scripts.fish : scripts.bash;
    await context.write(script(await loadAll()));
    return 0;
  },
});
