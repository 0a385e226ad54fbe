/** Which processes of this machine there are. */
import process from 'node:process'
import { errnoOf } from './file-fault.ts'

/** Whether a process has this id here and now; one that has ended leaves its id to others in time. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Another user's: it is there, and not ours to signal.
    return errnoOf(error) === 'EPERM'
  }
}
