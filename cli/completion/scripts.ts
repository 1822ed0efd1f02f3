/** What `reloop completion` prints, by shell. Each asks `reloop complete`, of the command as it was typed. */
export const completionScripts = {
  bash: `# reloop completion for bash. Put this into ~/.bashrc: eval "$(reloop completion bash)"
_reloop_complete() {
  local candidate
  COMPREPLY=()
  while IFS= read -r candidate; do
    if [[ $candidate == :files ]]; then
      compopt -o default 2>/dev/null
      return
    fi
    COMPREPLY+=("$candidate")
  done < <("$1" complete --line "\${COMP_LINE:0:COMP_POINT}" --breaks "$COMP_WORDBREAKS" 2>/dev/null </dev/null)
  if ((\${#COMPREPLY[@]} == 1)) && [[ \${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -o nosort -F _reloop_complete reloop 2>/dev/null || complete -F _reloop_complete reloop
`,
  zsh: `#compdef reloop
# reloop completion for zsh. Put this into ~/.zshrc, behind compinit: eval "$(reloop completion zsh)"
_reloop() {
  local line
  local -a candidates shown
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      _files
      return
    fi
    candidates+=("\${line%%$'\\t'*}")
    if [[ -n \${line#*$'\\t'} ]]; then
      shown+=("\${line%%$'\\t'*}  -- \${line#*$'\\t'}")
    else
      shown+=("\${line%%$'\\t'*}")
    fi
  done < <("\${(Q)words[1]}" complete -- "\${(@Q)words[1,CURRENT]}" 2>/dev/null </dev/null)
  (( \${#candidates} )) && compadd -V reloop -l -d shown -a candidates
}
if [[ $funcstack[1] == _reloop ]]; then _reloop "$@"; else compdef _reloop reloop; fi
`,
  fish: `# reloop completion for fish: reloop completion fish > ~/.config/fish/completions/reloop.fish
function __reloop_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l candidates ($words[1] complete -- $words "$current" 2>/dev/null </dev/null)
    if test "$candidates" = ":files"
        __fish_complete_path "$current"
    else
        printf '%s\\n' $candidates
    end
end
complete -c reloop -f -k -a '(__reloop_complete)'
`,
} as const;

export type Shell = keyof typeof completionScripts;

export const shells = Object.keys(completionScripts) as Shell[]; // the keys of the literal above
