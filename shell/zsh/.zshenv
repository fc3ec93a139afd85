# Lectern's marks for zsh (OSC 133 with LECTERN_MARK in each). zsh reads this file because ZDOTDIR names its directory; the first thing
# it does is to put ZDOTDIR back and to read the user's own .zshenv, so that all other start-up files are found where they are.
if [[ -n ${LECTERN_ZDOTDIR+set} ]]; then
  export ZDOTDIR=$LECTERN_ZDOTDIR
  unset LECTERN_ZDOTDIR
else
  unset ZDOTDIR
fi

if [[ -o interactive && -n ${LECTERN_MARK-} ]]; then
  typeset -g __lectern_mark=$LECTERN_MARK
  typeset -g __lectern_ended="%{"$'\e]133;D;%?;'"$__lectern_mark"$'\a'"%}"
  typeset -g __lectern_start="$__lectern_ended%{"$'\e]133;A;'"$__lectern_mark"$'\a'"%}"
  typeset -g __lectern_ready="%{"$'\e]133;B;'"$__lectern_mark"$'\a'"%}"
  typeset -g __lectern_more="%{"$'\e]133;P;k=s;'"$__lectern_mark"$'\a'"%}"

  __lectern_preexec() {
    # Nothing would say that the command has ended.
    if [[ ${precmd_functions[(r)__lectern_precmd]-} != __lectern_precmd && ${PS1-} != *"$__lectern_ready" ]]; then
      __lectern_leave
    else
      printf '\e]133;C;%s\a' "$__lectern_mark"
    fi
  }

  # True where nothing that has to be written is readonly.
  __lectern_may() {
    [[ ${PROMPT_EOL_MARK-} == "$__lectern_ended"* || ${(t)PROMPT_EOL_MARK-} != *readonly* ]] &&
      [[ ${PS1-} == *"$__lectern_ready" || ${(t)PS1-} != *readonly* ]] &&
      [[ ${PS2-} == *"$__lectern_more" || ${(t)PS2-} != *readonly* ]] &&
      [[ ${preexec_functions[(r)__lectern_preexec]-} == __lectern_preexec || ${(t)preexec_functions-} != *readonly* ]]
  }

  # Where the marks cannot be kept all is taken back; a command that was said to begin has ended.
  __lectern_leave() {
    [[ ${PROMPT_EOL_MARK-} != "$__lectern_ended"* || ${(t)PROMPT_EOL_MARK-} == *readonly* ]] ||
      PROMPT_EOL_MARK=${PROMPT_EOL_MARK#"$__lectern_ended"}
    [[ ${(t)PS1-} == *readonly* ]] || PS1=${${PS1#"$__lectern_start"}%"$__lectern_ready"}
    [[ ${(t)PS2-} == *readonly* ]] || PS2=${PS2%"$__lectern_more"}
    [[ ${(t)precmd_functions-} == *readonly* ]] || precmd_functions=(${precmd_functions:#__lectern_precmd})
    [[ ${(t)preexec_functions-} == *readonly* ]] || preexec_functions=(${preexec_functions:#__lectern_preexec})
    __lectern_preexec() { : }
    __lectern_precmd() { return $? }
    __lectern_line_init() { : }
  }

  # The prompts may have been set anew, and so may the lists of hooks. zsh expands PROMPT_EOL_MARK before anything else is printed after
  # a command, and right behind its output: that is where output ends. Where PROMPT_SP is off a line that is not ended is overwritten by the
  # prompt: it is said before.
  __lectern_precmd() {
    local code=$?
    if ! __lectern_may; then
      printf '\e]133;D;%s;%s\a' "$code" "$__lectern_mark"
      __lectern_leave
      return $code
    fi
    [[ -o promptsp ]] || printf '\e]133;D;%s;%s\a' "$code" "$__lectern_mark"
    [[ ${PROMPT_EOL_MARK-} == "$__lectern_ended"* ]] || PROMPT_EOL_MARK="$__lectern_ended${PROMPT_EOL_MARK-%B%S%#%s%b}"
    [[ ${PS1-} == *"$__lectern_ready" ]] || PS1="$__lectern_start${PS1-}$__lectern_ready"
    [[ ${PS2-} == *"$__lectern_more" ]] || PS2="${PS2-}$__lectern_more"
    [[ ${preexec_functions[(r)__lectern_preexec]-} == __lectern_preexec ]] || preexec_functions+=(__lectern_preexec)
    if [[ ${precmd_functions[-1]-} != __lectern_precmd && ${(t)precmd_functions-} != *readonly* ]]; then
      precmd_functions=(${precmd_functions:#__lectern_precmd} __lectern_precmd)
    fi
    if [[ -z ${__lectern_zle-} ]]; then
      typeset -g __lectern_zle=1
      autoload -Uz add-zle-hook-widget && add-zle-hook-widget line-init __lectern_line_init 2>/dev/null
    fi
    return $code
  }

  # Whoever replaced the list of hooks gets ours back before the next command runs.
  __lectern_line_init() {
    if [[ ${precmd_functions[(r)__lectern_precmd]-} != __lectern_precmd && ${(t)precmd_functions-} != *readonly* ]]; then
      precmd_functions+=(__lectern_precmd)
    fi
    if [[ ${preexec_functions[(r)__lectern_preexec]-} != __lectern_preexec && ${(t)preexec_functions-} != *readonly* ]]; then
      preexec_functions+=(__lectern_preexec)
    fi
  }

  # The functions run with these options, whatever the user sets: he would see a trace of them, and errexit would end his shell.
  emulate zsh +x +e -c "$(functions __lectern_preexec __lectern_may __lectern_leave __lectern_precmd __lectern_line_init)"

  typeset -ga precmd_functions preexec_functions
  precmd_functions+=(__lectern_precmd)
  preexec_functions+=(__lectern_preexec)
fi
unset LECTERN_MARK

if [[ -f ${ZDOTDIR:-$HOME}/.zshenv && -r ${ZDOTDIR:-$HOME}/.zshenv ]]; then
  source "${ZDOTDIR:-$HOME}/.zshenv"
fi
