/** What a terminal would show of a text: no control sequences, no overwritten progress lines. */

// CSI, OSC (ended by BEL or ST) and the short escapes.
const ESCAPES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  /\u001b(?:\[[0-9;:<=>?]*[ -/]*[@-~]|\][^\u0007\u001b\n]{0,2000}(?:\u0007|\u001b\\)|[()#][0-9A-Za-z]|[=>A-Za-z])/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const OTHER_CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g

/** @returns `text` without terminal control; a line that was overwritten after a carriage return shows its last state. */
export function screenText(text: string): string {
  const bare = text.includes('\u001b') ? text.replace(ESCAPES, '') : text
  const lines = bare.includes('\r') ? overwritten(bare) : bare
  return lines.replace(OTHER_CONTROLS, '')
}

function overwritten(text: string): string {
  if (!text.includes('\n')) return text.replaceAll('\r', '\n')
  return text
    .split('\n')
    .map((line) => {
      const shown = line.endsWith('\r') ? line.slice(0, -1) : line
      return shown.slice(shown.lastIndexOf('\r') + 1)
    })
    .join('\n')
}
