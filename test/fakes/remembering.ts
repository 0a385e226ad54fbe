/** Operations of the memory graph on a machine in memory, in short. */
import { FakeMachine } from './fake-machine.ts'

export type Memory = Readonly<Record<string, unknown>> & { readonly memory_id: string }

export interface ShownSession {
  readonly status: string
  readonly end_time: string | null
  readonly episodic: readonly Memory[]
  readonly working: readonly Memory[]
  readonly prospective: readonly Memory[]
  readonly semantic: readonly Memory[]
  readonly procedural: readonly Memory[]
}

export class RememberingMachine extends FakeMachine {
  /** @returns the id */
  async begin(id: string): Promise<string> {
    await this.run('session_start', { id })
    return id
  }

  async remember(kind: string, fields: Readonly<Record<string, unknown>>): Promise<Memory> {
    return (await this.run<{ memory: Memory }>('memory_remember', { kind, ...fields })).memory
  }

  async link(relation: string, from: string, to: string, set: Readonly<Record<string, unknown>> = {}) {
    return this.run('memory_link', { relation, from, to, set })
  }

  async show(id: string): Promise<ShownSession> {
    return this.run<ShownSession>('session_show', { id })
  }

  async due(input: { readonly session?: string; readonly at?: string } = {}): Promise<readonly string[]> {
    const { intentions } = await this.run<{ intentions: readonly Memory[] }>('memory_due', input)
    return idsOf(intentions)
  }
}

export function idsOf(memories: readonly Memory[]): readonly string[] {
  return memories.map(({ memory_id }) => memory_id)
}
