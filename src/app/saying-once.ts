/** Tells a person each sentence once, however often the parts of one command come to say it. */
export function sayingOnce(say: (sentence: string) => void): (sentence: string) => void {
  const said = new Set<string>()
  return (sentence) => {
    if (said.has(sentence)) return
    said.add(sentence)
    say(sentence)
  }
}
