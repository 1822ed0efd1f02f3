# reloop completion for fish: reloop completion fish > ~/.config/fish/completions/reloop.fish
function __reloop_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l candidates ($words[1] complete -- $words "$current" 2>/dev/null </dev/null)
    if test "$candidates" = ":files"
        __fish_complete_path "$current"
    else
        printf '%s\n' $candidates
    end
end
complete -c reloop -f -k -a '(__reloop_complete)'
