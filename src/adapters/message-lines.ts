/** Messages between processes, a line each. Lines end at a line feed and nowhere else: JSON holds other separators bare. */

/** Hears each line that a stream of bytes holds, without its end; a last one without an end is none. */
export function messageLines(stream: NodeJS.ReadableStream, hear: (line: string) => void): void {
  const decoder = new TextDecoder()
  let begun: string[] = []
  stream.on('data', (bytes: Uint8Array) => {
    const [first = '', ...lines] = decoder.decode(bytes, { stream: true }).split('\n')
    begun.push(first)
    for (const line of lines) {
      hear(begun.join(''))
      begun = [line]
    }
  })
}
