#compdef reloop
# reloop completion for zsh. Put this into ~/.zshrc, behind compinit: eval "$(reloop completion zsh)"
_reloop() {
  local line
  local -a candidates shown
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      _files
      return
    fi
    candidates+=("${line%%$'\t'*}")
    if [[ -n ${line#*$'\t'} ]]; then
      shown+=("${line%%$'\t'*}  -- ${line#*$'\t'}")
    else
      shown+=("${line%%$'\t'*}")
    fi
  done < <("${(Q)words[1]}" complete -- "${(@Q)words[1,CURRENT]}" 2>/dev/null </dev/null)
  (( ${#candidates} )) && compadd -V reloop -l -d shown -a candidates
}
if [[ $funcstack[1] == _reloop ]]; then _reloop "$@"; else compdef _reloop reloop; fi
