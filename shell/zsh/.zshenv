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

  __lectern_preexec() {
    printf '\e]133;C;%s\a' "$__lectern_mark"
  }

  # The prompts may have been set anew, and so may the lists of hooks. zsh expands PROMPT_EOL_MARK before anything else is printed after
  # a command, and right behind its output: that is where output ends. PS1 says it again, where PROMPT_SP is off.
  __lectern_precmd() {
    local code=$?
    local ended="%{"$'\e]133;D;%?;'"$__lectern_mark"$'\a'"%}"
    local ready="%{"$'\e]133;B;'"$__lectern_mark"$'\a'"%}"
    local more="%{"$'\e]133;P;k=s;'"$__lectern_mark"$'\a'"%}"
    [[ ${PROMPT_EOL_MARK-} == "$ended"* ]] || PROMPT_EOL_MARK="$ended${PROMPT_EOL_MARK-%B%S%#%s%b}"
    [[ ${PS1-} == *"$ready" ]] || PS1="$ended%{"$'\e]133;A;'"$__lectern_mark"$'\a'"%}${PS1-}$ready"
    [[ ${PS2-} == *"$more" ]] || PS2="${PS2-}$more"
    [[ ${preexec_functions[(r)__lectern_preexec]-} == __lectern_preexec ]] || preexec_functions+=(__lectern_preexec)
    if [[ ${precmd_functions[-1]-} != __lectern_precmd ]]; then
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
    [[ ${precmd_functions[(r)__lectern_precmd]-} == __lectern_precmd ]] || precmd_functions+=(__lectern_precmd)
    [[ ${preexec_functions[(r)__lectern_preexec]-} == __lectern_preexec ]] || preexec_functions+=(__lectern_preexec)
  }

  typeset -ga precmd_functions preexec_functions
  precmd_functions+=(__lectern_precmd)
  preexec_functions+=(__lectern_preexec)
fi
unset LECTERN_MARK

if [[ -f ${ZDOTDIR:-$HOME}/.zshenv && -r ${ZDOTDIR:-$HOME}/.zshenv ]]; then
  source "${ZDOTDIR:-$HOME}/.zshenv"
fi
