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
    if (( ${+__lectern_unwritten} )); then
      [[ $__lectern_unwritten == off ]] || setopt extendedhistory
      unset __lectern_unwritten
      builtin fc -AI
    fi
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
    __lectern_bind
    return $code
  }

  # Whoever replaced the list of hooks gets ours back before the next command runs.
  __lectern_line_init() {
    if [[ ${precmd_functions[(r)__lectern_precmd]-} != __lectern_precmd && ${(t)precmd_functions-} != *readonly* ]]; then
      precmd_functions+=(__lectern_precmd)
      __lectern_bind
    fi
    if [[ ${preexec_functions[(r)__lectern_preexec]-} != __lectern_preexec && ${(t)preexec_functions-} != *readonly* ]]; then
      preexec_functions+=(__lectern_preexec)
    fi
  }

  # Commands are not typed: the key ESC [ 7501 ~ fetches one from this directory, where the file "act" names it. Each answer is an OSC 633;P.
  typeset -g __lectern_acts=${LECTERN_ACT-}

  # Binds the key in each keymap, at each prompt, because keymaps are made and emptied. A vi command that waits for a character takes the
  # escape alone, so the rest is the key as well.
  __lectern_bind() {
    [[ -n $__lectern_acts && -o zle ]] || return 0
    __lectern_restore
    zle -N __lectern_act
    local map
    for map in main ${keymaps:#.safe}; do
      bindkey -M $map '\e[7501~' __lectern_act
    done 2>/dev/null
    bindkey -M vicmd '[7501~' __lectern_act
  }

  # The user's own options are seen here and in __lectern_history only.
  __lectern_act() {
    __lectern_take "${options[correct]}${options[correctall]}" "${options[histignorespace]}" "${options[histignoredups]}"
  }

  __lectern_take() {
    # An operator of vi waits for a movement: it is given up, and the key comes again.
    if [[ $KEYMAP == viopp ]]; then
      zle -U $'\e[7501~'
      return 1
    fi
    # What remains of the key where something else took its beginning.
    [[ $BUFFER != ($'\e'|)'[7501~' ]] || BUFFER=
    local REPLY id way shown fd
    zmodload -F zsh/system b:sysopen b:sysread 2>/dev/null && __lectern_read act || return 0
    id=${REPLY%%$'\n'*} REPLY=${REPLY#*$'\n'}
    way=${REPLY%%$'\n'*} shown=${REPLY#$way} shown=${shown#$'\n'}
    [[ -n $id && $#id -le 32 && $id != *[^A-Za-z0-9_-]* && $way == (plain|eval) ]] && __lectern_read $id || return 0
    if [[ $CONTEXT != start || ${ZLE_RECURSIVE:-0} != 0 ]]; then
      __lectern_answer "$id;more"
    elif [[ -n $BUFFER ]]; then
      __lectern_hex "$BUFFER"
      __lectern_answer "$id;draft;$REPLY"
    elif builtin sysopen -w -o create,excl -m 600 -u fd -- $__lectern_acts/$id.claim 2>/dev/null; then
      exec {fd}>&-
      __lectern_answer "$id;taken"
      POSTDISPLAY=
      if [[ $way == plain ]] && __lectern_is_plain "$REPLY" $1; then
        BUFFER=$REPLY CURSOR=$#REPLY
        (( ! ${+widgets[zle-line-finish]} )) || __lectern_finish_with "$REPLY"
      else
        [[ $way == eval ]] || shown=$REPLY
        BUFFER=$shown CURSOR=$#shown
        __lectern_evaluate "$REPLY" $2 $3
      fi
      zle .accept-line
    fi
    return 0
  }

  # The answer to the act in $1, for whoever reads the terminal.
  __lectern_answer() {
    builtin printf '\e]633;P;Act=%s;%s\a' "$1" "$__lectern_mark"
  }

  # The bytes of a file of the directory, in REPLY; false where there are none.
  __lectern_read() {
    local chunk
    REPLY=
    [[ -f $__lectern_acts/$1 && -r $__lectern_acts/$1 ]] || return 1
    while builtin sysread -s 65536 chunk; do
      REPLY+=$chunk
    done <$__lectern_acts/$1
    [[ -n $REPLY ]]
  }

  # The first 256 bytes in hexadecimal digits, in REPLY.
  __lectern_hex() {
    setopt localoptions nomultibyte
    local text=${1[1,256]} index byte
    REPLY=
    for (( index = 1; index <= $#text; index++ )); do
      builtin printf -v byte %02x "'${text[index]}"
      REPLY+=$byte
    done
  }

  # True where the shell runs this line as it is, whoever types it. $2 says whether it corrects words. An unfinished line would be asked to go on.
  __lectern_is_plain() {
    local histories=${histchars-}
    [[ $2 == offoff && ${histories[1,2]} == '!^' && $1 != (*[^ -~]*|*'!'*|*'^'*|' '*|*' ') ]] || return 1
    unset 'functions[__lectern_trial]'
    functions[__lectern_trial]=$1 2>/dev/null
    (( ${+functions[__lectern_trial]} ))
  }

  # The line becomes a fixed word, which evaluates the text ($1). What is seen is the text as a person may read it, as if it had been typed, and so
  # is what goes into the history. $2 and $3: HIST_IGNORE_SPACE and HIST_IGNORE_DUPS.
  __lectern_evaluate() {
    local word='eval "$__lectern_text"'
    (( ! ${+aliases[eval]} + ${+galiases[eval]} + ${+functions[eval]} )) || word="\\builtin \\$word"
    typeset -g __lectern_text=$1 __lectern_hidden=0
    [[ $2 == on && $1 == ' '* || $3 == on && $1 == "${history[$(( HISTCMD - 1 ))]-}" ]] && __lectern_hidden=1
    if [[ ${(t)zshaddhistory_functions-} != *readonly* ]]; then
      typeset -g __lectern_swapped=1
      typeset -ga __lectern_hooks zshaddhistory_functions
      __lectern_hooks=(${zshaddhistory_functions})
      if (( ${+functions[zshaddhistory]} )); then
        functions -c zshaddhistory __lectern_hook
        unfunction zshaddhistory
        __lectern_hooks=(__lectern_hook ${__lectern_hooks})
      fi
      zshaddhistory_functions=(__lectern_history)
    fi
    if [[ ${histchars-} != '!^#' && ${(t)histchars-} != *readonly* ]]; then
      typeset -g __lectern_histchars=${histchars-}
      histchars='!^#'
    fi
    __lectern_finish_with " $word"
  }

  # The line that the shell gets, once the last has been seen of the one that stands there: the user's hook may change neither.
  __lectern_finish_with() {
    typeset -g __lectern_line=$1
    (( ! ${+widgets[zle-line-finish]} )) || zle -A zle-line-finish __lectern_line_finish
    zle -N zle-line-finish __lectern_finish
  }

  __lectern_finish() {
    __lectern_unfinish
    (( ! ${+widgets[zle-line-finish]} )) || zle zle-line-finish
    [[ $BUFFER != "$__lectern_line" ]] || return 0
    # This draws for the last time.
    zle -I
    BUFFER=$__lectern_line
  }

  __lectern_unfinish() {
    [[ ${widgets[zle-line-finish]-} == user:__lectern_finish ]] || return 0
    if (( ${+widgets[__lectern_line_finish]} )); then
      zle -A __lectern_line_finish zle-line-finish
      zle -D __lectern_line_finish
    else
      zle -D zle-line-finish
    fi
  }

  # Puts back what was set for the fixed word alone.
  __lectern_restore() {
    __lectern_unfinish
    if (( ${+__lectern_histchars} )); then
      histchars=$__lectern_histchars
      unset __lectern_histchars
    fi
    (( ${+__lectern_swapped} )) || return 0
    unset __lectern_swapped
    zshaddhistory_functions=(${__lectern_hooks:#__lectern_hook})
    (( ! ${+functions[__lectern_hook]} )) || functions -c __lectern_hook zshaddhistory
  }

  # The history gets the text in place of the word, which goes into one that is thrown away; the user's hooks see the text.
  __lectern_history() {
    __lectern_restore
    local __lectern_hook __lectern_kept=$__lectern_hidden
    for __lectern_hook in "${__lectern_hooks[@]}"; do
      "$__lectern_hook" "$__lectern_text"$'\n' || (( __lectern_kept = __lectern_kept > $? ? __lectern_kept : $? ))
    done
    if (( ${__lectern_kept} != 1 )); then
      builtin print -rs -- "$__lectern_text"
      [[ ! -o incappendhistory || -o sharehistory ]] || typeset -g __lectern_unwritten=${options[extendedhistory]}
    fi
    builtin fc -p
    return 0
  }

  # The functions run with these options, whatever the user sets: he would see a trace of them, and errexit would end his shell.
  emulate zsh +x +e -c "$(functions __lectern_preexec __lectern_may __lectern_leave __lectern_precmd __lectern_line_init __lectern_bind \
    __lectern_take __lectern_answer __lectern_read __lectern_hex __lectern_is_plain __lectern_evaluate \
    __lectern_finish_with __lectern_unfinish __lectern_restore)"

  typeset -ga precmd_functions preexec_functions
  precmd_functions+=(__lectern_precmd)
  preexec_functions+=(__lectern_preexec)
fi
unset LECTERN_MARK LECTERN_ACT

if [[ -f ${ZDOTDIR:-$HOME}/.zshenv && -r ${ZDOTDIR:-$HOME}/.zshenv ]]; then
  source "${ZDOTDIR:-$HOME}/.zshenv"
fi
