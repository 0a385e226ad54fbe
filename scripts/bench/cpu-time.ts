/** What a piece of work costs the processor, whatever else the machine does. */

/** Milliseconds of user and system time over all threads. */
export async function cpuMs(work: () => void | Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
