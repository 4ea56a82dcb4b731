import type { EngineVoice } from '@svc-audio/engine-ports'
import { DIARIZING_MODEL } from '../../domain/models.ts'

/** The transcription model of OpenAI with speakers. */
const DIARIZING = 'gpt-4o-transcribe-diarize'

/**
 * Our models by OpenAI's names. Every transcription model of OpenAI accepts a prompt or a stream, so all of them are
 * the model that does.
 */
export const MODELS: ReadonlyMap<string, string> = new Map([
  ['tts-1', 'svc-tts-1.5-flash'],
  ['tts-1-1106', 'svc-tts-1.5-flash'],
  ['tts-1-hd', 'svc-tts-1.0-pro'],
  ['tts-1-hd-1106', 'svc-tts-1.0-pro'],
  ['gpt-4o-mini-tts', 'svc-tts-1.5-flash'],
  ['gpt-4o-mini-tts-2025-03-20', 'svc-tts-1.5-flash'],
  ['gpt-4o-mini-tts-2025-12-15', 'svc-tts-1.5-flash'],
  ['whisper-1', DIARIZING_MODEL],
  ['gpt-transcribe', DIARIZING_MODEL],
  ['gpt-4o-transcribe', DIARIZING_MODEL],
  ['gpt-4o-mini-transcribe', DIARIZING_MODEL],
  ['gpt-4o-mini-transcribe-2025-03-20', DIARIZING_MODEL],
  ['gpt-4o-mini-transcribe-2025-12-15', DIARIZING_MODEL],
  [DIARIZING, DIARIZING_MODEL],
])

/** Returns our name of a model. A name that OpenAI does not have stays. */
export function modelOf(name: string): string {
  return MODELS.get(name) ?? name
}

/** Whether the subtitles of a model name the speakers. */
export function namesSpeakers(model: string): boolean {
  return model === DIARIZING || model === DIARIZING_MODEL
}

/** The bundled engine's voices by OpenAI's names. */
export const VOICES: ReadonlyMap<string, string> = new Map([
  ['alloy', 'slt'],
  ['ash', 'rms'],
  ['ballad', 'awb'],
  ['cedar', 'rms'],
  ['coral', 'slt'],
  ['echo', 'rms'],
  ['fable', 'awb'],
  ['marin', 'slt'],
  ['nova', 'slt'],
  ['onyx', 'awb'],
  ['sage', 'slt'],
  ['shimmer', 'slt'],
  ['verse', 'rms'],
])

/**
 * Returns our id of a voice. A name that OpenAI does not have stays. Another engine has other voices: OpenAI's names
 * are then spread over all of them.
 * @param voices The voices of the engine.
 */
export function voiceOf(name: string, voices: readonly EngineVoice[]): string {
  const has = (id: string): boolean => voices.some((voice) => voice.id === id)
  const bundled = VOICES.get(name)
  if (bundled === undefined || has(name)) return name
  if (has(bundled)) return bundled
  const place = [...VOICES.keys()].indexOf(name)
  return voices[place % Math.max(voices.length, 1)]?.id ?? name
}
