import { setTimeout as sleep } from 'node:timers/promises'
import { type DecodeOptions, UndecodableAudioError } from '@svc-audio/engine-ports'
import { FrameParser } from './decoded-frames.ts'
import { FfmpegError } from './ffmpeg-process.ts'
import type { FileForm } from './file-forms.ts'
import { InputReport } from './input-report.ts'
import { Timeline } from './timeline.ts'

/** Starts ffmpeg for a file, and yields its output. `report` receives its messages. */
export type RunDecoder = (options: {
  /** @default ffmpeg chooses */
  readonly track: number | undefined
  readonly report: InputReport
}) => AsyncIterable<Uint8Array>

/** A file, and the limits of its decoding. */
interface DecodedFileOptions extends Pick<DecodeOptions, 'onEnd'> {
  /** The file as ffmpeg's arguments name it. */
  readonly inputUrl: string
  readonly form: FileForm
  /** Longest audio, in seconds. */
  readonly maxSeconds: number
}

/** Most tracks of a file that are tried. */
const MAX_TRACKS = 4

/** Longest wait for messages whose sound has come, in milliseconds. */
const MESSAGES_MS = 5000

/** Waits for messages, but not for ever: an unknown ffmpeg may have others. */
async function soon(messages: Promise<undefined>): Promise<void> {
  const late = new AbortController()
  await Promise.race([messages, sleep(MESSAGES_MS, undefined, { signal: late.signal }).catch(() => undefined)])
  late.abort()
}

/** Sound that ends this much before the stated end, in seconds or as a share of the length, ends early. */
const EARLY = { seconds: 0.5, share: 0.01 } as const

/**
 * Decodes a file to PCM on its own time line. It is the default track that is read, or the first one that can be.
 * @throws UndecodableAudioError for a file without sound, or with too much; what `run` throws
 */
export async function* decodeFile(run: RunDecoder, options: DecodedFileOptions): AsyncGenerator<Uint8Array> {
  const tried = new Set<number>()
  let track: number | undefined
  for (;;) {
    const report = new InputReport(options.inputUrl)
    const attempt = new Attempt(report, options)
    let failure: unknown
    try {
      yield* attempt.read(run({ track, report }), track === undefined)
    } catch (error) {
      if (!(error instanceof FfmpegError) || attempt.hasSound) throw error
      failure = error
    }
    if (failure === undefined && !attempt.isWrongTrack) return attempt.end()
    const failed = track ?? report.chosen
    if (failure !== undefined && failed !== undefined) tried.add(failed)
    track =
      report.tracks < 2 || tried.size === MAX_TRACKS ? undefined : report.candidates.find((one) => !tried.has(one))
    if (track === undefined) throw failure
    // Tried whatever comes of it: a failure may not name its track.
    tried.add(track)
  }
}

/** One run of ffmpeg over a track. */
class Attempt {
  readonly #report: InputReport
  readonly #options: DecodedFileOptions
  #timeline: Timeline | undefined
  hasSound = false
  isWrongTrack = false

  constructor(report: InputReport, options: DecodedFileOptions) {
    this.#report = report
    this.#options = options
  }

  /** @param isFree Whether ffmpeg has chosen the track. The attempt ends when it has chosen another than the best one. */
  async *read(output: AsyncIterable<Uint8Array>, isFree: boolean): AsyncGenerator<Uint8Array> {
    const parser = new FrameParser()
    for await (const chunk of output) {
      const frames = parser.read(chunk)
      this.#timeline ??= await this.#begin()
      if (isFree && this.#isWrong()) {
        this.isWrongTrack = true
        return
      }
      for (const pcm of this.#timeline.place(frames)) {
        if (this.#timeline.seconds > this.#options.maxSeconds) throw this.#tooLong()
        this.hasSound = true
        yield pcm
      }
    }
  }

  #isWrong(): boolean {
    const { chosen, candidates } = this.#report
    const [best] = candidates
    return best !== undefined && chosen !== undefined && best !== chosen
  }

  /** The messages before the sound may come after its first bytes: they have a pipe of their own. */
  async #begin(): Promise<Timeline> {
    await soon(this.#report.headed)
    const { isTimed, lead, stated } = this.#report
    return new Timeline({ isTimed, lead, stated })
  }

  /** Tells what is known at the end. @throws UndecodableAudioError without sound, or for an Ogg of two codecs */
  async end(): Promise<void> {
    await soon(this.#report.ended)
    const { form, onEnd } = this.#options
    const { readFault, isCut, isOgg, hasPictures, tracks, stated = 0 } = this.#report
    const { seconds = 0 } = this.#timeline ?? {}
    if (!this.hasSound) throw new UndecodableAudioError('The file contains no sound.')
    if (readFault !== undefined && isOgg) {
      throw new UndecodableAudioError(
        `After ${seconds.toFixed(1)} s, the Ogg file continues with audio of another codec: split it, or convert it to one codec.`,
      )
    }
    // Pictures and other tracks may last longer than this one.
    const isOne = !hasPictures && tracks < 2
    const isShort = isOne && stated - seconds > Math.max(EARLY.seconds, EARLY.share * stated)
    const endsEarly = form.endsEarly || isCut || isShort
    onEnd?.({ durationSeconds: isOne || endsEarly ? seconds : Math.max(seconds, stated), endsEarly })
  }

  #tooLong(): UndecodableAudioError {
    return new UndecodableAudioError(`The audio is longer than ${this.#options.maxSeconds / 3600} hours.`)
  }
}
