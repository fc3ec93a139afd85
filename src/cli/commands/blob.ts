/** Prints the whole of an output that was cut. */
import { defineCommand } from "../command.ts";

export const blob = defineCommand({
  name: "blob",
  aliases: [],
  summary: "Print the whole of an output that was cut, by its hash",
  details: [
    "Long outputs of tools and of lectern exec are shown with their head and tail; the hash stands where the middle is",
    "missing. They are as they came out of the terminal, with escape sequences. Of 1 GiB the newest are kept.",
  ],
  arguments: [{ name: "hash", summary: "SHA-256, or the first 8 or more characters of it" }],
  options: {},
  examples: ["lectern blob 2cf24dba5fb0a30e > output.txt"],
  async run({ arguments: { hash } }, context) {
    const client = await context.client();
    for await (const chunk of client.bytes("blobs.get", { hash }, { signal: context.signal }))
      await context.write(chunk);
    return 0;
  },
});
