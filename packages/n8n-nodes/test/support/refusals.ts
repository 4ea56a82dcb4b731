import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { INodeParameters } from 'n8n-workflow'
import { byId, speech, transcription } from './parameters.ts'

/** Options of the service that {@link REFUSALS} are refusals of. */
export const REFUSING = {
  maxInputCharacters: 2000,
  maxOutputSeconds: 60,
  maxUploadBytes: 2_000_000,
  storageBytesPerTenant: 2_500_000,
  requestsPerMinute: 100,
  audioUrlAllow: ['127.0.0.1'],
} as const

/** A row of the table of errors that the real service causes. */
export interface Refusal {
  readonly what: string
  readonly parameters: INodeParameters
  /** The file of the item. @default none */
  readonly file?: Buffer
  /** The key of the credentials. @default the right one */
  readonly apiKey?: string
  /** Whether the key is one that no other row uses. @default no */
  readonly isAlone?: boolean
  /** Follows the address of the service in the credentials. @default nothing */
  readonly path?: string
  /** Options of a service of its own, beside {@link REFUSING}. @default none */
  readonly service?: { readonly [name: string]: number }
  /** Runs of the node before the one whose error counts. @default 0 */
  readonly before?: number
}

const TEXT = Buffer.from('This is a text, and not a recording. '.repeat(40))
const DIARIZED = { model: byId('svc-transcribe-diarize-pro') }
const say = (fields: INodeParameters): INodeParameters => speech({ text: 'Good morning.', ...fields })
const waitFor = (taskId: string): INodeParameters => ({ resource: 'task', operation: 'wait', taskId })

/**
 * What the real service refuses, and how a person causes it.
 * @param site Address of {@link startSite}.
 * @param closed Address that nothing listens on.
 */
export function refusals(site: string, closed: string): Refusal[] {
  const listen = (url: string): INodeParameters => transcription({ source: 'url', url })
  return [
    { what: 'a wrong key', parameters: say({}), apiKey: 'sk-wrong' },
    { what: 'a wrong path in Base URL', parameters: say({}), path: '/nowhere' },
    { what: 'an unknown voice', parameters: say({ voice: byId('nobody') }) },
    { what: 'a voice named like a code of the system', parameters: say({ voice: byId('ECONNREFUSED') }) },
    { what: 'an unknown model', parameters: say({ model: byId('my-model') }) },
    { what: 'an unknown file', parameters: transcription({ source: 'fileId', fileId: byId('file-1') }) },
    { what: 'an unknown task', parameters: waitFor('task-1') },
    { what: 'a text that is too long', parameters: say({ text: 'Good morning. '.repeat(150) }) },
    { what: 'speech that is too long', parameters: say({ text: '[pause 10s]'.repeat(7) }) },
    { what: 'a text without words', parameters: say({ text: '...' }) },
    { what: 'markup in a text', parameters: say({ text: '<speak>Good morning.</speak>' }) },
    { what: 'a pause that is none', parameters: say({ text: 'Well [pause 500ms] yes.' }) },
    { what: 'an unknown language', parameters: say({ options: { language: 'xx' } }) },
    { what: 'an expected duration that is too long', parameters: say({ options: { expectedDuration: 90 } }) },
    { what: 'a file that is too large for the service', parameters: transcription(), file: Buffer.alloc(3_000_000) },
    { what: 'a file that is no audio', parameters: transcription(), file: TEXT },
    { what: 'a sample of a voice that is no audio', parameters: { resource: 'voice' }, file: TEXT },
    { what: 'a URL of a page', parameters: listen(`${site}/page`) },
    { what: 'a URL that is not found', parameters: listen(`${site}/missing`) },
    { what: 'a URL whose site hangs up', parameters: listen(`${site}/cut`) },
    { what: 'a URL that refuses', parameters: listen(`${closed}/a.wav`) },
    { what: 'a URL of no host', parameters: listen('https://nothing.invalid/a.wav') },
    { what: 'a URL in a private network', parameters: listen('http://10.0.0.1/a.wav') },
    {
      what: 'a task whose URL refuses',
      parameters: transcription({ source: 'url', url: `${closed}/a.wav`, options: { runAsTask: 'always' } }),
    },
    {
      what: 'subtitles of a URL that refuses',
      parameters: transcription({ ...DIARIZED, source: 'url', url: `${closed}/a.wav`, responseFormat: 'srt' }),
    },
    {
      what: 'too many requests in a minute',
      parameters: { resource: 'voice', operation: 'getAll', limit: 1, options: { retries: 0 } },
      isAlone: true,
      before: 100,
    },
    {
      what: 'too many open tasks',
      parameters: say({ options: { runAsTask: 'always', retries: 0 } }),
      service: { openTasksPerTenant: 0 },
    },
    {
      what: 'no storage left',
      parameters: { resource: 'file', options: { retries: 0 } },
      file: Buffer.alloc(1_900_000),
      before: 1,
    },
    { what: 'a deadline that is too short', parameters: say({ options: { timeout: 0.001 } }) },
  ]
}

/** A site with a page, and an address that cuts its connections. */
export interface Site {
  readonly url: string
  close(): Promise<void>
}

/** Starts the site that the URLs of {@link refusals} lead to. */
export async function startSite(): Promise<Site> {
  const server: Server = createServer(({ url }, response) => {
    if (url === '/cut') response.destroy()
    else if (url === '/page') response.writeHead(200, { 'content-type': 'text/html' }).end(TEXT)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** A text of an error without what differs with each request. */
export function withoutIds(text: string): string {
  return text
    .replace(/, request [\w-]+/, '')
    .replace(/, retry after \d+ seconds/, '')
    .replace(/ \(task task_\w+\)$/, '')
}
