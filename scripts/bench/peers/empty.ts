/** Does nothing: what any compiled program costs before its own first line. */
export const nothing = null
