/** The room rules of docs/architecture.md. scripts/room-rules.ts runs them and shows that they bite. */

/** What each room may import besides itself. Whoever is not named for a room is closed to it. */
const BELOW = {
  model: [],
  ports: ['model'],
  workspace: ['ports', 'model'],
  search: ['workspace', 'ports', 'model'],
  experiences: ['search', 'workspace', 'ports', 'model'],
  agent: ['ports', 'model'],
  importer: ['agent', 'experiences', 'search', 'workspace', 'ports', 'model'],
  graph: ['search', 'workspace', 'ports', 'model'],
  app: ['agent', 'importer', 'graph', 'experiences', 'search', 'workspace', 'ports', 'model'],
  surfaces: ['app', 'agent', 'importer', 'graph', 'experiences', 'search', 'workspace', 'ports', 'model'],
  adapters: ['ports', 'model'],
}

/** Packages that belong to certain rooms; all others are free. */
const HOMES = {
  openai: ['adapters'],
  '@huggingface/tokenizers': ['adapters'],
  '@orama/[^/]+': ['search'],
  cac: ['surfaces'],
  '@modelcontextprotocol/server': ['surfaces'],
  hono: ['surfaces'],
  '@hono/[^/]+': ['surfaces'],
}

/** A room is a folder of src, or one file as `ports.ts` is. */
const inRooms = (rooms) => `^src/(${rooms.join('|')})(/|\\.ts$)`

const MAIN = '^src/main\\.ts$'
const KNOWN = [inRooms(Object.keys(BELOW)), MAIN]

const roomRules = Object.entries(BELOW).map(([room, below]) => ({
  name: `room-${room}`,
  comment: `${room} may import ${below.length === 0 ? 'no other room' : `only ${below.join(', ')}`}`,
  severity: 'error',
  from: { path: inRooms([room]) },
  to: { path: '^src/', pathNot: inRooms([room, ...below]) },
}))

const packageRules = Object.entries(HOMES).map(([name, rooms]) => ({
  name: `package-${name.split('/')[0]}`,
  comment: `${name} may be imported only in ${rooms.join(', ')}`,
  severity: 'error',
  from: { path: '^src/', pathNot: inRooms(rooms) },
  to: { path: `(^|/)node_modules/${name}/` },
}))

module.exports = {
  forbidden: [
    ...roomRules,
    ...packageRules,
    {
      name: 'room-unknown',
      comment: 'a file of src stands in one of the rooms or is main.ts',
      severity: 'error',
      from: { path: '^src/', pathNot: KNOWN },
      to: {},
    },
    {
      name: 'to-room-unknown',
      comment: 'a file of src stands in one of the rooms or is main.ts',
      severity: 'error',
      from: {},
      to: { path: '^src/', pathNot: KNOWN },
    },
    {
      name: 'built-ins',
      comment: 'node: modules are for adapters, surfaces and main.ts; everything else takes them from a port',
      severity: 'error',
      from: { path: '^src/', pathNot: [inRooms(['adapters', 'surfaces']), MAIN] },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'built-ins-newer',
      comment: 'the same for modules that the Node which runs this check does not have, such as node:sqlite',
      severity: 'error',
      from: { path: '^src/', pathNot: [inRooms(['adapters', 'surfaces']), MAIN] },
      to: { path: '^node:' },
    },
    {
      name: 'bun-only',
      comment: 'the same sources run under Deno',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^bun(:|$)' },
    },
    {
      name: 'outside-src',
      comment: 'src does not know its tests, scripts and build',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|scripts|build\\.ts|examples|dist)(/|$)' },
    },
    {
      name: 'development-package',
      comment: 'what the program imports is a dependency, not a devDependency',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'circular',
      comment: 'no circle is loaded; types are not, and what import() names is loaded when it is asked for',
      severity: 'error',
      from: { path: '^src/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only', 'dynamic-import'] } },
    },
    {
      name: 'missing',
      severity: 'error',
      from: { path: '^src/' },
      to: { couldNotResolve: true, pathNot: '^node:' },
    },
  ],
  options: {
    // TypeScript 7 has no compiler API: with the default parser no module is seen and everything passes.
    parser: 'swc',
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
}
