/** The environment without what the person at the keyboard has set for the product: a demo and a test must not see it. */

const FOREIGN_SETTING = /^(?:LLM|EMBEDDING|KNOWHOW|PROCEDURE|HF)_|^(?:NO_COLOR|FORCE_COLOR|(?:https?|all|no)_proxy)$/i

export function ownEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !FOREIGN_SETTING.test(name)))
}
