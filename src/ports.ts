/** Everything nondeterministic or foreign enters by one of these. Interfaces only. */
import type { CypherRow, CypherValue } from './model/cypher-value.ts'
import type { MemoryError } from './model/memory-error.ts'

export type FileKind = 'file' | 'folder' | 'link' | 'other'

/** What `lstat` says; a symbolic link is reported, never followed. */
export interface FileStat {
  readonly kind: FileKind
  readonly bytes: number
  /** Milliseconds with a fraction as fine as the runtime gives: about 0.2 µs in Bun, whole ones in Deno. */
  readonly mtimeMs: number
  readonly ctimeMs: number
  readonly inode: number
  /** Of the file system it lies on. */
  readonly device: number
}

export interface FolderEntry {
  readonly name: string
  readonly kind: FileKind
}

export interface ChangedFile {
  /** In the names that were given. */
  readonly place: number
  /** Null for what is no regular file, missing, or not to be looked at: `stat` tells which. */
  readonly stat: FileStat | null
}

/** A file open for appending. `append` and `sync` throw instead of doing half; `bytes` counts what was appended whole. */
export interface AppendFile extends Disposable {
  readonly bytes: number
  append(data: Uint8Array): void
  sync(): void
  truncate(bytes: number): void
}

/** A file open for reading. */
export interface ReadFile extends Disposable {
  readonly bytes: number
  /** Exactly `length` bytes from `position`. Throws `io_failed` when the file ends before. */
  read(position: number, length: number): Uint8Array<ArrayBuffer>
  /** Fills `target` with the bytes from `position`, for instance in the memory of a kernel. Throws as `read`. */
  readInto(position: number, target: Uint8Array): void
}

/**
 * A file system. Synchronous: a durable write is a chain of steps that must not interleave, and a scan of
 * 10,000 files costs a third of what promises do. Paths use `/`, absolute. Missing things are values (null,
 * false); every other fault is a MemoryError (`disk_full`, `permission_denied`, `read_only`, `not_a_file`, `io_failed`).
 */
export interface Files {
  stat(path: string): FileStat | null
  /** Whether a file may be written, or files made and removed in a folder, as far as its mode and its disk tell. */
  mayWrite(path: string): boolean
  /** Sorted by name in code unit order; null when there is no such folder. */
  list(path: string): readonly FolderEntry[] | null
  /**
   * Which files of one folder are not as they were, at half the cost of asking `stat` for each: all but regular files
   * with this signature, in the order of `names`.
   * @param signatures by name bytes, mtimeMs, ctimeMs and inode as `stat` gave them; NaN equals nothing
   */
  changed(folder: string, names: readonly string[], signatures: Float64Array): readonly ChangedFile[]
  /** Names alone, in no order: half the cost of `list` for a folder of many files. Null when there is no such folder. */
  names(path: string): readonly string[] | null
  /** The whole file, without following a link; null when missing. `bytesMax` refuses larger files with `file_too_large`. */
  read(path: string, options?: { readonly bytesMax?: number }): Uint8Array | null
  /** A file to read parts of, which stays whole for this reader whatever happens to its name; null when missing. */
  openRead(path: string): ReadFile | null
  /**
   * A new file with these bytes. Throws when it exists. Synced unless `sync` is false, which is for derived data: after
   * a power cut such a file may be missing, empty, cut off or full of NULs.
   */
  create(path: string, data: Uint8Array, options?: { readonly sync?: boolean }): void
  openAppend(path: string): AppendFile
  /** Replaces `to` atomically. */
  rename(from: string, to: string): void
  /** Gives the file a second name unless that is taken; false when it is. */
  link(from: string, to: string): boolean
  /** Missing is fine. */
  remove(path: string): void
  /** One level; existing is fine. */
  makeFolder(path: string): void
  /** An empty one; missing is fine. */
  removeFolder(path: string): void
  syncFolder(path: string): void
}

/** A file outside the workspace, named by the person who imports it. Links are followed. */
export interface OutsideFiles {
  absolutePath(path: string): string
  /** Where the path leads once every link on the way is followed; what is missing at its end is kept as it is. */
  realPath(path: string): string
  /** Throws `not_found`, `not_a_file`, `permission_denied`, `file_too_large` (checked before reading). */
  read(path: string, bytesMax: number): Uint8Array
}

/** The file system that a path lies on. */
export interface Volume {
  /** For this user. */
  readonly freeBytes: number
  /** Name of its protocol when it is another machine's; null when it is none, or not known as one. */
  readonly network: string | null
}

export interface TrustedCertificates {
  readonly builtIn: number
  /** Null where the runtime does not tell. */
  readonly ofSystem: number | null
  /** Named by the environment, and not there. */
  readonly missingFiles: readonly { readonly variable: string; readonly path: string }[]
}

export interface Lock {
  /** Takes the lock without waiting; null when another process or handle has it. Freed with the process at the latest. */
  acquire(path: string): Disposable | null
  /** Whether a process of this machine has the id; one of another PID namespace or machine may look ended. */
  isRunning(pid: number): boolean
  /** Stands still, so that the holder gets on. Blocks the whole process: for moments, where nothing else is to go on. */
  pause(ms: number): void
}

export interface Clock {
  /** Epoch milliseconds. */
  now(): number
}

export interface Ids {
  /** A fresh id of lower-case letters and digits, sortable by time of making. */
  next(): string
}

export interface Digest {
  /** SHA-256 as 64 lower-case hex digits. */
  sha256(data: Uint8Array): string
  /** The same as 32 bytes. */
  sha256Bytes(data: Uint8Array): Uint8Array
  /** CRC-32 (ISO-HDLC, as in gzip): finds accidents, proves nothing. */
  crc32(data: Uint8Array): number
}

/** Exact token counts of one named tokenizer. */
export interface Tokenizer {
  /** Stable across runs; two tokenizers that count differently never share it. */
  readonly id: string
  readonly engine: 'wasm' | 'js'
  /** Whether no text of ASCII characters alone has more tokens than characters. */
  readonly isByteLevel: boolean
  /** Whether the counts of a text's parts add up to its own where it is cut as `safe-cut.ts` says. Follows from `id` alone. */
  readonly addsUp: boolean
  /** What a person should know of how it counts, in a sentence. */
  readonly notice?: string
  /** Tokens of `text` as plain content, without the special ones a model template adds. */
  count(text: string): number
}

/** Opens the tokenizer that a configuration names. Throws `tokenizer_unavailable`. */
export type OpenTokenizer = (source: string, options: OpenTokenizerOptions) => Promise<Tokenizer>

/** What a configured tokenizer is, without opening it. */
export interface TokenizerIdentity {
  /** As configured; of what is a path here, absolute. */
  readonly name: string
  /** As `Tokenizer.id`; null when it is not on this machine or cannot be read. Reads a file once, and whole. */
  id(): string | null
}

export interface OpenTokenizerOptions {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Who names it. Unless a person does, no token is sent to the hub: a workspace may come from anyone. */
  readonly namedBy?: 'person' | 'workspace'
  /** Ends the download with `interrupted`. */
  readonly signal?: AbortSignal | undefined
  /** As of `EmbedOptions`. */
  readonly onWait?: ((sentence: string) => void) | undefined
}

/** Reads a file that belongs to the program from `start` to before `end`, to its end without it. Bytes. */
export type ReadRange = (start: number, end?: number) => Promise<Uint8Array<ArrayBuffer>>

export interface ToolSchema {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>
}

export interface ToolCall {
  readonly id: string
  readonly name: string
  /** As the model wrote it: maybe cut off, maybe not JSON. */
  readonly arguments: string
}

export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly toolCallId: string; readonly content: string }

export interface ChatReply {
  readonly content: string
  readonly toolCalls: readonly ToolCall[]
  /** `length`: the reply was cut off by a limit, `filtered`: by somebody's rules; its last tool call cannot be trusted. */
  readonly finish: 'stop' | 'tool_calls' | 'length' | 'filtered' | 'other'
  /** Null where the server does not say. */
  readonly promptTokens: number | null
  readonly completionTokens: number | null
}

export interface TimeLimit {
  /** From the beginning of the call. */
  readonly ms: number
  /** What a call ends with that takes longer. */
  readonly error: MemoryError
}

export interface ReplyOptions {
  readonly signal?: AbortSignal
  /** For the whole call, retries included. Undefined: no limit but the adapter's own. */
  readonly timeLimit?: TimeLimit
  /** Called before each request that goes out, repeated ones included; what it throws is thrown. */
  readonly beforeRequest?: () => void
  /** As of `EmbedOptions`. */
  readonly onWait?: (sentence: string) => void
}

/**
 * A chat model behind its provider's faults: retries, back-off and time-outs are the adapter's. Throws
 * `llm_unavailable` (refused key, unknown model, retries exhausted) and `context_too_small` (the provider says
 * the conversation does not fit). No message it throws holds the key.
 */
export interface ChatModel {
  readonly model: string
  reply(messages: readonly ChatMessage[], tools: readonly ToolSchema[], options?: ReplyOptions): Promise<ChatReply>
}

/** What vectors are comparable: those of one key. */
export interface EmbedderKey {
  readonly backend: string
  readonly model: string
  /** As configured; null: whatever the model gives. */
  readonly dimensions: number | null
}

export type Embedding =
  | {
      /** Of unit length. */
      readonly vector: Float32Array
      /** 1; more when the text was over the model's limit: the vector is then the mean of so many parts', by length. */
      readonly parts: number
      /** The embedder knows less than half of the words: as a query's it would say nothing of what is meant. */
      readonly isVague?: true
    }
  /** Why this text has no vector, although others can have one. Without the key. */
  | { readonly refused: string }

export interface EmbedOptions {
  /** Ends the call with `interrupted`. */
  readonly signal?: AbortSignal | undefined
  /** For the whole call, retries included; beyond it `embedder_unavailable`. Undefined: no limit but the adapter's own. */
  readonly timeLimitMs?: number | undefined
  /**
   * Somebody waits for the answer, and can do without: what failed is asked again once at most, and only if that may be
   * soon. Otherwise the adapter is as patient as it was told to be.
   */
  readonly isUrgent?: boolean | undefined
  /** Told, in a sentence without the key, what the call waits for when that takes long or is to be asked again. */
  readonly onWait?: ((sentence: string) => void) | undefined
}

/**
 * Turns texts into vectors, behind its provider's faults: batches, retries and time-outs are the adapter's, and so is
 * dividing a text that is too long. It keeps nothing: a cache is the caller's.
 */
export interface Embedder {
  readonly key: EmbedderKey
  /** Computed here: a call costs nothing by itself, and a long text little more than a short one. */
  readonly isInProcess?: true
  /**
   * One outcome a text, in order; vectors of all calls have one width. All or nothing: throws `embedder_unavailable` when
   * nothing can be had now, so a caller with many texts asks piece by piece and keeps what it has. A blank text is
   * refused; lone surrogates count as U+FFFD.
   */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<readonly Embedding[]>
}

/**
 * Rows of small integers in memory of the kernel's own, zero at first. Disposing gives the memory back; `rows` and what
 * `dots` returned may not be used afterwards.
 */
export interface Int8Matrix extends Disposable {
  readonly rowCount: number
  /** Columns. */
  readonly width: number
  /** Bytes from the start of a row to the start of the next: `width` rounded up to a multiple of 16. */
  readonly stride: number
  /** To be filled by the caller: `rows[row * stride + column]`. Columns from `width` on do not count. */
  readonly rows: Int8Array
  /**
   * Of every row the sum of its products with `query`, exact if it fits 32 bits, else modulo 2^32.
   * @param query `width` integers
   * @returns `rowCount` sums, overwritten by the next call
   */
  dots(query: Int16Array): Int32Array
}

/** Arithmetic over many rows. Integers only, so every kernel gives the same answers. */
export interface Kernel {
  /** Most rows of one matrix, at least 1; more go into several. @param width above 0 */
  rowsMax(width: number): number
  /** @param rowCount up to `rowsMax`. @param width above 0. Throws `file_too_large` when the machine has no memory for it. */
  openInt8Matrix(rowCount: number, width: number): Int8Matrix
}

export type SqlValue = null | number | string | Uint8Array
export type SqlRow = Readonly<Record<string, SqlValue>>
/** By name, without the sign in front. */
export type SqlParameters = Readonly<Record<string, SqlValue>>

/** `read` finds a file or nothing, and changes nothing; `scratch` is an empty one in memory, whatever lies at the path. */
export type DatabaseMode = 'read' | 'write' | 'scratch'

/**
 * One SQLite file. Synchronous, as `Files` is. Throws `workspace_locked` when others write for too long, `disk_full`,
 * `read_only`, `io_failed`, and `memory_corrupt` for what is no database.
 */
export interface Database extends Disposable {
  /** The rows of one statement, in its order. */
  all(sql: string, parameters?: SqlParameters): readonly SqlRow[]
  /** @returns how many rows it changed */
  run(sql: string, parameters?: SqlParameters): number
  /** Statements without parameters. */
  script(sql: string): void
  /** All that `work` writes or nothing of it, on the disk when it returns. Inside another one: a part of that. */
  transact<T>(work: () => T): T
  /** All that `work` reads is of one moment. */
  snapshot<T>(work: () => T): T
  /** A whole copy as of one moment, on the disk when it returns. @param path absolute, of a file that is not there */
  copyTo(path: string): void
}

/** @returns null for reading what is not there */
export type OpenDatabase = (path: string, mode: DatabaseMode) => Database | null

/** Takes the sheets that an engine is to be filled from: private files, gone before the first question is asked. */
export interface SheetWriter {
  /** Adds to a sheet, which the first text makes. */
  write(sheet: string, text: string): void
  /** Where the engine finds it. */
  pathOf(sheet: string): string
}

export interface CypherLimits {
  /** For this call; beyond it the engine is killed, and `cypher_timeout`. */
  readonly timeLimitMs: number
  /** As somebody chose it for all calls together, for the message. */
  readonly limitMs: number
  /** Kills the engine, and ends with `interrupted`. */
  readonly signal?: AbortSignal | undefined
}

export interface CypherQuestion {
  /** One statement. Nobody looks at it any more. */
  readonly query: string
  /** Statements of the program's own around it, the latter whatever becomes of the query. */
  readonly before: readonly string[]
  readonly after: readonly string[]
  readonly parameters: Readonly<Record<string, CypherValue>>
  readonly rowsMax: number
  /** Of all rows as JSON, UTF-16 units. */
  readonly unitsMax: number
}

export interface CypherResult {
  readonly columns: readonly string[]
  /** As the engine tells them: nodes and relations with `_label` and inner ids, times as ISO text. */
  readonly rows: readonly CypherRow[]
  /** Which limit ended them before their end; null when they are all. */
  readonly cutBy: 'rows' | 'units' | null
}

/**
 * A graph engine of somebody else's in a process of its own, empty at first, used up by `fill`. Throws
 * `engine_unavailable` when it cannot be had here (`isMissing` among its details where the program was built without it),
 * `cypher_timeout`, and `cypher_failed` when it died or ran out of memory;
 * after these it is of no more use.
 */
export interface CypherEngine extends Disposable {
  /** Its version. */
  ready(limits: CypherLimits): Promise<string>
  /** @param write gives the sheets, and says by which statements the engine takes them in */
  fill(write: (sheets: SheetWriter) => readonly string[], limits: CypherLimits): Promise<void>
  /** Throws `invalid_argument` with the engine's words for a question that it does not take. */
  ask(question: CypherQuestion, limits: CypherLimits): Promise<CypherResult>
}

/** Starts one. */
export type OpenCypherEngine = () => Promise<CypherEngine>
