// What the host said by `configure`: where things lie in memory and what kind of tokenizer it is. Stays the same
// between two such calls. What each of them is, and in which order they lie: wasm/README.md.

export let report: usize = 0
export let blockOf: usize = 0
export let classes: usize = 0
export let grid: usize = 0
export let pairs: usize = 0
export let pairShift: u64 = 0
export let filter: usize = 0
export let products: usize = 0
export let rivals: usize = 0
export let folds: usize = 0
export let lengthMasks: usize = 0
export let words: usize = 0
export let wordMask: usize = 0
export let phrases: usize = 0
export let rulers: usize = 0
export let scratch: usize = 0
export let wholes: usize = 0
export let wholeMask: usize = 0
export let trie: usize = 0
export let starters: usize = 0
export let grammar: u32 = 0
export let digitsMax: u32 = 0
export let letters: u32 = 0
export let hasSlashTail: bool = false
export let hasSuffix: bool = false
export let usesWindows: bool = false
export let usesCaches: bool = false

export function configure(at: usize): void {
  report = load<u32>(at)
  blockOf = load<u32>(at, 4)
  classes = load<u32>(at, 8)
  grid = load<u32>(at, 12)
  pairs = load<u32>(at, 16)
  pairShift = load<u32>(at, 20)
  filter = load<u32>(at, 24)
  products = load<u32>(at, 28)
  lengthMasks = load<u32>(at, 32)
  words = load<u32>(at, 36)
  wordMask = load<u32>(at, 40)
  phrases = load<u32>(at, 44)
  rulers = load<u32>(at, 48)
  scratch = load<u32>(at, 52)
  wholes = load<u32>(at, 56)
  wholeMask = load<u32>(at, 60)
  trie = load<u32>(at, 64)
  starters = load<u32>(at, 68)
  grammar = load<u32>(at, 72)
  digitsMax = load<u32>(at, 76)
  letters = load<u32>(at, 80)
  hasSlashTail = load<u32>(at, 84) != 0
  hasSuffix = load<u32>(at, 88) != 0
  rivals = load<u32>(at, 92)
  folds = load<u32>(at, 96)
  usesWindows = load<u32>(at, 100) != 0
  usesCaches = load<u32>(at, 104) != 0
}
