/** Where everything lives inside a workspace. Pure: makes paths, touches nothing. */

export interface WorkspaceFolders {
  readonly session_dir: string
  readonly trajectory_subdir: string
  readonly procedure_dir: string
}

export const WORKSPACE_FOLDERS: WorkspaceFolders = {
  session_dir: 'session',
  trajectory_subdir: 'trajectories',
  procedure_dir: 'procedures',
}

/** Paths relative to the root, `/` between parts; `root` itself is absolute. */
export interface Layout {
  readonly root: string
  readonly trajectories: string
  readonly procedures: string
  readonly imports: string
  readonly processing: string
  readonly operations: string
  /** The memory graph's one database; SQLite keeps files of its own beside it. */
  readonly memory: string
  /** Derived state: can be deleted at any time. */
  readonly index: string
  readonly lock: string
  readonly lockHolder: string
}

export function layoutOf(root: string, folders: WorkspaceFolders): Layout {
  const logs = 'metadata/procedure/default'
  return {
    root,
    trajectories: `${folders.session_dir}/${folders.trajectory_subdir}`,
    procedures: folders.procedure_dir,
    imports: `${logs}/imports`,
    processing: `${logs}/processing`,
    operations: `${logs}/operations`,
    memory: 'memory/memory.db',
    index: 'metadata/index',
    lock: 'metadata/lock',
    lockHolder: 'metadata/lock.json',
  }
}

/** The absolute path of something inside the workspace. */
export function inWorkspace(layout: Layout, relative: string): string {
  return `${layout.root}/${relative}`
}

/** Derived state and locks stay out of git; originals and experiences keep their bytes. */
export function gitFiles(layout: Layout): Readonly<Record<'.gitattributes' | '.gitignore', string>> {
  return {
    '.gitattributes': [
      `${attributePattern(layout.trajectories)} -text`,
      `${attributePattern(layout.procedures)} -text`,
      '/metadata/** -text',
      '',
    ].join('\n'),
    '.gitignore': [
      `/${layout.index}/`,
      `/${layout.lock}`,
      `/${layout.lock}-*`,
      `/${layout.lockHolder}`,
      `/${layout.memory}*`,
      '.knowhow-*.tmp',
      '',
    ].join('\n'),
  }
}

/** Everything in `folder`, as a pattern of a .gitattributes file: a space would end it, so it is quoted as in C. */
function attributePattern(folder: string): string {
  const pattern = `/${folder.replace(/[[\]*?\\]/g, '\\$&')}/**`
  return /[\s"\\]/.test(pattern) ? `"${pattern.replace(/["\\]/g, '\\$&')}"` : pattern
}
