import { execFile } from 'node:child_process'
import { appendFile, open } from 'node:fs/promises'
import { promisify } from 'node:util'

/** The response to an upload that the app refuses. */
export interface RefusalResponse {
  /** HTTP status; 0 without a response. */
  readonly status: number
  /** `error.code` or `errorCode` of the JSON body. */
  readonly code: string | undefined
}

/**
 * A refused upload of each kind: its path, the field and type of its file, and its response. An upload without a length
 * is sent in chunks.
 */
export const REFUSALS = {
  'a file in the wrong field': { path: '/', field: 'photo', announced: true, status: 400, code: 'unexpected_file' },
  'a file too large by its length': {
    path: '/small',
    field: 'file',
    announced: true,
    status: 413,
    code: 'file_too_large',
  },
  'a file too large by count': { path: '/small', field: 'file', announced: false, status: 413, code: 'file_too_large' },
  'content of another kind': {
    path: '/video',
    field: 'file',
    announced: true,
    status: 415,
    code: 'unsupported_content',
  },
  'a caller whom a guard refuses': { path: '/guarded', field: 'file', announced: true, status: 401, code: undefined },
  'a tenant without a plan': { path: '/quota', field: 'file', announced: true, status: 402, code: undefined },
} as const

/** A key of {@link REFUSALS}. */
export type RefusalKind = keyof typeof REFUSALS

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.keys is typed string[]
const KINDS = Object.keys(REFUSALS) as RefusalKind[]

/** Uploads in flight at a time. */
const PARALLEL = 5

/** Correct answers by kind, such as `50 of 50`, followed by the first wrong response. */
export type RefusalCount = Readonly<Record<RefusalKind, string>>

/** What {@link countRefusals} returns when every upload got its response. */
export function everyRefusal(times: number): RefusalCount {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are those of REFUSALS
  return Object.fromEntries(KINDS.map((kind) => [kind, `${times} of ${times}`])) as RefusalCount
}

/**
 * Sends uploads of every kind, several at a time, and counts the correct responses. The variable `REFUSALS_REPORT`
 * names a file that gets the counts as a line of JSON.
 * @param app The app and what stands in front of it, for the report.
 */
export async function countRefusals(
  app: { readonly framework: string; readonly front: string },
  times: number,
  send: (kind: RefusalKind) => Promise<RefusalResponse>,
): Promise<RefusalCount> {
  const counts: [RefusalKind, string][] = []
  for (const kind of KINDS) counts.push([kind, await count(kind, times, send)])
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are those of REFUSALS
  const result = Object.fromEntries(counts) as RefusalCount
  const report = process.env['REFUSALS_REPORT']
  if (report !== undefined) await appendFile(report, `${JSON.stringify({ ...app, result })}\n`)
  return result
}

async function count(
  kind: RefusalKind,
  times: number,
  send: (kind: RefusalKind) => Promise<RefusalResponse>,
): Promise<string> {
  const { status, code } = REFUSALS[kind]
  let left = times
  let right = 0
  let wrong = ''
  const work = async (): Promise<void> => {
    while (left-- > 0) {
      const response = await send(kind)
      if (response.status === status && response.code === code) right += 1
      else wrong ||= `: ${JSON.stringify(response)}`
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, work))
  return `${right} of ${times}${wrong}`
}

/** Writes a file that begins like a WAV file, larger than the buffers between client and app. @param bytes Its size. */
export async function writeLongFile(path: string, bytes: number): Promise<void> {
  await using file = await open(path, 'w')
  await file.write('RIFF\u0000\u0000\u0000\u0000WAVEfmt ')
  await file.truncate(bytes)
}

/** Options of {@link refusedUpload}. */
export interface RefusedUploadOptions {
  /**
   * Whether curl sends `Expect: 100-continue`, its default for long bodies. Browsers and most libraries never do.
   * @default true
   */
  readonly expect?: boolean
}

/** Sends the upload of a kind with curl, which reads the response while it sends, and returns the response. */
export async function refusedUpload(
  url: string,
  kind: RefusalKind,
  file: string,
  { expect = true }: RefusedUploadOptions = {},
): Promise<RefusalResponse> {
  const { path, field, announced } = REFUSALS[kind]
  const form = ['-F', `${field}=@${file};filename=a.wav;type=audio/wav`]
  // A client on a line, not on the loopback.
  const line = ['--limit-rate', '60M']
  const chunks = [...(announced ? [] : ['-H', 'Transfer-Encoding: chunked']), ...(expect ? [] : ['-H', 'Expect:'])]
  // curl's own exit code does not count: a proxy may close the connection after the whole response.
  const printed = await promisify(execFile)('curl', [
    '-sS',
    '-w',
    '\n%{http_code}',
    ...line,
    ...form,
    ...chunks,
    url + path,
  ]).then(
    ({ stdout }) => stdout,
    (error: { readonly stdout?: string }) => error.stdout ?? '',
  )
  const [body = '', status = '0'] = /^(?<body>.*)\n(?<status>\d+)$/s.exec(printed)?.slice(1) ?? []
  return { status: Number(status), code: codeOf(body) }
}

/** `error.code` or `errorCode` of a JSON body. */
export function codeOf(body: string): string | undefined {
  if (!body.startsWith('{')) return undefined
  const parsed: unknown = JSON.parse(body)
  if (typeof parsed !== 'object' || parsed === null) return undefined
  const error: unknown = Reflect.get(parsed, 'error')
  const code: unknown =
    typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : Reflect.get(parsed, 'errorCode')
  return typeof code === 'string' ? code : undefined
}
