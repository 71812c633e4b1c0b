# Prints into $OFFERED what zsh would offer at the end of each line of $LINES_FILE: a line for a candidate, a blank one
# after each. It completes nowhere but in its line editor, so this is the start-up file of a shell with a terminal.
fpath=($SCRIPTS $fpath)
autoload -Uz compinit && compinit -D -u

# Each candidate goes through here; who only asks what would match is let through.
compadd() {
  if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
    local -a matching
    builtin compadd -A matching "$@"
    (( $#matching == 0 )) || print -rl -- $matching >>$OFFERED
  fi
  builtin compadd "$@"
}

zle -C capture complete-word _main_complete
each() {
  local line
  for line in ${(f)"$(<$LINES_FILE)"}; do
    BUFFER=$line CURSOR=$#line
    zle capture
    print >>$OFFERED
  done
  exit
}
zle -N zle-line-init each
