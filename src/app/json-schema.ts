/** JSON Schema, as people and models ask for it. Few commands do, so it is imported where they run. */
import { toJsonSchema } from '@valibot/to-json-schema'
import type * as v from 'valibot'

/** JSON Schema of an operation's arguments. */
export function inputJsonSchema({ input }: { readonly input: () => v.GenericSchema }): Record<string, unknown> {
  const { $schema: _, ...schema } = jsonSchemaOf(input())
  return schema
}

/** What JSON Schema cannot say (checks of our own, read-only types, sources of values) is left out of it. */
export function jsonSchemaOf(schema: v.GenericSchema): { $schema: string } & Record<string, unknown> {
  const { $schema = '', ...rest } = toJsonSchema(schema, {
    typeMode: 'input',
    errorMode: 'ignore',
    ignoreActions: ['metadata'],
  })
  return { $schema, ...rest }
}
