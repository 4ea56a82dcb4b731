import { AudioClient } from '@svc-audio/core'

// Reads SVC_AUDIO_API_KEY and SVC_AUDIO_BASE_URL. Both are also options.
const audio = new AudioClient()

const speech = await audio.speech.stream({ model: 'svc-tts-1.5-flash', input: 'Hello there.', voice_id: 'rms' })
await speech.saveTo('hello.wav')

const { text } = await audio.transcriptions.create({ model: 'svc-transcribe-1.0', file: 'hello.wav' })
console.log(text)

// A task survives restarts of the service and of this program.
const task = await audio.transcriptions.createTask({ model: 'svc-transcribe-diarize-pro', file: 'hello.wav' })
const { segments } = await task.wait()
console.log(segments) // speaker, text, start and end of each turn
