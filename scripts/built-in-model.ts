/** A static embedding model as part of the compiled program. */
import { join, resolve } from 'node:path'
import { systemClock } from '../src/adapters/clock-and-ids.ts'
import { nodeDigest } from '../src/adapters/node-digest.ts'
import { openStaticEmbedder } from '../src/adapters/static-embeddings.ts'
import { NEXT_STEP } from '../src/adapters/static-model-fault.ts'
import { MemoryError } from '../src/model/memory-error.ts'
import { replacedModule } from './replaced-module.ts'

/** What `src/adapters/builtin-static-model.ts` exports, by the name of the file. */
const FILES = { tokenizer: 'tokenizer.json', safetensors: 'model.safetensors', config: 'config.json' }

const BUILD_STEP =
  `give the folder of a Model2Vec model, with the files ${Object.values(FILES).join(', ')} in it: ` +
  'npm run build -- --static-model DIR'

/** Why a folder is no model and what to do, null for one that is: better before the program is compiled than in each command of its users. */
export async function modelFault(folder: string): Promise<string | null> {
  const options = { model: resolve(folder), dimensions: null, digest: nodeDigest, clock: systemClock }
  try {
    await openStaticEmbedder(options).embed(['text'])
    return null
  } catch (error) {
    if (error instanceof MemoryError) return error.message.replace(NEXT_STEP, BUILD_STEP)
    throw error
  }
}

/** Lets `Bun.build` put the three files into the program. */
export function builtInModel(folder: string): Bun.BunPlugin {
  const imports = Object.entries(FILES).map(
    ([name, file]) => `import ${name} from ${JSON.stringify(join(resolve(folder), file))} with { type: 'file' }`,
  )
  const contents = [...imports, `export const builtinModelFiles = { ${Object.keys(FILES).join(', ')} }`].join('\n')
  return replacedModule('builtin-static-model', contents)
}
