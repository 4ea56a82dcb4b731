import { afterEach, describe, expect, test } from 'vitest'
import { type UploadError, type UploadOptions } from '../src/index.ts'
import { BOUNDARY, formBody, type Part, post, wav, wavPart } from './support/form.ts'
import { exchange, type Receiver, startReceiver } from './support/receiver.ts'

/** Longer than all buffers on the way: the upload starts long before its form ends. */
const LONG = 400_000

let receiver: Receiver | undefined
afterEach(() => receiver?.close())

async function send(request: Uint8Array, options: Partial<UploadOptions> = {}) {
  receiver = await startReceiver(options)
  const [response, outcome] = await Promise.all([exchange(receiver, request), receiver.outcome()])
  return { ...response, ...outcome }
}

test('a file arrives whole, with its names, its types and the fields around it', async () => {
  const content = wav(9000)
  const {
    status,
    content: received,
    upload,
  } = await send(
    post(
      formBody([
        { name: 'title', content: 'Grüße' },
        { name: 'keyterms', content: 'one' },
        { name: 'keyterms', content: 'two' },
        { name: 'file', filename: 'größe 🎙.wav', type: 'audio/x-wav', content },
        { name: 'late', content: 'after' },
      ]),
    ),
  )
  expect(status).toBe(200)
  expect(received).toEqual(content)
  expect(upload).toMatchObject({
    filename: 'größe 🎙.wav',
    declaredType: 'audio/x-wav',
    sniffedType: 'audio/wav',
    bytes: content.byteLength,
  })
  expect({ ...upload?.fields }).toEqual({ title: ['Grüße'], keyterms: ['one', 'two'] })
  expect({ ...(await upload?.trailingFields) }).toEqual({ late: ['after'] })
  expect(upload?.signal.aborted).toBe(false)
})

test('field() is the first value of a field, also of a hostile name', async () => {
  const fields = ['one', 'two'].map((content) => ({ name: '__proto__', content }))
  const { upload } = await send(post(formBody([...fields, wavPart()])))
  expect(upload?.field('__proto__')).toBe('one')
  expect(upload?.field('constructor')).toBeUndefined()
})

describe('JSON that a browser sends as a file', () => {
  const json = (content: string, type = 'application/json'): Part => ({ name: 'meta', filename: 'blob', type, content })

  test('is a text field, before the file and after it', async () => {
    const body = formBody([json('{"a":"ü"}'), wavPart(wav(LONG)), json('[]', 'application/ld+json')])
    const { status, upload } = await send(post(body), { maxFileSize: 2 * LONG })
    expect(status).toBe(200)
    expect({ ...upload?.fields }).toEqual({ meta: ['{"a":"ü"}'] })
    expect({ ...(await upload?.trailingFields) }).toEqual({ meta: ['[]'] })
  })

  test('has the limits of a text field', async () => {
    const limits = { maxFieldSize: 10, maxFields: 1 }
    const long = await send(post(formBody([json('"01234567"'), wavPart()])), { limits })
    expect(long.status).toBe(200)
    await receiver?.close()
    expect(await send(post(formBody([json('"012345678"'), wavPart()])), { limits })).toMatchObject({
      status: 413,
      body: 'field_too_large',
    })
    await receiver?.close()
    const many = Array.from({ length: 5 }, () => json('1'))
    expect(await send(post(formBody([...many, wavPart()])), { limits })).toMatchObject({
      status: 413,
      body: 'too_many_fields',
    })
  })

  test('is a refused file in the field of the file', async () => {
    const body = formBody([{ name: 'file', filename: 'a.json', type: 'application/json', content: '{}' }])
    expect(await send(post(body))).toMatchObject({ status: 415, body: 'unsupported_content' })
  })
})

describe('too big', () => {
  test('a length that cannot fit is 413 before the body is read', async () => {
    // Only the headers are sent: the response proves that no body was awaited.
    const request = post(Buffer.alloc(0), { 'content-length': String(1024 * 1024 + 10_001) })
    expect(await send(request)).toMatchObject({ status: 413, body: 'file_too_large' })
  })

  test('exactly at the limit is accepted, one byte more is 413', async () => {
    const content = wav(9956)
    expect(content.byteLength).toBe(10_000)
    expect((await send(post(formBody([wavPart(content)])))).content).toEqual(content)
    await receiver?.close()
    const over = await send(post(formBody([wavPart(wav(9957))])))
    expect(over).toMatchObject({ status: 413, body: 'file_too_large' })
  })

  test('a file that exceeds the limit while it arrives fails', async () => {
    const over = await send(post(formBody([wavPart(wav(LONG))])), { maxFileSize: LONG })
    expect(over).toMatchObject({ status: 413, body: 'file_too_large' })
    expect(over.content).toBeUndefined()
    expect(over.upload?.signal.reason).toBe(over.error)
  })

  test('the limit applies to a body of unknown length too', async () => {
    const body = formBody([wavPart(wav(20_000))])
    const chunk = Buffer.concat([
      Buffer.from(`${body.byteLength.toString(16)}\r\n`),
      body,
      Buffer.from('\r\n0\r\n\r\n'),
    ])
    const request = post(Buffer.alloc(0), { 'content-length': '', 'transfer-encoding': 'chunked' })
    expect(await send(Buffer.concat([request, chunk]))).toMatchObject({ status: 413, body: 'file_too_large' })
  })

  test('a form with too many bytes before its file is 413', async () => {
    const junk = { headers: ['X-Unknown: 1'], content: Buffer.alloc(30_000, 'x') }
    const request = post(formBody([junk, wavPart()]))
    expect(await send(request, { limits: { maxFormBytes: 10_000 } })).toMatchObject({
      status: 413,
      body: 'file_too_large',
    })
    await receiver?.close()
    const client = post(Buffer.alloc(0), { 'content-length': '', 'transfer-encoding': 'chunked' })
    const body = formBody([junk, wavPart()])
    const chunk = Buffer.concat([
      Buffer.from(`${body.byteLength.toString(16)}\r\n`),
      body,
      Buffer.from('\r\n0\r\n\r\n'),
    ])
    const unknownLength = await send(Buffer.concat([client, chunk]), { limits: { maxFormBytes: 10_000 } })
    expect(unknownLength).toMatchObject({ status: 413, body: 'form_too_large' })
  })
})

describe('fields', () => {
  const fields = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `f${index}`, content: 'x' }))

  test('as many as allowed are accepted, one more is 413', async () => {
    const whole = await send(post(formBody([...fields(3), wavPart()])), { limits: { maxFields: 3 } })
    expect(whole.status).toBe(200)
    await receiver?.close()
    const over = await send(post(formBody([...fields(4), wavPart()])), { limits: { maxFields: 3 } })
    expect(over).toMatchObject({ status: 413, body: 'too_many_fields' })
  })

  test('too many after the file are 413, and the file fails', async () => {
    const over = await send(post(formBody([wavPart(wav(LONG)), ...fields(4)])), {
      limits: { maxFields: 3 },
      maxFileSize: 2 * LONG,
    })
    expect(over).toMatchObject({ status: 413, body: 'too_many_fields' })
    expect(over.content).toBeUndefined()
    await expect(over.upload?.trailingFields).rejects.toBe(over.error)
  })

  test('a field as long as allowed is accepted, one byte more is 413', async () => {
    const field = (length: number) => ({ name: 'text', content: 'x'.repeat(length) })
    const whole = await send(post(formBody([field(100), wavPart()])), { limits: { maxFieldSize: 100 } })
    expect(whole.upload?.fields['text']).toEqual(['x'.repeat(100)])
    await receiver?.close()
    const over = await send(post(formBody([field(101), wavPart()])), { limits: { maxFieldSize: 100 } })
    expect(over).toMatchObject({ status: 413, body: 'field_too_large' })
  })
})

describe('the wrong files', () => {
  test('a second file is 400, and the first file fails', async () => {
    const form = formBody([wavPart(wav(LONG)), wavPart()])
    const { status, body, content, error, upload } = await send(post(form), { maxFileSize: 2 * LONG })
    expect([status, body]).toEqual([400, 'too_many_files'])
    expect(content).toBeUndefined()
    expect(upload?.signal.reason).toBe(error)
  })

  test('a file in another field is 400', async () => {
    const request = post(formBody([{ ...wavPart(), name: 'photo' }]))
    expect(await send(request)).toMatchObject({ status: 400, body: 'unexpected_file' })
  })

  test("the field's name is configurable", async () => {
    const request = post(formBody([{ ...wavPart(), name: 'recording' }]))
    expect((await send(request, { fileField: 'recording' })).status).toBe(200)
  })

  test("a missing file is 400, also with a browser's empty file, also with a text field", async () => {
    const forms = [
      formBody([{ name: 'title', content: 'x' }]),
      formBody([]),
      formBody([{ name: 'file', filename: '', type: 'application/octet-stream', content: '' }]),
      formBody([{ name: 'file', content: 'a text field' }]),
    ]
    for (const form of forms) {
      expect(await send(post(form))).toMatchObject({ status: 400, body: 'missing_file' })
      await receiver?.close()
    }
  })

  test('an empty file is 400', async () => {
    expect(await send(post(formBody([wavPart(Buffer.alloc(0))])))).toMatchObject({ status: 400, body: 'empty_file' })
  })

  test('content other than audio is 415 under any declared type', async () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
    for (const content of [png, Buffer.from('%PDF-1.7\n'), Buffer.from('PK\u0003\u0004')]) {
      expect(await send(post(formBody([wavPart(content)])))).toMatchObject({ status: 415, body: 'unsupported_content' })
      await receiver?.close()
    }
    const text = { ...wavPart(Buffer.from('plain text')), type: 'application/octet-stream' }
    expect(await send(post(formBody([text])))).toMatchObject({ status: 415, body: 'unsupported_content' })
  })

  test('content without a signature and declared as audio is accepted: the service judges it', async () => {
    const content = Buffer.from('no signature')
    expect(await send(post(formBody([wavPart(content)])))).toMatchObject({ status: 200, content })
  })

  test('raw content is accepted with allowRaw, other known content is not', async () => {
    const pcm = Buffer.from('0001000200030004', 'hex')
    const part = { name: 'file', type: 'application/octet-stream', content: pcm }
    const raw = await send(post(formBody([part])), { allowRaw: true })
    expect(raw).toMatchObject({
      status: 200,
      content: pcm,
      upload: { sniffedType: undefined, declaredType: 'application/octet-stream', filename: 'audio' },
    })
    await receiver?.close()
    const pdf = await send(post(formBody([wavPart(Buffer.from('%PDF-1.7\n'))])), { allowRaw: true })
    expect(pdf).toMatchObject({ status: 415, body: 'unsupported_content' })
  })
})

describe('no form', () => {
  test('JSON, a URL-encoded form and no content type are 415', async () => {
    for (const type of ['application/json', 'application/x-www-form-urlencoded', 'multipart/mixed; boundary=x', '']) {
      const response = await send(post(Buffer.from('{"a":1}'), { 'content-type': type }))
      expect(response).toMatchObject({ status: 415, body: 'not_multipart' })
      await receiver?.close()
    }
  })

  test('an empty body is 400', async () => {
    const chunked = { 'content-length': '', 'transfer-encoding': 'chunked' }
    const requests = [
      post(Buffer.alloc(0)),
      post(Buffer.alloc(0), { 'content-type': '' }),
      post(Buffer.alloc(0), { 'content-length': '' }),
      Buffer.concat([post(Buffer.alloc(0), chunked), Buffer.from('0\r\n\r\n')]),
    ]
    for (const request of requests) {
      expect(await send(request)).toMatchObject({ status: 400, body: 'empty_body' })
      await receiver?.close()
    }
  })

  test('a missing, empty or overlong boundary is 400', async () => {
    for (const boundary of ['', '; boundary=', '; boundary=""', `; boundary=${'b'.repeat(71)}`, '; charset=utf-8']) {
      const type = { 'content-type': `multipart/form-data${boundary}` }
      expect(await send(post(formBody([wavPart()]), type))).toMatchObject({ status: 400, body: 'missing_boundary' })
      await receiver?.close()
    }
  })

  test('a boundary of 70 characters, quoted or not, works', async () => {
    const boundary = 'b'.repeat(70)
    for (const spelled of [boundary, `"${boundary}"`]) {
      const type = { 'content-type': `Multipart/Form-Data; charset=utf-8; boundary=${spelled}` }
      expect((await send(post(formBody([wavPart()], boundary), type))).status).toBe(200)
      await receiver?.close()
    }
  })

  test('a compressed body is 415', async () => {
    const response = await send(post(formBody([wavPart()]), { 'content-encoding': 'gzip' }))
    expect(response).toMatchObject({ status: 415, body: 'unsupported_encoding' })
  })
})

describe('a broken form', () => {
  test('a body that ends without its last boundary is 400', async () => {
    const whole = formBody([wavPart()])
    for (const cut of [30, 100, whole.byteLength - 10, whole.byteLength - 4]) {
      const response = await send(post(whole.subarray(0, cut)))
      expect([response.status, response.body]).toEqual([
        400,
        expect.stringMatching(/^(truncated_form|malformed_part)$/),
      ])
      expect(response.content).toBeUndefined()
      await receiver?.close()
    }
  })

  test('a boundary that never appears is 400', async () => {
    const response = await send(post(formBody([wavPart()], 'another')))
    expect(response).toMatchObject({ status: 400, body: 'truncated_form' })
  })

  test('unreadable headers of a part are 400', async () => {
    const bad = ['no colon at all', ': no name', 'Bad Name: x', 'X: \u0000', `X: ${'y'.repeat(20_000)}`]
    for (const header of bad) {
      const disposition = 'Content-Disposition: form-data; name="file"; filename="a.wav"'
      const form = formBody([{ headers: [disposition, header], content: wav(10) }])
      expect(await send(post(form))).toMatchObject({ status: 400, body: 'malformed_part' })
      await receiver?.close()
    }
  })

  test('broken headers in a later part are 400, and the earlier file fails', async () => {
    const form = formBody([wavPart(wav(LONG)), { headers: ['no colon at all'], content: '' }])
    const { status, body, content, upload, error } = await send(post(form), { maxFileSize: 2 * LONG })
    expect([status, body, content]).toEqual([400, 'malformed_part', undefined])
    expect(upload?.signal.reason).toBe(error)
  })

  test('a field in an unknown character set is 400', async () => {
    const headers = ['Content-Disposition: form-data; name="title"', 'Content-Type: text/plain; charset=nonsense']
    expect(await send(post(formBody([{ headers, content: 'x' }, wavPart()])))).toMatchObject({
      status: 400,
      body: 'malformed_part',
    })
  })
})

test("no refusal's message contains text of the upload", async () => {
  const forms = [
    formBody([{ ...wavPart(), name: 'sekret' }]),
    formBody([{ name: 'sekret', content: 'sekret' }]),
    formBody([{ ...wavPart(Buffer.from('sekret')), filename: 'sekret', type: 'text/sekret' }]),
    formBody([{ headers: ['sekret'], content: 'sekret' }]),
    Buffer.from(`--${BOUNDARY}\r\nsekret: sekret`),
  ]
  for (const form of forms) {
    const { error } = await send(post(form))
    expect((error as UploadError).expose).toBe(true)
    expect((error as UploadError).message).not.toContain('sekret')
    await receiver?.close()
  }
})
