import type { ReactElement } from "react";
import { escapeForDisplay } from "../../core/text/escape.ts";
import type { MachineInfo } from "../../protocol/machines.ts";
import { Ago } from "../parts/time.tsx";

const words: Readonly<Record<MachineInfo["state"], string>> = {
  unasked: "Not asked yet",
  connecting: "Connecting",
  connected: "Connected",
  away: "Out of reach",
};

/** The other machines whose sessions are in the list, each with its state and, if it is away, the reason. */
export function MachineRows({ machines }: { readonly machines: readonly MachineInfo[] }): ReactElement | null {
  if (machines.length === 0) return null;
  return (
    <section className="group" aria-labelledby="group-machines">
      <h2 id="group-machines">
        Machines <span className="count">{machines.length}</span>
      </h2>
      <ul className="rows">
        {machines.map(({ name, address, state, reason, sinceMs }) => (
          <li key={name} className="machine-row" data-state={state}>
            <span className="machine-state">{words[state]}</span>
            <b>{name}</b>
            <code className="note">{escapeForDisplay(address)}</code>
            <span className="note">
              <Ago sinceMs={sinceMs} />
            </span>
            {reason === null ? null : <p className="machine-reason">{escapeForDisplay(reason)}</p>}
          </li>
        ))}
      </ul>
    </section>
  );
}
