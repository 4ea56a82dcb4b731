import { resolve } from 'node:path'
import { z } from 'zod'
import { createAudioUrlPolicy } from '../domain/audio-url-policy.ts'
import { createWebhookPolicy } from '../domain/webhook-policy.ts'
import { DEFAULT_OPTIONS, LOG_LEVELS } from '../service-options.ts'
import {
  allowList,
  anyText,
  keysOfTenants,
  MOST_HOURS,
  oneOf,
  secretText,
  type SettingValue,
  siteUrl,
  wholeNumber,
  yesOrNo,
} from './setting-values.ts'

/** What people are told about a setting. */
interface SettingNotes {
  /** Its option on the command line; a secret has none, since other users of a machine can see command lines. */
  readonly flag: string | undefined
  /** Its environment variable. The option comes first when both are given. */
  readonly variable: string
  /** What holds without it, in a few words. */
  readonly fallback: string
  readonly meaning: string
}

const MIB = 1024 * 1024
const { port, host, maxInputCharacters, inputLifetimeHours, resultLifetimeHours, linkLifetimeHours } = DEFAULT_OPTIONS

const notes = z.registry<SettingNotes>()

/** Describes a setting by `[name, default, meaning]`: from the name come option and variable. */
function setting<T>(value: SettingValue<T>, name: string, fallback: string | number, meaning: string) {
  return described(value, { flag: `--${name}`, variable: variableOf(name), fallback: String(fallback), meaning })
}

function secret<T>(value: SettingValue<T>, name: string, meaning: string) {
  return described(value, { flag: undefined, variable: variableOf(name), fallback: 'none', meaning })
}

function described<T>(value: SettingValue<T>, about: SettingNotes) {
  const optional = z.exactOptional(value)
  notes.add(optional, about)
  return optional
}

function variableOf(name: string): string {
  return `SVC_AUDIO_${name.toUpperCase().replaceAll('-', '_')}`
}

/** Every setting of the program, once: names, how it is read, what it means. Help and docs/configuration.md are made from it. */
export const Settings = z.object({
  port: setting(wholeNumber(0, 65_535), 'port', port, 'port to listen on; 0 takes a free one'),
  host: setting(anyText, 'host', host, 'address to listen on'),
  dataDir: setting(
    z.string().transform((path) => resolve(path)),
    'data-dir',
    '.svc-audio',
    'folder for everything it stores: hashes of keys, tasks, files, results',
  ),
  publicUrl: setting(
    siteUrl,
    'public-url',
    'where it listens',
    'address for the links to results, when callers come another way: `https://audio.example.com`, without a path',
  ),
  apiKeys: secret(
    keysOfTenants,
    'api-keys',
    '`tenant:key,tenant:key`: keys of 8 characters or more beside the stored ones; with any, none is made at first start',
  ),
  logLevel: setting(
    oneOf(LOG_LEVELS),
    'log-level',
    DEFAULT_OPTIONS.logLevel,
    `${LOG_LEVELS.join(', ')}: JSON lines on standard error, without keys or texts`,
  ),
  metricsToken: secret(
    secretText,
    'metrics-token',
    'bearer token of 16 characters or more that `/metrics` then wants; without it, it is open',
  ),
  maxInputCharacters: setting(
    wholeNumber(1, 10_000_000),
    'max-input-characters',
    maxInputCharacters,
    'longest `input`, in characters',
  ),
  maxUploadBytes: setting(wholeNumber(1, 512, MIB), 'max-upload-mb', 512, 'largest uploaded file, in MB'),
  requestsPerMinute: setting(
    wholeNumber(1, 1_000_000),
    'requests-per-minute',
    'no limit',
    'requests that one key may make in a minute; more are answered 429',
  ),
  storageBytesPerTenant: setting(
    wholeNumber(1, 1_000_000_000, MIB),
    'storage-mb-per-tenant',
    'no limit',
    'what one tenant may store in uploads, inputs and results, in MB; then 429 until something is deleted or expires',
  ),
  tasksAtOnce: setting(
    wholeNumber(1, 1000),
    'tasks-at-once',
    'one a processor, at least 2',
    'asynchronous tasks worked on at the same time',
  ),
  tasksAtOncePerTenant: setting(
    wholeNumber(1, 1000),
    'tasks-at-once-per-tenant',
    'no limit',
    'of these, tasks of one tenant',
  ),
  openTasksPerTenant: setting(
    wholeNumber(1, 1_000_000_000),
    'open-tasks-per-tenant',
    'no limit',
    'tasks of one tenant that have not ended; more are answered 429',
  ),
  uploadLifetimeHours: setting(
    wholeNumber(1, MOST_HOURS),
    'upload-hours',
    'until deleted',
    'how long a file sent to `POST /v1/files` is stored',
  ),
  inputLifetimeHours: setting(
    wholeNumber(1, MOST_HOURS),
    'input-hours',
    inputLifetimeHours,
    'how long the file of a task that has not begun is stored; then the task fails with `input_expired`',
  ),
  resultLifetimeHours: setting(
    wholeNumber(1, MOST_HOURS),
    'result-hours',
    resultLifetimeHours,
    'how long a task that has ended and its result are stored',
  ),
  linkLifetimeHours: setting(
    wholeNumber(1, MOST_HOURS),
    'link-hours',
    linkLifetimeHours,
    'how long a link to a result works, though never longer than the result is stored',
  ),
  deleteAfterSuccess: setting(
    yesOrNo,
    'delete-after-success',
    'false',
    '`true` deletes an uploaded file once a transcription of it has succeeded',
  ),
  audioUrlAllow: setting(
    allowList(createAudioUrlPolicy),
    'url-allow',
    'none',
    'hosts, addresses and CIDR blocks of your own network that the `url` of a transcription may name',
  ),
  webhookAllow: setting(
    allowList(createWebhookPolicy),
    'webhook-allow',
    'none',
    'hosts, addresses and CIDR blocks of your own network that webhooks may call, as `hooks.lan,10.1.0.0/16`; an entry `http://…` may be called without TLS',
  ),
  stallTimeout: setting(
    wholeNumber(1, 86_400, 1000),
    'stall-seconds',
    DEFAULT_OPTIONS.stallTimeout / 1000,
    'how long a client may take nothing of an answer; then its connection is cut',
  ),
  stopTimeout: setting(
    wholeNumber(0, 86_400, 1000),
    'stop-seconds',
    DEFAULT_OPTIONS.stopTimeout / 1000,
    'how long a stop waits for running requests and tasks',
  ),
})

/** A setting's name among the options, and what people are told about it. */
export interface SettingLine extends SettingNotes {
  readonly name: string
}

/** Every setting, in the order in which people read about them. */
export function listSettings(): SettingLine[] {
  return Object.entries(Settings.shape).map(([name, schema]) => {
    const about = notes.get(schema)
    if (about === undefined) throw new TypeError(`${name} is not described`)
    return Object.assign({ name }, about)
  })
}
