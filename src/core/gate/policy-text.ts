/** Policies as the daemon and the command line read them: a text in YAML, whose shell commands are judged. */
import { checkPolicy } from "./policy-files.ts";
import type { PolicyResult } from "./policy.ts";
import { shell } from "./shell-calls.ts";
import { yaml } from "./yaml-file.ts";

export const checkPolicyText = (text: string): PolicyResult => checkPolicy(text, { shell, yaml });
