/** A number with its noun: 1 file, 2 files. @param plural for a noun that does not take an s */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`
}
