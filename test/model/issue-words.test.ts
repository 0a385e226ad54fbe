import { expect, test } from 'bun:test'
import * as v from 'valibot'
import { ruleOf } from '../../src/model/issue-words.ts'

test.each<[v.GenericSchema, unknown, string]>([
  [v.string(), 5, 'must be a text'],
  [v.array(v.string()), 'x', 'must be a list'],
  [v.picklist(['llm', 'offline']), 'x', 'must be "llm" or "offline"'],
  [v.pipe(v.number(), v.integer()), 1.5, 'must be a whole number'],
  [v.pipe(v.number(), v.minValue(1)), 0, 'must be at least 1'],
  [v.pipe(v.number(), v.maxValue(1)), 2, 'must be at most 1'],
  [
    v.pipe(
      v.string(),
      v.check((text) => text === 'a', 'must be the letter a'),
    ),
    'b',
    'must be the letter a',
  ],
])('%# a fault is told as the rule that was broken', (schema, input, rule) => {
  const [issue] = v.safeParse(schema, input).issues ?? []
  expect(issue === undefined ? null : ruleOf(issue)).toBe(rule)
})
