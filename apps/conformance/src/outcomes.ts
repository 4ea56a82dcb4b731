/** The server breaks the rule. */
export class Violation extends Error {
  override readonly name = 'Violation' as const
}

/** The rule is optional, and the server does not implement it. */
export class NotSupported extends Error {
  override readonly name = 'NotSupported' as const
}

/** The check lacks an option. The message names the option. */
export class NotChecked extends Error {
  override readonly name = 'NotChecked' as const
}

/** @throws Violation with the message, unless the condition holds */
export function ensure(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Violation(message)
}
