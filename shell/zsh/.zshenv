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

  # The command that was taken and is not begun, and what is to be said of it with the mark of its start.
  typeset -g __lectern_taken=
  typeset -ga __lectern_told

  # Each argument is a mark. None is in a prompt: themes replace prompts, and commands print them. What a command has redirected gets none.
  __lectern_say() {
    local mark text=
    for mark; do text+=$'\e]'"$mark;$__lectern_mark"$'\a'; done
    if [[ -t 1 ]]; then __lectern_print $text; else __lectern_print $text >$TTY; fi
  }

  # A function of the user may have the name of any of these.
  __lectern_print() {
    if (( ! ${+functions[builtin]} )); then
      builtin print -rn -- $1
    elif (( ! ${+functions[print]} )); then
      print -rn -- $1
    elif (( ! ${+functions[printf]} )); then
      printf %s $1
    fi
  }

  # Empty once ours is one of several hooks of the editor.
  typeset -g __lectern_shared=' not'

  # The first hook of a prompt puts back whatever is gone of the others, unless it is readonly. zsh expands PROMPT_EOL_MARK before anything else
  # is printed after a command, and right behind its output: that is where output ends.
  __lectern_keep() {
    [[ ${PROMPT_EOL_MARK-} == "$__lectern_ended"* || ${(t)PROMPT_EOL_MARK-} == *readonly* ]] ||
      PROMPT_EOL_MARK="$__lectern_ended${PROMPT_EOL_MARK-%B%S%#%s%b}"
    [[ ${preexec_functions[(r)__lectern_preexec]-} == __lectern_preexec || ${(t)preexec_functions-} == *readonly* ]] ||
      preexec_functions+=(__lectern_preexec)
    [[ ${precmd_functions[-1]-} == __lectern_precmd || ${(t)precmd_functions-} == *readonly* ]] ||
      precmd_functions=(${precmd_functions:#__lectern_precmd} __lectern_precmd)
    [[ -o zle ]] || return 0
    case ${widgets[zle-line-init]-} in
      user:__lectern_line_init | user:azhw:zle-line-init$__lectern_shared) ;;
      '') zle -N zle-line-init __lectern_line_init ;;
      *) __lectern_share ;;
    esac
  }

  # Others have the hook of the editor as well, or have taken ours over. One that replaced all of them is kept only if ours is added anew.
  __lectern_share() {
    local hooks
    zstyle -s zle-line-init widgets hooks
    __lectern_shared=
    [[ $hooks != *__lectern_line_init* || ${widgets[zle-line-init]} != user:azhw:zle-line-init ]] || return 0
    zmodload zsh/zle && autoload -Uz add-zle-hook-widget || return 0
    add-zle-hook-widget -d line-init __lectern_line_init
    add-zle-hook-widget line-init __lectern_line_init
  }

  # zsh looks at all parameters at the end of each function: what is usual is in few of them.
  __lectern_preexec() {
    (( ! ${+__lectern_histchars} )) || __lectern_restore
    __lectern_taken=
    if (( ${+__lectern_unwritten} )); then
      [[ $__lectern_unwritten == off ]] || setopt extendedhistory
      unset __lectern_unwritten
      builtin fc -AI
    fi
    (( ${+__lectern_seen} )) || __lectern_keep
    unset __lectern_seen
    # Unless nothing would say where its output ends.
    if [[ -o promptsp && -o promptcr ]]; then
      [[ ${PROMPT_EOL_MARK-} != "$__lectern_ended"* ]] || __lectern_told+=(133\;C)
    else
      [[ ${precmd_functions[(r)__lectern_precmd]-} != __lectern_precmd ]] || __lectern_told+=(133\;C)
    fi
    [[ -n $__lectern_told ]] || return 0
    if [[ -t 1 && ${+functions[builtin]} == 0 ]]; then
      builtin printf '\e]%s;'"$__lectern_mark"'\a' $__lectern_told
    else
      __lectern_say $__lectern_told
    fi
    __lectern_told=()
  }

  __lectern_precmd() {
    local code=$?
    # The rest is looked at behind the prompt, where nobody waits for it.
    [[ ${widgets[zle-line-init]-} == (user:__lectern_line_init|user:azhw:zle-line-init$__lectern_shared) && -o zle ]] || __lectern_keep
    typeset -g __lectern_seen=
    [[ $! == 0 || -z $__lectern_acts ]] || __lectern_jobs
    if [[ -t 1 && -z ${__lectern_taken-} && ${+functions[builtin]} == 0 ]]; then
      builtin printf $'\e]%s;%s\a' "133;D;$code" "$__lectern_mark" 133\;A "$__lectern_mark"
    else
      # A command that was taken and is not begun is a comment, or an error that came with an alias.
      __lectern_say "133;D;$code" $__lectern_told ${__lectern_taken:+"633;P;Act=$__lectern_taken;skipped"} '133;A'
      __lectern_taken= __lectern_told=()
    fi
    # Nothing is called behind the prompt.
    [[ -o zle ]] || __lectern_say '133;B'
    return $code
  }

  # The jobs that run, in a file: Lectern knows by it which lines of an output are notices on jobs that have ended. `jobs` would report those itself.
  __lectern_jobs() {
    local number
    (( ! ${+functions[builtin]} )) || return 0
    for number in ${(k)jobtexts}; do builtin print -r -- "[$number]+  running  $jobtexts[$number]"; done >|$__lectern_acts/jobs
  }

  # Behind the prompt, whoever replaced what was before it. What is typed from the mark on waits until the rest is done.
  __lectern_line_init() {
    case $CONTEXT in
      start) if [[ -t 1 && ${+functions[builtin]} == 0 ]]; then builtin printf $'\e]133;B;%s\a' "$__lectern_mark"; else __lectern_say '133;B'; fi ;;
      cont) __lectern_say '133;P;k=s' ;;
    esac
    [[ ${PROMPT_EOL_MARK-} == "$__lectern_ended"* && ${preexec_functions[(r)__lectern_preexec]-} == __lectern_preexec &&
      ${precmd_functions[-1]-} == __lectern_precmd &&
      ${widgets[zle-line-init]-} == (user:__lectern_line_init|user:azhw:zle-line-init$__lectern_shared) ]] || __lectern_keep
    [[ -n $__lectern_acts ]] || return 0
    [[ ${+__lectern_histchars}${+__lectern_hooks} == 00 && ${widgets[zle-line-finish]-} != user:__lectern_finish ]] || __lectern_restore
    (( ${+widgets[__lectern_act]} && ${+widgets[__lectern_again]} )) || zle -N __lectern_act && zle -N __lectern_again
    [[ ${(t)keymaps-} != *special* || $keymaps == "$__lectern_keymaps" ]] || __lectern_bind
    bindkey '\e[7501~' __lectern_act
    bindkey -M vicmd '\e[7501~' __lectern_act '[7501~' __lectern_act
    bindkey -M viopp '\e[7501~' __lectern_again
  }

  # Commands are not typed: the key ESC [ 7501 ~ fetches one from this directory, where the file "act" names it. Each answer is an OSC 633;P.
  typeset -g __lectern_acts=${LECTERN_ACT-}

  # Bound again and again, because keymaps are emptied, and in each keymap where there is another one. A vi command that waits for a
  # character takes the escape alone, so the rest is the key as well.
  typeset -g __lectern_keymaps=
  __lectern_bind() {
    local map
    __lectern_keymaps="$keymaps"
    for map in ${keymaps:#.safe}; do
      bindkey -M $map '\e[7501~' __lectern_act
    done
  }

  # An operator of vi waits for a movement, and would put the line back after it: it is given up, and the key comes again.
  __lectern_again() {
    zle -U $'\e[7501~'
    return 1
  }

  # The user's own options are seen here and in __lectern_history only.
  __lectern_act() {
    __lectern_take "${options[correct]}${options[correctall]}" "${options[histignorespace]}" "${options[histignoredups]}"
  }

  __lectern_take() {
    [[ -z $BUFFER ]] || __lectern_clear
    local REPLY id way shown fd bytes
    local -a fields
    # The word for it would run something else: no answer, and it is withdrawn.
    (( ${+builtins[eval]} && ! ${+functions[builtin]} )) || return 0
    (( ${+builtins[sysopen]} && ${+builtins[sysread]} )) || zmodload -F zsh/system b:sysopen b:sysread || return 0
    [[ -f $__lectern_acts/act && -r $__lectern_acts/act ]] || return 0
    builtin sysread -c bytes -s 4096 REPLY <$__lectern_acts/act || return 0
    (( bytes < 4096 )) || __lectern_read
    # Its fields, with a NUL between them: id, way, the command as a person may read it, the command, and `start` where the mark of its start may say
    # that it was taken.
    fields=("${(@0)REPLY}")
    id=$fields[1] way=$fields[2] shown=$fields[3] REPLY=$fields[4]
    [[ -n $id && $#id -le 32 && $id != *[^A-Za-z0-9_-]* && -n $REPLY ]] || return 0
    if [[ $way != (plain|eval) ]]; then
      __lectern_say "633;P;Act=$id;version;1"
    elif [[ $CONTEXT != start || ${ZLE_RECURSIVE:-0} != 0 ]]; then
      __lectern_say "633;P;Act=$id;more"
    elif [[ -n $BUFFER ]]; then
      __lectern_hex "$BUFFER"
      __lectern_say "633;P;Act=$id;draft;$REPLY"
    elif [[ ! -e $__lectern_acts/$id.claim ]] && builtin sysopen -w -o create,excl -m 600 -u fd -- $__lectern_acts/$id.claim; then
      exec {fd}>&-
      __lectern_taken=$id __lectern_told=("633;P;Act=$id;taken")
      if [[ $fields[5] != start ]]; then
        __lectern_say $__lectern_told
        __lectern_told=()
      fi
      POSTDISPLAY=
      [[ $way == eval ]] || shown=$REPLY
      BUFFER=$shown CURSOR=$#shown
      # Nothing opens what it does not close, unless a word stands for something else: to parse it costs as much as the rest.
      if [[ $1 == offoff && $BUFFER == "$REPLY" ]] && {
        [[ ${histchars-} == '!^#' && $REPLY != ' '* && $REPLY != *[^A-Za-z0-9_./:,+%@\ -]* ]] &&
          (( ! (${+reswords[${REPLY%% *}]} + ${+aliases[${REPLY%% *}]} + ${#galiases} + ${#saliases}) )) || __lectern_is_line "$REPLY"
      }; then
        (( ! ${+widgets[zle-line-finish]} )) || __lectern_finish_with "$REPLY"
      else
        __lectern_evaluate "$REPLY" $2 $3
      fi
      zle .accept-line
    fi
    return 0
  }

  # What remains of the key where something else took its beginning, and of a terminal's answers to a program that has ended.
  __lectern_clear() {
    setopt localoptions extendedglob
    [[ $BUFFER != ($'\e'|)'[7501~' &&
      $BUFFER != (('['|)([\?\>]|)[0-9]#(';'[0-9]##)##([cRt]|'$y')|('['|)('?'|)[0-9]##u|(']'|)1[0-9]';rgb:'[0-9a-f/]##('\'|))## ]] || BUFFER=
  }

  # The bytes of the file, in REPLY; false where there are none.
  __lectern_read() {
    local chunk
    integer bytes=65536
    REPLY=
    [[ -f $__lectern_acts/act && -r $__lectern_acts/act ]] || return 1
    while (( bytes == 65536 )) && builtin sysread -c bytes -s 65536 chunk; do
      REPLY+=$chunk
    done <$__lectern_acts/act
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

  # True where the shell runs the text ($1) as it is. An unfinished line would be asked to go on, and of several lines each would be a command of its own.
  __lectern_is_line() {
    # A restricted shell may hide no error of a trial.
    [[ ! -o restricted && $1 != (*$'\n'*|*\\) ]] && __lectern_unexpanded "$1" || return 1
    functions[__lectern_trial]=$1 2>/dev/null
    (( ${+functions[__lectern_trial]} )) && unfunction __lectern_trial
  }

  # Until the shell has read the text in $1, nothing in it is replaced by history; false where that cannot be.
  __lectern_unexpanded() {
    [[ -n ${histchars-} && ($1 == *"${histchars[1]}"* || $1 == *"${histchars[2]}"*) ]] || return 0
    [[ ${(t)histchars} != *readonly* ]] || return 1
    typeset -g __lectern_histchars=$histchars
    histchars=$'\0\0'${histchars[3]}
  }

  # The line becomes a fixed word, which evaluates the text ($1). What is seen is the text as a person may read it, as if it had been typed, and so
  # is what goes into the history. $2 and $3: HIST_IGNORE_SPACE and HIST_IGNORE_DUPS.
  __lectern_evaluate() {
    local word='eval "$__lectern_text"'
    (( ! (${+aliases[eval]} + ${+galiases[eval]} + ${+functions[eval]}) )) || word="\\builtin \\$word"
    typeset -g __lectern_text=$1 __lectern_hidden=0
    [[ $2 == on && $1 == ' '* || $3 == on && $1 == "${history[$(( HISTCMD - 1 ))]-}" ]] && __lectern_hidden=1
    typeset -ga __lectern_hooks=(${zshaddhistory_functions-})
    (( ! ${+functions[zshaddhistory]} )) || functions -c zshaddhistory __lectern_hook
    functions -c __lectern_history zshaddhistory
    [[ ${(t)zshaddhistory_functions-} == *readonly* ]] || zshaddhistory_functions=()
    __lectern_unexpanded " $word"
    __lectern_finish_with " $word"
  }

  # The line that the shell gets, once the last has been seen of the one that stands there: the user's hook may change neither.
  __lectern_finish_with() {
    typeset -g __lectern_line=$1
    (( ! ${+widgets[zle-line-finish]} )) || zle -A zle-line-finish __lectern_line_finish
    zle -N zle-line-finish __lectern_finish
  }

  __lectern_finish() {
    if (( ${+widgets[__lectern_line_finish]} )); then
      zle -A __lectern_line_finish zle-line-finish
      zle -D __lectern_line_finish
      zle zle-line-finish
    else
      zle -D zle-line-finish
    fi
    [[ $BUFFER != "$__lectern_line" ]] || return 0
    # This draws for the last time.
    zle -I
    BUFFER=$__lectern_line
  }

  # Puts back what was set until the shell has read the line.
  __lectern_restore() {
    if [[ ${widgets[zle-line-finish]-} == user:__lectern_finish ]]; then
      zle -D zle-line-finish
      (( ! ${+widgets[__lectern_line_finish]} )) || zle -A __lectern_line_finish zle-line-finish && zle -D __lectern_line_finish
    fi
    if (( ${+__lectern_histchars} )); then
      histchars=$__lectern_histchars
      unset __lectern_histchars
    fi
    (( ${+__lectern_hooks} )) || return 0
    unfunction zshaddhistory
    if (( ${+functions[__lectern_hook]} )); then
      functions -c __lectern_hook zshaddhistory
      unfunction __lectern_hook
    fi
    [[ ${(t)zshaddhistory_functions-} == *readonly* ]] || zshaddhistory_functions=("${__lectern_hooks[@]}")
    unset __lectern_hooks
  }

  # The history gets the text in place of the word, which goes into one that is thrown away; the user's hooks see the text.
  __lectern_history() {
    local __lectern_name __lectern_kept=$__lectern_hidden
    __lectern_restore
    for __lectern_name in zshaddhistory ${zshaddhistory_functions}; do
      (( ${+functions[$__lectern_name]} )) || continue
      "$__lectern_name" "$__lectern_text"$'\n' || (( __lectern_kept = __lectern_kept > $? ? __lectern_kept : $? ))
    done
    if (( ${__lectern_kept} != 1 )); then
      builtin print -rs -- "$__lectern_text"
      [[ ! -o incappendhistory || -o sharehistory ]] || typeset -g __lectern_unwritten=${options[extendedhistory]}
    fi
    [[ ! -o restricted && ${(t)HISTFILE-} != *readonly* ]] && builtin fc -p
  }

  # The functions run with these options, whatever the user sets: he would see a trace of them, and errexit would end his shell.
  emulate zsh +x +e -c "$(functions __lectern_say __lectern_print __lectern_keep __lectern_share __lectern_preexec __lectern_precmd __lectern_jobs __lectern_line_init __lectern_bind \
    __lectern_again __lectern_take __lectern_clear __lectern_read __lectern_hex __lectern_is_line __lectern_unexpanded __lectern_evaluate \
    __lectern_finish_with __lectern_restore)"

  typeset -ga precmd_functions preexec_functions
  __lectern_keep
fi
unset LECTERN_MARK LECTERN_ACT

if [[ -f ${ZDOTDIR:-$HOME}/.zshenv && -r ${ZDOTDIR:-$HOME}/.zshenv ]]; then
  source "${ZDOTDIR:-$HOME}/.zshenv"
fi
