/** The completion script for fish. */
import { grouped, indented } from './script-parts.ts'
import type { Described, Place, TypedCommand, WordTree } from './word-tree.ts'

export function fishScript({ firstWords, secondWords, commands, commonFlags, valueFlags }: WordTree): string {
  const offer = (described: readonly Described[]) =>
    `__knowhow_offer ${described.flatMap(({ word, about }) => [quoted(word), quoted(about)]).join(' ')}`
  const seconds = [...secondWords].flatMap(([first, words]) => [`case ${quoted(first)}`, `    ${offer(words)}`])
  const values = [
    ...commonFlags.flatMap(({ word, value }) =>
      value === null ? [] : [[quoted(`* ${word}`), filled(value)] as const],
    ),
    ...commands.flatMap(({ name, flags }) =>
      flags.flatMap(({ word, value }) => (value === null ? [] : [[quoted(`${name} ${word}`), filled(value)] as const])),
    ),
  ]
  const flags = commands.flatMap(({ name, flags: own }) =>
    own.length === 0 ? [] : [`case ${quoted(name)}`, `    ${offer(own)}`],
  )
  const pairs = commands.flatMap(({ name }) => (name.includes(' ') ? [quoted(name)] : []))
  return `# Completion of knowhow for fish, made by: knowhow completion fish
# Asks the program nothing while you type.

function __knowhow_complete
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
end

function __knowhow_offer
    for at in (seq 1 2 (count $argv))
        printf '%s\\t%s\\n' $argv[$at] $argv[(math $at + 1)]
    end
end

function __knowhow_value
    switch $argv[1]
${indented(branches(values), 8)}
    end
end

function __knowhow_place
    switch $argv[1]
${indented(branches(commands.flatMap(placeBranches)), 8)}
    end
end

complete -c knowhow -f -a '(__knowhow_complete)'
`
}

/** A word that fish takes literally, whatever it holds. */
function quoted(word: string): string {
  return `'${word.replaceAll(/[\\']/g, '\\$&')}'`
}

function isFlag({ word }: Described): boolean {
  return word.startsWith('-')
}

function placeBranches({ name, places, repeats }: TypedCommand): readonly (readonly [string, string])[] {
  return places.map((place, index) => {
    const isRepeated = repeats && index === places.length - 1
    return [quoted(`${name} ${isRepeated ? '*' : index}`), filled(place)] as const
  })
}

function branches(all: readonly (readonly [pattern: string, body: string])[]): readonly string[] {
  const told = all.filter(([, body]) => body !== '')
  return grouped(told).flatMap(([patterns, body]) => [`case ${patterns.join(' ')}`, `    ${body}`])
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
