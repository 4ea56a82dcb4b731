import type { UploadFile } from '@svc-audio/core'
import type { TranscriptSource } from '../artifacts.ts'
import { SpeechToolError } from '../errors/speech-tool-error.ts'
import { storeFailed } from '../errors/store-failed.ts'
import type { ResolvedOptions } from '../options.ts'
import { isAudioId, type OpenedAudio } from '../store/audio-store.ts'
import { openAllowedFile } from './allowed-file.ts'
import { checkSourceUrl } from './source-url.ts'

/** Audio that may be transcribed, as a request takes it. */
export interface TranscribeSource {
  readonly source: TranscriptSource
  readonly body: { readonly file: UploadFile } | { readonly url: string }
  /** Frees what was opened. */
  readonly close?: () => Promise<void>
}

/** A scheme of at least two letters: `C:` is a drive. */
const SCHEME = /^[a-z][a-z\d+.-]+:/i

/**
 * What a model named, checked and opened. What looks like a URL is one; then references count before paths.
 * @throws SpeechToolError that tells the model what it may name
 */
export async function openSource(
  audio: string,
  { store, names, allowUrls, allowedRoot }: ResolvedOptions,
  signal: AbortSignal | undefined,
): Promise<TranscribeSource> {
  if (SCHEME.test(audio)) {
    if (!allowUrls) throw new SpeechToolError('invalid_url', 'URLs are not taken here. Give a reference.')
    const url = checkSourceUrl(audio)
    return { source: { type: 'url', url }, body: { url } }
  }
  const opened = isAudioId(audio) ? await openStored(store, audio, signal) : undefined
  if (opened !== undefined) return fromStore(audio, opened)
  if (allowedRoot !== undefined) return openAllowedFile(allowedRoot, audio)
  throw new SpeechToolError(
    'audio_not_found',
    `There is no audio with this reference. Give one exactly as ${names.speak} returned it.`,
  )
}

async function openStored(
  store: ResolvedOptions['store'],
  id: string,
  signal: AbortSignal | undefined,
): Promise<OpenedAudio | undefined> {
  try {
    return await store.open(id, { signal })
  } catch (error) {
    throw storeFailed(error)
  }
}

function fromStore(id: string, audio: OpenedAudio): TranscribeSource {
  const { bytes, contentType } = audio
  return {
    source: { type: 'reference', id },
    body: {
      file: {
        data: () => audio.stream(),
        name: id,
        type: contentType,
        ...(bytes === undefined ? {} : { size: bytes }),
      },
    },
  }
}
