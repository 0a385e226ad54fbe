/** Cuts texts as an import does. */
import { nextSegment, type Segment } from '../../src/importer/segmenter.ts'
import { TOKEN_LIMITS } from '../../src/model/token-limits.ts'
import type { Tokenizer } from '../../src/ports.ts'

export function segmentsOf(text: string, tokenizer: Tokenizer): readonly Segment[] {
  const segments: Segment[] = []
  for (let last: Segment | null = null; ; ) {
    last = nextSegment(text, last, TOKEN_LIMITS.segment, tokenizer)
    if (last === null) return segments
    segments.push(last)
  }
}
