import { parseArgs } from 'node:util'
import { UsageError } from './usage-error.ts'

/** Vite's default port. */
const DEFAULT_PORT = 5173

/** Options of the command line. */
export interface CommandOptions {
  /** Port of the page. 0 selects a free port. */
  readonly port: number
}

/** What `--help` prints. */
export const HELP: string = `Opens a web page with speech, transcription and every integration. Starts a local service for it.

Usage: npx -y pnpm@12 playground [options]

  --port number   port of the page (default ${DEFAULT_PORT}; 0 selects a free port)
  --help          print this help
`

/**
 * Reads the command line.
 *
 * @returns The options; `undefined` for `--help`.
 * @throws UsageError naming the option
 */
export function readOptions(args: readonly string[]): CommandOptions | undefined {
  const { help, port = String(DEFAULT_PORT) } = parse(args)
  return help === true ? undefined : { port: readPort(port) }
}

function parse(args: readonly string[]): { readonly port?: string; readonly help?: boolean } {
  const options = { port: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const
  try {
    // `pnpm playground -- --port …` passes the separator on.
    return parseArgs({ args: args[0] === '--' ? args.slice(1) : [...args], options }).values
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)} (see --help)`, { cause: error })
  }
}

/** @throws UsageError unless the text is a port number or 0 */
export function readPort(text: string): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535) throw new UsageError(`--port must be a number from 0 to 65535, got ${text}`)
  return port
}
