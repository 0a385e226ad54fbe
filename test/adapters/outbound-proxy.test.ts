import { describe, expect, test } from 'bun:test'
import { outboundProxy } from '../../src/adapters/outbound-proxy.ts'

const PROXY = 'http://proxy.example:3128'
const HTTP = new URL('http://models.example/v1')
const HTTPS = new URL('https://models.example/v1')

describe('the variable that names it', () => {
  test.each([
    [HTTPS, { HTTPS_PROXY: PROXY }, 'HTTPS_PROXY'],
    [HTTPS, { https_proxy: PROXY, HTTPS_PROXY: 'http://other' }, 'https_proxy'],
    [HTTPS, { https_proxy: '', HTTPS_PROXY: PROXY }, 'HTTPS_PROXY'],
    [HTTP, { HTTP_PROXY: PROXY, HTTPS_PROXY: 'http://other' }, 'HTTP_PROXY'],
    [HTTP, { ALL_PROXY: PROXY }, 'ALL_PROXY'],
    [HTTP, { all_proxy: PROXY, ALL_PROXY: 'http://other' }, 'all_proxy'],
    [HTTP, { HTTP_PROXY: PROXY, all_proxy: 'http://other' }, 'HTTP_PROXY'],
  ])('of %s is, of %p, %s', (address, environment, variable) => {
    expect(outboundProxy(address, environment)).toEqual({ variable, place: 'proxy.example:3128' })
  })

  test.each([
    [HTTP, {}],
    [HTTP, { HTTPS_PROXY: PROXY }],
    [HTTPS, { HTTP_PROXY: PROXY }],
    [HTTP, { HTTP_PROXY: '' }],
    [HTTP, { http_proxy: '""', HTTP_PROXY: PROXY }],
    [HTTP, { ALL_PROXY: 'socks5://proxy.example:1080' }],
  ])('of %s is, of %p, none', (address, environment) => {
    expect(outboundProxy(address, environment)).toBeNull()
  })
})

describe('the place of the proxy', () => {
  test.each([
    ['http://proxy.example:3128', 'proxy.example:3128'],
    ['http://proxy.example:3128/', 'proxy.example:3128'],
    ['https://proxy.example', 'proxy.example'],
    ['HTTP://proxy.example:3128', 'proxy.example:3128'],
    ['proxy.example:3128', 'proxy.example:3128'],
    ['[::1]:3128', '[::1]:3128'],
    ['http://ann:hush@proxy.example:3128', 'proxy.example:3128'],
    ['http://ann%40x:hu%23sh@proxy.example', 'proxy.example'],
  ])('of %s is %s', (value, place) => {
    expect(outboundProxy(HTTP, { HTTP_PROXY: value })?.place).toBe(place)
  })

  test.each([
    ['hush@proxy.example:3128'],
    ['ann:hush@proxy.example:3128'],
    ['//ann:hush@proxy.example'],
    ['http://hush#hush@proxy.example'],
    ['http://ann:hush#hush@proxy.example'],
    ['http://ann:hush@hush#hush@proxy.example'],
    ['http://hush/hush@proxy.example'],
    ['socks5://ann:hush@proxy.example'],
    ['http://'],
    [':3128'],
    ['proxy example'],
  ])('of %s, which is none or hides a password, is not told', (value) => {
    expect(outboundProxy(HTTP, { HTTP_PROXY: value })).toEqual({ variable: 'HTTP_PROXY', place: null })
  })
})
