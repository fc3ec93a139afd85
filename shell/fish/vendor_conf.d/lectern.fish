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

    # The prompt puts them back where they are erased.
    function __lectern_hook
        function __lectern_preexec --on-event fish_preexec
            set -g __lectern_running 1
            if set -q __lectern_skipped
                builtin printf '\e]633;P;Act=%s;skipped;%s\a' $__lectern_skipped $__lectern_mark
                set -e __lectern_skipped
            else
                builtin printf '\e]133;C;%s\a' $__lectern_mark
            end
        end

        function __lectern_postexec --on-event fish_postexec
            builtin printf '\e]133;D;%s;%s\a' $status $__lectern_mark
            set -g __lectern_running 0
            for notice in $__lectern_notices
                __lectern_inner_summary (string split \x1f -- $notice)
            end
            set -g __lectern_notices
        end

        # The prompt function may have been set anew: it is wrapped before each prompt where it is not.
        function __lectern_wrap --on-event fish_prompt
            builtin printf '\e]133;A;%s\a' $__lectern_mark
            if not functions fish_prompt | string match -q '*__lectern_inner_prompt*'
                functions -e __lectern_inner_prompt
                functions -c fish_prompt __lectern_inner_prompt
                function fish_prompt
                    __lectern_inner_prompt
                    if not functions -q __lectern_preexec __lectern_postexec __lectern_wrap
                        __lectern_hook
                        set -g __lectern_running 0
                    end
                    builtin printf '\e]133;B;%s\a' $__lectern_mark
                end
            end
            __lectern_bind
            set -g __lectern_running 0
        end
    end
    __lectern_hook

    # What is said of jobs in the background is no output of the command that runs: it is said after the command's end.
    set -g __lectern_notices
    functions -c fish_job_summary __lectern_inner_summary
    function fish_job_summary
        if test $__lectern_running = 1; and test $argv[2] = 0
            set -a __lectern_notices (string join \x1f -- $argv)
        else
            __lectern_inner_summary $argv
        end
    end

    # Commands are not typed: the key ESC [ 7501 ~ fetches one from this directory, where the file "act" names it. Each answer is an OSC 633;P.
    set -g __lectern_acts $LECTERN_ACT

    # Binds the key in each mode, at each prompt, because bindings are erased. A vi command that waits for a character takes the escape alone.
    function __lectern_bind
        test -n "$__lectern_acts"; or return
        set -l modes (bind --list-modes)
        for mode in $modes
            bind --mode $mode \e\[7501~ __lectern_take
        end
        contains insert $modes; and bind --mode default '[7501~' __lectern_take
    end

    function __lectern_take
        # What remains of the key where something else took its beginning, and of a terminal's answers to a program that has ended.
        set -l lines (commandline)
        if string match -qr '^(\e?\[7501~|(\[?[?>]?\d*(;\d+)+([cRt]|\$y)|\[?\??\d+u|\]?1\d;rgb:[0-9a-f/]+\\\\?)+)$' -- "$lines"
            commandline -r ''
            set lines ''
        end
        test -r $__lectern_acts/act; or return
        set -l fields
        # Four fields, with a NUL between them: id, way, the command as a person may read it, the command.
        begin
            read -z --local id
            read -z --local way
            read -z --local shown
            read -z --local text
            set fields $id $way "$shown" "$text"
        end <$__lectern_acts/act
        string match -qr '^[A-Za-z0-9_-]{1,32}$' -- $fields[1]; and test -n "$fields[4]"; or return
        set -l id $fields[1]
        if not contains -- "$fields[2]" plain eval
            builtin printf '\e]633;P;Act=%s;version;1;%s\a' $id $__lectern_mark
        # Without the event that ends a command nothing is known but the name of what runs.
        else if test $__lectern_running = 1; and test (status current-command) != fish
            builtin printf '\e]633;P;Act=%s;more;%s\a' $id $__lectern_mark
        else if test -n "$lines"
            builtin printf '\e]633;P;Act=%s;draft;%s;%s\a' $id "$(__lectern_hex "$(string join \n -- $lines)")" $__lectern_mark
        else if not test -e $__lectern_acts/$id.claim; and begin; builtin true >?$__lectern_acts/$id.claim; end 2>/dev/null
            # From here on Lectern removes the files.
            builtin printf '\e]633;P;Act=%s;taken;%s\a' $id $__lectern_mark
            # fish runs nothing of these, and its events come all the same.
            string match -qr '^(\s|#[^\n]*(\n|$))*$' -- $fields[4]; and set -g __lectern_skipped $id
            # What a person may read is run as it is where it is the command itself, complete and held by the editor without a change. A blank behind
            # it keeps an abbreviation from being expanded.
            set -g __lectern_text $fields[4]
            test $fields[2] = eval; or set fields[3] $__lectern_text
            commandline -r -- "$fields[3] "
            if test "$fields[3]" != "$__lectern_text"; or string match -q '*\\' -- $__lectern_text; or not commandline --is-valid; or test "$(commandline)" != "$__lectern_text "
                commandline -r -- ' eval $__lectern_text '
                test -z "$fields[3]"; or builtin printf '%s\n' $fields[3]
            end
            commandline -f execute
        end
    end

    # The first 256 bytes in hexadecimal digits.
    function __lectern_hex
        for byte in (string escape --style=url -- $argv[1] | string match -ar '%..|.')[1..256]
            if string match -q '%*' -- $byte
                builtin printf (string lower (string sub -s 2 $byte))
            else
                builtin printf %02x "'$byte"
            end
        end
    end
end
set -e LECTERN_MARK
set -e LECTERN_ACT
set -e LECTERN_XDG_DATA_DIRS
