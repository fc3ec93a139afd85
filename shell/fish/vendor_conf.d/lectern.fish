# Lectern's marks for fish (OSC 133 with LECTERN_MARK in each). fish reads this file because XDG_DATA_DIRS names its directory, before the
# user's own configuration; what was put into the environment is taken out of it at once.
if set -q LECTERN_XDG_DATA_DIRS
    set -gx XDG_DATA_DIRS $LECTERN_XDG_DATA_DIRS
else
    set -e XDG_DATA_DIRS
end

if status is-interactive; and set -q LECTERN_MARK
    set -g __lectern_mark $LECTERN_MARK
    # A `read` has the line editor while a command runs.
    set -g __lectern_running 1

    function __lectern_preexec --on-event fish_preexec
        set -g __lectern_running 1
        printf '\e]133;C;%s\a' $__lectern_mark
    end

    function __lectern_postexec --on-event fish_postexec
        printf '\e]133;D;%s;%s\a' $status $__lectern_mark
    end

    # The prompt function may have been set anew: it is wrapped before each prompt where it is not.
    function __lectern_wrap --on-event fish_prompt
        printf '\e]133;A;%s\a' $__lectern_mark
        if not functions fish_prompt | string match -q '*__lectern_inner_prompt*'
            functions -e __lectern_inner_prompt
            functions -c fish_prompt __lectern_inner_prompt
            function fish_prompt
                __lectern_inner_prompt
                printf '\e]133;B;%s\a' $__lectern_mark
            end
        end
        __lectern_bind
        set -g __lectern_running 0
    end

    # Commands are not typed: the key ESC [ 7501 ~ fetches one from this directory, where the file "act" names it. Each answer is an OSC 633;P.
    set -g __lectern_acts $LECTERN_ACT

    # Binds the key in each mode, at each prompt, because bindings are erased.
    function __lectern_bind
        test -n "$__lectern_acts"; or return
        for mode in (bind --list-modes)
            bind --mode $mode \e\[7501~ __lectern_take
        end
    end

    function __lectern_take
        # What remains of the key where something else took its beginning.
        set -l lines (commandline)
        if string match -qr '^\e?\[7501~$' -- "$lines"
            commandline -r ''
            set lines ''
        end
        test -r $__lectern_acts/act; or return
        read -z --local act <$__lectern_acts/act
        set -l fields (string split -m 2 \n -- $act)
        string match -qr '^[A-Za-z0-9_-]{1,32}$' -- $fields[1]; and contains -- "$fields[2]" plain eval; or return
        set -l id $fields[1]
        test -f $__lectern_acts/$id -a -r $__lectern_acts/$id -a -s $__lectern_acts/$id; or return
        if test $__lectern_running = 1
            printf '\e]633;P;Act=%s;more;%s\a' $id $__lectern_mark
        else if test -n "$lines"
            printf '\e]633;P;Act=%s;draft;%s;%s\a' $id "$(__lectern_hex "$(string join \n -- $lines)")" $__lectern_mark
        else if begin; true >?$__lectern_acts/$id.claim; end 2>/dev/null
            printf '\e]633;P;Act=%s;taken;%s\a' $id $__lectern_mark
            read -z --global __lectern_text <$__lectern_acts/$id
            if test $fields[2] = plain; and commandline -r -- "$__lectern_text "; and commandline --is-valid
                # A blank behind it keeps an abbreviation from being expanded.
            else
                test -z "$fields[3]"; or printf '%s\n' $fields[3]
                commandline -r -- ' eval $__lectern_text '
            end
            commandline -f execute
        end
    end

    # The first 256 bytes in hexadecimal digits.
    function __lectern_hex
        for byte in (string escape --style=url -- $argv[1] | string match -ar '%..|.')[1..256]
            if string match -q '%*' -- $byte
                printf (string lower (string sub -s 2 $byte))
            else
                printf %02x "'$byte"
            end
        end
    end
end
set -e LECTERN_MARK
set -e LECTERN_ACT
set -e LECTERN_XDG_DATA_DIRS
