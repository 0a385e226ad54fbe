/** Prompts are files of their own, with places to fill. */
import { invariant } from '../model/memory-error.ts'

/** Each `{name}` of the template becomes its value. */
export function filledPrompt(template: string, values: Readonly<Record<string, string | number>>): string {
  return template.trim().replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name]
    invariant(value !== undefined, `a prompt has a place {${name}} and no value for it`)
    return String(value)
  })
}
