# Prints what bash would offer at the end of each line of the file $2: a line for a candidate, a blank one after each.
source "$1"
while IFS= read -r line; do
  eval "COMP_WORDS=($line)"
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  _satyrn_engine 2>/dev/null
  printf '%s\n' ${COMPREPLY[@]+"${COMPREPLY[@]}"} ''
done <"$2"
