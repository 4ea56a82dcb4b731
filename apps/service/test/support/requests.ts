/** A small dialogue of two speakers. */
export const DIALOGUE = {
  path: '/v1/audio/speech/speakers',
  body: {
    model: 'svc-ttsd-1.0',
    speakers: [
      { id: 'anna', voice_id: 'slt' },
      { id: 'bob', voice_id: 'rms' },
    ],
    segments: [
      { speaker: 'anna', text: 'Did you sleep well?' },
      { speaker: 'bob', text: 'Like a stone.' },
      { speaker: 'bob', text: 'And you?' },
    ],
  },
} as const

/** A few words in a described voice. */
export const GENERATION = {
  path: '/v1/audio/voice/generations',
  body: { model: 'svc-voice-generator-1.0', input: 'Good morning.', instruction: 'An old man, slow' },
} as const

/** A few words. */
export const SPEECH = {
  path: '/v1/audio/speech',
  body: { model: 'svc-tts-1.5-flash', input: 'Good morning.', voice_id: 'rms' },
} as const
