import { readdirSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ClientDisconnectedError, receiveUpload } from '../src/index.ts'
import { FakeRequest } from './support/fake-request.ts'
import { BOUNDARY, formBody, type Part, post, wav, wavPart } from './support/form.ts'
import { exchange, RawClient, readAll, type Receiver, startReceiver } from './support/receiver.ts'

/** Vulnerabilities of other upload parsers, one test each. The numbers name the reports. */

let receiver: Receiver
beforeEach(async () => {
  receiver = await startReceiver({ maxFileSize: 1_000_000 })
})
afterEach(() => receiver.close())

const good = post(formBody([wavPart()]))

async function answerTo(parts: readonly Part[]): Promise<{ status: number; body: string }> {
  return exchange(receiver, post(formBody(parts)))
}

describe('malformed bodies end the request, not the process', () => {
  test.each([
    // CVE-2022-24434: a header line that begins with a space.
    ['a folded first header', `--${BOUNDARY}\r\n Content-Disposition: form-data; name="a"\r\n\r\n\r\n--${BOUNDARY}--`],
    // CVE-2025-47944, CVE-2025-7338, CVE-2026-3304: forms that break off or hold nothing.
    ['a lone boundary', `--${BOUNDARY}`],
    ['a boundary and a break', `--${BOUNDARY}\r\n`],
    ['headers without an end', `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a"`],
    ['no headers at all', `--${BOUNDARY}\r\n\r\n\r\n--${BOUNDARY}--\r\n`],
    ['only the last boundary', `--${BOUNDARY}--`],
    ['bare line feeds', formBody([wavPart()]).toString('latin1').replaceAll('\r\n', '\n')],
    ['bare carriage returns', formBody([wavPart()]).toString('latin1').replaceAll('\r\n', '\r')],
  ])('%s', async (_what, body) => {
    expect((await exchange(receiver, post(Buffer.from(body, 'latin1')))).status).toBe(400)
    expect((await exchange(receiver, good)).status).toBe(200)
  })
})

describe('names', () => {
  test('an empty or missing name is 400 (CVE-2025-48997)', async () => {
    for (const disposition of ['form-data; name=""', 'form-data', 'form-data; filename="a.wav"']) {
      const headers = [`Content-Disposition: ${disposition}`]
      expect((await answerTo([{ headers, content: 'x' }, wavPart()])).status).toBe(400)
    }
  })

  test('brackets have no meaning: no nesting, no arrays (CVE-2026-5079, -82333, -77078)', async () => {
    const names = [
      'a[b][c][d]',
      `a${'[x]'.repeat(60)}`,
      'items[4294967294]',
      'items[4294967295]',
      'items[]',
      'items.length',
    ]
    await answerTo([...names.map((name) => ({ name, content: 'x' })), wavPart()])
    const { upload } = await receiver.outcome()
    expect(Object.keys(upload?.fields ?? {})).toEqual(names)
    expect(Object.values(upload?.fields ?? {})).toEqual(names.map(() => ['x']))
  })

  test('a name of unusual length is 400', async () => {
    expect(await answerTo([{ name: `a${'[x]'.repeat(1000)}`, content: 'x' }, wavPart()])).toEqual({
      status: 400,
      body: 'malformed_part',
    })
  })

  test('names and headers of the prototype are ordinary names (CVE-2026-19481)', async () => {
    const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']
    const headers = ['Content-Disposition: form-data; name="last"', '__proto__: x', 'constructor: y']
    await answerTo([...names.map((name) => ({ name, content: 'x' })), { headers, content: 'z' }, wavPart()])
    const { upload } = await receiver.outcome()
    expect(Object.keys(upload?.fields ?? {})).toEqual([...names, 'last'])
    expect(Object.getPrototypeOf(upload?.fields)).toBeNull()
    expect(({} as { x?: unknown }).x).toBeUndefined()
  })

  test('line breaks and other controls in a field name are 400 (CVE-2026-74866)', async () => {
    for (const name of [
      'name="a\tb"',
      'name="a\u0085b"',
      'name="a\rb"',
      'name="a\nb"',
      "name*=utf-8''a%0Db",
      "name*=utf-8''a%0Ab",
      "name*=utf-8''a%00b",
    ]) {
      const headers = [`Content-Disposition: form-data; ${name}`]
      expect((await answerTo([{ headers, content: 'x' }, wavPart()])).status).toBe(400)
    }
  })

  test('line breaks and folders in a file name are removed (CVE-2026-74866)', async () => {
    const spelled = {
      "utf-8''a%0D%0AX-Evil%3A%20b.wav": 'aX-Evil: b.wav',
      "utf-8''..%2F..%2Fetc%2Fpasswd": 'passwd',
      "utf-8''C%3A%5Ctemp%5Ca.wav": 'a.wav',
      "utf-8''%E2%80%AEvaw.exe": 'vaw.exe',
      "utf-8''..": 'audio.wav',
    }
    for (const [name, cleaned] of Object.entries(spelled)) {
      const headers = [`Content-Disposition: form-data; name="file"; filename*=${name}`, 'Content-Type: audio/wav']
      expect((await answerTo([{ headers, content: wav(10) }])).status).toBe(200)
      expect((await receiver.outcome()).upload?.filename).toBe(cleaned)
    }
  })
})

describe('unbounded work', () => {
  test('a boundary of 252 characters, fatal to a byte-sized table, is 400 (CVE-2026-19484)', async () => {
    const boundary = 'A'.repeat(252)
    const type = { 'content-type': `multipart/form-data; boundary=${boundary}` }
    const body = Buffer.from(`--${boundary.slice(0, -1)}X`)
    expect(await exchange(receiver, post(body, type))).toEqual({ status: 400, body: 'missing_boundary' })
  })

  test('parts that are neither fields nor files count too (CVE-2026-124724)', async () => {
    const flood = Array.from({ length: 50 }, () => ({ headers: ['X-Nothing: 1'], content: '' }))
    expect(await answerTo([...flood, wavPart()])).toEqual({ status: 413, body: 'too_many_fields' })
  })

  test('tens of thousands of parts in as many pieces do not exhaust the stack (CVE-2026-3520)', async () => {
    const parts = Array.from({ length: 30_000 }, () => ({ name: 'a', content: '' }))
    expect(await answerTo(parts)).toMatchObject({ status: 413 })
    const file = wav(50_000)
    const body = formBody([wavPart(file)])
    const bytes = Array.from({ length: body.byteLength }, (_, index) => body.subarray(index, index + 1))
    const upload = await receiveUpload(new FakeRequest(bytes), { maxFileSize: 1_000_000 })
    expect(await readAll(upload.stream)).toEqual(file)
  })

  test('a file that exceeds its limit while it is checked is refused (CVE-2026-77063)', async () => {
    const small = await startReceiver({ maxFileSize: 4000 })
    try {
      for (const size of [3957, 5000, 9000]) {
        const response = await exchange(small, post(formBody([wavPart(wav(size))])))
        expect(response).toEqual({ status: 413, body: 'file_too_large' })
      }
    } finally {
      await small.close()
    }
  })
})

describe('dropped connections leave nothing behind', () => {
  const body = formBody([wavPart(wav(500_000))])

  test('an upload cut at any stage fails as disconnected (CVE-2026-2359, CVE-2025-47935)', async () => {
    for (const length of [10, 60, 200, 5000, 300_000]) {
      const client = new RawClient(receiver.port)
      await client.send(post(body).subarray(0, length + 150))
      client.leave()
      expect(ClientDisconnectedError.isInstance((await receiver.outcome()).error)).toBe(true)
    }
  })

  test.runIf(process.platform === 'linux')('no descriptor stays open (CVE-2026-77037)', async () => {
    const descriptors = (): number => readdirSync('/proc/self/fd').length
    const round = async (): Promise<void> => {
      const client = new RawClient(receiver.port)
      await client.send(post(body).subarray(0, 100_000))
      client.leave()
      await Promise.all([client.closed, receiver.outcome()])
    }
    await round()
    const before = descriptors()
    for (let index = 0; index < 50; index += 1) await round()
    expect(descriptors()).toBeLessThanOrEqual(before + 5)
  })
})
