import { openAsBlob } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { wordErrorRate } from '@svc-audio/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorOf, KEY, startTestService, type TestService } from './support/test-service.ts'

const TEXT = 'The children walked past the old house on their way to school every morning.'

let service: TestService
let folder: string
let wav: string
beforeAll(async () => {
  service = await startTestService()
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-test-'))
  wav = join(folder, 'speech.wav')
  const stream = await service.audio.speech.stream({ model: 'svc-tts-1.5-flash', input: TEXT, voice_id: 'rms' })
  await stream.saveTo(wav)
})
afterAll(async () => {
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

/** A form with a file and text fields. */
function form(fields: Record<string, string>, file?: Uint8Array<ArrayBuffer>, name = 'file'): FormData {
  const data = new FormData()
  for (const [field, value] of Object.entries(fields)) data.append(field, value)
  if (file !== undefined) data.append(name, new Blob([file]), 'a.wav')
  return data
}

// rules: transcription-result.text, transcription.body
test('spoken text is recognized', async () => {
  const { text } = await service.audio.transcriptions.create({ model: 'svc-transcribe-1.0', file: wav })
  expect(wordErrorRate(TEXT, text)).toBeLessThanOrEqual(0.15)
  expect(await service.list('uploads')).toEqual([])
})

// rules: transcription-result.text-form, transcription.response-format
test('response_format=text answers with the bare text', async () => {
  const source = { model: 'svc-transcribe-1.0', file: wav } as const
  const json = await service.audio.transcriptions.create(source)
  expect(await service.audio.transcriptions.create({ ...source, response_format: 'text' })).toBe(json.text)
})

test.each(['mp3', 'flac', 'opus', 'wav'])('%s is recognized under any file name', async (format) => {
  const request = { model: 'svc-tts-1.5-flash', input: TEXT, voice_id: 'rms', response_format: format }
  const speech = await service.audio.speech.create(request)
  const file = { data: await speech.bytes(), name: 'recording.bin' }
  const { text } = await service.audio.transcriptions.create({ model: 'svc-transcribe-1.0', file })
  expect(wordErrorRate(TEXT, text)).toBeLessThanOrEqual(0.15)
})

test('silence gives an empty text', async () => {
  const silence = Buffer.concat([await headerOf(32_000), new Uint8Array(32_000)])
  const { text } = await service.audio.transcriptions.create({ model: 'svc-transcribe-1.0', file: silence })
  expect(text).toBe('')
})

async function headerOf(dataBytes: number): Promise<Uint8Array> {
  const { wavHeader } = await import('@svc-audio/core/audio')
  return wavHeader({ sampleRate: 16_000, channels: 1, bitDepth: 16 }, dataBytes)
}

describe('interface: transcription rules', () => {
  const model = 'svc-transcribe-1.0'
  const file = new Uint8Array(100)
  const rows: [rule: string, data: FormData, status: number, code: string, param: string | null][] = [
    // rules: transcription.one-source
    ['no source', form({ model }), 400, 'missing_required_field', 'file'],
    // rules: transcription.model
    ['no model', form({}, file), 400, 'missing_required_field', 'model'],
    ['an unknown model', form({ model: 'svc-x' }, file), 404, 'model_not_found', 'model'],
    // rules: models.own-endpoint, transcription.model
    ['a speech model', form({ model: 'svc-tts-1.5-flash' }, file), 400, 'unsupported_for_model', 'model'],
    [
      // rules: errors.keyterms-model, transcription.keyterms
      'keyterms with the standard model',
      form({ model, keyterms: 'Acme' }, file),
      400,
      'unsupported_for_model',
      'keyterms',
    ],
    // rules: errors.keyterms-strings, transcription.keyterms
    ['keyterms with a non-string', form({ model, keyterms: '["a", 1]' }, file), 400, 'invalid_type', 'keyterms'],
    [
      'diarize with the standard model',
      form({ model, diarize: 'true' }, file),
      400,
      'unsupported_for_model',
      'diarize',
    ],
    ['stream with the standard model', form({ model, stream: 'true' }, file), 400, 'unsupported_stream', 'stream'],
    ['an invalid boolean', form({ model, diarize: 'yes' }, file), 400, 'invalid_type', 'diarize'],
    [
      'an unknown response_format',
      form({ model, response_format: 'srt' }, file),
      400,
      'unsupported_response_format',
      'response_format',
    ],
    ['two sources', form({ model, url: 'https://example.com/a.wav' }, file), 400, 'ambiguous_source', 'url'],
    // rules: transcription.no-audio-data
    ['audio_data', form({ model, audio_data: 'AAAA' }), 400, 'unsupported_field', 'audio_data'],
    [
      'a webhook without async',
      form({ model, webhook_url: 'https://x.y' }, file),
      400,
      'unsupported_without_async',
      'webhook_url',
    ],
    ['the file under another name', form({ model }, file, 'audio'), 400, 'unexpected_file', 'file'],
    [
      'bytes without audio',
      form({ model }, Buffer.from('Once upon a time '.repeat(100))),
      415,
      'undecodable_audio',
      'file',
    ],
    ['an empty file', form({ model }, new Uint8Array(0)), 415, 'undecodable_audio', 'file'],
  ]
  test.each(rows)('%s is refused, and its file is deleted', async (_rule, data, status, code, param) => {
    const response = await service.request('POST', '/v1/audio/transcriptions', data)
    expect(await errorOf(response)).toEqual({ status, code, param })
    expect(await service.list('uploads')).toEqual([])
  })

  test('two files are refused', async () => {
    const data = form({ model }, file)
    data.append('file', new Blob([file]), 'b.wav')
    const response = await service.request('POST', '/v1/audio/transcriptions', data)
    expect(await errorOf(response)).toMatchObject({ status: 400, code: 'too_many_files' })
    expect(await service.list('uploads')).toEqual([])
  })

  // rules: errors.keyterms-array, transcription.keyterms
  test('keyterms other than an array are refused in JSON', async () => {
    const body = { model, url: 'https://example.com/a.wav', keyterms: 'Acme' }
    const response = await service.request('POST', '/v1/audio/transcriptions', body)
    expect(await errorOf(response)).toEqual({ status: 400, code: 'invalid_type', param: 'keyterms' })
  })
})

test('fields may come after the file', async () => {
  const data = new FormData()
  data.append('file', await openAsBlob(wav), 'a.wav')
  data.append('model', 'svc-transcribe-1.0')
  const response = await service.request('POST', '/v1/audio/transcriptions', data)
  expect(response.status).toBe(200)
})

// rules: limits.file-size
describe('interface: file size limit', () => {
  test('a request announced over 512 MB is refused before it is read', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const request = httpRequest(`${service.url}/v1/audio/transcriptions`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${KEY}`,
          'content-type': 'multipart/form-data; boundary=x',
          'content-length': 600 * 1024 * 1024,
        },
      })
      request.on('response', (response) => {
        resolve(response.statusCode)
        request.destroy()
      })
      request.on('error', reject)
      request.write('--x\r\n')
    })
    expect(status).toBe(413)
    expect(await service.list('uploads')).toEqual([])
  })
})

test('a disconnect during an upload leaves nothing', async () => {
  const controller = new AbortController()
  const sending = service.audio.transcriptions.create(
    {
      model: 'svc-transcribe-1.0',
      file: async function* endless() {
        for (let count = 0; ; count += 1) {
          if (count === 100) controller.abort(new Error('enough'))
          yield new Uint8Array(1024)
        }
      },
    },
    { signal: controller.signal },
  )
  await expect(sending).rejects.toThrow('enough')
  await expect.poll(() => service.list('uploads')).toEqual([])
})

test('a broken form is refused', async () => {
  await writeFile(join(folder, 'x'), 'x')
  for (const body of ['', '--x\r\nContent-Disposition: form-data; name="model"\r\n\r\nsvc', 'nonsense']) {
    const response = await fetch(`${service.url}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'multipart/form-data; boundary=x' },
      body,
    })
    expect(response.status).toBe(400)
    await response.body?.cancel()
  }
})
