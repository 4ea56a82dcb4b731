import type { PureAudioClient } from '@svc-audio/core/pure'
import { PcmTrack } from '../../audio/pcm.ts'
import { MediaPlayer } from '../../audio/player.ts'
import { StreamPlayer } from '../../audio/stream-player.ts'
import { blobOf, isLocal, storeAudio } from '../../lib/client.ts'
import { isTask, LONG_CHARACTERS, makeInTask, type Sound, type Take as MadeTake } from '../../lib/takes.ts'
import { formatOf, isStream, type SpeakDraft, STREAMING_MODEL } from './draft.ts'

/** A speech that is made. */
export type Take = MadeTake<SpeakDraft>

/** What the panel does. */
export type SpeakPhase = 'idle' | 'waiting' | 'receiving'

/** The name of a take's file. */
export function fileNameOf({ draft }: Pick<Take, 'draft'>): string {
  return `speech.${isStream(draft) ? 'wav' : formatOf(draft)}`
}

/** A speech to make, and its listeners. */
interface SpeechJob {
  /** Of its row, until a task has another. */
  readonly id: string
  readonly client: PureAudioClient
  readonly draft: SpeakDraft
  readonly signal: AbortSignal
  /** The service has accepted a task, which continues without the page. */
  readonly accept: (take: Take) => void
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
 * @throws errors of the client; what arrived before stays in the take, and the caller says how it ended
 */
export async function streamSpeech({
  id: local,
  client,
  draft,
  signal,
  add,
  update,
}: SpeechJob): Promise<Sound['file']> {
  const [began, beganAt] = [performance.now(), Date.now()]
  const { text, voice, speed } = draft
  const body = { model: STREAMING_MODEL, input: text, speed, ...(voice === '' ? {} : { voice_id: voice }) } as const
  const stream = await client.speech.stream(body, { signal })
  const track = new PcmTrack(stream.format)
  const id = stream.taskId ?? local
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
    // How it ended depends on why, which the caller knows: a page that is left ends nothing.
    update(numbers())
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
export async function makeFile(job: SpeechJob): Promise<Sound['file']> {
  const { client, draft, signal, accept, add, update } = job
  const [began, at] = [performance.now(), Date.now()]
  const { text, voice, model } = draft
  const body = { model, input: text, voice_id: voice, response_format: formatOf(draft) }
  let { id } = job
  const blob = isLong(draft)
    ? await makeInTask({
        client,
        signal,
        create: () => client.speech.createTask(body, { signal }),
        onTask(task) {
          id = task
          accept({ id, draft, at, end: 'open', bytes: 0, seconds: 0 })
        },
      })
    : await blobOf(await client.speech.create(body, { signal }))
  const player = new MediaPlayer(blob)
  const file = (): Blob => blob
  const totalMs = performance.now() - began
  add({ id, draft, at, end: 'complete', bytes: blob.size, seconds: 0, totalMs }, { player, file })
  const stop = onLength(player, (seconds) => update({ seconds }))
  signal.addEventListener('abort', stop, { once: true })
  // A format that this browser does not play can still be downloaded: the player says so.
  await Promise.all([player.play().catch(() => {}), storeAudio(id, blob)])
  return file
}

/** Whether a draft becomes a file by a task. */
export function isLong(draft: SpeakDraft): boolean {
  return !isStream(draft) && draft.text.length >= LONG_CHARACTERS
}

/** Whether the task of a take continues without the page: that of a stream ends with it. */
export function continues(take: Take): boolean {
  return isTask(take) && !isStream(take.draft)
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
