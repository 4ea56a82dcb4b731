import { resolve } from 'node:path'
import { DEFAULT_PRIORITIES } from '@svc-audio/engine-ports/driver'
import { RUNTIME_CHOICES } from '@svc-audio/engines'
import { z } from 'zod'
import { createAudioUrlPolicy, createWebhookPolicy } from '../domain/url-policies.ts'
import { AddressSet } from '../domain/addresses.ts'
import { DEFAULT_OPTIONS, LOG_LEVELS, ROLES, VOICE_LISTS } from '../service-options.ts'
import {
  allowList,
  anyText,
  databaseAddress,
  keysOfTenants,
  limit,
  MOST_HOURS,
  notesOf,
  oneOf,
  originList,
  secret,
  secretKeyText,
  secretText,
  setting,
  type SettingNotes,
  siteUrl,
  voiceAliases,
  wellKnown,
  wholeNumber,
  yesOrNo,
} from './setting-values.ts'

const MIB = 1024 * 1024
const { port, host, maxInputCharacters, inputLifetimeHours, resultLifetimeHours, linkLifetimeHours } = DEFAULT_OPTIONS
const { maxOutputSeconds, requestsAtOncePerTenant, tasksAtOnce, unsentBytesPerTenant } = DEFAULT_OPTIONS

/**
 * Every setting of the program: names, parser, meaning. `--help` and docs/configuration.md are generated from this
 * list.
 */
export const Settings = z.object({
  port: setting(wholeNumber(0, 65_535), 'port', port, 'port to listen on; 0 chooses a free port'),
  secretKey: secret(
    secretKeyText,
    'secret-key',
    'key of at least 32 characters that encrypts webhook and link secrets in the database; default: the file `secret.key` in the data folder',
  ),
  host: setting(anyText, 'host', host, 'address to listen on'),
  dataDir: setting(
    z.string().transform((path) => resolve(path)),
    'data-dir',
    '.svc-audio',
    'folder for all stored data: hashes of keys, tasks, files, results',
  ),
  trustProxy: setting(
    allowList((entries) => new AddressSet(entries)),
    'trust-proxy',
    'none',
    'addresses and CIDR blocks of your proxies. Logs and limits by address then use the client address in `X-Forwarded-For`',
  ),
  publicUrl: setting(
    siteUrl,
    'public-url',
    'the listening address',
    'public address for links to results, without a path: `https://audio.example.com`',
  ),
  apiKeys: secret(
    keysOfTenants,
    'api-keys',
    '`tenant:key,tenant:key`: additional keys of at least 8 characters. If set, the first start creates no key',
  ),
  role: setting(
    oneOf(ROLES),
    'role',
    'all',
    'role of this process in a cluster: `api` serves requests, `worker` runs tasks and calls webhooks, `all` does both',
  ),
  databaseUrl: wellKnown(
    databaseAddress,
    'DATABASE_URL',
    'PostgreSQL of a cluster: `postgres://user:password@host:5432/name`, or several hosts with commas. A cluster also needs a bucket and a secret key',
  ),
  databaseUrlDirect: wellKnown(
    databaseAddress,
    'DATABASE_URL_DIRECT',
    'PostgreSQL without a connection pooler, for `LISTEN`, session locks and `migrate`; default: the address above',
  ),
  databaseConnections: setting(
    wholeNumber(2, 1000),
    'database-connections',
    10,
    'maximum connections of this process to PostgreSQL, plus one for `LISTEN`',
  ),
  s3Bucket: wellKnown(anyText, 'S3_BUCKET', 'bucket for the audio of a cluster'),
  s3Endpoint: wellKnown(
    siteUrl,
    'S3_ENDPOINT',
    'address of the S3 service if it is not Amazon S3: `https://s3.example.com`',
  ),
  s3Region: wellKnown(anyText, 'S3_REGION', 'region of the bucket; default: `AWS_REGION` or the profile'),
  logLevel: setting(
    oneOf(LOG_LEVELS),
    'log-level',
    DEFAULT_OPTIONS.logLevel,
    `${LOG_LEVELS.join(', ')}: JSON lines on standard error, without keys or texts`,
  ),
  metricsToken: secret(
    secretText,
    'metrics-token',
    'bearer token of at least 16 characters for `/metrics`. Without it, `/metrics` is public and has no per-tenant counters',
  ),
  maxInputCharacters: setting(
    wholeNumber(1, 10_000_000),
    'max-input-characters',
    maxInputCharacters,
    'maximum length of `input`, in characters',
  ),
  maxOutputSeconds: setting(
    limit(1, 1_000_000, 60),
    'max-output-minutes',
    maxOutputSeconds / 60,
    'maximum speech per request, in minutes; beyond it: 400 `output_too_long`',
  ),
  maxUploadBytes: setting(wholeNumber(1, 512, MIB), 'max-upload-mb', 512, 'maximum size of an uploaded file, in MB'),
  requestsPerMinute: setting(
    limit(1, 1_000_000),
    'requests-per-minute',
    'none',
    'maximum requests per key and minute; beyond it: 429',
  ),
  requestsAtOncePerTenant: setting(
    limit(1, 1_000_000),
    'requests-at-once-per-tenant',
    requestsAtOncePerTenant,
    'maximum requests in flight per tenant; beyond it, requests wait, then get 429',
  ),
  requestWaitTimeout: setting(
    wholeNumber(0, 600, 1000),
    'request-wait-seconds',
    DEFAULT_OPTIONS.requestWaitTimeout / 1000,
    'maximum time that a request over this limit waits for a place; 0 refuses it at once',
  ),
  failedKeysPerMinute: setting(
    limit(1, 1_000_000),
    'failed-keys-per-minute',
    DEFAULT_OPTIONS.failedKeysPerMinute,
    'maximum requests with a wrong key per address and minute; beyond it, keys that have not worked from that address get 429',
  ),
  connections: setting(
    limit(1, 1_000_000),
    'connections',
    'half of the open files that the system allows, at most 10000',
    'maximum open connections; beyond it, idle connections are closed, then requests get 503',
  ),
  connectionsPerAddress: setting(
    limit(1, 1_000_000),
    'connections-per-address',
    'half of `connections`',
    'maximum open connections per address that is not a trusted proxy; beyond it: 429',
  ),
  unsentBytesPerTenant: setting(
    limit(1, 1_000_000_000, MIB),
    'unsent-mb-per-tenant',
    unsentBytesPerTenant / MIB,
    'maximum unsent audio per tenant, in MB; beyond it: 429',
  ),
  storageBytesPerTenant: setting(
    limit(1, 1_000_000_000, MIB),
    'storage-mb-per-tenant',
    DEFAULT_OPTIONS.storageBytesPerTenant / MIB,
    'maximum stored data per tenant, in MB: uploads, inputs and results, including uploads in flight; beyond it: 429 until data is deleted or expires',
  ),
  tasksAtOnce: setting(
    wholeNumber(1, 1000),
    'tasks-at-once',
    tasksAtOnce,
    'maximum running tasks, separately for speech and for transcription, including tasks that wait for an engine',
  ),
  tasksAtOncePerTenant: setting(
    wholeNumber(1, 1000),
    'tasks-at-once-per-tenant',
    'one per processor, at least 2',
    'maximum of these tasks per tenant',
  ),
  taskStallTimeout: setting(
    // Above the time in which a query and a request to the bucket fail.
    wholeNumber(30, 86_400, 1000),
    'task-stall-seconds',
    DEFAULT_OPTIONS.taskStallTimeout / 1000,
    'maximum time without progress, in addition to ten times the estimated time of the step; then another worker runs the task',
  ),
  maxQueueSeconds: setting(
    limit(1, 1_000_000),
    'max-queue-seconds',
    'none',
    'maximum estimated wait of a task until it starts; beyond it: 429 with `Retry-After`',
  ),
  openTasksPerTenant: setting(
    limit(1, 1_000_000_000),
    'open-tasks-per-tenant',
    DEFAULT_OPTIONS.openTasksPerTenant,
    'maximum unfinished tasks per tenant; beyond it: 429',
  ),
  uploadLifetimeHours: setting(
    wholeNumber(1, MOST_HOURS),
    'upload-hours',
    'until deleted',
    'retention of files sent to `POST /v1/files`',
  ),
  inputLifetimeHours: setting(
    wholeNumber(1, MOST_HOURS),
    'input-hours',
    inputLifetimeHours,
    'retention of the file of a waiting task; after it, the task fails with `input_expired`',
  ),
  failedRequestHours: setting(
    wholeNumber(0, MOST_HOURS),
    'failed-request-hours',
    DEFAULT_OPTIONS.failedRequestHours,
    'retention of the requests of failed tasks, for `tasks retry`; 0 stores none',
  ),
  resultLifetimeHours: setting(
    wholeNumber(1, MOST_HOURS),
    'result-hours',
    resultLifetimeHours,
    'retention of ended tasks and their results',
  ),
  linkLifetimeHours: setting(
    wholeNumber(1, MOST_HOURS),
    'link-hours',
    linkLifetimeHours,
    'lifetime of a link to a result, at most the retention of the result',
  ),
  auditLifetimeDays: setting(
    wholeNumber(1, 3650),
    'audit-days',
    DEFAULT_OPTIONS.auditLifetimeDays,
    'retention of audit records, at most a million records',
  ),
  deleteAfterSuccess: setting(
    yesOrNo,
    'delete-after-success',
    'false',
    '`true` deletes an uploaded file after its successful transcription',
  ),
  openaiApi: setting(yesOrNo, 'openai-api', 'false', '`true` also serves the OpenAI audio API at `/openai/v1`'),
  openaiMarkdown: setting(
    yesOrNo,
    'openai-markdown',
    'true',
    'the OpenAI API speaks Markdown, addresses and emoji as a reader would; `false` speaks each mark as it is written',
  ),
  openaiAliases: setting(
    voiceAliases,
    'openai-aliases',
    'none',
    '`name=voice,name=voice`: further names of voices at the OpenAI API, and other voices for its own names',
  ),
  openaiOpenLists: setting(
    yesOrNo,
    'openai-open-lists',
    'false',
    '`true` opens the lists of models and voices of the OpenAI API to requests without a key. Nothing else is opened',
  ),
  openaiVoiceList: setting(
    oneOf(VOICE_LISTS),
    'openai-voice-list',
    DEFAULT_OPTIONS.openaiVoiceList,
    'shape of the list of voices of the OpenAI API: `objects` with `id` and `name`, as Open WebUI reads it, or `names` alone, as Kokoro-FastAPI has it',
  ),
  corsOrigins: setting(
    originList,
    'cors-origins',
    'none',
    'origins of pages that may call the service from a browser: `https://app.example.com`. A key in a page is public',
  ),
  audioUrlAllow: setting(
    allowList(createAudioUrlPolicy),
    'url-allow',
    'none',
    'hosts, addresses and CIDR blocks in your network that the `url` of a transcription may name',
  ),
  webhookAllow: setting(
    allowList(createWebhookPolicy),
    'webhook-allow',
    'none',
    'hosts, addresses and CIDR blocks in your network that webhooks may call, for example `hooks.lan,10.1.0.0/16`. An entry `http://…` allows calls without TLS',
  ),
  stallTimeout: setting(
    wholeNumber(1, 86_400, 1000),
    'client-idle-seconds',
    DEFAULT_OPTIONS.stallTimeout / 1000,
    'idle timeout of a client that reads no response or sends no body; also the deadline of a JSON body',
  ),
  enginesFile: setting(
    z.string().transform((path) => resolve(path)),
    'engines',
    'none',
    'file of engines, YAML or JSON: the servers and programs that speak and transcribe before the bundled engines',
  ),
  onnxRuntime: setting(
    oneOf(RUNTIME_CHOICES),
    'onnx-runtime',
    DEFAULT_OPTIONS.onnxRuntime,
    'what runs the neural graphs of the bundled engines: `node` is the package `onnxruntime-node`, `web` is WebAssembly, `auto` is the first one where it is installed',
  ),
  engineNice: setting(
    wholeNumber(0, 19),
    'engine-nice',
    DEFAULT_OPTIONS.engineNice,
    'nice value of engines and encoders; requests have 0. A lower value gives them more of the processors beside other programs',
  ),
  backgroundNice: setting(
    wholeNumber(0, 19),
    'background-nice',
    DEFAULT_PRIORITIES.background,
    'nice value of background work while another tenant has work, at least `--engine-nice`; the same value means no background',
  ),
  stopTimeout: setting(
    wholeNumber(0, 86_400, 1000),
    'stop-seconds',
    DEFAULT_OPTIONS.stopTimeout / 1000,
    'time for running requests and tasks to end at a stop',
  ),
})

/** The name of a setting among the options, with its documentation. */
export interface SettingLine extends SettingNotes {
  readonly name: string
}

/** Lists every setting in the order of the documentation. */
export function listSettings(): SettingLine[] {
  return Object.entries(Settings.shape).map(([name, schema]) => {
    const about = notesOf(schema)
    if (about === undefined) throw new TypeError(`${name} is not described`)
    return Object.assign({ name }, about)
  })
}
