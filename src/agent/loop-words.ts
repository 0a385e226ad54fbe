/** What differs in the words of a talk, to the model and to people, by who holds it. */
export interface LoopWords {
  /** What the closing message is, as in "answer with the summary of the run so far". */
  readonly closing: string
  /** What a person does for another try, as in "resume". */
  readonly again: string
  /** What a person does about an opening that does not fit, as in "begin a new import with shorter pieces". */
  readonly smaller: string
}
