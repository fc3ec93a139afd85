# Lectern's marks for bash: where a prompt ends, where output begins and ends, and the exit code (OSC 133 with LECTERN_MARK in each).
#
# Nothing is written to the user's files and no start-up file is replaced: bash finds PS0, PROMPT_COMMAND and LECTERN_HOOK in its
# environment, and this file is read at the first prompt. What a start-up file or a command overwrites, the others put back:
#   PS0              says that output begins, and puts the hook into PROMPT_COMMAND where it is gone
#   PROMPT_COMMAND   says that output has ended, before the user's own prompt commands print anything; and wraps PS1 and PS2
#   PS1              says the same again, where PROMPT_COMMAND was replaced; then where the prompt begins and ends

# In a terminal inside of this one the marks would mean nothing: take all back.
__lectern_leave() {
  unset PS0 LECTERN_MARK LECTERN_HOOK LECTERN_TTY __lectern_run
  [[ ${PROMPT_COMMAND[99]-} == *lectern* || ${PROMPT_COMMAND[99]-} == *LECTERN* ]] && unset 'PROMPT_COMMAND[99]'
  [[ ${PROMPT_COMMAND[0]-} == *LECTERN_HOOK* ]] && unset 'PROMPT_COMMAND[0]'
  return 0
}

# First of all prompt commands: a number of statements that must not change $?.
__lectern_done() {
  local status=$?
  printf '\e]133;D;%s;%s\a' "$status" "$LECTERN_MARK"
  return "$status"
}

# Last of all prompt commands: the prompts may have been set anew.
__lectern_prompt() {
  local status=$?
  case ${PROMPT_COMMAND[0]-} in
    __lectern_done*) ;;
    *LECTERN_HOOK*) printf '\e]133;D;%s;%s\a' "$status" "$LECTERN_MARK" ;;
    *) PROMPT_COMMAND[0]="__lectern_done${PROMPT_COMMAND[0]:+;}${PROMPT_COMMAND[0]-}" ;;
  esac
  [[ ${PS1-} == *"$__lectern_ready" ]] || PS1="\\[\\e]133;D;\$?;$LECTERN_MARK\\a\\e]133;A;$LECTERN_MARK\\a\\]${PS1-}$__lectern_ready"
  [[ ${PS2-} == *"$__lectern_more" ]] || PS2="${PS2-}$__lectern_more"
  return "$status"
}

if [[ -z ${LECTERN_TTY-} ]]; then
  LECTERN_TTY=$(tty)
  export LECTERN_TTY
fi
if [[ /dev/fd/0 -ef $LECTERN_TTY && -n ${LECTERN_MARK-} ]]; then
  __lectern_ready="\\[\\e]133;B;$LECTERN_MARK\\a\\]"
  __lectern_more="\\[\\e]133;P;k=s;$LECTERN_MARK\\a\\]"
  __lectern_run=__lectern_prompt
  __lectern_prompt
else
  __lectern_leave
fi
