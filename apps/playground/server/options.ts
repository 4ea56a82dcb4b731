import { parseArgs } from 'node:util'
import { commandLineFault } from '@svc-audio/options'

/** Vite's default port. */
const DEFAULT_PORT = 5173

/** Options of the command line. */
export interface CommandOptions {
  /** Port of the page. 0 selects a free port. */
  readonly port: number
  /** Key of another service, from `SVC_AUDIO_API_KEY`. */
  readonly apiKey?: string
  /** Address of another service, from `SVC_AUDIO_BASE_URL`. */
  readonly baseUrl?: string
  /** Address of the playground's `/hooks/audio`, from `SVC_AUDIO_WEBHOOK_URL`. */
  readonly webhookUrl?: string
}

/** What `--help` prints. */
export const HELP: string = `Opens a web page with speech, transcription and every integration. Starts a local service for it.

Usage: npx -y pnpm@12 playground [options]

  --port number   port of the page (default ${DEFAULT_PORT}; 0 selects a free port)
  --help          print this help

Environment, to use another service instead of the local one:

  SVC_AUDIO_BASE_URL     its address, for example https://audio.example.com
  SVC_AUDIO_API_KEY      its key, which stays in this process
  SVC_AUDIO_WEBHOOK_URL  https address that leads to /hooks/audio of this page, for webhooks of that service
`

/**
 * Reads the command line.
 *
 * @returns The options; `undefined` for `--help`.
 * @throws UsageError naming the option or the environment variable
 */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): CommandOptions | undefined {
  const { help, port = String(DEFAULT_PORT) } = parse(args)
  return help === true ? undefined : { port: readPort(port), ...readService(env) }
}

/** A key without an address belongs to other programs, and is not used. */
function readService(env: NodeJS.ProcessEnv): Omit<CommandOptions, 'port'> {
  const { SVC_AUDIO_BASE_URL: address = '', SVC_AUDIO_API_KEY: apiKey = '' } = env
  if (address === '') return {}
  const protocol = URL.canParse(address) ? new URL(address).protocol : ''
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new UsageError(`SVC_AUDIO_BASE_URL must be an http or https address, got ${address}`)
  }
  if (apiKey === '') {
    throw new UsageError('SVC_AUDIO_API_KEY is missing: set the key of the service at SVC_AUDIO_BASE_URL')
  }
  return { apiKey, baseUrl: address.replace(/\/+$/, '').replace(/\/v1$/, ''), ...readWebhookUrl(env) }
}

function readWebhookUrl({
  SVC_AUDIO_WEBHOOK_URL: address = '',
}: NodeJS.ProcessEnv): Pick<CommandOptions, 'webhookUrl'> {
  if (address === '') return {}
  if (!URL.canParse(address) || new URL(address).protocol !== 'https:') {
    throw new UsageError(`SVC_AUDIO_WEBHOOK_URL must be an https address, got ${address}`)
  }
  return { webhookUrl: address }
}

function parse(args: readonly string[]): { readonly port?: string; readonly help?: boolean } {
  const options = { port: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const
  try {
    // `pnpm playground -- --port …` passes the separator on.
    return parseArgs({ args: args[0] === '--' ? args.slice(1) : [...args], options }).values
  } catch (error) {
    throw new UsageError(`${commandLineFault(error, Object.keys(options))} (see --help)`, { cause: error })
  }
}

/** @throws UsageError unless the text is a port number or 0 */
export function readPort(text: string): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535) throw new UsageError(`--port must be a number from 0 to 65535, got ${text}`)
  return port
}

/** A wrong option on the command line. Printed as one line without a stack. */
export class UsageError extends Error {
  override readonly name = 'UsageError' as const
}
