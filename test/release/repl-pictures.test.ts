import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PICTURES, replPictures } from '../../scripts/repl-pictures.ts'

test.skipIf(process.platform === 'win32')(
  'the pictures of the REPL show it as it is: bun scripts/repl-pictures.ts',
  async () => {
    const kept = readdirSync(PICTURES).map((name) => [name, readFileSync(join(PICTURES, name), 'utf8')])
    expect(Object.fromEntries(kept)).toEqual(await replPictures())
  },
)
