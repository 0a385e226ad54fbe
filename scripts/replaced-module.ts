/** Another text for a module of the program while it is compiled, such as one that imports what only a build has. */

/** @param module base name of a file in `src/adapters`, without its ending */
export function replacedModule(module: string, contents: string): Bun.BunPlugin {
  const filter = new RegExp(`[\\\\/]adapters[\\\\/]${module}\\.ts$`)
  return {
    name: `another ${module}`,
    setup: (build) => void build.onLoad({ filter }, () => ({ contents, loader: 'ts' })),
  }
}
