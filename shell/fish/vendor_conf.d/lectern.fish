# Lectern's marks for fish (OSC 133 with LECTERN_MARK in each). fish reads this file because XDG_DATA_DIRS names its directory, before the
# user's own configuration; what was put into the environment is taken out of it at once.
if set -q LECTERN_XDG_DATA_DIRS
    set -gx XDG_DATA_DIRS $LECTERN_XDG_DATA_DIRS
else
    set -e XDG_DATA_DIRS
end

if status is-interactive; and set -q LECTERN_MARK
    set -g __lectern_mark $LECTERN_MARK

    function __lectern_preexec --on-event fish_preexec
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
    end
end
set -e LECTERN_MARK
set -e LECTERN_XDG_DATA_DIRS
