import { resolve } from 'node:path'
import { z } from 'zod'
import { createAudioUrlPolicy } from '../domain/audio-url-policy.ts'
import { AddressSet } from '../domain/addresses.ts'
import { createWebhookPolicy } from '../domain/webhook-policy.ts'
import { DEFAULT_OPTIONS, LOG_LEVELS, ROLES } from '../service-options.ts'
import {
  allowList,
  anyText,
  databaseAddress,
  keysOfTenants,
  limit,
  MOST_HOURS,
  oneOf,
  secretKeyText,
  secretText,
  type SettingValue,
  siteUrl,
  wholeNumber,
  yesOrNo,
} from './setting-values.ts'

/** The documentation of a setting. */
interface SettingNotes {
  /** The command-line option. A secret has none, because other users of the machine can see command lines. */
  readonly flag: string | undefined
  /** The environment variable. The option wins over the variable. */
  readonly variable: string
  /** The default, in a few words. */
  readonly fallback: string
  readonly meaning: string
}

const MIB = 1024 * 1024
const { port, host, maxInputCharacters, inputLifetimeHours, resultLifetimeHours, linkLifetimeHours } = DEFAULT_OPTIONS
const { maxOutputSeconds, requestsAtOncePerTenant, failedKeysPerMinute } = DEFAULT_OPTIONS
const { unsentBytesPerTenant, openTasksPerTenant, storageBytesPerTenant, tasksAtOnce } = DEFAULT_OPTIONS

const notes = z.registry<SettingNotes>()

/** Documents a setting by `[name, default, meaning]`. The option and the variable derive from the name. */
function setting<T>(value: SettingValue<T>, name: string, fallback: string | number, meaning: string) {
  return described(value, { flag: `--${name}`, variable: variableOf(name), fallback: String(fallback), meaning })
}

function secret<T>(value: SettingValue<T>, name: string, meaning: string) {
  return described(value, { flag: undefined, variable: variableOf(name), fallback: 'none', meaning })
}

/** A setting whose variable other programs of a cluster use too. */
function wellKnown<T>(value: SettingValue<T>, variable: string, meaning: string) {
  return described(value, { flag: undefined, variable, fallback: 'none', meaning })
}

function described<T>(value: SettingValue<T>, about: SettingNotes) {
  const optional = z.exactOptional(value)
  notes.add(optional, about)
  return optional
}

function variableOf(name: string): string {
  return `SVC_AUDIO_${name.toUpperCase().replaceAll('-', '_')}`
}

/**
 * Every setting of the program: names, parser, meaning. `--help` and docs/configuration.md are generated from this
 * list.
 */
export const Settings = z.object({
  port: setting(wholeNumber(0, 65_535), 'port', port, 'port to listen on; 0 chooses a free port'),
  secretKey: secret(
    secretKeyText,
    'secret-key',
    'key of 32 characters or more that seals webhook and link secrets in the database; without it the file `secret.key` in the data folder',
  ),
  host: setting(anyText, 'host', host, 'address to listen on'),
  dataDir: setting(
    z.string().transform((path) => resolve(path)),
    'data-dir',
    '.svc-audio',
    'folder for everything it stores: hashes of keys, tasks, files, results',
  ),
  trustProxy: setting(
    allowList((entries) => new AddressSet(entries)),
    'trust-proxy',
    'none',
    'addresses and CIDR blocks of proxies in front: their `X-Forwarded-For` names the client in logs and in limits by address',
  ),
  publicUrl: setting(
    siteUrl,
    'public-url',
    'the listening address',
    'address in the links to results, for clients behind a proxy: `https://audio.example.com`, without a path',
  ),
  apiKeys: secret(
    keysOfTenants,
    'api-keys',
    '`tenant:key,tenant:key`: keys of 8 characters or more beside the stored ones; with any, none is made at first start',
  ),
  role: setting(
    oneOf(ROLES),
    'role',
    'all',
    'what this process of a cluster does: `api` answers requests, `worker` runs tasks and calls webhooks, `all` both',
  ),
  databaseUrl: wellKnown(
    databaseAddress,
    'DATABASE_URL',
    'PostgreSQL of a cluster: `postgres://user:password@host:5432/name`; a cluster needs a bucket too',
  ),
  databaseConnections: setting(
    wholeNumber(2, 1000),
    'database-connections',
    10,
    'most connections of this process to PostgreSQL, and one more to listen',
  ),
  s3Bucket: wellKnown(anyText, 'S3_BUCKET', 'bucket for the audio of a cluster'),
  s3Endpoint: wellKnown(
    siteUrl,
    'S3_ENDPOINT',
    'address of a service that speaks S3, if not Amazon: `https://s3.example.com`',
  ),
  s3Region: wellKnown(anyText, 'S3_REGION', 'region of the bucket; without it `AWS_REGION` or the profile says it'),
  logLevel: setting(
    oneOf(LOG_LEVELS),
    'log-level',
    DEFAULT_OPTIONS.logLevel,
    `${LOG_LEVELS.join(', ')}: JSON lines on standard error, without keys or texts`,
  ),
  metricsToken: secret(
    secretText,
    'metrics-token',
    'bearer token of 16 characters or more for `/metrics`; without it `/metrics` is open',
  ),
  maxInputCharacters: setting(
    wholeNumber(1, 10_000_000),
    'max-input-characters',
    maxInputCharacters,
    'longest `input`, in characters',
  ),
  maxOutputSeconds: setting(
    limit(1, 1_000_000, 60),
    'max-output-minutes',
    maxOutputSeconds / 60,
    'longest speech of one request, in minutes; more gets 400 `output_too_long`',
  ),
  maxUploadBytes: setting(wholeNumber(1, 512, MIB), 'max-upload-mb', 512, 'largest uploaded file, in MB'),
  requestsPerMinute: setting(
    limit(1, 1_000_000),
    'requests-per-minute',
    'none',
    'requests of one key in a minute; further ones get 429',
  ),
  requestsAtOncePerTenant: setting(
    limit(1, 1_000_000),
    'requests-at-once-per-tenant',
    requestsAtOncePerTenant,
    'requests of one tenant in flight; further ones get 429',
  ),
  failedKeysPerMinute: setting(
    limit(1, 1_000_000),
    'failed-keys-per-minute',
    failedKeysPerMinute,
    'requests of one address in a minute with a wrong key; then keys that are new from there get 429',
  ),
  unsentBytesPerTenant: setting(
    limit(1, 1_000_000_000, MIB),
    'unsent-mb-per-tenant',
    unsentBytesPerTenant / MIB,
    'encoded audio of one tenant that waits to be sent, in MB; further requests get 429',
  ),
  storageBytesPerTenant: setting(
    limit(1, 1_000_000_000, MIB),
    'storage-mb-per-tenant',
    storageBytesPerTenant / MIB,
    'uploads, inputs and results of one tenant, in MB, uploads in flight included; then 429 until some are deleted or expire',
  ),
  tasksAtOnce: setting(
    wholeNumber(1, 1000),
    'tasks-at-once',
    tasksAtOnce,
    'asynchronous tasks at work at the same time, for speech and for transcription each; those that wait for an engine included',
  ),
  tasksAtOncePerTenant: setting(
    wholeNumber(1, 1000),
    'tasks-at-once-per-tenant',
    'one for each processor, at least 2',
    'tasks of one tenant among these',
  ),
  taskStallTimeout: setting(
    // Above the time in which a query and a request to the bucket fail.
    wholeNumber(30, 86_400, 1000),
    'task-stall-seconds',
    DEFAULT_OPTIONS.taskStallTimeout / 1000,
    'how long a task may make no progress, beyond ten times the estimated time of its step; then another worker takes over',
  ),
  maxQueueSeconds: setting(
    limit(1, 1_000_000),
    'max-queue-seconds',
    'none',
    'longest estimated wait of a task until it starts; a task that would wait longer gets 429 with `Retry-After`',
  ),
  openTasksPerTenant: setting(
    limit(1, 1_000_000_000),
    'open-tasks-per-tenant',
    openTasksPerTenant,
    'unfinished tasks of one tenant; further ones get 429',
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
    'how long the file of a waiting task is stored; then the task fails with `input_expired`',
  ),
  resultLifetimeHours: setting(
    wholeNumber(1, MOST_HOURS),
    'result-hours',
    resultLifetimeHours,
    'how long an ended task and its result are stored',
  ),
  linkLifetimeHours: setting(
    wholeNumber(1, MOST_HOURS),
    'link-hours',
    linkLifetimeHours,
    'how long a link to a result works, at most as long as the result is stored',
  ),
  auditLifetimeDays: setting(
    wholeNumber(1, 3650),
    'audit-days',
    DEFAULT_OPTIONS.auditLifetimeDays,
    'how long a record of the audit log is stored; at most a million of them are',
  ),
  deleteAfterSuccess: setting(
    yesOrNo,
    'delete-after-success',
    'false',
    '`true` deletes an uploaded file after a successful transcription of it',
  ),
  audioUrlAllow: setting(
    allowList(createAudioUrlPolicy),
    'url-allow',
    'none',
    'hosts, addresses and CIDR blocks of your own network allowed in the `url` of a transcription',
  ),
  webhookAllow: setting(
    allowList(createWebhookPolicy),
    'webhook-allow',
    'none',
    'hosts, addresses and CIDR blocks of your own network allowed for webhooks, as `hooks.lan,10.1.0.0/16`; an entry `http://…` allows calls without TLS',
  ),
  stallTimeout: setting(
    wholeNumber(1, 86_400, 1000),
    'stall-seconds',
    DEFAULT_OPTIONS.stallTimeout / 1000,
    'how long a client may read nothing of an answer, or send nothing of a body, before it is disconnected; a JSON body is complete by then',
  ),
  stopTimeout: setting(
    wholeNumber(0, 86_400, 1000),
    'stop-seconds',
    DEFAULT_OPTIONS.stopTimeout / 1000,
    'how long a stop waits for running requests and tasks',
  ),
})

/** The name of a setting among the options, with its documentation. */
export interface SettingLine extends SettingNotes {
  readonly name: string
}

/** Lists every setting in the order of the documentation. */
export function listSettings(): SettingLine[] {
  return Object.entries(Settings.shape).map(([name, schema]) => {
    const about = notes.get(schema)
    if (about === undefined) throw new TypeError(`${name} is not described`)
    return Object.assign({ name }, about)
  })
}
