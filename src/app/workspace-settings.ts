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

/** The files of settings as they are now, which `workspaceSettings` makes its answer of. */
export interface SettingsFiles {
  readonly given: SettingsFile | null
  readonly workspace: SettingsFile | null
}

interface SettingsFile {
  readonly path: string
  readonly text: string
}

/** A missing workspace has none of its own. Throws `not_found`, `not_a_file`. */
export function settingsFiles(machine: Machine, { root, configPath }: WorkspaceChoice): SettingsFiles {
  const kind = machine.files.stat(root)?.kind
  if (kind === 'file' || kind === 'other')
    throw new MemoryError(
      'not_a_file',
      `${root} is no folder, so it cannot be a workspace; choose another with --workspace`,
    )
  return {
    given: configPath === null ? null : givenConfig(machine, configPath),
    workspace: ownConfig(machine, root),
  }
}

/** Throws `invalid_config`, and as `settingsFiles`. */
export function workspaceSettings(machine: Machine, choice: WorkspaceChoice): EffectiveConfig {
  return effectiveConfig({ environment: machine.environment, ...settingsFiles(machine, choice) })
}

function givenConfig(machine: Machine, path: string): SettingsFile {
  return { path, text: new TextDecoder().decode(machine.outside.read(path, CONFIG_BYTES_MAX)) }
}

function ownConfig(machine: Machine, root: string): SettingsFile | null {
  const path = `${root}/knowhow.json`
  const bytes = machine.files.read(path, { bytesMax: CONFIG_BYTES_MAX })
  return bytes === null ? null : { path, text: new TextDecoder().decode(bytes) }
}
