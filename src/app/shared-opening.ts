/** Opening something that several may want at once. */

/** @returns what gives all who ask the same one; after a failure it is opened anew */
export function sharedOpening<T>(open: () => Promise<T>): () => Promise<T> {
  let opening: Promise<T> | null = null
  return async () => {
    opening ??= open()
    try {
      return await opening
    } catch (error) {
      opening = null
      throw error
    }
  }
}
