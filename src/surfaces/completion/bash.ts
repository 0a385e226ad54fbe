/** The completion script for bash, from 3.2 on. */
import { indented, placeCases, posixCases, posixQuestions, quoted, valueCases } from './script-parts.ts'
import type { Described, Place, WordTree } from './word-tree.ts'

export function bashScript(tree: WordTree): string {
  return `# Completion of knowhow for bash, made by: knowhow completion bash
# Asks the program nothing while you type.

${mainFunction(tree)}

# What readline completes by itself where it can be told so.
_knowhow_paths() {
    local path
    while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen "$1" -- "$current")
}

${posixQuestions(tree)}

_knowhow_value() {
    case "$command $flag" in
${indented(posixCases(valueCases(tree), filled), 4)}
    esac
}

_knowhow_place() {
    case "$command $place" in
${indented(posixCases(placeCases(tree), filled), 4)}
    esac
}

complete -F _knowhow knowhow
`
}

/** What readline calls. */
function mainFunction({ firstWords, secondWords, commands, commonFlags }: WordTree): string {
  const words = (described: readonly Described[]) => described.map(({ word }) => quoted(word)).join(' ')
  const seconds = [...secondWords].map(([first, list]) => `${quoted(first)}) words=(${words(list)}) ;;`)
  const flags = commands.flatMap(({ name, flags: own }) =>
    own.length === 0 ? [] : [`${quoted(name)}) words+=(${words(own)}) ;;`],
  )
  return `_knowhow() {
    local current=\${COMP_WORDS[COMP_CWORD]} command='' place=0 flag='' kind='' word at
    local -a words=()
    COMPREPLY=()
    # bash takes --flag=value apart.
    if [[ $current == = && $COMP_CWORD -gt 1 ]]; then
        flag=\${COMP_WORDS[COMP_CWORD-1]} current=''
    elif [[ \${COMP_WORDS[COMP_CWORD-1]} == = && $COMP_CWORD -gt 2 ]]; then
        flag=\${COMP_WORDS[COMP_CWORD-2]}
    elif _knowhow_takes_value "\${COMP_WORDS[COMP_CWORD-1]}"; then
        flag=\${COMP_WORDS[COMP_CWORD-1]}
    fi
    for ((at = 1; at < COMP_CWORD; at++)); do
        word=\${COMP_WORDS[at]}
        if [[ $word == = ]]; then
            ((at++))
        elif [[ $word == -* ]]; then
            if [[ \${COMP_WORDS[at+1]} != = ]] && _knowhow_takes_value "$word"; then ((at++)); fi
        elif [[ -z $command ]]; then
            if [[ $word != help ]]; then command=$word; fi
        elif [[ $command != *' '* ]] && _knowhow_has_command "$command $word"; then
            command="$command $word"
        else
            ((place++))
        fi
    done

    if [[ -n $flag ]]; then
        _knowhow_value
    elif [[ $current == -* ]]; then
        words=(${words(commonFlags)})
        if [[ -z $command ]]; then words+=('--version'); fi
        case $command in
${indented(flags, 8)}
        esac
    elif [[ -z $command ]]; then
        words=(${words(firstWords.filter(({ word }) => !word.startsWith('-')))})
    else
        case $command in
${indented(seconds, 8)}
        esac
        _knowhow_place
    fi

    for word in "\${words[@]}"; do
        if [[ $word == "$current"* ]]; then COMPREPLY+=("$(printf '%q' "$word")"); fi
    done
    case $kind in
    file) compopt -o default 2>/dev/null || _knowhow_paths -f ;;
    folder) compopt -o dirnames 2>/dev/null || _knowhow_paths -d ;;
    esac
}`
}

/** What sets the words or the kind of a place; nothing for any text. */
function filled(place: Place): string {
  switch (place.kind) {
    case 'words':
      return `words=(${place.words.map(quoted).join(' ')})`
    case 'file':
    case 'folder':
      return `kind=${place.kind}`
    case 'text':
      return ''
  }
}
