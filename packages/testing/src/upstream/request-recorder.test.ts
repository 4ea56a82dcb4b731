import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { bodySink, type ParsedBody } from './request-recorder.ts'

const FORM = 'multipart/form-data; boundary=line'

/** Parses a body that arrives in pieces of this many bytes. */
async function parse(
  type: string | undefined,
  body: string | Uint8Array,
  { keepBytes = 1000, size = 7 }: { readonly keepBytes?: number; readonly size?: number } = {},
): Promise<ParsedBody> {
  const sink = bodySink(type === undefined ? {} : { 'content-type': type }, keepBytes)
  const bytes = Buffer.from(body)
  for (let at = 0; at < bytes.byteLength; at += size) await sink.write(bytes.subarray(at, at + size))
  return sink.end()
}

/** A form of these parts: head, then content. */
function formOf(...parts: readonly (readonly [head: string, content: string])[]): string {
  const written = parts.map(
    ([head, content]) => `--line\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`,
  )
  return `${written.join('')}--line--\r\n`
}

const FILE = 'name="file"; filename="größe.wav"\r\nContent-Type: audio/wav'

describe('a JSON body', () => {
  test('is parsed, with any letter case and parameters of its type', async () => {
    expect(await parse('Application/JSON; charset=utf-8', '{"input":"Größe"}')).toEqual({ json: { input: 'Größe' } })
    expect(await parse('application/json', 'null')).toEqual({ json: null })
  })

  test('that is cut is stored as bytes with the reason', async () => {
    const content = Buffer.from('{"input":')
    expect(await parse('application/json', content)).toEqual({ content, malformed: 'The body is not JSON' })
  })

  test('that is empty gives nothing', async () => {
    expect(await parse('application/json', '')).toEqual({})
  })
})

describe('any other body', () => {
  test.each([undefined, 'text/plain', 'audio/wav', 'application/octet-stream'])(
    'of type %s is stored as bytes',
    async (type) => {
      expect(await parse(type, 'some bytes')).toEqual({ content: Buffer.from('some bytes') })
    },
  )

  test('is stored up to the limit, and not at all above it', async () => {
    expect(await parse('text/plain', 'x'.repeat(20), { keepBytes: 20 })).toEqual({ content: Buffer.alloc(20, 'x') })
    expect(await parse('text/plain', 'x'.repeat(21), { keepBytes: 20 })).toEqual({})
    expect(await parse('application/json', '"too long"', { keepBytes: 9 })).toEqual({})
  })
})

describe('a form', () => {
  test.each([1, 7, 1000])('in pieces of %d bytes has its fields and files', async (size) => {
    const body = formOf(['name="keyterms"', 'Ada'], [FILE, 'RIFF'], ['name="keyterms"', 'Bob'], ['name="empty"', ''])
    expect(await parse(FORM, body, { size })).toEqual({
      form: {
        fields: { keyterms: ['Ada', 'Bob'], empty: [''] },
        files: [
          {
            field: 'file',
            filename: 'größe.wav',
            contentType: 'audio/wav',
            bytes: 4,
            sha256: createHash('sha256').update('RIFF').digest('hex'),
            content: Buffer.from('RIFF'),
          },
        ],
      },
    })
  })

  test('counts and hashes a file above the limit, and stores the others', async () => {
    const body = formOf([FILE, 'x'.repeat(11)], ['name="memo"; filename="b.wav"', 'y'.repeat(10)])
    const { form } = await parse(FORM, body, { keepBytes: 10 })
    expect(form?.files).toMatchObject([
      { bytes: 11, sha256: createHash('sha256').update('x'.repeat(11)).digest('hex') },
      { field: 'memo', bytes: 10, content: Buffer.alloc(10, 'y') },
    ])
    expect(form?.files[0]).not.toHaveProperty('content')
  })

  test('without parts has neither fields nor files', async () => {
    expect(await parse(FORM, '--line--\r\n')).toEqual({ form: { fields: {}, files: [] } })
  })

  test.each([
    ['without a boundary', 'multipart/form-data', formOf([FILE, 'RIFF'])],
    ['without its end', FORM, formOf([FILE, 'RIFF']).slice(0, -12)],
    ['that is cut in a head', FORM, formOf([FILE, 'RIFF']).slice(0, 30)],
    ['that is empty', FORM, ''],
  ])('%s is malformed', async (_, type, body) => {
    const parsed = await parse(type, body)
    expect(parsed).toEqual({ malformed: expect.any(String) })
    expect(parsed.malformed).not.toBe('')
  })
})
