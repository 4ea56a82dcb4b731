import type { PureAudioClient, Voice } from '@svc-audio/core/pure'
import { ExchangeLog } from '../inspector/exchange.ts'
import { blobOf, createPanelClient } from '../lib/client.ts'
import { createStore, useStore } from '../lib/store.ts'
import { type Loaded, useLoaded } from '../lib/calls.ts'

/** Maximum number of voices that a picker lists. */
const MAX_VOICES = 1000

let made: PureAudioClient | undefined

/** The client of the lists. Its requests are in no panel's inspector: the user did not ask for them. */
function client(): PureAudioClient {
  made ??= createPanelClient(new ExchangeLog())
  return made
}

const version = createStore(0)

/** Loads the voices again, everywhere in the page: after a voice was made. */
export function reloadVoices(): void {
  version.set(version.get() + 1)
}

/** The voices, the service's default first. */
export function useVoices(): Loaded<readonly Voice[]> {
  // A new version is a new list.
  return useLoaded(loadVoices, useStore(version))
}

async function loadVoices(signal: AbortSignal): Promise<readonly Voice[]> {
  const voices: Voice[] = []
  for await (const voice of client().voices.list({ limit: 150 }, { signal })) {
    voices.push(voice)
    if (voices.length === MAX_VOICES) break
  }
  return voices
}

/** The voice of a form. Until the user chooses one, the service's default: the first of its list. Empty until it is here. */
export function useChosenVoice({ voice }: { readonly voice: string }): string {
  const { data } = useVoices()
  return voice || (data?.[0]?.id ?? '')
}

const previews = new Map<string, Promise<Blob>>()

/** Returns a sentence in a voice. The page makes it once. @param voice_id The voice. */
export function previewOf(voice_id: string): Promise<Blob> {
  const preview = previews.get(voice_id) ?? makePreview(voice_id)
  previews.set(voice_id, preview)
  // The next press makes it again.
  preview.catch(() => previews.delete(voice_id))
  return preview
}

/** Forgets the sentences of all voices, as a reload does. */
export function forgetPreviews(): void {
  previews.clear()
}

async function makePreview(voice_id: string): Promise<Blob> {
  const input = 'This is how I sound. The evening light fell softly on the water.'
  const body = { model: 'svc-tts-1.5-flash', input, voice_id, response_format: 'wav' } as const
  return blobOf(await client().speech.create(body))
}

/** The name of a voice for people: its id, if it has no name. */
export function nameOf({ id, name }: Voice): string {
  return name === '' ? id : name
}
