/** What the values of a field are among, told by its declaration: for who completes them, and for numbers of results. */
import * as v from 'valibot'

/**
 * `path`: experiences and trajectories · `experience`: experiences · `memory`: ids of memories · `file`: outside the
 * workspace.
 */
export type ValueSource = 'path' | 'experience' | 'session' | 'concept' | 'memory' | 'file'

/** For the pipe of a field; `Value` is what the field takes. */
export function valuesOf<Value = string>(
  source: ValueSource,
): v.MetadataAction<Value, { readonly valuesOf: ValueSource }> {
  return v.metadata({ valuesOf: source })
}

/** Null where any value will do. */
export function valueSourceOf(field: v.GenericSchema): ValueSource | null {
  return (v.getMetadata(field).valuesOf as ValueSource | undefined) ?? null
}
