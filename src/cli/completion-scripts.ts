/** Completion scripts for shells, generated from the records of the commands. The scripts list sessions when they need their names. */
import { aliasesOf } from "./aliases.ts";
import type { ArgumentSpec, Command, OptionSpec } from "./command.ts";

/** The tab key must not start a daemon. */
const LIST_SESSIONS = "lectern ls --quiet --all --no-start 2>/dev/null";

const LIST_HOSTS = "lectern hosts ls --quiet 2>/dev/null";

const visible = (commands: readonly Command[]): readonly Command[] => commands.filter(({ hidden }) => hidden !== true);
const optionsOf = ({ options }: Command): readonly (readonly [string, OptionSpec])[] =>
  Object.entries(options).filter(([, { hidden }]) => hidden !== true);
const namesOf = ({ name }: Command): readonly string[] => [name, ...aliasesOf(name)];
/** Quotes for bash and zsh. */
const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
/** Quotes for fish, in which a backslash is special even in single quotes. */
const quoteFish = (text: string): string => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;

type Offer = "session" | "host" | "file" | "directory" | "program" | "nothing" | readonly string[];

function offerOf(spec: ArgumentSpec | OptionSpec | undefined): Offer {
  if (spec === undefined) return "nothing";
  if ("choices" in spec && spec.choices !== undefined) return spec.choices;
  const completes = "completes" in spec ? spec.completes : undefined;
  return completes === "own-session" || completes === "recording" ? "session" : (completes ?? "nothing");
}

/** What completes the arguments: each in its place, and what comes behind them. The program of `run` is completed like a command line. */
interface Places {
  readonly each: readonly Offer[];
  readonly behind: Offer;
}

function placesOf({ arguments: specs, optionsFirst }: Command): Places {
  if (optionsFirst === true) return { each: [], behind: "program" };
  const offers = specs.map(offerOf);
  const isEndless = ["any", "many"].includes(specs.at(-1)?.count ?? "");
  return isEndless
    ? { each: offers.slice(0, -1), behind: offers.at(-1) ?? "nothing" }
    : { each: offers, behind: "nothing" };
}

export function bashCompletion(commands: readonly Command[]): string {
  const names = visible(commands).flatMap(namesOf).join(" ");
  return `# bash completion of lectern, made by "lectern completion bash"
# Counts the argument at the cursor; $1: options whose value is the next word.
_lectern_place() {
  local at word
  place=1
  for (( at = 2; at < COMP_CWORD; at++ )); do
    word=\${COMP_WORDS[at]}
    if [[ $word == = || " $1 " == *" $word "* ]]; then (( at++ ))
    elif [[ $word != -* ]]; then (( place++ )); fi
  done
}
_lectern() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command=\${COMP_WORDS[1]}
  local offer=nothing place
  COMPREPLY=()
  if (( COMP_CWORD == 1 )); then
    COMPREPLY=($(compgen -W ${quote(`${names} help`)} -- "$current"))
    return
  fi
  case $command in
${visible(commands).map(bashCase).join("\n")}
    help) offer=${bashOffer(names.split(" "))} ;;
  esac
  case $offer in
    session) COMPREPLY=($(compgen -W "$(${LIST_SESSIONS})" -- "$current")) ;;
    host) COMPREPLY=($(compgen -W "$(${LIST_HOSTS})" -- "$current")) ;;
    file) COMPREPLY=($(compgen -f -- "$current")); compopt -o filenames 2>/dev/null ;;
    directory) COMPREPLY=($(compgen -d -- "$current")); compopt -o filenames 2>/dev/null ;;
    program) COMPREPLY=($(compgen -c -f -- "$current")) ;;
    words\\ *) COMPREPLY=($(compgen -W "\${offer#words }" -- "$current")) ;;
  esac
}
complete -F _lectern lectern
`;
}

const bashOffer = (offer: Offer): string => quote(typeof offer === "string" ? offer : `words ${offer.join(" ")}`);

/** After an option with a value, the value is completed. */
function bashCase(command: Command): string {
  const options = optionsOf(command).flatMap(([name, spec]) => [
    `--${name}`,
    ...(spec.type === "choice" ? spec.choices.map((choice) => `--${name}=${choice}`) : []),
  ]);
  const valued = optionsOf(command).filter(([, spec]) => spec.type !== "flag" && spec.type !== "choice");
  const cases = valued.map(([name, spec]) => {
    const shown = spec.short === undefined ? `--${name}` : `--${name}|-${spec.short}`;
    return `        ${shown}) offer=${bashOffer(offerOf(spec))} ;;`;
  });
  const valuedNames = valued.flatMap(([name, { short }]) => [
    `--${name}`,
    ...(short === undefined ? [] : [`-${short}`]),
  ]);
  return [
    `    ${namesOf(command).join("|")})`,
    "      case $previous in",
    ...cases,
    `        *) if [[ $current == -* ]]; then offer=${bashOffer([...options, "--help"])}`,
    `           else ${bashPlaces(placesOf(command), valuedNames)}; fi ;;`,
    "      esac ;;",
  ].join("\n");
}

function bashPlaces({ behind, each }: Places, valued: readonly string[]): string {
  if (each.length === 0) return `offer=${bashOffer(behind)}`;
  const cases = each.map((offer, index) => `${index + 1}) offer=${bashOffer(offer)} ;;`);
  return `_lectern_place ${quote(valued.join(" "))}; case $place in ${cases.join(" ")} *) offer=${bashOffer(behind)} ;; esac`;
}

export function zshCompletion(commands: readonly Command[]): string {
  const shown = visible(commands);
  const described = shown.map(({ name, summary }) => `    ${quote(`${name}:${summary.replaceAll(":", "\\:")}`)}`);
  return `#compdef lectern
# zsh completion of lectern, made by "lectern completion zsh"
_lectern_sessions() {
  local -a sessions
  sessions=(\${(f)"$(${LIST_SESSIONS})"})
  compadd -a sessions
}
_lectern_hosts() {
  local -a hosts
  hosts=(\${(f)"$(${LIST_HOSTS})"})
  compadd -a hosts
}
_lectern() {
  local -a commands
  commands=(
${described.join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${shown.map(zshCase).join("\n")}
  esac
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _lectern "$@"; else compdef _lectern lectern; fi
`;
}

function zshOffer(offer: Offer): string {
  if (offer === "session") return "_lectern_sessions";
  if (offer === "host") return "_lectern_hosts";
  if (offer === "file") return "_files";
  if (offer === "directory") return "_files -/";
  if (offer === "program") return "_command_names -e";
  return offer === "nothing" ? " " : `(${offer.join(" ")})`;
}

const escapeZsh = (text: string): string => text.replaceAll(/[[\]:\\]/g, String.raw`\$&`);

function zshCase(command: Command): string {
  const options = optionsOf(command).flatMap(([name, spec]) => {
    const value =
      spec.type === "flag"
        ? ""
        : `${spec.type === "choice" ? "::" : ":"}${escapeZsh(spec.placeholder)}:${zshOffer(offerOf(spec))}`;
    const repeat = spec.type === "list" ? "*" : "";
    const long = spec.type === "choice" ? `--${name}=-` : `--${name}`;
    const names = spec.short === undefined ? [long] : [long, `-${spec.short}`];
    return names.map((shown) => quote(`${repeat}${shown}[${escapeZsh(spec.summary)}]${value}`));
  });
  const { behind, each } = placesOf(command);
  const rest =
    command.optionsFirst === true
      ? [quote(`(-)1:program: ${zshOffer(behind)}`), quote("*::argument: _normal")]
      : [
          ...each.map((offer, index) => quote(`${index + 1}:argument:${zshOffer(offer)}`)),
          quote(`*:argument:${zshOffer(behind)}`),
        ];
  return `    ${namesOf(command).join("|")}) _arguments ${[...options, quote("--help[Help]"), ...rest].join(" ")} ;;`;
}

export function fishCompletion(commands: readonly Command[]): string {
  const shown = visible(commands);
  const lines = shown.flatMap((command) => {
    const condition = quoteFish(`__fish_seen_subcommand_from ${namesOf(command).join(" ")}`);
    const options = optionsOf(command).map(([name, spec]) => fishOption(condition, name, spec));
    const rest = fishPlaces(condition, placesOf(command));
    const first = `complete -c lectern -n __fish_use_subcommand -a ${command.name} -d ${quoteFish(command.summary)}`;
    return [first].concat(options, rest);
  });
  return [
    '# fish completion of lectern, made by "lectern completion fish"',
    "complete -c lectern -f",
    ...lines,
    "",
  ].join("\n");
}

/** Fish does not count arguments: behind one of the words of the first argument come the others. */
function fishPlaces(condition: string, { behind, each }: Places): string[] {
  const [first, ...others] = each;
  const line = (where: string, offer: Offer): string[] => {
    const offered = fishOffer(offer);
    return offered === "" ? [] : [`complete -c lectern -n ${where} ${offered}`];
  };
  if (first === undefined || typeof first === "string")
    return [...new Set([...each, behind])].flatMap((offer) => line(condition, offer));
  const words = first.join(" ");
  const when = (isBehind: string): string =>
    quoteFish(`${condition.slice(1, -1)}; ${isBehind} __fish_seen_subcommand_from ${words}`);
  return [
    ...line(when("and not"), first),
    ...new Set([...others, behind].flatMap((offer) => line(when("and"), offer))),
  ];
}

function fishOffer(offer: Offer): string {
  if (offer === "session") return `-a ${quoteFish(`(${LIST_SESSIONS})`)}`;
  if (offer === "host") return `-a ${quoteFish(`(${LIST_HOSTS})`)}`;
  if (offer === "file") return "-F";
  if (offer === "directory") return "-x -a '(__fish_complete_directories)'";
  if (offer === "program") return "-F -a '(__fish_complete_command)'";
  return offer === "nothing" ? "" : `-a ${quoteFish(offer.join(" "))}`;
}

function fishOption(condition: string, name: string, spec: OptionSpec): string {
  const short = spec.short === undefined ? "" : ` -s ${spec.short}`;
  const required = spec.type === "choice" ? "" : " -r";
  const value = spec.type === "flag" ? "" : `${required} ${fishOffer(offerOf(spec))}`.trimEnd();
  return `complete -c lectern -n ${condition} -l ${name}${short}${value} -d ${quoteFish(spec.summary)}`;
}
