/** The completion script for zsh: a file of its function path, or what a start-up file evaluates. */
import { indented, placeCases, posixCases, posixQuestions, quoted, valueCases } from './script-parts.ts'
import type { Described, Place, WordTree } from './word-tree.ts'

export function zshScript(tree: WordTree): string {
  return `#compdef knowhow
# Completion of knowhow for zsh, made by: knowhow completion zsh
# Asks the program nothing while you type.

${mainFunction(tree)}

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

if [[ \${funcstack[1]} == _knowhow ]]; then
    _knowhow "$@"
else
    (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
    compdef _knowhow knowhow
fi
`
}

/** What the completion system calls. */
function mainFunction({ firstWords, secondWords, commands, commonFlags }: WordTree): string {
  const list = (described: readonly Described[]) => `list=(${described.map(item).join(' ')})`
  const seconds = [...secondWords].map(([first, words]) => `${quoted(first)}) ${list(words)} ;;`)
  const flags = commands.flatMap(({ name, flags: own }) =>
    own.length === 0 ? [] : [`${quoted(name)}) list+=(${own.map(item).join(' ')}) ;;`],
  )
  return `_knowhow() {
    local current=\${words[CURRENT]} command='' flag='' word
    local -i place=0 at
    local -a list
    if [[ $current == --*=* ]]; then
        flag=\${current%%=*}
        compset -P 1 '*='
    elif _knowhow_takes_value "\${words[CURRENT-1]}"; then
        flag=\${words[CURRENT-1]}
    fi
    for ((at = 2; at < CURRENT; at++)); do
        word=\${words[at]}
        if [[ $word == -* ]]; then
            if _knowhow_takes_value "$word"; then ((at++)); fi
        elif [[ -z $command ]]; then
            if [[ $word != help ]]; then command=$word; fi
        elif [[ $command != *' '* ]] && _knowhow_has_command "$command $word"; then
            command="$command $word"
        else
            ((place += 1))
        fi
    done

    if [[ -n $flag ]]; then
        _knowhow_value
    elif [[ $current == -* ]]; then
        ${list(commonFlags)}
        if [[ -z $command ]]; then list+=(${firstWords.filter(isFlag).map(item).join(' ')}); fi
        case $command in
${indented(flags, 8)}
        esac
        _describe -o option list
    elif [[ -z $command ]]; then
        ${list(firstWords.filter((described) => !isFlag(described)))}
        _describe command list
    else
        case $command in
${indented(seconds, 8)}
        esac
        if ((\${#list})); then _describe command list; else _knowhow_place; fi
    fi
}`
}

function isFlag({ word }: Described): boolean {
  return word.startsWith('-')
}

/** As `_describe` takes it: the first colon that is not escaped ends the word. */
function item({ word, about }: Described): string {
  return quoted(`${word.replaceAll(/[\\:]/g, '\\$&')}:${about}`)
}

function filled(place: Place): string {
  switch (place.kind) {
    case 'words':
      return `compadd -- ${place.words.map(quoted).join(' ')}`
    case 'file':
      return '_files'
    case 'folder':
      return '_files -/'
    case 'text':
      return ''
  }
}
