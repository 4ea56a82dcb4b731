// Twenty jobs by the one import, for every runtime. A page, a worker and a program run the same file.
import { ApiError, AudioClient } from '@svc-audio/core'

const SPEECH = { model: 'svc-tts-1.5-flash', input: 'Good morning', voice_id: 'voice-1' }
const STREAM = { model: 'svc-tts-1.5-flash', input: 'Good morning' }
const LINES = {
  model: 'svc-ttsd-1.0',
  speakers: [{ id: 'S1', voice_id: 'voice-1' }],
  segments: [{ speaker: 'S1', text: 'Hello' }],
}
const PLAIN = { model: 'svc-transcribe-1.0' }
const FAST = { pollInterval: 1 }

function check(holds, what) {
  if (!holds) throw new Error(`not ${what}`)
}

async function count(items) {
  let all = 0
  for await (const item of items) all += item.byteLength ?? 1
  return all
}

const JOBS = {
  'models.list': async (audio) => check((await audio.models.list()).data.length > 0, 'a list'),
  'voices.list': async (audio) => check((await audio.voices.list({ limit: 2 })).data.length === 2, 'a page'),
  'voices.list, iterated': async (audio) => check((await count(audio.voices.list({ limit: 2 }))) === 3, 'all voices'),
  'speech.create': async (audio) => check((await (await audio.speech.create(SPEECH)).bytes()).length > 100, 'audio'),
  'speech.createUrl': async (audio) => {
    const result = await audio.speech.createUrl(SPEECH)
    check((await (await audio.download(result)).bytes()).length > 100, 'audio')
  },
  'speech.stream': async (audio) => {
    const stream = await audio.speech.stream(STREAM)
    check((await count(stream)) > 1000 && stream.complete, 'a complete stream')
  },
  'speech.stream of raw PCM': async (audio) =>
    check((await count(await audio.speech.stream({ ...STREAM, stream_format: 'audio' }))) > 1000, 'PCM'),
  'speech.stream, toWav()': async (audio) =>
    check((await (await audio.speech.stream(STREAM)).toWav())[0] === 0x52, 'a WAV'),
  'speech.stream, asResponse()': async (audio) => {
    const response = (await audio.speech.stream(STREAM)).asResponse()
    check((await response.arrayBuffer()).byteLength > 1000, 'a response')
  },
  'dialogue.create': async (audio) => check((await (await audio.dialogue.create(LINES)).bytes()).length > 100, 'audio'),
  'voiceGenerations.create': async (audio) => {
    const body = { model: 'svc-voice-generator', input: 'Hello', instruction: 'a calm voice' }
    check((await count(await audio.voiceGenerations.create(body))) > 100, 'audio')
  },
  'speech.createTask': async (audio) => {
    const task = await audio.speech.createTask(SPEECH)
    check((await task.wait(FAST)).status === 'SUCCESS', 'a finished task')
  },
  'transcriptions.createAndWait': async (audio) => {
    const { text } = await audio.transcriptions.createAndWait({ ...PLAIN, file: new Uint8Array(5000) }, FAST)
    check(text.length > 0, 'a text')
  },
  'transcriptions.create of bytes': async (audio) =>
    check((await audio.transcriptions.create({ ...PLAIN, file: new Uint8Array(200_000) })).text.length > 0, 'a text'),
  'transcriptions.create of a Blob, as text': async (audio) => {
    const file = new Blob([new Uint8Array(5000)])
    check((await audio.transcriptions.create({ ...PLAIN, file, response_format: 'text' })).length > 0, 'a text')
  },
  'transcriptions.create of a stream': async (audio) => {
    const data = async function* pieces() {
      for (let piece = 0; piece < 20; piece += 1) yield new Uint8Array(1000)
    }
    check((await audio.transcriptions.create({ ...PLAIN, file: { data, name: 'a.wav' } })).text.length > 0, 'a text')
  },
  'transcriptions.stream': async (audio) => {
    const stream = await audio.transcriptions.stream({
      model: 'svc-transcribe-diarize-pro',
      file: new Uint8Array(5000),
    })
    check((await stream.text()).length > 0 && stream.complete, 'a complete stream')
  },
  files: async (audio) => {
    const { id } = await audio.files.create({ file: new Uint8Array(100) })
    check((await audio.files.retrieve(id)).id === id, 'the file')
    await audio.files.delete(id)
  },
  'an error of the service': async (audio) => {
    const error = await audio.files.retrieve('none').catch((thrown) => thrown)
    check(error instanceof ApiError && error.status === 404, 'an ApiError')
  },
  'an abort': async (audio) => {
    const controller = new AbortController()
    const call = audio.speech.create(SPEECH, { signal: controller.signal }).catch((thrown) => thrown)
    controller.abort('enough')
    check((await call) === 'enough', 'the reason')
  },
}

/** Aborts a stream after each of its first 200 chunks. Returns the places where a chunk followed, or no reason was thrown. */
async function abortEverywhere(audio) {
  const faults = []
  for (let place = 0; place < 200; place += 1) {
    const controller = new AbortController()
    let chunks = 0
    let later = 0
    let thrown
    try {
      const stream = await audio.speech.stream(STREAM, { signal: controller.signal })
      if (place === 0) controller.abort('enough')
      for await (const _ of stream) {
        if (controller.signal.aborted) later += 1
        chunks += 1
        if (chunks === place) controller.abort('enough')
      }
    } catch (error) {
      thrown = error
    }
    if (later > 0 || thrown !== 'enough') faults.push(`${place}: ${later} chunks later, ${String(thrown)}`)
  }
  return faults
}

/** Runs every job. Returns the number that passed, the faults, and the faults of 200 aborts. */
export async function runJobs(options) {
  const audio = new AudioClient({ ...options, maxRetries: 0 })
  const faults = []
  for (const [name, job] of Object.entries(JOBS)) {
    try {
      await job(audio)
    } catch (error) {
      faults.push(`${name}: ${error?.stack ?? error}`)
    }
  }
  const aborts = await abortEverywhere(audio)
  await audio.close()
  return { passed: Object.keys(JOBS).length - faults.length, faults, aborts }
}
