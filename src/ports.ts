/** Everything nondeterministic or foreign enters by one of these. Interfaces only. */

export type FileKind = 'file' | 'folder' | 'link' | 'other'

/** What `lstat` says; a symbolic link is reported, never followed. */
export interface FileStat {
  readonly kind: FileKind
  readonly bytes: number
  readonly mtimeNs: bigint
  readonly ctimeNs: bigint
  readonly inode: bigint
}

export interface FolderEntry {
  readonly name: string
  readonly kind: FileKind
}

/** A file open for appending. `append` and `sync` throw instead of doing half; `bytes` counts what was appended whole. */
export interface AppendFile extends Disposable {
  readonly bytes: number
  append(data: Uint8Array): void
  sync(): void
  truncate(bytes: number): void
}

/**
 * A file system. Synchronous: a durable write is a chain of steps that must not interleave, and a scan of
 * 10,000 files costs a third of what promises do. Paths use `/`, absolute. Missing things are values (null,
 * false); every other fault is a MemoryError (`disk_full`, `permission_denied`, `read_only`, `not_a_file`, `io_failed`).
 */
export interface Files {
  stat(path: string): FileStat | null
  /** Sorted by name in code unit order; null when there is no such folder. */
  list(path: string): readonly FolderEntry[] | null
  /** The whole file, without following a link; null when missing. `bytesMax` refuses larger files with `file_too_large`. */
  read(path: string, options?: { readonly bytesMax?: number }): Uint8Array | null
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
  syncFolder(path: string): void
}

/** A file outside the workspace, named by the person who imports it. Links are followed. */
export interface OutsideFiles {
  absolutePath(path: string): string
  /** Throws `not_found`, `not_a_file`, `permission_denied`, `file_too_large` (checked before reading). */
  read(path: string, bytesMax: number): Uint8Array
}

export interface Lock {
  /** Takes the lock without waiting; null when another process or handle has it. Freed with the process at the latest. */
  acquire(path: string): Disposable | null
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
}

/** Exact token counts of one named tokenizer. */
export interface Tokenizer {
  /** Stable across runs; two tokenizers that count differently never share it. */
  readonly id: string
  readonly engine: 'wasm' | 'js'
  /** Tokens of `text` as plain content, without the special ones a model template adds. */
  count(text: string): number
}

/** Opens the tokenizer that a configuration names. Throws `tokenizer_unavailable`. */
export type OpenTokenizer = (source: string) => Promise<Tokenizer>

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
  /** `length`: the reply was cut off by a limit; its last tool call cannot be trusted. */
  readonly finish: 'stop' | 'tool_calls' | 'length' | 'other'
  /** Null where the server does not say. */
  readonly promptTokens: number | null
  readonly completionTokens: number | null
}

export interface ReplyOptions {
  readonly signal?: AbortSignal
  /** Called before each request that goes out, repeated ones included; what it throws is thrown. */
  readonly beforeRequest?: () => void
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
