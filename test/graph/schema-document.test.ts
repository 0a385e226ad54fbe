/** `MEMORY_SCHEMA=write` writes the tables for people, docs/memory-schema.md, anew. */
import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { schemaDocument } from '../fakes/schema-document.ts'
import { scratchGraph } from '../fakes/scratch-graph.ts'

const DOCUMENT = resolve(import.meta.dir, '../../docs/memory-schema.md')

test('the tables for people are those of the database', () => {
  const document = schemaDocument(scratchGraph().database)
  if (process.env.MEMORY_SCHEMA === 'write') writeFileSync(DOCUMENT, document)
  expect(readFileSync(DOCUMENT, 'utf8')).toBe(document)
})
