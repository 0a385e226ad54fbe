/** Finishes what a killed run began, unless someone has touched the file since. For the holder of the writer's lock. */
import type { WritableWorkspace } from '../workspace/workspace.ts'
import { completeIntent } from './intent-completion.ts'
import { OperationJournal, requestsWithOpenIntents } from './operation-journal.ts'

export interface Recovered {
  readonly path: string
  readonly outcome: 'finished' | 'superseded'
}

/** Closes every open intent, and says which. */
export function recoverOperations(workspace: WritableWorkspace, index: () => void): readonly Recovered[] {
  const recovered: Recovered[] = []
  for (const request of requestsWithOpenIntents(workspace.ports, workspace.layout)) {
    using journal = new OperationJournal(workspace.ports, workspace.layout, request)
    for (const { intent, outcome } of [...journal.ledger.values()]) {
      if (outcome !== 'open') continue
      const found = completeIntent(workspace, journal, intent, index)
      recovered.push({ path: intent.path, outcome: found === intent.version ? 'finished' : 'superseded' })
    }
  }
  return recovered
}
