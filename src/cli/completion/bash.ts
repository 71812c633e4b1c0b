import { flagsOfProgram, offers, type Surface, takingValues } from "./surface.ts";

/**
 * A script for bash 3.2 (which macOS has) and newer. It stands alone: the bash-completion package is used
 * for the words of another program only, if it is there.
 */
export function bashScript(surfaces: readonly Surface[]): string {
  const runsAnother = surfaces.filter((surface) => surface.runsAnother).map(({ name }) => name);
  const flags = [{ name: "", flags: flagsOfProgram }, ...surfaces].map(
    ({ name, flags }) => [`"${name}"`, flags.map(({ word }) => word)] as const,
  );
  return `# Completion of satyrn-engine for bash: source it, or put it where bash-completion looks.

_satyrn_engine() {
  local cur=\${COMP_WORDS[COMP_CWORD]} command= flag= place=0 given=' ' ended= prefix= word at
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    word=\${COMP_WORDS[at]}
    if [[ -n $flag ]]; then
      # Where = is one of COMP_WORDBREAKS, --flag=value is three words.
      [[ $word == = ]] || flag=
      continue
    fi
    case $ended$word in
      --)
        case $command in
          ${runsAnother.join(" | ")})
            _satyrn_engine_another $((at + 1))
            return
            ;;
        esac
        ended=yes
        ;;
      --*=*) given+="\${word%%=*} " ;;
      -*)
        given+="$word "
        case "$command $word" in
          ${patterns(takingValues(surfaces))}) flag=$word ;;
        esac
        ;;
      *) if [[ -z $command ]]; then command=$word; else place=$((place + 1)); fi ;;
    esac
  done
  if [[ -n $flag && $cur == = ]]; then
    cur=
  elif [[ -z $flag && -z $ended && $cur == --*=* ]]; then
    flag=\${cur%%=*} prefix=$flag= cur=\${cur#*=}
  fi
  if [[ -z $flag && -z $ended && $cur == -* ]]; then
    case $command in
${flags.map(([name, words]) => `      ${name}) _satyrn_engine_words '${words.join(" ")}' ;;`).join("\n")}
    esac
  elif [[ -z $command ]]; then
    _satyrn_engine_words '${surfaces.map(({ name }) => name).join(" ")}'
  else
    case "$command \${flag:-$place}" in
${offers(surfaces)
  .map(({ at, offer }) => `      "${at}") ${action(offer)} ;;`)
  .join("\n")}
    esac
  fi
}

# Adds those of the words that begin as the current one does and are no flags that were given before.
_satyrn_engine_words() {
  local word
  for word in $1; do
    [[ $word != "$cur"* || $given == *" $word "* ]] || COMPREPLY+=("$prefix$word")
  done
}

# Adds the names of files (-f) or folders (-d).
_satyrn_engine_names() {
  local name
  compopt -o filenames 2>/dev/null
  while IFS= read -r name; do COMPREPLY+=("$prefix$name"); done < <(compgen "$1" -- "$cur")
}

# Completes the other program's command line, which begins at that word.
_satyrn_engine_another() {
  local word
  if declare -F _command_offset >/dev/null; then
    _command_offset "$1"
  elif ((COMP_CWORD == $1)) && [[ $cur != */* ]]; then
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -c -- "$cur")
  else
    _satyrn_engine_names -f
  fi
}

complete -F _satyrn_engine satyrn-engine
`;
}

function patterns(words: readonly string[]): string {
  return words.map((word) => `"${word}"`).join(" | ");
}

function action(offer: "file" | "folder" | readonly string[]): string {
  if (offer === "file") return "_satyrn_engine_names -f";
  return offer === "folder" ? "_satyrn_engine_names -d" : `_satyrn_engine_words '${offer.join(" ")}'`;
}
