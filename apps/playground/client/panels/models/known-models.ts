import type { IconName } from '../../components/icon.tsx'

/** What the interface documents of a model. */
export interface KnownModel {
  readonly task: string
  readonly icon: IconName
  /** What it can do, in a few words each. */
  readonly abilities: readonly string[]
  /** Its limits, each with the number. */
  readonly limits: readonly string[]
  /** The endpoint that takes it. */
  readonly endpoint: string
  /** Where the page uses it. */
  readonly tryAt: string
}

const STREAMS = 'Streams PCM and events'

const SPEECH = { task: 'Speech', icon: 'speak', endpoint: 'POST /v1/audio/speech', tryAt: '/speak' } as const
const TRANSCRIPTION = {
  task: 'Transcription',
  icon: 'transcribe',
  endpoint: 'POST /v1/audio/transcriptions',
  tryAt: '/transcribe',
} as const

const KNOWN: Readonly<Record<string, KnownModel>> = {
  'svc-tts-1.5-flash': {
    ...SPEECH,
    abilities: ['One speaker', STREAMS, 'Pause markers'],
    limits: ['Speed 0.25 to 4', 'A pause is 0.1 to 10 s'],
  },
  'svc-tts-1.0-pro': {
    ...SPEECH,
    abilities: ['One speaker', 'Files in every format'],
    limits: ['Does not stream', 'No pause markers'],
  },
  'svc-ttsd-1.0': {
    task: 'Dialogue',
    icon: 'dialogue',
    abilities: ['Several speakers in one file'],
    limits: [],
    endpoint: 'POST /v1/audio/speech/speakers',
    tryAt: '/dialogue',
  },
  'svc-transcribe-1.0': {
    ...TRANSCRIPTION,
    abilities: ['JSON or plain text'],
    limits: ['Files up to 512 MiB', 'No key terms'],
  },
  'svc-transcribe-diarize-pro': {
    ...TRANSCRIPTION,
    abilities: ['Names the speakers', 'Streams events', 'Key terms'],
    limits: ['Files up to 512 MiB'],
  },
  'svc-voice-generator-1.0': {
    task: 'Voice design',
    icon: 'voices',
    abilities: ['A voice from a description'],
    limits: [],
    endpoint: 'POST /v1/audio/voice/generations',
    tryAt: '/voices',
  },
}

/** The date at the end of an id that pins a version. */
const DATE = /-\d{4}-\d\d-\d\d$/

/** What the interface documents of a model; `undefined` for a model of this service alone. */
export function knownModel(id: string): KnownModel | undefined {
  const name = id.replace(DATE, '')
  const model = Object.hasOwn(KNOWN, name) ? KNOWN[name] : undefined
  if (model === undefined || name === id) return model
  // Streaming takes the undated id only (interface: streaming speech).
  const abilities = model.abilities.filter((ability) => ability !== STREAMS)
  return { ...model, abilities: [...abilities, 'Pins the version'] }
}
