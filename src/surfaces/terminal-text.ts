/** Text from logs, files and models, made safe to print. */

// Everything that moves a cursor, changes a title or reverses reading order; tab and line feed stay.
const STEERING =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Shows each steering character as its Unicode name in brackets instead of obeying it. */
export function shownSafely(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(STEERING, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, '0')
    return `<U+${code.toUpperCase()}>`
  })
}
