import { parseArgs } from 'node:util'
import { resolve } from 'node:path'
import { createAudioUrlPolicy } from '../domain/audio-url-policy.ts'
import { createWebhookPolicy } from '../domain/webhook-policy.ts'
import type { ServiceOptions } from '../service-options.ts'
import { UsageError } from './usage-error.ts'

/** What `--help` prints. */
export const HELP = `svc-audio-service: speech and transcription on your own machine

Usage: svc-audio-service [options]                          serves
       svc-audio-service webhook-secret <tenant> [options]  prints what the tenant's webhooks are signed with

  --port <number>      port to listen on, 0 for a free one   (default 8787)
  --host <address>     address to listen on                  (default 127.0.0.1)
  --data-dir <folder>  where everything is kept              (default .svc-audio)
  --help               shows this

Environment:
  SVC_AUDIO_API_KEYS       keys to accept, as "tenant:key,tenant:key"; without it a key is made at
                           first start, kept in the data folder as a hash and shown once
  SVC_AUDIO_LOG_LEVEL      trace, debug, info, warn, error or silent (default warn)
  SVC_AUDIO_TASKS_AT_ONCE  asynchronous tasks worked on at a time (default: one a processor, at least 2)
  SVC_AUDIO_INPUT_HOURS    how long the file of a task that has not begun is kept (default 24)
  SVC_AUDIO_RESULT_HOURS   how long a task that has ended and its result are kept (default 168)
  SVC_AUDIO_WEBHOOK_ALLOW  hosts, addresses and CIDR blocks of your own network that webhooks may call,
                           as "host,10.1.0.0/16"; "http://host" may be called without TLS
  SVC_AUDIO_URL_ALLOW      the same for where audio may be fetched from, without "http://"
`

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const

/** What the program was started for. */
export type Command =
  | { readonly name: 'help' }
  | { readonly name: 'serve'; readonly options: ServiceOptions }
  | { readonly name: 'webhook-secret'; readonly tenant: string; readonly dataDir: string }

/**
 * Reads command line and environment.
 * @throws UsageError naming the option or variable
 */
export function readCommand(args: readonly string[], environment: NodeJS.ProcessEnv): Command {
  const { values, positionals } = parse(args)
  if (values.help === true) return { name: 'help' }
  const dataDir = resolve(values['data-dir'] ?? '.svc-audio')
  const [command, tenant, ...rest] = positionals
  if (command === undefined) return { name: 'serve', options: { ...readOptions(values, environment), dataDir } }
  if (command !== 'webhook-secret') throw new UsageError(`There is no command ${command} (see --help)`)
  if (tenant === undefined || rest.length > 0) throw new UsageError('webhook-secret needs one tenant')
  return { name: 'webhook-secret', tenant, dataDir }
}

interface Values {
  readonly port?: string
  readonly host?: string
  readonly 'data-dir'?: string
  readonly help?: boolean
}

function parse(args: readonly string[]): { readonly values: Values; readonly positionals: readonly string[] } {
  const text = { type: 'string' } as const
  try {
    const options = { port: text, host: text, 'data-dir': text, help: { type: 'boolean', short: 'h' } } as const
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)} (see --help)`, { cause: error })
  }
}

function readOptions(values: Values, environment: NodeJS.ProcessEnv): Omit<ServiceOptions, 'dataDir'> {
  const given = (name: string): string | undefined => (environment[name]?.trim() === '' ? undefined : environment[name])
  const apiKeys = given('SVC_AUDIO_API_KEYS')
  const tasksAtOnce = given('SVC_AUDIO_TASKS_AT_ONCE')
  const inputHours = given('SVC_AUDIO_INPUT_HOURS')
  const resultHours = given('SVC_AUDIO_RESULT_HOURS')
  const webhookAllow = given('SVC_AUDIO_WEBHOOK_ALLOW')
  const audioUrlAllow = given('SVC_AUDIO_URL_ALLOW')
  return {
    port: readPort(values.port ?? '8787'),
    host: values.host ?? '127.0.0.1',
    logLevel: readLogLevel(given('SVC_AUDIO_LOG_LEVEL') ?? 'warn'),
    ...(apiKeys === undefined ? {} : { apiKeys: readApiKeys(apiKeys) }),
    ...(tasksAtOnce === undefined ? {} : { tasksAtOnce: readCount('SVC_AUDIO_TASKS_AT_ONCE', tasksAtOnce, 1000) }),
    ...(inputHours === undefined ? {} : { inputLifetimeHours: readCount('SVC_AUDIO_INPUT_HOURS', inputHours) }),
    ...(resultHours === undefined ? {} : { resultLifetimeHours: readCount('SVC_AUDIO_RESULT_HOURS', resultHours) }),
    ...(webhookAllow === undefined
      ? {}
      : { webhookAllow: readAllow('SVC_AUDIO_WEBHOOK_ALLOW', webhookAllow, createWebhookPolicy) }),
    ...(audioUrlAllow === undefined
      ? {}
      : { audioUrlAllow: readAllow('SVC_AUDIO_URL_ALLOW', audioUrlAllow, createAudioUrlPolicy) }),
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

/** @param most A century in hours, unless told otherwise. */
function readCount(name: string, text: string, most: number = 876_000): number {
  const count = Number(text)
  if (!/^\d+$/.test(text) || count < 1 || count > most) {
    throw new UsageError(`${name} must be a whole number from 1 to ${most}, not ${text}`)
  }
  return count
}

/** @param create Throws for an entry that is wrong. */
function readAllow(name: string, text: string, create: (entries: readonly string[]) => unknown): string[] {
  const entries = text.split(',').map((entry) => entry.trim())
  try {
    create(entries)
  } catch (error) {
    throw new UsageError(`${name}: ${error instanceof Error ? error.message : ''}`, { cause: error })
  }
  return entries
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
