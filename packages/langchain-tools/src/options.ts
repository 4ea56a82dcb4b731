import {
  ConfigurationError,
  type Open,
  type PureAudioClient,
  type SpeechModel,
  type TranscriptionModel,
} from '@svc-audio/core'
import type { AudioStore } from './store/audio-store.ts'

/** Options of `createSpeechTools`. Whatever a model should not choose is here: voice, models, limits, what may be read. */
export interface SpeechToolsOptions {
  /** The client, which holds key and address. It stays the caller's to close. */
  readonly client: PureAudioClient
  /** The voice of `speak`. */
  readonly voice_id: string
  /** Where spoken audio is kept, e.g. `folderAudioStore('./audio')`. */
  readonly store: AudioStore
  /** Model of `speak`. @default 'svc-tts-1.5-flash' */
  readonly model?: Open<SpeechModel>
  /** Model of `transcribe`. The diarizing one gives the model lines with speakers. @default 'svc-transcribe-1.0' */
  readonly transcriptionModel?: Open<TranscriptionModel>
  /** Most characters (UTF-16 units) of text in one call of `speak`. @default 4000 */
  readonly maxCharacters?: number
  /** Most characters (UTF-16 units) of a transcript that the model is given; the artifact has them all. @default 8000 */
  readonly maxContentCharacters?: number
  /**
   * Whether `transcribe` takes public https URLs, which the service fetches. A model that reads what strangers wrote can
   * be talked into telling a URL what it knows: switch them off where it must not. @default true
   */
  readonly allowUrls?: boolean
  /**
   * A folder whose files `transcribe` may read by path, subfolders included; a link that leads out of it is refused.
   * @default none: no path is ever opened
   */
  readonly allowedRoot?: string
  /** Names of the tools. @default { speak: 'speak', transcribe: 'transcribe' } */
  readonly names?: { readonly speak?: string; readonly transcribe?: string }
}

/** {@link SpeechToolsOptions} with every default filled in. */
export type ResolvedOptions = Required<Omit<SpeechToolsOptions, 'allowedRoot' | 'names'>> & {
  readonly allowedRoot: string | undefined
  readonly names: Required<NonNullable<SpeechToolsOptions['names']>>
}

/**
 * Checks the options and fills in the defaults.
 * @throws ConfigurationError naming the option
 */
export function resolveOptions(options: SpeechToolsOptions): ResolvedOptions {
  const resolved: ResolvedOptions = {
    client: options.client,
    voice_id: options.voice_id,
    store: options.store,
    model: options.model ?? 'svc-tts-1.5-flash',
    transcriptionModel: options.transcriptionModel ?? 'svc-transcribe-1.0',
    maxCharacters: options.maxCharacters ?? 4000,
    maxContentCharacters: options.maxContentCharacters ?? 8000,
    allowUrls: options.allowUrls ?? true,
    allowedRoot: options.allowedRoot,
    names: { speak: options.names?.speak ?? 'speak', transcribe: options.names?.transcribe ?? 'transcribe' },
  }
  requireText(resolved.voice_id, 'voice_id')
  if (resolved.allowedRoot !== undefined) requireText(resolved.allowedRoot, 'allowedRoot')
  requireCount(resolved.maxCharacters, 'maxCharacters')
  requireCount(resolved.maxContentCharacters, 'maxContentCharacters')
  checkNames(resolved.names)
  return resolved
}

function requireText(value: unknown, option: string): void {
  if (typeof value !== 'string' || value.trim() === '') {
    throw new ConfigurationError(`${option} must be a non-empty string`)
  }
}

function requireCount(value: number, option: string): void {
  if (!Number.isInteger(value) || value < 1) throw new ConfigurationError(`${option} must be an integer of at least 1`)
}

/** What every large provider takes as a tool's name. */
function checkNames(names: ResolvedOptions['names']): void {
  for (const [tool, name] of Object.entries(names)) {
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
      throw new ConfigurationError(`names.${tool} must be 1 to 64 letters, digits, underscores or hyphens`)
    }
  }
  if (names.speak === names.transcribe) throw new ConfigurationError('names.speak and names.transcribe must differ')
}
