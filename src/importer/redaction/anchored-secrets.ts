/**
 * Secrets that a literal text gives away, theirs or one in front of them: tokens, keys, addresses, commands, settings. A few
 * passes find these anchors; from each the text is read on once, so that time is linear in it.
 */
import { anchorExpressions } from './anchors.ts'
import { PEM_IN_BASE64, PUTTY_KEY, readEncodedPemKey, readPemKey, readPuttyKey, readSsh2Key } from './private-keys.ts'
import type { Reader, Secret } from './secret.ts'
import { readUserInfo } from './secret-addresses.ts'
import { commandReaders } from './secret-commands.ts'
import { settingReaders } from './secret-settings.ts'
import { tokenReaders } from './secret-tokens.ts'

interface Anchored {
  readonly readers: ReadonlyMap<string, Reader>
  readonly expressions: readonly RegExp[]
}

/** Made at the first use: settings load this module, and hardly any command looks for secrets. */
let anchored: Anchored | null = null

function madeAnchors(): Anchored {
  const tokens = tokenReaders()
  const settings = settingReaders()
  const anywhere = new Map<string, Reader>([
    ...tokens.anywhere,
    ...settings.anywhere,
    ['-----BEGIN ', readPemKey],
    ['---- BEGIN SSH2 ', readSsh2Key],
    [PUTTY_KEY, readPuttyKey],
    [PEM_IN_BASE64, readEncodedPemKey],
    ['://', (text, at) => readUserInfo(text, at, 3)],
    [':\\/\\/', (text, at) => readUserInfo(text, at, 5)],
  ])
  const atWordStart = new Map<string, Reader>([...tokens.atWordStart, ...settings.atWordStart, ...commandReaders()])
  const expressions = anchorExpressions({ anywhere: [...anywhere.keys()], atWordStart: [...atWordStart.keys()] })
  return { readers: new Map([...anywhere, ...atWordStart]), expressions }
}

/** In no order; they may overlap. */
export function anchoredSecrets(text: string): readonly Secret[] {
  anchored ??= madeAnchors()
  const { readers, expressions } = anchored
  return expressions.flatMap((expression) => secretsBy(text, expression, readers))
}

function secretsBy(text: string, expression: RegExp, readers: ReadonlyMap<string, Reader>): readonly Secret[] {
  const found: Secret[] = []
  const readTo = new Map<string, number>()
  for (const { 0: whole, 1: anchor = '', index } of text.matchAll(expression)) {
    const at = index + whole.length - anchor.length
    if (at < (readTo.get(anchor) ?? 0)) continue
    const reading = readers.get(anchor)?.(text, at)
    if (reading === undefined) continue
    readTo.set(anchor, reading.readTo)
    found.push(...reading.secrets)
  }
  return found
}
