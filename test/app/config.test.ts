import { describe, expect, test } from 'bun:test'
import * as v from 'valibot'
import { type ConfigInput, DEFAULT_CONFIG, effectiveConfig, shownSetting } from '../../src/app/config.ts'
import { configSchema } from '../../src/app/config-schema.ts'
import { whyNoModel } from '../../src/app/model-servers.ts'

function effective(input: { environment?: Record<string, string>; given?: unknown; workspace?: unknown }) {
  const file = (path: string, value: unknown): ConfigInput['given'] =>
    value === undefined ? null : { path, text: typeof value === 'string' ? value : JSON.stringify(value) }
  return effectiveConfig({
    environment: input.environment ?? {},
    given: file('/given.json', input.given),
    workspace: file('/w/knowhow.json', input.workspace),
  })
}

test('the defaults, which nothing checks at run time, obey the schema', () => {
  expect(v.parse(configSchema(), DEFAULT_CONFIG)).toEqual(DEFAULT_CONFIG)
})

describe('a setting', () => {
  test('comes from the environment over --config over the workspace over its default', () => {
    const all = { workspace: { tokenizer: 'builtin:w', search: { limit: 7 } }, given: { tokenizer: 'g' } }
    const environment = { PROCEDURE_TOKENIZER_SOURCE: 'e' }
    expect(effective({}).config.tokenizer).toBe('builtin:qwen3')
    expect(effective({ workspace: all.workspace }).config.tokenizer).toBe('builtin:w')
    expect(effective(all).config).toMatchObject({ tokenizer: 'g', search: { limit: 7 } })
    const { config, sources } = effective({ ...all, environment })
    expect(config.tokenizer).toBe('e')
    expect(sources().get('tokenizer')).toBe('PROCEDURE_TOKENIZER_SOURCE')
    expect(sources().get('search.limit')).toBe('/w/knowhow.json')
    expect(sources().get('max_file_bytes')).toBe('default')
  })

  test('that is empty in the environment counts as unset', () => {
    expect(effective({ environment: { LLM_MODEL_NAME: '' } }).config.llm.model).toBeNull()
  })

  test.each([
    [{ serch: {} }, 'there is no setting "serch"'],
    [{ llm: { modle: {} } }, 'did you mean llm.model?'],
    [{ nope: 1 }, 'knowhow schema config'],
    [{ search: 5 }, '"search" must be an object of settings'],
    [{ search: [] }, '"search" must be an object of settings'],
    [{ search: { limit: 'x' } }, 'must be a number, not "x"; knowhow schema config'],
    [{ token_limits: { segment: 1.5 } }, 'must be a whole number, not 1.5; knowhow schema config'],
    [{ token_limits: { segment: 0 } }, 'must be at least 1, not 0; knowhow schema config'],
    [[], 'one JSON object, such as'],
  ])('%j is refused with what would be right', (given, words) => {
    expect(() => effective({ given })).toThrow(words)
  })

  test('group without members sets nothing', () => {
    expect(effective({ given: { llm: {} } }).config.llm.model).toBeNull()
  })

  test('that would send the key elsewhere is ignored in a workspace, with a notice', () => {
    const llm = { base_url: 'http://evil.example/v1', api_key_env: 'AWS_SECRET_ACCESS_KEY', model: 'm' }
    const { config, notices } = effective({ workspace: { llm } })
    expect(config.llm).toMatchObject({ base_url: null, api_key_env: 'LLM_API_KEY', model: 'm' })
    expect(notices).toHaveLength(2)
    expect(effective({ given: { llm } }).config.llm).toMatchObject(llm)
  })

  test('chooses the model for import when it comes from elsewhere than the workspace', () => {
    const llm = { model: 'm' }
    expect(whyNoModel(effective({}))).toContain('no chat model is chosen')
    expect(whyNoModel(effective({ workspace: { llm } }))).toContain('only the workspace chooses')
    expect(whyNoModel(effective({ workspace: { llm }, environment: { LLM_BASE_URL: 'http://here/v1' } }))).toBeNull()
    expect(whyNoModel(effective({ workspace: { llm }, given: { llm } }))).toBeNull()
    expect(whyNoModel(effective({ workspace: { llm }, environment: { LLM_MODEL_NAME: 'm' } }))).toBeNull()
    expect(whyNoModel(effective({ workspace: { llm }, given: { llm: { model: null } } }))).toContain(
      'no chat model is chosen',
    )
  })
})

describe('a broken configuration is refused, naming file and key:', () => {
  test.each([
    ['no JSON', '{', '/w/knowhow.json is not valid JSON'],
    ['no object', '[]', 'one JSON object'],
    ['an unknown key, with the nearest', { tokeniser: 'x' }, 'did you mean tokenizer?'],
    ['an unknown section, with the nearest', { serch: {} }, 'did you mean search?'],
    ['an unknown nested key', { token_limits: { segmnet: 1 } }, 'did you mean token_limits.segment?'],
    ['a group that is no object', { search: 3 }, '"search" must be an object of settings'],
    ['a hostile key', '{"__proto__":{"x":1}}', 'there is no setting'],
    ['a wrong type', { max_file_bytes: '20' }, 'max_file_bytes (from /w/knowhow.json)'],
    ['a value out of range', { search: { limit: 201 } }, 'search.limit'],
    ['zero tokens', { token_limits: { segment: 0 } }, 'token_limits.segment'],
    ['a folder that leads out', { procedure_dir: '../x' }, 'procedure_dir'],
    ['an absolute folder', { session_dir: '/x' }, 'session_dir'],
    ['a folder of the logs', { procedure_dir: 'metadata/x' }, 'procedure_dir'],
    ['a folder of the logs in capitals', { session_dir: 'METADATA' }, 'session_dir'],
    ['a folder of the logs behind a character that HFS+ passes over', { session_dir: 'meta\u200cdata' }, 'of its own'],
    ['a folder of the logs by its short name', { procedure_dir: 'METADA~1/x' }, 'short name of another folder'],
    ['the settings file as a folder', { procedure_dir: 'KNOWHOW.json' }, 'of its own under "KNOWHOW.json"'],
    ['a folder of git, with the reason', { procedure_dir: '.git' }, 'git would take it'],
    ['a device, with the reason', { procedure_dir: 'a/aux' }, 'of its part "aux" Windows reserves it'],
    ['a trailing comma, with its line', '{\n  "search": { "limit": 3 },\n}', 'is not valid JSON from line 3 on'],
    ['folders in one another but for case', { session_dir: 'Procedures/x' }, 'must lie apart'],
    ['folders in one another', { procedure_dir: 'session/x' }, 'must lie apart'],
    ['a reserve that leaves nothing', { token_limits: { context: 10, reserve: 10 } }, 'leaves nothing'],
  ])('%s', (_, workspace, message) => {
    expect(() => effective({ workspace })).toThrow(
      expect.objectContaining({ code: 'invalid_config', message: expect.stringContaining(message) }),
    )
  })
})

describe('a key in the wrong place is not repeated', () => {
  const KEY = 'sk-ant-api03-abcdefghijklmnop1234567890'

  const messageFor = (given: unknown): string => {
    try {
      effective({ given })
    } catch (error) {
      return (error as Error).message
    }
    throw new Error('it was taken')
  }

  test.each([
    ['as the name of its variable', { llm: { api_key_env: KEY } }, 'llm.api_key_env'],
    ['as a number', { max_file_bytes: KEY }, 'max_file_bytes'],
    ['as a setting', { [KEY]: 1 }, 'there is no setting'],
    ['bare in broken JSON', `{"llm": ${KEY.replaceAll('-', '_')}}`, 'is not valid JSON'],
  ])('%s', (_, given, told) => {
    const message = messageFor(given)
    expect(message).toContain(told)
    expect(message).not.toContain('abcdefghijklmnop')
  })

  test('even one that would do as the name of a variable', () => {
    const token = `ghp_${'a1B2'.repeat(9)}`
    expect(messageFor({ llm: { api_key_env: token } })).not.toContain(token)
  })

  test.each([
    'https://me:hunter2@host.example/x',
    'HTTPS:/me:hunter2@host.example/x',
    'ftp://me:hunter2@host.example/x',
  ])('in an address, which no tokenizer has: %s', (source) => {
    const message = messageFor({ tokenizer: source })
    expect(message).toMatch(/builtin:qwen3, the path of a tokenizer\.json or its folder, or org\/name/)
    expect(message).toContain('host.example/x')
    expect(message).not.toMatch(/hunter2/)
  })

  test('when it is part of another setting', () => {
    const keys = effective({
      environment: { LLM_API_KEY: 'abc def+1', EMBEDDING_API_KEY: 'short', OTHER: 'other-value' },
    }).keys()
    expect(shownSetting('llm.base_url', 'https://h/abc%20def%2B1/v1', keys)).toBe('https://h/[key]/v1')
    expect(shownSetting('llm.model', 'x-abc def+1-short-other-value', keys)).toBe('x-[key]-short-other-value')
  })

  test('when settings are shown', () => {
    expect(shownSetting('llm.model', KEY)).not.toContain('abcdefghijklmnop')
    expect(shownSetting('llm.base_url', `https://me:pw@host.example/v1/${KEY}`)).not.toMatch(/pw|abcdefghijklmnop/)
    expect(shownSetting('llm.model', 'qwen3-32b')).toBe('qwen3-32b')
    expect(shownSetting('tokenizer', '/models/0f3a9c/tokenizer.json')).toBe('/models/0f3a9c/tokenizer.json')
    expect(shownSetting('search.limit', 7)).toBe(7)
  })
})
