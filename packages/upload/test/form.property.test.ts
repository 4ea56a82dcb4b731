import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { ClientDisconnectedError, type IncomingUpload, receiveUpload, UploadError } from '../src/index.ts'
import { FakeRequest } from './support/fake-request.ts'
import { BOUNDARY, formBody, type Part, wav, wavPart } from './support/form.ts'
import { readAll } from './support/receiver.ts'

const OPTIONS = { maxFileSize: 20_000, limits: { maxFields: 8 } }

/** Pieces of the delimiter inside the content, which confuse parsers. */
const nearBoundary = fc.constantFrom(
  '\r',
  '\n',
  '\r\n',
  '--',
  '\r\n--',
  `\r\n--${BOUNDARY.slice(0, 12)}`,
  `--${BOUNDARY}`,
)
const content = fc
  .array(fc.oneof(fc.uint8Array({ maxLength: 40 }), nearBoundary), { maxLength: 20 })
  .map((pieces) => Buffer.concat([wav(40), ...pieces.map((piece) => Buffer.from(piece))]))
  // A client picks a boundary that the content does not contain.
  .filter((file) => !file.includes(`\r\n--${BOUNDARY}`))
const fieldName = fc.constantFrom('a', '__proto__', 'constructor', 'a[b]', 'a[0]', 'naïve', 'a.b')
const field = fc.record({ name: fieldName, content: fc.string({ unit: 'binary', maxLength: 30 }) })
const form = fc.record({ before: fc.array(field, { maxLength: 3 }), content, after: fc.array(field, { maxLength: 3 }) })
const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 })

function split(body: Buffer, positions: readonly number[]): Buffer[] {
  const at = [
    0,
    ...positions.map((one) => Math.floor(one * body.byteLength)).toSorted((a, b) => a - b),
    body.byteLength,
  ]
  return at
    .slice(1)
    .map((end, index) => body.subarray(at[index], end))
    .filter((chunk) => chunk.byteLength > 0)
}

function collect(parts: readonly Part[]): Record<string, string[]> {
  const all = Object.create(null) as Record<string, string[]>
  for (const part of parts) (all[part.name ?? ''] ??= []).push(String(part.content))
  return all
}

test('a form gives the same result in pieces of any size', async () => {
  await fc.assert(
    fc.asyncProperty(form, cuts, async ({ before, content: file, after }, positions) => {
      const body = formBody([...before, wavPart(file), ...after])
      const upload = await receiveUpload(new FakeRequest(split(body, positions)), OPTIONS)
      expect(await readAll(upload.stream)).toEqual(file)
      expect(upload.fields).toEqual(collect(before))
      expect(await upload.trailingFields).toEqual(collect(after))
    }),
    { numRuns: 300 },
  )
})

/** The outcome of a body: the upload with its file, or the failure. */
async function receive(request: FakeRequest): Promise<{ upload?: IncomingUpload; file?: Buffer; failure?: unknown }> {
  try {
    const upload = await receiveUpload(request, OPTIONS)
    const file = await readAll(upload.stream)
    await upload.trailingFields
    return { upload, file }
  } catch (failure) {
    return { failure }
  }
}

test('a form truncated at any byte never counts as whole', async () => {
  const body = formBody([{ name: 'title', content: 'x' }, wavPart(wav(300)), { name: 'late', content: 'y' }])
  // The line break after the last boundary is not part of it.
  for (let length = 0; length < body.byteLength - 2; length += 1) {
    const { failure } = await receive(new FakeRequest(length === 0 ? [] : [body.subarray(0, length)]))
    expect(failure, `cut at ${length}`).toBeInstanceOf(UploadError)
    expect(failure).toMatchObject({ status: 400 })
  }
})

test('a broken form is refused or parsed, and always ends', async () => {
  const body = formBody([{ name: 'title', content: 'x' }, wavPart(wav(200)), { name: 'late', content: 'y' }])
  const damage = fc.record({
    at: fc.nat({ max: body.byteLength - 1 }),
    remove: fc.nat({ max: 40 }),
    insert: fc.oneof(fc.uint8Array({ maxLength: 30 }), nearBoundary),
  })
  const seen = { refused: 0, understood: 0 }
  await fc.assert(
    fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 3 }), cuts, async (damages, positions) => {
      let broken = body
      for (const { at, remove, insert } of damages) {
        broken = Buffer.concat([broken.subarray(0, at), Buffer.from(insert), broken.subarray(at + remove)])
      }
      const { upload, file, failure } = await receive(new FakeRequest(split(broken, positions)))
      seen[failure === undefined ? 'understood' : 'refused'] += 1
      return failure === undefined
        ? file?.byteLength === upload?.bytes
        : UploadError.isInstance(failure) && failure.status < 500
    }),
    { numRuns: 1000 },
  )
  expect(Math.min(seen.refused, seen.understood)).toBeGreaterThan(10)
})

test('any first bytes are checked without an internal error', async () => {
  const signature = fc.constantFrom(
    'RIFF',
    'ID3',
    'OggS',
    'fLaC',
    '\x1F\x8B\x08',
    'PK\x03\x04',
    '\x1AE\xDF\xA3',
    '0&\xB2u\x8E\x66\xCF\x11',
    'II*\0',
    '\xFF\xFB',
    '\x89PNG\r\n\x1A\n',
  )
  const head = fc
    .tuple(signature, fc.uint8Array({ maxLength: 500 }))
    .map(([start, rest]) => Buffer.concat([Buffer.from(start, 'latin1'), rest]))
  await fc.assert(
    fc.asyncProperty(head, async (start) => {
      const { file, failure } = await receive(new FakeRequest([formBody([wavPart(start)])]))
      const refused = UploadError.isInstance(failure) && failure.code === 'unsupported_content'
      expect(refused || file?.equals(start)).toBe(true)
    }),
    { numRuns: 500 },
  )
})

test('a connection that breaks at any point fails the upload as disconnected', async () => {
  const body = formBody([wavPart(wav(6000))])
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: body.byteLength - 1 }), async (length) => {
      const { failure } = await receive(new FakeRequest([body.subarray(0, length)], { broken: true }))
      expect(ClientDisconnectedError.isInstance(failure)).toBe(true)
    }),
    { numRuns: 100 },
  )
})
