/** Texts in the form of secrets, put together at run time: nothing in a file of tests has the shape of one. */
import { findSecrets } from '../../src/importer/redaction/redactor.ts'

export const alnum = (units: number): string => 'a1B2c3D4e5F6g7H8i9J0'.repeat(Math.ceil(units / 20)).slice(0, units)
export const upper = (units: number): string => 'Q7Z2X5W8'.repeat(Math.ceil(units / 8)).slice(0, units)
export const hex = (units: number): string => '0f1e2d3c4b5a6978'.repeat(Math.ceil(units / 16)).slice(0, units)
export const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
export const dashes = '-'.repeat(5)
export const pem = (label: string, lineEnd: string): string =>
  [`${dashes}BEGIN ${label}${dashes}`, alnum(64), alnum(64), `${alnum(22)}==`, `${dashes}END ${label}${dashes}`].join(
    lineEnd,
  )

/** In order, each by its kind and its text. */
export function found(text: string): readonly (readonly [kind: string, secret: string])[] {
  return findSecrets(text).map(({ kind, start, end }) => [kind, text.slice(start, end)] as const)
}
