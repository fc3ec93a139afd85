/** Prints a completion script. */
import { defineCommand } from "../command.ts";
import { bashCompletion, fishCompletion, zshCompletion } from "../completion-scripts.ts";

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

export const completion = defineCommand({
  name: "completion",
  aliases: [],
  summary: "Print a shell script that completes commands and session names",
  details: [
    'bash: add eval "$(lectern completion bash)" to ~/.bashrc',
    "zsh:  lectern completion zsh > DIRECTORY/_lectern, with a DIRECTORY of $fpath",
    "fish: lectern completion fish > ~/.config/fish/completions/lectern.fish",
  ],
  arguments: [{ name: "shell", summary: "One of", choices: Object.keys(scripts) }],
  options: {},
  examples: ["lectern completion bash"],
  async run({ arguments: { shell } }, context) {
    // Loaded here, because the table imports this file.
    const { loadAll } = await import("../commands.ts");
    const script = shell === "zsh" ? scripts.zsh : shell === "fish" ? scripts.fish : scripts.bash;
    await context.write(script(await loadAll()));
    return 0;
  },
});
