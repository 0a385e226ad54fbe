/** Lines in a file that nobody but its owner reads, in a folder of its own. Several processes may add to it at once. */
export interface PrivateLines {
  /** The last ones, oldest first; none where there is no file. Throws what keeps them from being read. */
  read(path: string, linesMax: number): readonly string[]
  /** Makes folder and file. Keeps the last `linesMax` lines. Throws what keeps it from being written. */
  append(path: string, line: string, linesMax: number): void
}
