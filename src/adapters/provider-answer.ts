/** The body of a server's answer, as a value from outside. Knows JSON; knows nothing of what its fields mean. */

/** The text itself where it is not JSON: pages of proxies, single words. */
export function parsedOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Many answers are no JSON; what they mean is decided by who reads them.
    return text
  }
}

/** A property of a value that came from outside; undefined when there is none. */
export function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Readonly<Record<string, unknown>>)[name]
}
