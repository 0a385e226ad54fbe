/** One thing that is looked at, and what came of it. */
import { MemoryError } from '../../model/memory-error.ts'

export interface Check {
  readonly name: string
  readonly ok: boolean
  /** What was found, in a sentence or two. */
  readonly detail: string
  /** What to do; null when there is nothing to do. */
  readonly fix: string | null
}

export function fine(name: string, detail: string): Check {
  return { name, ok: true, detail, fix: null }
}

export function faulty(name: string, detail: string, fix: string): Check {
  return { name, ok: false, detail, fix }
}

/** A fault that ends a check is its result. Throws `interrupted`. */
export async function checked(name: string, fix: string, look: () => Check | Promise<Check>): Promise<Check> {
  const [check] = await checkedAll(name, fix, async () => [await look()])
  return check ?? fine(name, '')
}

/** The same of what looks at several things at once. */
export async function checkedAll(
  name: string,
  fix: string,
  look: () => readonly Check[] | Promise<readonly Check[]>,
): Promise<readonly Check[]> {
  try {
    return await look()
  } catch (error) {
    if (!(error instanceof MemoryError) || error.code === 'interrupted') throw error
    return [faulty(name, error.message, fix)]
  }
}

const NAMED_MAX = 3

/** The first few, and how many more there are. */
export function named(items: readonly string[]): string {
  const more = items.length - NAMED_MAX
  return more > 0 ? `${items.slice(0, NAMED_MAX).join('; ')}; and ${more} more` : items.join('; ')
}
