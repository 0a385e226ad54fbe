import { describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import {
  hubCacheFolder,
  hubEndpoint,
  hubToken,
  keepsTokenBack,
  offlineVariable,
  shownEndpoint,
  wantsNoLinks,
} from '../../src/adapters/hub-environment.ts'
import { HubHome } from './hub-home.ts'

// What huggingface_hub 2.0.0 makes of the same variables, as its HF_HUB_CACHE says.
describe('the cache lies where huggingface_hub has it', () => {
  test.each([
    [{}, '/home/ann/.cache/huggingface/hub'],
    [{ XDG_CACHE_HOME: '/var/xdg' }, '/var/xdg/huggingface/hub'],
    [{ XDG_CACHE_HOME: '/var/xdg', HF_HOME: '/data/hf' }, '/data/hf/hub'],
    [{ HF_HOME: '/data/hf', HUGGINGFACE_HUB_CACHE: '/old' }, '/old'],
    [{ HF_HOME: '/data/hf', HUGGINGFACE_HUB_CACHE: '/old', HF_HUB_CACHE: '/new' }, '/new'],
    [{ HF_HOME: '~/hf' }, '/home/ann/hf/hub'],
    [{ HF_HOME: '~' }, '/home/ann/hub'],
    [{ HF_HOME: '~bob/hf' }, '~bob/hf/hub'],
    [{ HF_HOME: '$DATA/hf', DATA: '/data' }, '/data/hf/hub'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as a person writes it
    [{ HF_HUB_CACHE: '${DATA}/hub', DATA: '/data' }, '/data/hub'],
    [{ HF_HUB_CACHE: '/x/$UNSET/hub' }, '/x/$UNSET/hub'],
  ])('%j', (variables, folder) => {
    expect(hubCacheFolder({ HOME: '/home/ann', ...variables }, 'linux')).toBe(folder)
  })

  test('a variable set to nothing counts as not set', () => {
    const nothing = { HF_HUB_CACHE: '', HUGGINGFACE_HUB_CACHE: '', HF_HOME: '', XDG_CACHE_HOME: '' }
    expect(hubCacheFolder({ HOME: '/home/ann', ...nothing }, 'linux')).toBe('/home/ann/.cache/huggingface/hub')
  })

  test('on Windows', () => {
    const environment = { HOME: '/not/this', USERPROFILE: 'C:\\Users\\Ann' }
    expect(hubCacheFolder(environment, 'win32')).toBe('C:\\Users\\Ann\\.cache\\huggingface\\hub')
    expect(hubCacheFolder({ ...environment, HF_HOME: '%DATA%\\hf', DATA: 'D:' }, 'win32')).toBe('D:\\hf\\hub')
  })

  test.skipIf(process.platform === 'win32')('without HOME, at the home that the system knows', () => {
    expect(hubCacheFolder({}, 'linux')).toBe(join(userInfo().homedir, '.cache/huggingface/hub'))
  })
})

describe('offline', () => {
  test.each([
    [{}, null],
    [{ HF_HUB_OFFLINE: '1' }, 'HF_HUB_OFFLINE'],
    [{ HF_HUB_OFFLINE: 'yes' }, 'HF_HUB_OFFLINE'],
    [{ HF_HUB_OFFLINE: 'true' }, 'HF_HUB_OFFLINE'],
    [{ HF_HUB_OFFLINE: 'on' }, 'HF_HUB_OFFLINE'],
    [{ HF_HUB_OFFLINE: 'maybe' }, null],
    [{ TRANSFORMERS_OFFLINE: '1' }, 'TRANSFORMERS_OFFLINE'],
    [{ HF_HUB_OFFLINE: '', TRANSFORMERS_OFFLINE: '1' }, 'TRANSFORMERS_OFFLINE'],
    [{ HF_HUB_OFFLINE: '0', TRANSFORMERS_OFFLINE: '1' }, null],
  ])('%j', (environment, variable) => {
    expect(offlineVariable(environment)).toBe(variable)
  })
})

describe('the endpoint', () => {
  test.each([
    [undefined, 'https://huggingface.co', 'https://huggingface.co'],
    ['', 'https://huggingface.co', 'https://huggingface.co'],
    ['https://hf.example/', 'https://hf.example', 'https://hf.example'],
    ['http://hf.example:8080/api/hub//', 'http://hf.example:8080/api/hub', 'http://hf.example:8080'],
  ])('%p', (HF_ENDPOINT, address, origin) => {
    expect(hubEndpoint({ HF_ENDPOINT })).toEqual({ address, origin })
  })

  test.each([
    ['huggingface.co'],
    ['ftp://hf.example'],
    ['https://ann:secret@hf.example'],
    ['file:///etc'],
    ['https://'],
  ])('is none at %s', (HF_ENDPOINT) => {
    expect(hubEndpoint({ HF_ENDPOINT })).toBeNull()
  })

  test.each([
    ['huggingface.co', '"huggingface.co"'],
    ['ftp://mirror', '"ftp://mirror"'],
    ['https://ann:p/a@ss@mirror/x?key=1#y', '"https://[credentials]@mirror/x"'],
    ['ann:pass@mirror', '"[credentials]@mirror"'],
    ['x'.repeat(300), `"${'x'.repeat(200)}"`],
  ])('%s is shown as %s', (HF_ENDPOINT, shown) => {
    expect(shownEndpoint({ HF_ENDPOINT })).toBe(shown)
  })
})

describe('the token', () => {
  test('of HF_TOKEN goes before the older variable, and either before the file', () => {
    using home = new HubHome()
    const path = tokenFile(home, 'of-the-file\r\n')
    const older = { HUGGING_FACE_HUB_TOKEN: ' older ' }
    expect(hubToken(home.environment({ HF_TOKEN: 'new\n', ...older }))).toEqual({ value: 'new', origin: 'HF_TOKEN' })
    expect(hubToken(home.environment({ HF_TOKEN: ' ', ...older }))?.value).toBe('older')
    expect(hubToken(home.environment())).toEqual({ value: 'of-the-file', origin: path })
  })

  test('lies at HF_TOKEN_PATH when that is set', () => {
    using home = new HubHome()
    const path = join(home.folder, 'elsewhere')
    writeFileSync(path, 'moved')
    expect(hubToken(home.environment({ HF_TOKEN_PATH: path }))).toEqual({ value: 'moved', origin: path })
  })

  test('is none without variables and file, or with an empty file, or a folder in its place', () => {
    using home = new HubHome()
    expect(hubToken(home.environment())).toBeNull()
    tokenFile(home, '\n')
    expect(hubToken(home.environment())).toBeNull()
    expect(hubToken(home.environment({ HF_TOKEN_PATH: home.folder }))).toBeNull()
  })
})

test('switches are read as huggingface_hub reads them', () => {
  expect(wantsNoLinks({ HF_HUB_DISABLE_SYMLINKS: 'True' })).toBe(true)
  expect(wantsNoLinks({ HF_HUB_DISABLE_SYMLINKS: '0' })).toBe(false)
  expect(keepsTokenBack({ HF_HUB_DISABLE_IMPLICIT_TOKEN: '1' })).toBe(true)
  expect(keepsTokenBack({})).toBe(false)
})

function tokenFile(home: HubHome, content: string): string {
  const folder = join(home.folder, '.cache', 'huggingface')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'token'), content)
  return join(folder, 'token')
}
