import type { PureAudioClient } from '@svc-audio/core/pure'
import { MediaPlayer } from '../../audio/media-player.ts'
import { PcmTrack } from '../../audio/pcm-track.ts'
import { StreamPlayer } from '../../audio/stream-player.ts'
import { blobOf } from '../../lib/client.ts'
import type { LastSpeech } from '../../lib/last-speech.ts'
import { formatOf, type SpeakDraft, STREAMING_MODEL } from './draft.ts'
import type { Take } from './take.ts'

/** A speech to make, and its listeners. */
export interface SpeechJob {
  readonly client: PureAudioClient
  readonly draft: SpeakDraft
  readonly signal: AbortSignal
  /** The first audio is here. */
  readonly add: (take: Omit<Take, 'id'>) => void
  readonly update: (change: Partial<Take>) => void
}

type NamedFile = Pick<LastSpeech, 'name' | 'file'>

/** Milliseconds between two updates of the numbers on the screen. */
const UPDATE_MS = 200

/** Milliseconds that the screen leaves to the sound. Without an audio device there is none. */
const SOUND_FIRST_MS = 50

/**
 * Plays a speech while it is synthesized.
 * @throws errors of the client; what arrived before stays in the take, which is then `cut`
 */
export async function streamSpeech({ client, draft, signal, add, update }: SpeechJob): Promise<NamedFile> {
  const [began, beganAt] = [performance.now(), Date.now()]
  const { text, voice, speed } = draft
  const body = { model: STREAMING_MODEL, input: text, speed, ...(voice === '' ? {} : { voice_id: voice }) } as const
  const stream = await client.speech.stream(body, { signal })
  const track = new PcmTrack(stream.format)
  const numbers = (): Pick<Take, 'bytes' | 'seconds'> => ({ bytes: track.bytes, seconds: track.seconds })
  let firstAudioMs: number | undefined
  const player = new StreamPlayer(track, (at) => {
    // A seek starts again.
    firstAudioMs ??= at - beganAt
    show()
    update({ firstAudioMs })
  })
  const pause = (): void => player.pause()
  signal.addEventListener('abort', pause, { once: true })
  const file = (): Promise<Blob> => track.wav()
  const fileName = 'speech.wav'
  let shown = false
  const show = (): void => {
    if (!shown) add({ ...newTake(draft), ...numbers(), player, file, fileName, firstAudioMs })
    shown = true
  }
  // Without an audio device, the speech can still be downloaded.
  player.play().catch(() => player.pause())
  let late: ReturnType<typeof setTimeout> | undefined
  let updated = 0
  try {
    for await (const pcm of stream) {
      track.append(pcm)
      late ??= setTimeout(show, SOUND_FIRST_MS)
      if (performance.now() - updated > UPDATE_MS) {
        updated = performance.now()
        update(numbers())
      }
    }
    track.finish('complete')
    show()
    update({ ...numbers(), end: 'complete', totalMs: performance.now() - began })
    return { name: fileName, file }
  } catch (error) {
    track.finish('cut')
    if (track.bytes > 0) show()
    else player.close()
    update({ ...numbers(), end: 'cut' })
    throw error
  } finally {
    clearTimeout(late)
    signal.removeEventListener('abort', pause)
  }
}

/**
 * Makes a file and plays it.
 * @throws errors of the client
 */
export async function makeFile({ client, draft, signal, add, update }: SpeechJob): Promise<NamedFile> {
  const began = performance.now()
  const { text, voice, model } = draft
  const response_format = formatOf(draft)
  const body = { model, input: text, voice_id: voice, response_format }
  const blob = await blobOf(await client.speech.create(body, { signal }))
  const player = new MediaPlayer(blob)
  const file = (): Blob => blob
  const fileName = `speech.${response_format}`
  const totalMs = performance.now() - began
  add({ ...newTake(draft), player, file, fileName, end: 'complete', bytes: blob.size, totalMs })
  const stop = player.state.subscribe(() => {
    const { duration } = player.state.get()
    if (duration > 0) update({ seconds: duration })
  })
  signal.addEventListener('abort', stop, { once: true })
  // A format that this browser does not play can still be downloaded: the player says so.
  await player.play().catch(() => {})
  return { name: fileName, file }
}

function newTake(draft: SpeakDraft): Omit<Take, 'id' | 'player' | 'file' | 'fileName'> {
  const at = new Date()
  return { draft, at, end: 'open', bytes: 0, seconds: 0, firstAudioMs: undefined, totalMs: undefined }
}
