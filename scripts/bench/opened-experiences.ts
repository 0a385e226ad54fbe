/** The product's own search on a workspace of the disk, wired as the program wires it. */

import { bunDigest } from '../../src/adapters/bun-digest.ts'
import { openIds, systemClock } from '../../src/adapters/clock-and-ids.ts'
import { diskFiles } from '../../src/adapters/disk-files.ts'
import { nodeDigest } from '../../src/adapters/node-digest.ts'
import { openOpenAIEmbedder } from '../../src/adapters/openai-embeddings.ts'
import { sqliteLock } from '../../src/adapters/sqlite-lock.ts'
import { WasmKernel } from '../../src/adapters/wasm-kernel.ts'
import type { Files } from '../../src/ports.ts'
import { ExperienceSearch } from '../../src/search/experience-search.ts'
import { plainKernel } from '../../src/search/plain-kernel.ts'
import { layoutOf, WORKSPACE_FOLDERS } from '../../src/workspace/layout.ts'
import type { WorkspacePorts } from '../../src/workspace/workspace.ts'
import { BATCH_TEXTS, VECTOR_WIDTH, type VectorServer } from './vector-source.ts'

/** Of one request: far longer than the server takes. */
const TIMEOUT_MS = 60_000

export function machinePorts(files: Files = diskFiles): WorkspacePorts {
  return { files, lock: sqliteLock, clock: systemClock, digest: bunDigest ?? nodeDigest, ids: openIds(systemClock) }
}

/** In step with the files now; it looks at them again only when told. */
export function openSearch(root: string, ports = machinePorts()): ExperienceSearch {
  const search = new ExperienceSearch(ports, layoutOf(root, WORKSPACE_FOLDERS))
  search.refresh()
  return search
}

/** Ranks by the vectors of `source` too. */
export function openHybridSearch(root: string, { address, model }: VectorServer): ExperienceSearch {
  const ports = machinePorts()
  const provider = { baseUrl: address, apiKey: undefined, model, timeoutMs: TIMEOUT_MS, retries: 0, clock: ports.clock }
  const embedder = openOpenAIEmbedder({ ...provider, dimensions: VECTOR_WIDTH, batchSize: BATCH_TEXTS })
  const search = openSearch(root, ports)
  search.useVectors({ embedder, batchSize: BATCH_TEXTS, kernel: new WasmKernel(plainKernel) })
  return search
}
