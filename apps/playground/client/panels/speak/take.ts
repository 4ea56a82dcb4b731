import type { PureAudioClient } from '@svc-audio/core/pure'
import { PcmTrack } from '../../audio/pcm.ts'
import { MediaPlayer, type Player } from '../../audio/player.ts'
import { StreamPlayer } from '../../audio/stream-player.ts'
import { blobOf, isLocal, localId, storeAudio } from '../../lib/client.ts'
import { formatOf, isStream, type SpeakDraft, STREAMING_MODEL } from './draft.ts'

/** A speech that was made. The browser stores it; its audio is in the task, or in the audio of the browser. */
export interface Take {
  /** The task of a stream, else an id of this browser. */
  readonly id: string
  readonly draft: SpeakDraft
  /** Unix milliseconds. */
  readonly at: number
  /** `cut`: the end is missing. `open`: it arrives, or its page was closed. */
  readonly end: 'open' | 'complete' | 'cut'
  readonly bytes: number
  /** Length of the audio, in seconds. 0 until known. */
  readonly seconds: number
  /** From the click to the first sample in the speakers, in milliseconds. Streams only. */
  readonly firstAudioMs?: number
  /** From the click to the last byte, in milliseconds. */
  readonly totalMs?: number
}

/** What the panel does. */
export type SpeakPhase = 'idle' | 'waiting' | 'receiving'

/** The audio of a take. */
export interface Sound {
  readonly player: Player
  /** The audio as a file. */
  readonly file: () => Blob | Promise<Blob>
}

/** The name of a take's file. */
export function fileNameOf({ draft }: Pick<Take, 'draft'>): string {
  return `speech.${isStream(draft) ? 'wav' : formatOf(draft)}`
}

/** A speech to make, and its listeners. */
interface SpeechJob {
  readonly client: PureAudioClient
  readonly draft: SpeakDraft
  readonly signal: AbortSignal
  /** The first audio is here. */
  readonly add: (take: Take, sound: Sound) => void
  readonly update: (change: Partial<Take>) => void
}

/** Milliseconds between two updates of the numbers on the screen. */
const UPDATE_MS = 200

/** Milliseconds that the screen leaves to the sound. Without an audio device there is none. */
const SOUND_FIRST_MS = 50

/**
 * Plays a speech while it is synthesized.
 * @returns its file
 * @throws errors of the client; what arrived before stays in the take, which is then `cut`
 */
export async function streamSpeech({ client, draft, signal, add, update }: SpeechJob): Promise<Sound['file']> {
  const [began, beganAt] = [performance.now(), Date.now()]
  const { text, voice, speed } = draft
  const body = { model: STREAMING_MODEL, input: text, speed, ...(voice === '' ? {} : { voice_id: voice }) } as const
  const stream = await client.speech.stream(body, { signal })
  const track = new PcmTrack(stream.format)
  const id = stream.taskId ?? localId()
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
  let shown = false
  const show = (): void => {
    if (!shown) add({ id, draft, at: beganAt, end: 'open', ...numbers() }, { player, file })
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
    if (isLocal(id)) await storeAudio(id, await file())
    return file
  } catch (error) {
    track.finish('cut')
    if (track.bytes > 0) show()
    else player.close()
    update({ ...numbers(), end: 'cut' })
    // The task of an aborted stream has no audio.
    if (track.bytes > 0) await storeAudio(id, await file())
    throw error
  } finally {
    clearTimeout(late)
    signal.removeEventListener('abort', pause)
  }
}

/**
 * Makes a file and plays it.
 * @returns the file
 * @throws errors of the client
 */
export async function makeFile({ client, draft, signal, add, update }: SpeechJob): Promise<Sound['file']> {
  const [began, at] = [performance.now(), Date.now()]
  const { text, voice, model } = draft
  const body = { model, input: text, voice_id: voice, response_format: formatOf(draft) }
  const blob = await blobOf(await client.speech.create(body, { signal }))
  const player = new MediaPlayer(blob)
  const file = (): Blob => blob
  const id = localId()
  const totalMs = performance.now() - began
  add({ id, draft, at, end: 'complete', bytes: blob.size, seconds: 0, totalMs }, { player, file })
  const stop = onLength(player, (seconds) => update({ seconds }))
  signal.addEventListener('abort', stop, { once: true })
  // A format that this browser does not play can still be downloaded: the player says so.
  await Promise.all([player.play().catch(() => {}), storeAudio(id, blob)])
  return file
}

/** Tells the length of audio when it is known. @returns a function that ends the wait */
export function onLength({ state }: MediaPlayer, tell: (seconds: number) => void): () => void {
  const stop = state.subscribe(() => {
    const { duration } = state.get()
    if (duration === 0) return
    stop()
    tell(duration)
  })
  return stop
}
