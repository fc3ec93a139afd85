# Lectern's marks for bash: where a prompt ends, where output begins and ends, and the exit code (OSC 133 with LECTERN_MARK in each).
#
# Nothing is written to the user's files and no start-up file is replaced: bash finds PS0, PROMPT_COMMAND and LECTERN_HOOK in its
# environment, and this file is read at the first prompt. What a start-up file or a command overwrites, the others put back:
#   PS0              says that output begins, and puts the check into PROMPT_COMMAND where it is gone and is not readonly
#   PROMPT_COMMAND   one comparison: are the prompts, and the user's own prompt command, as they were? Else they are wrapped anew
#   PS1              says that output has ended, with the exit code, and where the prompt begins and ends
#   the widget       puts the check into PROMPT_COMMAND when Lectern hands over a command; never PS0, whose old value bash prints then
# Where the user has a prompt command of his own the end of output is said before it runs: it may print something.
#
# Where there is none the check says it: the sign of the editing mode (show-mode-in-prompt) stands in front of PS1. What runs here is not
# traced: `set -x` writes to the standard error of the braces.
#
# Bash works for each prompt: readline looks at a prompt's characters once for each one before them, so that marks of 40 characters more
# cost it half a command's time. They are as short as they can be, and what nobody must believe (the prompt's start) has no parameter.

__lectern_done() {
  local status=$?
  [[ -z ${__lectern_text-} ]] || __lectern_note
  printf "$__lectern_end" "$status"
  return "$status"
}

# True where a variable is readonly. Before 4.4, which has no PS0 either, bash does not tell.
if ((BASH_VERSINFO[0] > 4 || BASH_VERSINFO[0] == 4 && BASH_VERSINFO[1] > 3)); then
  # Of all elements, and of the variable, which may have none. One that is not set is an error under `set -u`.
  __lectern_fixed() {
    local all="$1[*]"
    [[ ${!all@a} == *r* || $- != *u* && ${!1@a} == *r* ]]
  }
else
  __lectern_fixed() { return 1; }
fi

# True where nothing that has to be written is readonly.
__lectern_may() {
  # A restricted shell cannot claim a command.
  [[ $- != *r* ]] || return 1
  if __lectern_fixed PROMPT_COMMAND; then return 1; fi
  if [[ ${PS0-} != *"$__lectern_begin"* ]] && __lectern_fixed PS0; then return 1; fi
  if [[ ${PS1-} != *"$__lectern_ready" ]] && __lectern_fixed PS1; then return 1; fi
  if [[ ${PS2-} != *"$__lectern_more" ]] && __lectern_fixed PS2; then return 1; fi
}

__lectern_prompt() {
  __lectern_may || {
    __lectern_leave
    return
  }
  # Without it bash prints the marks' variables by their names.
  shopt -q promptvars || {
    __lectern_bare
    PS0=${PS0%"$__lectern_begin"}
    return
  }
  case ${PROMPT_COMMAND-} in
    '' | "$__lectern_first"* | "$__lectern_run") ;;
    *) PROMPT_COMMAND="$__lectern_first$PROMPT_COMMAND" ;;
  esac
  [[ ${PS1-} == *"$__lectern_ready" ]] || PS1="$__lectern_start${PS1-}$__lectern_ready"
  [[ ${PS2-} == *"$__lectern_more" ]] || PS2="${PS2-}$__lectern_more"
  [[ ${PS0-} == *"$__lectern_begin"* ]] || export PS0="${PS0-}$__lectern_begin"
  __lectern_theirs=${PROMPT_COMMAND-}
}

__lectern_look() {
  local status=$?
  if [[ ${PROMPT_COMMAND-} != "$__lectern_first"* ]]; then
    if [[ -t 1 ]]; then printf "$__lectern_end" "$status"; else printf "$__lectern_end" "$status" >/dev/tty; fi
  fi
  [[ -z ${__lectern_text-} ]] || __lectern_note
  # Lectern knows by it which lines of an output are bash's notices on jobs that have ended. `$!` is set from the first job on.
  [[ -z ${!-} || -z ${__lectern_acts-} || $- == *r* ]] || builtin jobs -r >|"$__lectern_acts/jobs"
  # PS0 has not set it to 0: a comment, an error of the syntax, or a line that Ctrl-C has given up.
  [[ -z ${__lectern_taken-} || ${__lectern_at-} != [13] ]] || __lectern_over
  __lectern_taken= __lectern_told=
  [[ $- != *r* && $BASHOPTS == *promptvars* && ${PS1-} == *"$__lectern_ready" && ${PROMPT_COMMAND-} == "$__lectern_theirs" && ${PS0-} == *"$__lectern_begin" &&
    ${PS2-} == *"$__lectern_more" ]] || __lectern_prompt
  __lectern_at=2
}

__lectern_over() {
  local __lectern_id=$__lectern_taken
  [[ -z $__lectern_told ]] || __lectern_say taken
  __lectern_say skipped
}

# What brought us here leaves PROMPT_COMMAND; what stood in front of it stays.
__lectern_enter() {
  local theirs=${PROMPT_COMMAND-}
  case $theirs in
    *LECTERN_HOOK*) theirs=${theirs%'builtin eval "${__lectern_run:-${LECTERN_HOOK-}}"'} theirs=${theirs%$'\n'} ;;
  esac
  if ((BASH_VERSINFO[0] > 5 || BASH_VERSINFO[0] == 5 && BASH_VERSINFO[1] > 0)); then
    PROMPT_COMMAND[0]=$theirs
    PROMPT_COMMAND[99]=$__lectern_run
    [[ $theirs ]] || unset 'PROMPT_COMMAND[0]'
  else
    PROMPT_COMMAND="${theirs:+$theirs$'\n'}$__lectern_run"
  fi
  export -n PROMPT_COMMAND
}

__lectern_bare() {
  __lectern_fixed PS1 || PS1=${PS1#"$__lectern_start"} PS1=${PS1%"$__lectern_ready"}
  __lectern_fixed PS2 || PS2=${PS2%"$__lectern_more"}
}

# In a terminal inside of this one the marks would mean nothing, and where a prompt or the prompt command is readonly they cannot be
# kept: all is taken back. A PS0 that is readonly says nothing without its variables. A command that was said to begin has ended.
__lectern_leave() {
  if [[ ${__lectern_on-} ]]; then
    printf "$__lectern_end" "${status-}"
    __lectern_bare
  fi
  __lectern_run=:
  if ! __lectern_fixed PROMPT_COMMAND; then
    [[ -z ${__lectern_first-} || ${PROMPT_COMMAND-} != "$__lectern_first"* ]] || PROMPT_COMMAND=${PROMPT_COMMAND#"$__lectern_first"}
    __lectern_enter
    unset 'PROMPT_COMMAND[99]'
  fi
  unset LECTERN_MARK LECTERN_HOOK LECTERN_TTY LECTERN_FREE LECTERN_ACT __lectern_run __lectern_on
  if __lectern_fixed PS0; then LECTERN_FREE=0; else unset PS0; fi
}

# Lectern writes a command to a file of LECTERN_ACT and presses a key, which is bound to two: the first looks at the line and takes the command,
# the second accepts the line. The first statement of the first empties the line, and what it stands for is put back once the second is bound to
# nothing: so whatever interrupts it, a draft is never accepted.
__lectern_bind() {
  local keymap __lectern_widget=$'\n{ __lectern_last=$_ __lectern_line=$READLINE_LINE READLINE_LINE=\n'
  __lectern_widget+='__lectern_take "$__lectern_last" || __lectern_refuse "$__lectern_last"; } 2>&-'
  __lectern_acts=$LECTERN_ACT __lectern_off= __lectern_at= __lectern_told=
  __lectern_leavings=$'?(\e)[[]7501~|+(?([[])?([?>])*([0-9])+(;+([0-9]))@([cRt]|$y)|?([[])?([?])+([0-9])u|?(])1[0-9];rgb:+([0-9a-f/])?([\\\\]))'
  __lectern_leavings="@($__lectern_leavings)"
  __lectern_answer="\\e]633;P;Act=%s;%s;$LECTERN_MARK\\a"
  for keymap in emacs vi-insert vi-command; do
    # In an open command `{` is a word but at the begin of a line.
    bind -m $keymap -x '"\e[7502~": '"$__lectern_widget"
    bind -m $keymap '"\e[7503~": accept-line'
    bind -m $keymap '"\e[7501~": "\e[7502~\e[7503~"'
  done
  # An operator of vi that waits for its movement takes the escape.
  bind -m vi-command '"[7501~": "\e[7502~\e[7503~"'
}

# The file has five fields, with a NUL between them: id, way, the command as a person may read it, the command, and `start` where the mark of its
# start may say that it was taken. A function is copied for each call, so this has the usual case only: the command becomes the line.
#
# Lectern withdraws a command by the file `ID.off`, and looks then for `ID.claim`. Where `__lectern_at` is 3, the check has run before this prompt, and
# PS1 is ours.
__lectern_take() {
  mapfile -t -d '' __lectern_act <"$__lectern_acts/act" || return
  [[ ${__lectern_act[1]-}${__lectern_act[4]-} == plainstart && -z $__lectern_line$__lectern_off${histchars-} && $__lectern_at == 3 ]] || {
    __lectern_otherwise
    return
  }
  __lectern_claim=$__lectern_acts/$__lectern_act
  [[ ! -e $__lectern_claim.claim ]] && : >|"$__lectern_claim.claim" || return
  [[ ! -e $__lectern_claim.off ]] || {
    __lectern_id=$__lectern_act __lectern_say skipped
    return 1
  }
  __lectern_taken=$__lectern_act
  printf -v __lectern_told "$__lectern_answer" "$__lectern_act" taken
  READLINE_LINE=${__lectern_act[3]} READLINE_POINT=${#__lectern_act[3]} __lectern_act[3]=
}

__lectern_otherwise() {
  READLINE_LINE= __lectern_told=
  local __lectern_id=${__lectern_act-} __lectern_way=${__lectern_act[1]-}
  [[ $__lectern_id && ${#__lectern_id} -le 32 && $__lectern_id != *[!A-Za-z0-9_-]* && ${__lectern_act[3]-} ]] || return
  if [[ $__lectern_way != @(plain|eval) ]]; then
    __lectern_say "version;1"
    return 1
  fi
  # The second key had lost its binding (`bind -r`), which is set below: what this has put into the line was not accepted.
  local __lectern_again=
  if [[ $__lectern_id == "${__lectern_taken-}" && ${__lectern_at-} == [13] ]]; then
    __lectern_again=1 __lectern_line=
    unset __lectern_text
  fi
  # What is left of the key where another key had taken its beginning, and of a terminal's answers to a program that has ended.
  [[ $__lectern_line != $__lectern_leavings ]] || __lectern_line=
  if [[ $__lectern_line ]]; then
    __lectern_draft
    return 1
  fi
  # PS0 and PS2 set it to 0: this is a line within a command (`read -e`), or more of one. Without our PS1 nothing sets it to 1 again.
  if [[ ${__lectern_at-} != [13] && ${PS1-} == *"$__lectern_ready" ]] && shopt -q promptvars; then
    __lectern_say more
    return 1
  fi
  # It may take all hooks away; then the word puts the check back, and the end of the command is reported.
  [[ ${__lectern_act[3]} != @(source|.|eval)\ * && ${__lectern_act[3]} != *PROMPT_COMMAND* ]] || __lectern_way=risky
  [[ -z ${__lectern_run-} || ${PS0-} == *"$__lectern_begin"* ]] || __lectern_way=late
  [[ ${histchars-!^} == '!^'* || $__lectern_way != plain ]] || __lectern_way=eval
  # The word for it would run something else: no answer, and it is withdrawn.
  if [[ $__lectern_way != plain || $__lectern_again ]] && { declare -F builtin >/dev/null || ! \builtin eval : 2>/dev/null; }; then return 1; fi
  if [[ -z $__lectern_again ]]; then
    [[ $- == *C* ]] || local __lectern_clobber=1
    set -C
    : >"$__lectern_acts/$__lectern_id.claim"
    local __lectern_status=$?
    [[ -z ${__lectern_clobber-} ]] || set +C
    ((!__lectern_status)) || return
  fi
  __lectern_taken=$__lectern_id
  __lectern_say taken
  builtin bind '"\e[7503~": accept-line'
  __lectern_off=
  [[ -z ${__lectern_text-} ]] || __lectern_note
  [[ -z ${__lectern_run-} ]] || __lectern_mend
  if [[ $__lectern_way == plain ]]; then
    READLINE_LINE=${__lectern_act[3]}
  else
    __lectern_text=${__lectern_act[3]}
    [[ ${__lectern_act[1]} != plain ]] || __lectern_act[2]=$__lectern_text
    [[ -z ${__lectern_act[2]} || $__lectern_again ]] || printf '%s\r\n' "${__lectern_act[2]//$'\n'/$'\r\n'}" >/dev/tty
    READLINE_LINE=' \builtin eval -- "$__lectern_text"'
    case $__lectern_way in
      late) READLINE_LINE=" __lectern_late;$READLINE_LINE" ;;
      risky) READLINE_LINE+='; __lectern_mend' ;;
    esac
  fi
  READLINE_POINT=${#READLINE_LINE} __lectern_act[3]=
}

# Nothing is accepted until the next command is taken.
__lectern_refuse() {
  __lectern_off=1
  bind '"\e[7503~": ""' && READLINE_LINE=$__lectern_line __lectern_act=()
}

__lectern_say() {
  if [[ -t 1 ]]; then printf "$__lectern_answer" "$__lectern_id" "$1"; else printf "$__lectern_answer" "$__lectern_id" "$1" >/dev/tty; fi
}

__lectern_mend() {
  local status=$?
  [[ ${PROMPT_COMMAND[99]-} == "${__lectern_run-}" ]] || printf -v 'PROMPT_COMMAND[99]' %s "${__lectern_run-}" 2>/dev/null
  return "$status"
}

# What begins the output in place of a PS0 that is gone.
__lectern_late() {
  local status=$?
  __lectern_at=0
  printf '\e]133;C;%s\a' "$__lectern_on" >/dev/tty
  return "$status"
}

# The first 256 bytes of the line.
__lectern_draft() {
  local LC_ALL=C __lectern_hex= __lectern_code __lectern_index
  for ((__lectern_index = 0; __lectern_index < ${#__lectern_line} && __lectern_index < 256; __lectern_index++)); do
    printf -v __lectern_code %d "'${__lectern_line:__lectern_index:1}"
    printf -v __lectern_code %02x $((__lectern_code & 255))
    __lectern_hex+=$__lectern_code
  done
  __lectern_say "draft;$__lectern_hex"
}

# The history has the command, and not the word that has run it. In a file, because a subshell would be a child that traps notice.
__lectern_note() {
  local __lectern_last
  if [[ -o history ]]; then
    builtin history 1 >|"$__lectern_acts/last" && mapfile -t __lectern_last <"$__lectern_acts/last"
    [[ ${__lectern_last[0]-} != *' \builtin eval -- "$__lectern_text"'?('; __lectern_mend') ]] || builtin history -d -1
    builtin history -s -- "$__lectern_text"
  fi
  unset __lectern_text
}

if [[ -z ${LECTERN_TTY-} ]]; then
  LECTERN_TTY=$(tty)
  export LECTERN_TTY
fi
if [[ /dev/fd/0 -ef $LECTERN_TTY && -n ${LECTERN_MARK-} ]]; then
  # With the characters themselves in place of `\[` and `\e`, `echo "$PS1"` shows nothing of them, and without the nonce they are no marks there.
  __lectern_ready=$'\001\e]133;B;${__lectern_on-}\a\002'
  __lectern_more=$'\001\e]133;P;k=s;${__lectern_on-};${__lectern_none[__lectern_at=0]-}\a\e]633;P;Act=${__lectern_taken-};taken;${__lectern_on-}\a\002'
  __lectern_end="\\e]133;D;%s;$LECTERN_MARK\\a"
  __lectern_start=$'\001\e]133;D;$?${__lectern_none[__lectern_at|=1]-};${__lectern_on-}\a\e]133;A\a\002'
  __lectern_first='{ __lectern_done; } 2>&-;'
  __lectern_run='{ __lectern_look; } 2>&-'
  __lectern_begin=$1
  __lectern_on=$LECTERN_MARK
  if [[ ${LECTERN_ACT-} ]]; then { __lectern_bind; } 2>/dev/null; fi
  if __lectern_may; then __lectern_enter; fi
  __lectern_prompt
else
  __lectern_leave
fi
