/** The settings that one run has for its workspace, from wherever they come. */
import { MemoryError } from '../model/memory-error.ts'
import { type EffectiveConfig, effectiveConfig } from './config.ts'
import type { Machine } from './machine.ts'

export interface WorkspaceChoice {
  /** Absolute. */
  readonly root: string
  /** Absolute path given by --config; null for none. */
  readonly configPath: string | null
  /** For the note beside the lock. */
  readonly command: string
}

const CONFIG_BYTES_MAX = 1024 * 1024

/** A missing workspace has none of its own. Throws `invalid_config`, `not_found`, `not_a_file`. */
export function workspaceSettings(machine: Machine, { root, configPath }: WorkspaceChoice): EffectiveConfig {
  const kind = machine.files.stat(root)?.kind
  if (kind === 'file' || kind === 'other')
    throw new MemoryError(
      'not_a_file',
      `${root} is no folder, so it cannot be a workspace; choose another with --workspace`,
    )
  return effectiveConfig({
    environment: machine.environment,
    given: configPath === null ? null : givenConfig(machine, configPath),
    workspace: ownConfig(machine, root),
  })
}

function givenConfig(machine: Machine, path: string): { path: string; text: string } {
  return { path, text: new TextDecoder().decode(machine.outside.read(path, CONFIG_BYTES_MAX)) }
}

function ownConfig(machine: Machine, root: string): { path: string; text: string } | null {
  const path = `${root}/knowhow.json`
  const bytes = machine.files.read(path, { bytesMax: CONFIG_BYTES_MAX })
  return bytes === null ? null : { path, text: new TextDecoder().decode(bytes) }
}
