import { request } from 'node:http'
import { request as secureRequest } from 'node:https'
import { once } from 'node:events'
import { type Check, check } from '../check.ts'
import { ensure, Violation } from '../outcomes.ts'
import { plain } from '../subject/requests.ts'
import { storedFile } from '../subject/fixtures.ts'
import type { Subject } from '../subject/subject.ts'

/** More than 512 MB (interface: Limits), whether a server counts in MB or MiB. */
const TOO_MANY_BYTES = 540 * 1024 * 1024
const BOUNDARY = 'conformance-boundary'

/**
 * Sends a form with a file over the limit while the server reads it, and returns the status. `fetch` cannot do this: it
 * forbids a Content-Length header and loses a response that comes before the end of the body.
 */
async function uploadTooMuch(
  subject: Subject,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<number> {
  const { baseUrl, key } = subject.options
  const address = new URL(path, baseUrl)
  const texts = Object.entries(fields).map(
    ([name, value]) => `--${BOUNDARY}\r\n${disposition(name)}\r\n\r\n${value}\r\n`,
  )
  const head = `${texts.join('')}--${BOUNDARY}\r\n${disposition('file')}; filename="large.wav"\r\n\r\n`
  const tail = `\r\n--${BOUNDARY}--\r\n`
  const call = (address.protocol === 'https:' ? secureRequest : request)(address, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      'content-length': head.length + TOO_MANY_BYTES + tail.length,
    },
    signal: AbortSignal.timeout(subject.timeout),
  })
  const { promise: status, resolve, reject } = Promise.withResolvers<number>()
  call.on('response', (response) => {
    response.resume()
    resolve(response.statusCode ?? 0)
  })
  // After its response, a server may close the connection.
  call.on('error', reject)
  const state = { answered: false }
  void status.then(
    () => (state.answered = true),
    () => (state.answered = true),
  )
  const piece = Buffer.alloc(1024 * 1024)
  call.write(head)
  for (let sent = 0; sent < TOO_MANY_BYTES && !state.answered; sent += piece.byteLength) {
    if (!call.write(piece)) await Promise.race([once(call, 'drain'), status])
  }
  if (!state.answered) call.end(tail)
  const answer = await status
  call.destroy()
  return answer
}

const disposition = (name: string): string => `Content-Disposition: form-data; name="${name}"`

async function refusesTooMuch(subject: Subject, path: string, fields: Readonly<Record<string, string>>): Promise<void> {
  subject.need('largeUploads', '--large-uploads')
  const status = await uploadTooMuch(subject, path, fields)
  if (status >= 400 && status < 500) return
  throw new Violation(`POST ${path} answered ${status} to a file of 540 MB`)
}

/** Limits. */
export const limitChecks: readonly Check[] = [
  check('limits.file-size', 'POST /v1/files refuses a file over 512 MB', async (subject) => {
    await storedFile(subject)
    await refusesTooMuch(subject, '/v1/files', { purpose: 'audio' })
  }),
  check('limits.file-size', 'POST /v1/audio/transcriptions refuses a file over 512 MB', async (subject) => {
    ensure((await plain(subject, 'transcription')).accepted, 'a small file is refused')
    await refusesTooMuch(subject, '/v1/audio/transcriptions', { model: subject.model('transcribe-1.0') })
  }),
]
