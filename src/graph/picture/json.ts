/** JSON that is safe wherever it is put: on a terminal, in a file, inside a page. */
import type { SessionGraph } from '../session-graph.ts'

/** Indented; text that ends with a line end. */
export function jsonPicture(graph: SessionGraph): string {
  return `${withoutActing(JSON.stringify(graph, null, 2))}\n`
}

/**
 * What could act stands as an escape that means the same: `<` would end a script block, control characters and those
 * that reverse the reading order would steer a terminal, U+2028 and U+2029 end lines.
 * @param json as `JSON.stringify` gives it
 */
export function withoutActing(json: string): string {
  return json.replace(ACTING, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

const ACTING = /[<\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g
