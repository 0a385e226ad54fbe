import { expect, test } from 'bun:test'
import { resolve } from 'node:path'
import { ScriptedServer } from './scripted-server.ts'

test.each(['curl', '1', 'true'])('BUN_CONFIG_VERBOSE_FETCH=%s prints no key and no request', async (value) => {
  using server = new ScriptedServer([() => Response.json({ ok: true })])
  const program = `
    import { providerFetch } from ${JSON.stringify(resolve(import.meta.dir, '../../src/adapters/provider-fetch.ts'))}
    console.log(await providerFetch('sk-hidden-key-1234567890')(${JSON.stringify(server.baseUrl)}, { method: 'POST', body: '{}' }))`
  const child = Bun.spawn([process.execPath, '-e', program], {
    env: { ...process.env, BUN_CONFIG_VERBOSE_FETCH: value },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, error] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  expect(out).toBe('{"ok":true}\n')
  expect(error).toBe('')
})
