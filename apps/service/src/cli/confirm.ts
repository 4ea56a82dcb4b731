import { createInterface } from 'node:readline/promises'
import { UsageError } from './usage-error.ts'

/**
 * Makes a question whose answer is a name, typed in full.
 * @param yes Whether the operator has answered with `--yes`.
 * @returns Asks on standard error, so that standard output has only the result. Throws a UsageError for any other
 * answer, and without a terminal.
 */
export function confirmation(
  name: string,
  { yes, input = process.stdin, output = process.stderr }: ConfirmationOptions,
): (question: string) => Promise<void> {
  return async (question) => {
    if (yes) return
    if (!input.isTTY) throw new UsageError(`${question} Add --yes to delete without a question`)
    const lines = createInterface({ input, output })
    try {
      const typed = await lines.question(`${question} Type ${name} to delete it for good: `)
      if (typed.trim() !== name) throw new UsageError('Nothing was deleted')
    } finally {
      lines.close()
    }
  }
}

/** Options of {@link confirmation}. */
export interface ConfirmationOptions {
  readonly yes: boolean
  /** @default standard input */
  readonly input?: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  /** @default standard error */
  readonly output?: NodeJS.WritableStream
}
