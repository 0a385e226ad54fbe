import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { DIVERGENCES } from '../../scripts/token-divergences.ts'

test('the manual has every known divergence of the native library, and the reason for it', () => {
  const manual = readFileSync(new URL('../../docs/tokenizers.md', import.meta.url), 'utf8')
  const rows = Object.values(DIVERGENCES).map(
    ({ name, tokenizers, reason }) => `| ${name} | ${tokenizers.join(', ')} | ${reason} |`,
  )
  expect(manual).toContain(rows.join('\n'))
})
