import { once } from 'node:events'
import { request } from 'node:http'
import { request as secureRequest } from 'node:https'
import { check, type Check } from '../check.ts'
import { ensure, type Fields, integer, list, oneOf, requireShape, seconds, string, text, Violation } from '../expect.ts'
import { accepted } from '../http/api.ts'
import { dataOf, newUpload, storedFile, unique, upload } from '../subject/fixtures.ts'
import { accept, plain, refuse, refused } from '../subject/requests.ts'
import { shared, type Subject } from '../subject/subject.ts'

const FILE = {
  id: text,
  object: oneOf('file'),
  bytes: integer,
  created_at: seconds,
  filename: text,
  purpose: string,
  status: text,
}
const PATH = '/v1/files'

const pathOf = (file: Fields): string => `${PATH}/${encodeURIComponent(String(file['id']))}`
const remove = async (subject: Subject, file: Fields): Promise<Fields> =>
  accepted(await subject.api.send('DELETE', pathOf(file))).fields

/** Uploads three small files under a separate purpose, so a listing holds no other files. */
const threeFiles = shared(async (subject) => {
  const purpose = unique()
  const ids: unknown[] = []
  for (const filename of ['one.wav', 'two.wav', 'three.wav']) {
    ids.push((await upload(subject, await newUpload(subject, { filename, purpose })))['id'])
  }
  return { purpose, ids }
})

async function listed(subject: Subject, query: string): Promise<unknown[]> {
  return dataOf(await subject.api.read(`${PATH}?${query}`)).map(({ id }) => id)
}

/** Files. */
export const fileChecks: readonly Check[] = [
  check('file.fields', 'a file has all its fields, with the uploaded size and name', async (subject) => {
    const file = await newUpload(subject, { filename: 'Grüße 1.wav' })
    const shape = { ...FILE, bytes: oneOf(file.bytes.byteLength), filename: oneOf(file.filename) }
    const stored = await upload(subject, file)
    requireShape('the file', stored, shape)
    ensure(stored['status'] !== 'failed', 'the file of a WAV is failed')
  }),
  check('file.id-use', 'a stored file can be transcribed by its id', async (subject) => {
    await accept(subject, 'storedTranscription')
  }),
  check('file.purpose-empty', 'an empty purpose stays empty', async (subject) => {
    requireShape('the file', await upload(subject, await newUpload(subject, { purpose: '' })), { purpose: oneOf('') })
  }),
  check('file.no-internal-id', 'a file shows no identifier except its id', async (subject) => {
    const other = Object.keys(await storedFile(subject)).find((name) => /asset|_id$|path|key$/i.test(name))
    ensure(other === undefined, `the file shows ${other}`)
  }),
  check('file-upload.multipart', 'a body that is not a form is refused', async (subject) => {
    await storedFile(subject)
    refused(await subject.api.send('POST', PATH, { json: { purpose: 'audio', file: 'AAAA' } }), 'a JSON body')
  }),
  check('file-upload.streamed', 'an upload of unknown length is accepted', async (subject) => {
    await storedFile(subject)
    const { bytes } = await newUpload(subject)
    const form = new FormData()
    form.append('purpose', 'audio')
    form.append('file', new Blob([bytes]), 'streamed.wav')
    const encoded = new Response(form)
    const sent = { raw: encoded.body ?? '', contentType: encoded.headers.get('content-type') ?? '' }
    const { fields } = accepted(await subject.api.send('POST', PATH, sent))
    subject.keepInMind(String(fields['id']))
    requireShape('the file', fields, { bytes: oneOf(bytes.byteLength) })
  }),
  check('file-upload.purpose', 'the purpose is stored', async (subject) => {
    const purpose = unique()
    const file = await upload(subject, await newUpload(subject, { purpose }))
    requireShape('the file', await subject.api.read(pathOf(file)), { purpose: oneOf(purpose) })
  }),
  check('file-upload.answer', 'the response is a file', async (subject) => {
    requireShape('the file', await storedFile(subject), FILE)
  }),
  check('file-listing.limit', 'a page has at most limit files', async (subject) => {
    const { purpose } = await threeFiles(subject)
    for (const limit of [1, 2]) {
      const { length } = await listed(subject, `purpose=${purpose}&limit=${limit}`)
      ensure(length === limit, `limit=${limit} gives ${length} of 3 files`)
    }
    await listed(subject, 'limit=200')
  }),
  check('file-listing.limit', 'no page has more than 200 files', async (subject) => {
    for (const [limit, max] of [
      [0, 200],
      [201, 200],
    ] as const) {
      const response = await subject.api.send('GET', `${PATH}?limit=${limit}`)
      // The interface does not say whether such a limit is refused or capped.
      if (response.accepted)
        ensure(dataOf(response.fields).length <= max, `limit=${limit} gives more than ${max} files`)
      else refused(response, `limit=${limit}`)
    }
  }),
  check('file-listing.offset', 'offset skips that many files', async (subject) => {
    const { purpose } = await threeFiles(subject)
    const all = await listed(subject, `purpose=${purpose}`)
    const rest = await listed(subject, `purpose=${purpose}&offset=1`)
    ensure(JSON.stringify(rest) === JSON.stringify(all.slice(1)), `offset=1 gives ${rest.join()} of ${all.join()}`)
    const none = await listed(subject, `purpose=${purpose}&offset=100000`)
    ensure(none.length === 0, 'offset=100000 gives files')
  }),
  check('file-listing.purpose', 'purpose selects the files of that purpose', async (subject) => {
    const { purpose, ids } = await threeFiles(subject)
    const found = await listed(subject, `purpose=${purpose}`)
    ensure(found.length === 3 && ids.every((id) => found.includes(id)), `purpose gives ${found.length} of 3 files`)
    const part = await listed(subject, `purpose=${purpose.slice(0, -1)}`)
    ensure(part.length === 0, 'a part of a purpose selects its files')
  }),
  check('file-listing.answer', 'the response is a list of files', async (subject) => {
    await storedFile(subject)
    const page = await subject.api.read(PATH)
    requireShape('the list', page, { object: oneOf('list'), data: list })
    ensure(dataOf(page).length > 0, 'the list lacks the uploaded file')
    for (const file of dataOf(page)) requireShape('a listed file', file, { ...FILE, filename: string })
  }),
  check('file-retrieval.path', 'a file is found by its id; an unknown id is refused', async (subject) => {
    const file = await storedFile(subject)
    requireShape('the file', await subject.api.read(pathOf(file)), { ...FILE, id: oneOf(file['id']) })
    refused(await subject.api.send('GET', `${pathOf(file)}-of-nobody`), 'a request for an unknown file')
  }),
  check('file-deletion.fields', 'a deletion result has all its fields', async (subject) => {
    const file = await upload(subject, await newUpload(subject))
    const shape = { id: oneOf(file['id']), object: oneOf('file'), deleted: oneOf(true) }
    requireShape('the deletion', await remove(subject, file), shape)
  }),
  check('file-deletion.path', 'a file is deleted by its id; a second deletion is refused', async (subject) => {
    const file = await upload(subject, await newUpload(subject))
    await remove(subject, file)
    refused(await subject.api.send('DELETE', pathOf(file)), 'a second deletion')
  }),
  check('file-deletion.effect', 'a deleted file cannot be transcribed', async (subject) => {
    const file = await upload(subject, await newUpload(subject))
    await remove(subject, file)
    await refuse(subject, 'storedTranscription', { file_id: file['id'] })
  }),
  check('file-deletion.effect', 'a deleted file cannot be read or listed', async (subject) => {
    const purpose = unique()
    const file = await upload(subject, await newUpload(subject, { purpose }))
    await remove(subject, file)
    refused(await subject.api.send('GET', pathOf(file)), 'a request for a deleted file')
    ensure((await listed(subject, `purpose=${purpose}`)).length === 0, 'a deleted file is listed')
  }),
]

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
