import { wordErrorRate } from '@svc-audio/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AMR_NB, AMR_WB } from './codec/amr.ts'
import { transcode } from './codec/transcode.ts'
import { fliteSpeech } from './pocketsphinx/flite-speech.ts'
import { KEY, startTestService, type TestService } from './support/test-service.ts'
import { startWebServer, type WebServer } from './support/web-server.ts'

const TEXT = 'You can change your password on the next page.'
const PICTURE = '-f lavfi -i testsrc=duration=3:size=64x48:rate=10 -pix_fmt yuv420p -shortest -map 0:a -map 1:v'

/** Every format that the interface lists but AMR, which ffmpeg cannot write: its arguments. */
const FORMATS: readonly [name: string, args: string][] = [
  ['AAC', '-c:a aac -f adts out'],
  ['FLAC', '-c:a flac -f flac out'],
  ['M4A', '-c:a aac -f ipod out'],
  ['ALAC', '-c:a alac -f ipod out'],
  ['MOV', `${PICTURE} -c:v mpeg4 -c:a pcm_s16be -f mov out`],
  ['MP4', `${PICTURE} -c:v libx264 -preset ultrafast -c:a aac -f mp4 out`],
  ['MPG', `${PICTURE} -r 25 -c:v mpeg1video -ar 44100 -c:a mp2 -f mpeg out`],
  ['OGG', '-ar 44100 -c:a libvorbis -f ogg out'],
  ['OPUS', '-c:a libopus -f ogg out'],
  ['WAV', '-c:a pcm_s16le -f wav out'],
  ['WebM', `${PICTURE} -c:v libvpx -deadline realtime -c:a libopus -f webm out`],
  ['WMA', '-ar 44100 -c:a wmav2 -f asf out'],
]

let service: TestService
let web: WebServer
let speech: Buffer
let served: Uint8Array
beforeAll(async () => {
  const samples = await fliteSpeech(TEXT)
  speech = Buffer.from(samples.buffer)
  web = await startWebServer((_request, response) => response.end(served))
  service = await startTestService({ audioUrlAllow: ['127.0.0.1'] })
})
afterAll(async () => {
  web.close()
  await service.close()
})

async function post(body: object): Promise<string> {
  const response = await service.request('POST', '/v1/audio/transcriptions', body)
  expect(response.status).toBe(200)
  return ((await response.json()) as { text: string }).text
}

/** What is heard of a file on each way that it can come. */
async function onEveryWay(data: Buffer): Promise<Record<string, string>> {
  const model = 'svc-transcribe-1.0'
  const file = { data, name: 'recording' }
  served = data
  const stored = await service.audio.files.create({ file })
  const form = new FormData()
  form.append('model', model)
  form.append('file', new Blob([new Uint8Array(data)]), 'misleading.txt')
  const task = await service.audio.transcriptions.createTask({ model, file })
  const { text: late } = (await task.wait({ pollInterval: 50 })) as { text?: string }
  return {
    upload: await post(form),
    file_id: await post({ model, file_id: stored.id }),
    url: await post({ model, url: `${web.url}/file` }),
    async: late ?? 'none',
  }
}

// rules: transcription.formats, transcription.containers
describe('interface: supported formats', { timeout: 120_000 }, () => {
  test.each(FORMATS)('%s is understood on every way', async (_name, args) => {
    const heard = await onEveryWay(await transcode(speech, args, '-f s16le -ar 16000 -ac 1'))
    for (const [way, text] of Object.entries(heard)) {
      expect({ way, errors: wordErrorRate(TEXT, text) <= 0.15 ? 'few' : text }).toEqual({ way, errors: 'few' })
    }
  })

  test.each([
    ['narrow band', AMR_NB],
    ['wide band', AMR_WB],
  ])('AMR of %s is read on every way: a tone, which says nothing', async (_name, file) => {
    expect(await onEveryWay(file)).toEqual({ upload: '', file_id: '', url: '', async: '' })
    const { duration } = (await service.audio.transcriptions.create({
      model: 'svc-transcribe-diarize-pro',
      file: { data: file, name: 'a' },
    })) as { duration?: number }
    expect(duration).toBeCloseTo(1, 1)
  })
})

test('a hostile file is 415 on every way, and the service goes on', async () => {
  const playlist = `#EXTM3U\n#EXTINF:1,\nfile://${service.dataDir}/service.sqlite\n${web.url}/other\n`
  served = Buffer.from(playlist)
  const stored = await service.audio.files.create({ file: { data: served, name: 'a.m3u8' } })
  const form = new FormData()
  form.append('model', 'svc-transcribe-1.0')
  form.append('file', new Blob([playlist]), 'a.m3u8')
  const model = 'svc-transcribe-1.0'
  for (const body of [form, { model, file_id: stored.id }, { model, url: `${web.url}/list.m3u8` }]) {
    const response = await service.request('POST', '/v1/audio/transcriptions', body)
    expect(response.status).toBe(415)
    expect(await response.text()).not.toContain(service.dataDir)
  }
  expect(web.requests.filter(({ url }) => url === '/other')).toEqual([])
  const models = await fetch(`${service.url}/v1/models`, { headers: { authorization: `Bearer ${KEY}` } })
  expect(models.status).toBe(200)
})
