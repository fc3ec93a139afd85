/** The fields that a new session and a new task have in common: the machine, the sandbox, and the gateway. */
import { useState, type ReactElement } from "react";
import type { InputOf, OutputOf } from "../../client.ts";
import { SANDBOX_PROFILES } from "../../core/sandbox/profile.ts";
import type { MachineInfo } from "../../protocol/machines.ts";
import { formText } from "../parts/form-text.ts";
import { splitCommandLine } from "../parts/text.ts";
import { parseLabels } from "./labels.ts";

type Agent = OutputOf<"daemon.agents">["agents"][number];

const WIRE_KEY = "lectern-wire";

interface MachineFieldProps {
  readonly machines: readonly MachineInfo[];
  /** Undefined for the machine of this page. */
  readonly value: string | undefined;
  readonly onChange: (machine: string | undefined) => void;
}

/** Where the session starts; nothing where this machine is the only one. */
export function MachineField({ machines, value, onChange }: MachineFieldProps): ReactElement | null {
  if (machines.length === 0) return null;
  return (
    <label className="field">
      <span>Machine</span>
      <select value={value ?? ""} onChange={({ target }) => onChange(target.value === "" ? undefined : target.value)}>
        <option value="">This one</option>
        {machines.map(({ name, state }) => (
          <option key={name} value={name} disabled={state === "away"}>
            {state === "away" ? `${name} (out of reach)` : name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Whether to use the gateway, and with which policy. */
export function WireFields({ agent }: { readonly agent: Agent | undefined }): ReactElement {
  const [isWanted, setWanted] = useState(localStorage.getItem(WIRE_KEY) === "yes");
  const isPossible = agent === undefined || agent.routes.length > 0;
  const choose = (wanted: boolean): void => {
    localStorage.setItem(WIRE_KEY, wanted ? "yes" : "no");
    setWanted(wanted);
  };
  return (
    <>
      <label className="check">
        <input
          type="checkbox"
          name="wire"
          checked={isWanted && isPossible}
          disabled={!isPossible}
          onChange={({ target }) => choose(target.checked)}
        />
        <span>
          Through the gateway
          <small className="note">
            {agent === undefined
              ? "For agents: messages are exact, and tool calls are checked and recorded."
              : `${agent.title}: ${agent.notes}.`}
          </small>
        </span>
      </label>
      {isWanted && isPossible ? (
        <label className="field">
          <span>Policy</span>
          <input type="file" name="policy" accept=".yaml,.yml,.json" />
          <small className="note">A policy file. Without one, every call is allowed and recorded.</small>
        </label>
      ) : null}
    </>
  );
}

const profileWords: Readonly<Record<(typeof SANDBOX_PROFILES)[number], string>> = {
  work: "writes in its folder, reaches the gateway",
  look: "writes nothing, reaches the gateway",
  offline: "writes in its folder, reaches nothing",
};

/** The walls around the program. */
export function SandboxField(): ReactElement {
  return (
    <label className="field">
      <span>Sandbox</span>
      <select name="sandbox" defaultValue="">
        <option value="">None</option>
        {SANDBOX_PROFILES.toReversed().map((name) => (
          <option key={name} value={name}>
            {`${name}: ${profileWords[name]}`}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The options of a session, from the fields of a form; an empty field leaves its option out. */
export async function optionsOf(form: FormData): Promise<InputOf<"sessions.create">> {
  const text = (name: string): string | undefined => formText(form, name) || undefined;
  const [program, ...words] = splitCommandLine(text("command") ?? "") ?? [];
  if (program === undefined) throw new Error("Cannot read the command: a quote is not closed");
  const policy = form.get("policy");
  // Without a choice, the form contains an empty file.
  const isChosen = policy instanceof File && policy.name !== "";
  const profile = text("sandbox");
  return {
    command: [program, ...words],
    name: text("name"),
    labels: parseLabels(text("labels") ?? ""),
    workingDirectory: text("directory"),
    prompt: text("prompt"),
    wire: form.get("wire") === null ? undefined : { policy: isChosen ? await policy.text() : undefined },
    sandbox: profile === undefined ? undefined : { profile },
  };
}
