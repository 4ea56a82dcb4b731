import { parseArgs } from 'node:util'
import { resolve } from 'node:path'
import type { ServiceOptions } from '../service.ts'
import { UsageError } from './usage-error.ts'

/** What `--help` prints. */
export const HELP = `svc-audio-service: speech and transcription on your own machine

Usage: svc-audio-service [options]

  --port <number>      port to listen on, 0 for a free one   (default 8787)
  --host <address>     address to listen on                  (default 127.0.0.1)
  --data-dir <folder>  where everything is kept              (default .svc-audio)
  --help               shows this

Environment:
  SVC_AUDIO_API_KEYS   keys to accept, as "tenant:key,tenant:key"; without it a key is made at
                       first start, kept in the data folder as a hash and shown once
  SVC_AUDIO_LOG_LEVEL  trace, debug, info, warn, error or silent (default warn)
`

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const

/**
 * Options of the service from command line and environment; `undefined` when help was asked for.
 * @throws UsageError naming the option or variable
 */
export function readOptions(args: readonly string[], environment: NodeJS.ProcessEnv): ServiceOptions | undefined {
  const values = parse(args)
  if (values.help === true) return undefined
  const apiKeys = environment['SVC_AUDIO_API_KEYS']
  return {
    port: readPort(values.port ?? '8787'),
    host: values.host ?? '127.0.0.1',
    dataDir: resolve(values['data-dir'] ?? '.svc-audio'),
    logLevel: readLogLevel(environment['SVC_AUDIO_LOG_LEVEL'] ?? 'warn'),
    ...(apiKeys === undefined || apiKeys.trim() === '' ? {} : { apiKeys: readApiKeys(apiKeys) }),
  }
}

interface Values {
  readonly port?: string
  readonly host?: string
  readonly 'data-dir'?: string
  readonly help?: boolean
}

function parse(args: readonly string[]): Values {
  const text = { type: 'string' } as const
  try {
    const options = { port: text, host: text, 'data-dir': text, help: { type: 'boolean', short: 'h' } } as const
    return parseArgs({ args: [...args], options }).values
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)} (see --help)`, { cause: error })
  }
}

function readPort(text: string): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535) throw new UsageError(`--port must be a number from 0 to 65535, not ${text}`)
  return port
}

function readLogLevel(text: string): (typeof LOG_LEVELS)[number] {
  const level = LOG_LEVELS.find((known) => known === text)
  if (level === undefined) throw new UsageError(`SVC_AUDIO_LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}`)
  return level
}

/** The value is never repeated in an error: it holds keys. */
function readApiKeys(text: string): Map<string, string> {
  const keys = new Map<string, string>()
  for (const [index, entry] of text.split(',').entries()) {
    const match = /^\s*(?<tenant>[\w.-]+):(?<key>[\u0021-\u002B\u002D-\u007E]{8,})\s*$/.exec(entry)
    const { tenant, key } = match?.groups ?? {}
    if (tenant === undefined || key === undefined) {
      const rule = 'must be tenant:key, the key at least 8 characters without spaces'
      throw new UsageError(`SVC_AUDIO_API_KEYS: entry ${index + 1} ${rule}`)
    }
    keys.set(key, tenant)
  }
  return keys
}
