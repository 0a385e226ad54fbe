/** The completion script for fish. */
import { indented, type Pattern, type PlaceCase, placeCases, valueCases } from './script-parts.ts'
import type { Described, Place, WordTree } from './word-tree.ts'

export function fishScript(tree: WordTree): string {
  return `# Completion of knowhow for fish, made by: knowhow completion fish
# Asks the program nothing while you type.

${mainFunction(tree)}

function __knowhow_offer
    for at in (seq 1 2 (count $argv))
        printf '%s\\t%s\\n' $argv[$at] $argv[(math $at + 1)]
    end
end

function __knowhow_value
    switch $argv[1]
${indented(fishCases(valueCases(tree)), 8)}
    end
end

function __knowhow_place
    switch $argv[1]
${indented(fishCases(placeCases(tree)), 8)}
    end
end

complete -c knowhow -f -a '(__knowhow_complete)'
`
}

/** What prints the words that may stand at the cursor. */
function mainFunction({ firstWords, secondWords, commands, commonFlags, valueFlags }: WordTree): string {
  const offer = (described: readonly Described[]) =>
    `__knowhow_offer ${described.flatMap(({ word, about }) => [quoted(word), quoted(about)]).join(' ')}`
  const seconds = [...secondWords].flatMap(([first, words]) => [`case ${quoted(first)}`, `    ${offer(words)}`])
  const flags = commands.flatMap(({ name, flags: own }) =>
    own.length === 0 ? [] : [`case ${quoted(name)}`, `    ${offer(own)}`],
  )
  const pairs = commands.flatMap(({ name }) => (name.includes(' ') ? [quoted(name)] : []))
  return `function __knowhow_complete
    set -l current (commandline -ct)
    set -l tokens (commandline -opc)
    set -l command ''
    set -l place 0
    set -l flag ''
    set -l skips 0
    for word in $tokens[2..-1]
        set flag ''
        if test $skips -eq 1
            set skips 0
        else if string match -q -- '-*' $word
            if contains -- $word ${valueFlags.map(quoted).join(' ')}
                set skips 1
                set flag $word
            end
        else if test -z "$command"
            test "$word" = help; or set command $word
        else if not string match -q -- '* *' $command; and contains -- "$command $word" ${pairs.join(' ')}
            set command "$command $word"
        else
            set place (math $place + 1)
        end
    end

    if test -n "$flag"
        __knowhow_value "$command $flag" $current
    else if string match -q -- '--*=*' $current
        set -l parts (string split -m 1 = -- $current)
        for value in (__knowhow_value "$command $parts[1]" "$parts[2]")
            echo "$parts[1]=$value"
        end
    else if string match -q -- '-*' $current
        ${offer(commonFlags)}
        test -z "$command"; and ${offer(firstWords.filter(isFlag))}
        switch $command
${indented(flags, 8)}
        end
    else if test -z "$command"
        ${offer(firstWords.filter((described) => !isFlag(described)))}
    else
        switch $command
${indented(seconds, 8)}
        end
        __knowhow_place "$command $place" $current
    end
end`
}

/** A word that fish takes literally, whatever it holds. */
function quoted(word: string): string {
  return `'${word.replaceAll(/[\\']/g, '\\$&')}'`
}

function isFlag({ word }: Described): boolean {
  return word.startsWith('-')
}

function fishCases(cases: readonly PlaceCase[]): readonly string[] {
  return cases.flatMap(({ patterns, place }) => [`case ${patterns.map(fishPattern).join(' ')}`, `    ${filled(place)}`])
}

function fishPattern({ text, anything }: Pattern): string {
  return quoted(`${anything === 'before' ? '*' : ''}${text}${anything === 'behind' ? '*' : ''}`)
}

function filled(place: Place): string {
  switch (place.kind) {
    case 'words':
      return `printf '%s\\n' ${place.words.map(quoted).join(' ')}`
    case 'file':
      return '__fish_complete_path $argv[2]'
    case 'folder':
      return '__fish_complete_directories $argv[2]'
    case 'text':
      return ''
  }
}
