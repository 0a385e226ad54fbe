/** What `status` and `index stats` tell of the packed base, and of what differs from it. */
import { VIEW_NAMES } from '../model/experience.ts'
import type { Base } from './base.ts'

export interface IndexFacts {
  /** 0 while there is none on the disk. */
  readonly generation: number
  readonly bytes: number
  /** Experiences that it holds. */
  readonly documents: number
  /** Files that are none, in it or not. */
  readonly invalid: number
  readonly terms: number
  /** Files that were read because they are not in it as they are. */
  readonly beside: number
}

/** Of a base in memory nothing is told: it ends with the process. @param rest what was counted in the folder */
export function indexFacts(
  base: Base | null,
  generation: number,
  rest: { readonly invalid: number; readonly besideCount: number; readonly readCount: number },
): IndexFacts {
  const { invalid, besideCount, readCount } = rest
  if (base === null || generation === 0)
    return { generation, bytes: 0, documents: 0, invalid, terms: 0, beside: readCount }
  const { bytes, footer } = base
  const { documents } = footer.views[VIEW_NAMES[0]]
  return { generation, bytes, documents, invalid, terms: footer.terms, beside: besideCount }
}
