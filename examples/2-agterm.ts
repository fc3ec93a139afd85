/** Commands and a REPL with a reliable end of each answer: node examples/2-agterm.ts */
import { openTerminal } from "lectern";

await using shell = await openTerminal("bash");
const { output, exitCode } = await shell.run("echo hello; false");
console.log({ output, exitCode });

await using python = await openTerminal(["python3", "-q"]);
console.log((await python.run("6 * 7")).output.trimEnd());
const { reason, asks } = await python.sendAndReadUntilReady("import getpass; getpass.getpass()");
console.log(`ready, by the ${reason}: it asks for a ${asks}`);
await python.sendCtrlC();
console.log((await python.readUntilReady()).asks, python.getHistory().includes("KeyboardInterrupt"));
