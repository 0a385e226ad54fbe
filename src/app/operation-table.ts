/** Every operation there is, in the order in which help shows them. */
import * as v from 'valibot'
import type { AgentTool } from '../agent/agent-tool.ts'
import type { Running } from '../importer/running.ts'
import type { OpenedWorkspace } from './opened-workspace.ts'
import { type Exposure, type Operation, type OperationContext, runOperation } from './operation.ts'
import { backup } from './operations/backup.ts'
import { memoryConsolidate } from './operations/consolidate.ts'
import { doctor } from './operations/doctor.ts'
import { evaluation } from './operations/eval.ts'
import { procedureExport } from './operations/export.ts'
import { procedureImport } from './operations/import.ts'
import { procedureImports } from './operations/imports.ts'
import { indexExport, indexStats } from './operations/index.ts'
import { memoryComplete, memoryDue, memorySweep, memoryTrigger } from './operations/intentions.ts'
import { inspect, scan } from './operations/lenses.ts'
import { licenses } from './operations/licenses.ts'
import { memoryHistory, memoryLink, memoryRemember, memoryUsed } from './operations/memory.ts'
import { memoryCypher } from './operations/memory-cypher.ts'
import { memoryExport, memoryImport, memoryMigrate, memoryStats, memoryValidate } from './operations/memory-files.ts'
import { procedureRead } from './operations/read.ts'
import { memoryRecall } from './operations/recall.ts'
import { procedureSearch } from './operations/search.ts'
import { sessionArchive, sessionEnd, sessionList, sessionShow, sessionStart } from './operations/session.ts'
import { memoryGraph } from './operations/session-picture.ts'
import { tokens } from './operations/tokens.ts'
import { config, reindex, schema, status } from './operations/upkeep.ts'
import { procedureCreate, procedureUpdate } from './operations/write.ts'
import { sayingOnce } from './saying-once.ts'

export const OPERATIONS: readonly Operation[] = [
  procedureImport,
  procedureImports,
  procedureSearch,
  procedureRead,
  procedureCreate,
  procedureUpdate,
  sessionStart,
  sessionEnd,
  sessionArchive,
  sessionList,
  sessionShow,
  memoryRemember,
  memoryRecall,
  memoryConsolidate,
  memoryLink,
  memoryUsed,
  memoryDue,
  memoryTrigger,
  memoryComplete,
  memorySweep,
  memoryHistory,
  memoryGraph,
  memoryCypher,
  memoryMigrate,
  memoryValidate,
  memoryExport,
  memoryImport,
  memoryStats,
  evaluation,
  reindex,
  indexStats,
  indexExport,
  procedureExport,
  inspect,
  scan,
  tokens,
  status,
  doctor,
  backup,
  config,
  schema,
  licenses,
]

export function operationsFor(exposure: Exposure): readonly Operation[] {
  return OPERATIONS.filter((operation) => operation.exposure.includes(exposure))
}

/** What an operation runs in, outside an extraction run. */
export function operationContext(
  workspace: OpenedWorkspace,
  running: Omit<Running, 'onWait'>,
  { masksOriginals = false }: { readonly masksOriginals?: boolean } = {},
): OperationContext {
  const context: OperationContext = {
    ...running,
    masksOriginals,
    say: sayingOnce(running.say),
    onWait: running.say,
    workspace,
    extraction: null,
    toolsFor: (extraction) => extractionTools({ ...context, extraction }),
  }
  return context
}

async function extractionTools(context: OperationContext): Promise<readonly AgentTool[]> {
  const { inputJsonSchema } = await import('./json-schema.ts')
  return operationsFor('extraction').map((operation) => {
    const { toolFields, input } = operation
    const tool =
      toolFields === undefined ? operation : { ...operation, input: () => v.pick(input(), [...toolFields] as [string]) }
    return {
      name: tool.name,
      description: tool.summary,
      parameters: inputJsonSchema(tool),
      writes: tool.writes,
      call: (args) => runOperation(tool, context, args),
    }
  })
}
