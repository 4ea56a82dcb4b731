import { parseArgs } from 'node:util'
import { UsageError } from './usage-error.ts'

/** Where the page is when nothing is said: the port that Vite's own users expect. */
const DEFAULT_PORT = 5173

/** What can be said on the command line. */
export interface CommandOptions {
  /** Port of the page; 0 takes a free one. */
  readonly port: number
}

/** What `--help` prints. */
export const HELP: string = `Speech, transcription and every integration in a web page, on a service of its own.

Usage: npx -y pnpm@12 playground [options]

  --port number   port of the page (default ${DEFAULT_PORT}; 0 takes a free one)
  --help          shows this
`

/**
 * Options from the command line; `undefined` when help was asked for.
 * @throws UsageError naming the option
 */
export function readOptions(args: readonly string[]): CommandOptions | undefined {
  const { help, port = String(DEFAULT_PORT) } = parse(args)
  return help === true ? undefined : { port: readPort(port) }
}

function parse(args: readonly string[]): { readonly port?: string; readonly help?: boolean } {
  const options = { port: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const
  try {
    return parseArgs({ args: [...args], options }).values
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)} (see --help)`, { cause: error })
  }
}

/** @throws UsageError for anything but a port; 0 is one too */
export function readPort(text: string): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535) throw new UsageError(`--port must be a number from 0 to 65535, not ${text}`)
  return port
}
