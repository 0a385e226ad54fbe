/** Names that the settings and the reader of static embedding models share. */

/** As the model of the settings: the one inside the program. */
export const BUILTIN_MODEL = 'builtin'
