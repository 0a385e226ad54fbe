/** Where a run may be stopped, and what the machine holds then. */
import type { MemoryFiles } from './memory-files.ts'
import type { FileCall } from './watched-files.ts'

/** @template A what had been promised by then */
export interface StopPoint<A> {
  /** For messages. */
  readonly how: string
  readonly files: MemoryFiles
  readonly promised: A
}

export interface StoppedRun<A> {
  readonly files: MemoryFiles
  /** Does the work on `files`, telling `watcher` of every call that the program makes of the disk. */
  readonly work: (watcher: (call: FileCall) => void) => Promise<unknown>
  /** As of this moment. */
  readonly promised: () => A
  /** One power cut each, at every change. */
  readonly seeds: readonly number[]
}

/**
 * Stops before every change of the disk and at the end: killed, with all lost that was not synced, and by chance.
 * All of one run: a snapshot is taken, and the run goes on.
 */
export async function stopPoints<A>({ files, work, promised, seeds }: StoppedRun<A>): Promise<readonly StopPoint<A>[]> {
  const stops: StopPoint<A>[] = []
  let changes = 0
  const take = (what: string): void => {
    changes += 1
    const at = `before change ${changes} (${what})`
    const stop = (how: string, left: MemoryFiles) =>
      stops.push({ how: `${how} ${at}`, files: left, promised: promised() })
    stop('killed', files.killed())
    stop('cut off, all unsynced lost,', files.crash())
    for (const seed of seeds) stop(`cut off, seed ${seed},`, files.crash({ seed: seed + 1000 * changes }))
  }
  await work(({ changes: isChange, name, path }) => {
    if (isChange) take(`${String(name)} ${path}`)
  })
  take('the end')
  return stops
}

/** Runs `check` for each and names the stop where one fails. */
export async function checkEach<A>(
  stops: readonly StopPoint<A>[],
  check: (stop: StopPoint<A>, at: number) => Promise<void>,
): Promise<void> {
  for (const [at, stop] of stops.entries()) {
    try {
      await check(stop, at)
    } catch (error) {
      throw new Error(`${stop.how}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
    }
  }
}
