/** What a search has of its query's vector before it ranks. */

/** A query's vector; null with the reason why its search has to do without. A reason may stand beside a vector too. */
export type PreparedQuery = { readonly vector: null; readonly notice: string | null } | QueryWithVector

export interface QueryWithVector {
  readonly vector: Float32Array
  readonly notice: string | null
  /** What of the notice stays true whatever is supplied later. */
  readonly lasting: string | null
  /** Documents of the view that had none when this was made. */
  readonly owed: number
  /** Texts of files that may still be asked for. */
  readonly allowance: number
  /** Epoch milliseconds at which the search has waited long enough. */
  readonly untilMs: number
}

/** @param until what would change that, such as ` until knowhow reindex` */
export function withoutVector(reason: string, until = ''): PreparedQuery {
  return { vector: null, notice: `ranked by keywords alone${until}: ${reason}` }
}
