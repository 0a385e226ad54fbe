/** A number with its noun: 1 file, 2,000 files. @param plural for a noun that does not take an s */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? noun : plural}`
}
