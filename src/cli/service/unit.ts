/** The files that make the daemon a service of the user: a systemd unit, and a property list for launchd. */
import { escapeMarkup } from "../../core/text/escape.ts";

export interface ServiceFacts {
  /** Absolute paths of Node and of the launcher of Lectern. */
  readonly node: string;
  readonly launcher: string;
  /** Variables of this shell that the daemon needs: its data directory and the PATH in which agents are. No secrets. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The first line of a file that Lectern has written, and may replace. */
const MARK = "Written by lectern service install";

export const isOwnFile = (text: string): boolean => text.slice(0, 300).includes(MARK);

/** Not restarted: another daemon runs, or the command line is wrong. */
const FINAL_EXIT_CODES = "2 4";

/**
 * `KillMode=process`: a stop ends the daemon only. Pty hosts and the programs in them are in the same control group, and the next daemon
 * finds them.
 */
export const serviceUnit = ({ environment, launcher, node }: ServiceFacts): string =>
  [
    `# ${MARK}: a change is lost with the next one; "systemctl --user edit lectern" adds to it`,
    "[Unit]",
    "Description=Lectern, the daemon of terminal sessions",
    "StartLimitIntervalSec=300",
    "StartLimitBurst=10",
    "",
    "[Service]",
    "Type=exec",
    `ExecStart=${[node, launcher].map((word) => systemdWord(word, "command")).join(" ")} up`,
    ...Object.entries(environment).map(([name, value]) => `Environment=${systemdWord(`${name}=${value}`, "value")}`),
    "Restart=on-failure",
    "RestartSec=2",
    `RestartPreventExitStatus=${FINAL_EXIT_CODES}`,
    "KillMode=process",
    "TimeoutStopSec=20",
    "",
    "[Install]",
    "WantedBy=default.target",
    "",
  ].join("\n");

/** Quoted; `%` begins a specifier everywhere, `$` a variable in a command (`systemd.service(5)`). */
function systemdWord(text: string, where: "command" | "value"): string {
  const escaped = text
    .replaceAll(/[\\"]/g, String.raw`\$&`)
    .replaceAll("%", "%%")
    .replaceAll("\n", String.raw`\n`);
  return `"${where === "command" ? escaped.replaceAll("$", "$$$$") : escaped}"`;
}

/** `AbandonProcessGroup`: pty hosts outlive the daemon. */
export const launchdList = ({ environment, launcher, node }: ServiceFacts): string =>
  [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<!-- ${MARK} -->`,
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0"><dict>',
    "<key>Label</key><string>lectern</string>",
    `<key>ProgramArguments</key><array>${[node, launcher, "up"].map(xmlText).join("")}</array>`,
    "<key>EnvironmentVariables</key><dict>",
    ...Object.entries(environment).map(([name, value]) => `<key>${escapeMarkup(name)}</key>${xmlText(value)}`),
    "</dict>",
    "<key>RunAtLoad</key><true/>",
    "<key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>",
    "<key>ThrottleInterval</key><integer>10</integer>",
    "<key>AbandonProcessGroup</key><true/>",
    "</dict></plist>",
    "",
  ].join("\n");

const xmlText = (text: string): string => `<string>${escapeMarkup(text)}</string>`;
