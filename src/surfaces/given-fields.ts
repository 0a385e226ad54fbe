/** Fields of a command as one JSON object, where `--from` names it. */
import type { Machine } from '../app/machine.ts'
import { isRecord } from '../model/json-values.ts'
import { MemoryError } from '../model/memory-error.ts'
import { strictJson } from '../model/strict-json.ts'

const INPUT_BYTES_MAX = 1024 * 1024

/**
 * What a flag says counts more.
 * @param standardInput all of it, up to so many bytes
 * Throws `invalid_argument`, and what reading throws.
 */
export function fieldsIn(
  from: string,
  { outside }: Pick<Machine, 'outside'>,
  standardInput: (bytesMax: number) => Uint8Array,
): Readonly<Record<string, unknown>> {
  const bytes =
    from === '-' ? standardInput(INPUT_BYTES_MAX) : outside.read(outside.absolutePath(from), INPUT_BYTES_MAX)
  const fault = (words: string) => new MemoryError('invalid_argument', `--from ${from}: ${words}`, { field: 'from' })
  let fields: unknown
  try {
    fields = strictJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    if (error instanceof MemoryError) throw fault(error.message.replace(/^arguments: /, ''))
    throw fault('it is not in UTF-8; give one object in JSON, such as {"content":"…"}')
  }
  if (!isRecord(fields)) throw fault('it must be one JSON object, such as {"content":"…"}')
  return fields
}
