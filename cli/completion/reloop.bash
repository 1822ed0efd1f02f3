# reloop completion for bash. Put this into ~/.bashrc: eval "$(reloop completion bash)"
_reloop_complete() {
  local candidate
  COMPREPLY=()
  while IFS= read -r candidate; do
    if [[ $candidate == :files ]]; then
      compopt -o default 2>/dev/null
      return
    fi
    COMPREPLY+=("$candidate")
  done < <("$1" complete --line "${COMP_LINE:0:COMP_POINT}" --breaks "$COMP_WORDBREAKS" 2>/dev/null </dev/null)
  if ((${#COMPREPLY[@]} == 1)) && [[ ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -o nosort -F _reloop_complete reloop 2>/dev/null || complete -F _reloop_complete reloop
