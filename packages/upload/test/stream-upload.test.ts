import { once } from 'node:events'
import { createWriteStream, readdirSync, readlinkSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AudioClient } from '@svc-audio/core'
import {
  createTestUpstream,
  early,
  hold,
  json,
  serverUrl,
  SlowUpload,
  status,
  type TestUpstream,
  uploadForm,
  wavFile,
} from '@svc-audio/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  disconnectSignal,
  failureAnswer,
  type StreamedUpload,
  streamUpload,
  type StreamUploadOptions,
} from '../src/index.ts'
import { assertStreamUploadOptions } from '../src/adapter.ts'
import { readAll } from './support/receiver.ts'

const MB = 1024 * 1024

let upstream: TestUpstream
let client: AudioClient
let server: Server
let failures: unknown[]
beforeEach(async () => {
  upstream = await createTestUpstream({ transcript: 'hello' })
  client = new AudioClient({ apiKey: upstream.apiKey, baseUrl: upstream.url })
  failures = []
})
afterEach(async () => {
  server.close()
  server.closeAllConnections()
  await client.close()
  await upstream.close()
})

type Work = (upload: StreamedUpload) => Promise<unknown>

const store: Work = (upload) => client.files.create({ file: upload.file, purpose: 'audio' }, upload.options)

/** A server that streams uploads into a call. Returns its address. */
async function serve(options: StreamUploadOptions<IncomingMessage> = {}, work: Work = store): Promise<string> {
  server = createServer((request, response) => {
    streamUpload(request, options, { signal: disconnectSignal(response), context: request }, work).then(
      (outcome) => response.end(JSON.stringify(outcome)),
      (error: unknown) => {
        failures.push(error)
        const answer = failureAnswer(error) ?? { status: 500, code: String(error) }
        response.writeHead(answer.status).end(JSON.stringify(answer.code))
      },
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return serverUrl(server)
}

async function post(url: string, form: FormData): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url, { method: 'POST', body: form })
  const body: unknown = await response.json()
  return { status: response.status, body }
}

/** Paths of this process's open files in a folder, also of deleted files. Only Linux tells. */
function openFiles(folder: string): string[] {
  if (process.platform !== 'linux') return []
  const paths = readdirSync('/proc/self/fd').map((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`)
    } catch {
      // The descriptor that listed the folder is closed by now.
      return ''
    }
  })
  return paths.filter((path) => path.startsWith(folder))
}

test('an upload streams into any call that takes a file', async () => {
  const url = await serve({}, async (upload) => {
    if (upload.fields['kind']?.[0] !== 'voice') return store(upload)
    return client.voices.create({ audio_sample: upload.file, name: 'Ada' }, upload.options)
  })
  const content = wavFile(100_000)
  expect(await post(url, uploadForm(content))).toMatchObject({
    status: 200,
    body: { result: { object: 'file', bytes: content.byteLength }, upload: { bytes: content.byteLength } },
  })
  const voice = new FormData()
  voice.append('kind', 'voice')
  voice.append('file', new Blob([Uint8Array.from(content)]), 'ada.wav')
  expect(await post(url, voice)).toMatchObject({
    status: 200,
    body: { result: { object: 'audio.voice', name: 'Ada' } },
  })
})

test('limits may depend on the request', async () => {
  const url = await serve({
    maxFileSize: async ({ headers }) => (headers['x-plan'] === 'large' ? MB : 1000),
    accept: ({ headers }) => (headers['x-plan'] === 'large' ? ['audio/*'] : ['audio/wav', 'audio/flac']),
  })
  const large = await fetch(url, { method: 'POST', body: uploadForm(wavFile(5000)), headers: { 'x-plan': 'large' } })
  expect(large.status).toBe(200)
  expect(await post(url, uploadForm(wavFile(5000)))).toEqual({ status: 413, body: 'file_too_large' })
  const amr = uploadForm(Buffer.from('#!AMR\n'), { type: 'audio/amr' })
  expect(await post(url, amr)).toEqual({ status: 415, body: 'unsupported_content' })
})

test('an invalid limit from a function is a server error', async () => {
  const url = await serve({ maxFileSize: () => Number.NaN })
  expect(await post(url, uploadForm(wavFile(10)))).toEqual({ status: 500, body: 'internal_error' })
  expect(String(failures)).toContain('The server made a mistake')
  expect(upstream.requests).toEqual([])
})

describe('the deadline', () => {
  test('is 408 for a client that is too slow, before the file and in it', async () => {
    // Most of it is a wait for the client, also on a busy machine.
    const url = await serve({ timeout: 1500 })
    const silent = new SlowUpload(url)
    const begun = new SlowUpload(url)
    await begun.send(wavFile(100_000))
    for (const upload of [silent, begun]) {
      expect(await upload.answer()).toMatchObject({ status: 408, body: 'upload_timeout' })
      upload.leave()
    }
  })

  test('is 504 for a service that is too slow', async () => {
    upstream.on('*', hold())
    const url = await serve({ timeout: 150 })
    expect(await post(url, uploadForm(wavFile(10)))).toEqual({ status: 504, body: 'audio_service_timeout' })
  })
})

test.each([429, 503])('a call that answers %i is not retried unless asked', async (code) => {
  upstream.on('*', status(code, { headers: { 'retry-after': '0' } }))
  expect((await post(await serve(), uploadForm(wavFile(10)))).status).toBe(code === 429 ? 429 : 502)
  expect(upstream.requests).toHaveLength(1)
})

test('HEAD makes no call', async () => {
  const url = await serve()
  const response = await fetch(url, { method: 'HEAD', headers: { 'content-type': 'multipart/form-data; boundary=x' } })
  expect(response.status).toBe(400)
  expect(upstream.requests).toEqual([])
})

test('a wrong option is refused with its name', () => {
  expect(() => assertStreamUploadOptions({ timeout: Number.NaN })).toThrow('streamUpload(): `timeout` must be')
  expect(() => assertStreamUploadOptions({ tee: { sink: 5 } as never })).toThrow('`tee.sink` must be')
  expect(() => assertStreamUploadOptions({ maxRetries: -1 })).toThrow('`maxRetries`')
})

describe('a tee', () => {
  const content = wavFile(300_000)

  /** A sink that stores its bytes, and fails after this many. */
  function sink(failAfter = Infinity) {
    const seen = { bytes: 0, content: Buffer.alloc(0), error: undefined as unknown }
    return {
      seen,
      sink: async (copy: Readable) => {
        try {
          const chunks: Buffer[] = []
          for await (const chunk of copy as AsyncIterable<Buffer>) {
            seen.bytes += chunk.byteLength
            chunks.push(chunk)
            if (seen.bytes > failAfter) throw new Error('disk full')
          }
          seen.content = Buffer.concat(chunks)
        } catch (error) {
          seen.error = error
          throw error
        }
      },
    }
  }

  test('gives both places the same bytes', async () => {
    const { seen, sink: write } = sink()
    expect(await post(await serve({ tee: { sink: write } }), uploadForm(content))).toMatchObject({ status: 200 })
    expect(seen.content).toEqual(content)
    expect(upstream.requests[0]?.form?.files).toMatchObject([{ content }])
  })

  test('waits for a sink that stores after the service has answered', async () => {
    let stored = false
    const slow = async (copy: Readable): Promise<void> => {
      await readAll(copy)
      await new Promise((resolve) => {
        setTimeout(resolve, 50)
      })
      stored = true
    }
    await post(await serve({ tee: { sink: slow } }), uploadForm(content))
    expect(stored).toBe(true)
  })

  test('aborts the call or reports the error when its sink fails, as configured', async () => {
    const fail = await serve({ tee: { sink: sink(100_000).sink } })
    expect(await post(fail, uploadForm(content))).toEqual({ status: 500, body: 'tee_failed' })
    expect(failures).toMatchObject([{ code: 'tee_failed', cause: { message: 'disk full' } }])
    expect(upstream.requests[0]?.complete ?? false).toBe(false)
    server.close()
    server.closeAllConnections()
    let teeError: unknown
    const ignore = await serve({ tee: { sink: sink(100_000).sink, onError: 'ignore' } }, async (upload) => {
      const file = await store(upload)
      teeError = upload
      return file
    })
    expect(await post(ignore, uploadForm(content))).toMatchObject({
      status: 200,
      body: { result: { bytes: content.byteLength }, upload: { teeError: {} } },
    })
    expect(teeError).toBeDefined()
  })

  test('never mistakes an interrupted or refused upload for the whole', async () => {
    const { seen, sink: write } = sink()
    const url = await serve({ tee: { sink: write }, maxFileSize: 250_000 })
    expect(await post(url, uploadForm(content))).toEqual({ status: 413, body: 'file_too_large' })
    const upload = new SlowUpload(url)
    await upload.send(wavFile(100_000))
    await (await upstream.waitForRequest()).received(1)
    upload.leave()
    while (failures.length < 2) await new Promise(setImmediate)
    expect(seen.error).toMatchObject({ code: expect.stringMatching(/file_too_large|client_disconnected/) as string })
    expect(seen.content.byteLength).toBe(0)
  })

  // The advisory: aborted uploads left descriptors of multer's disk storage open, and a source that was destroyed before
  // its write began never settled.
  test.each(['at once', 'after the disconnect'])(
    'to a disk, begun %s, leaves no descriptor or file (GHSA-qfvm-cv95-jqjf, CVE-2026-77037)',
    async (start) => {
      const folder = await mkdtemp(join(tmpdir(), 'svc-audio-tee-'))
      const begun: Promise<unknown>[] = []
      const sinks: Promise<void>[] = []
      const write = async (copy: Readable): Promise<void> => {
        const closed = new Promise((resolve) => {
          copy.once('close', resolve)
        })
        if (start !== 'at once') await closed
        const path = join(folder, `${begun.length}.part`)
        const file = createWriteStream(path)
        begun.push(once(file, 'open'))
        try {
          await pipeline(copy, file)
        } finally {
          await rm(path, { force: true })
        }
      }
      const storeCopy = (copy: Readable): Promise<void> => {
        const storing = write(copy)
        sinks.push(storing)
        return storing
      }
      const url = await serve({ tee: { sink: storeCopy } })
      for (let count = 0; count < 20; count += 1) {
        const upload = new SlowUpload(url)
        await upload.send(wavFile(30_000))
        await (await upstream.waitForRequest()).received(1)
        if (start === 'at once') await begun[count]
        upload.leave()
      }
      while (failures.length < 20) await new Promise(setImmediate)
      const settled = await Promise.allSettled(sinks)
      expect(settled.map(({ status: outcome }) => outcome)).toEqual(Array.from({ length: 20 }, () => 'rejected'))
      expect(begun).toHaveLength(20)
      expect(openFiles(folder)).toEqual([])
      await rm(folder, { recursive: true })
    },
  )

  test('gets the whole file also when the service answers early', async () => {
    upstream.on('*', early(json({ id: 'file_1', object: 'file' })))
    const { seen, sink: write } = sink()
    const upload = new SlowUpload(await serve({ tee: { sink: write } }))
    await upload.send(content)
    upload.finish()
    expect(await upload.answer()).toMatchObject({ status: 200 })
    expect(seen.content).toEqual(content)
  })

  test('with a slow sink slows the client down', async () => {
    const stuck = Promise.withResolvers<undefined>()
    const url = await serve({ maxFileSize: 500 * MB, tee: { sink: () => stuck.promise } })
    const upload = new SlowUpload(url)
    let taken = 0
    const send = async (): Promise<void> => {
      for (; taken < 200; taken += 1) await upload.send(taken === 0 ? wavFile(MB) : Buffer.alloc(MB))
    }
    void send()
    for (let before = -1; before !== taken;) {
      before = taken
      await new Promise((resolve) => {
        setTimeout(resolve, 300)
      })
    }
    expect(taken).toBeLessThan(100)
    upload.leave()
    stuck.resolve(undefined)
    await new Promise(setImmediate)
  })

  test.each(['a stream', 'its end'])('whose sink stalls before %s fails: the call is aborted', async (point) => {
    let copied: Readable | undefined
    const stalling = async (copy: Readable): Promise<void> => {
      copied = copy
      if (point === 'its end') await readAll(copy)
      await new Promise(() => {})
    }
    const url = await serve({ tee: { sink: stalling, stallTimeout: 100 } })
    const upload = new SlowUpload(url)
    await upload.send(content)
    if (point === 'its end') upload.finish()
    else {
      // Nothing reads the connection, so only the deadline can notice the disconnect.
      upload.leave()
    }
    while (failures.length === 0) await new Promise(setImmediate)
    expect(failures).toMatchObject([
      { code: 'tee_failed', cause: { message: 'The sink of `tee` took no bytes for 100 ms' } },
    ])
    expect(copied?.destroyed).toBe(true)
    expect(upstream.requests[0]?.complete ?? false).toBe(point === 'its end')
  })

  test('whose sink stalls does not stop the upload with `ignore`', async () => {
    const tee = { sink: () => new Promise(() => {}), onError: 'ignore', stallTimeout: 100 } as const
    expect(await post(await serve({ tee }), uploadForm(content))).toMatchObject({
      status: 200,
      body: { result: { bytes: content.byteLength }, upload: { teeError: {} } },
    })
    expect(upstream.requests[0]?.form?.files).toMatchObject([{ content }])
  })
})
