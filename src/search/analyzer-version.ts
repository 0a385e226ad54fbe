/** A file of its own, so that a status can tell it without loading the analyzer's tables. */

/** Goes up whenever some text gets other terms than before: what was built with another number is built anew. */
export const ANALYZER_VERSION = 2
